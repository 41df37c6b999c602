package rows

import (
	"cmp"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// Place is the place of a line in lists. The zero value is in no list.
type Place struct {
	Owner  reseller.Position
	Expiry int64
}

func (p Place) none() bool { return p.Owner.ID == 0 }

// Scopes yields the lists of a line: the list of the owner's own lines, and for each ancestor the list of all lines
// below it.
func (p Place) Scopes(yield func(scope int64) bool) {
	if p.none() || !yield(-p.Owner.ID) {
		return
	}
	for _, above := range p.Owner.Ancestors {
		if !yield(above) {
			return
		}
	}
}

// Entry is a line in a list. Expiry is set in the order by expiry.
type Entry struct{ Scope, Expiry, Line int64 }

// Entries are entries in each order.
type Entries struct{ IDs, Expiries []Entry }

// Clear empties it and retains its memory.
func (e *Entries) Clear() { e.IDs, e.Expiries = e.IDs[:0], e.Expiries[:0] }

// Compare orders entries as lists do.
func (e Entry) Compare(other Entry) int {
	return cmp.Or(cmp.Compare(e.Scope, other.Scope), cmp.Compare(e.Expiry, other.Expiry),
		cmp.Compare(e.Line, other.Line))
}

// Without adds to all the entries that a line has at this place and not at the other one.
func (p Place) Without(other Place, id int64, all *Entries) {
	for scope := range p.Scopes {
		stays := false
		for its := range other.Scopes {
			stays = stays || its == scope
		}
		if !stays {
			all.IDs = append(all.IDs, Entry{Scope: scope, Line: id})
		}
		if !stays || p.Expiry != other.Expiry {
			all.Expiries = append(all.Expiries, Entry{Scope: scope, Expiry: p.Expiry, Line: id})
		}
	}
}

// PlaceOf returns the place of a line.
func PlaceOf(s *line.State) Place { return Place{s.Owner, s.ExpiresAt.UnixMilli()} }
