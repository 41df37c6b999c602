package rows

import (
	"cmp"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// Place is where a line stands in lists; the zero value is in none.
type Place struct {
	Owner  reseller.Position
	Expiry int64
}

func (p Place) none() bool { return p.Owner.ID == 0 }

// Scopes are the lists: the owner's own, and that of everything below each reseller above it.
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

// Entry is a line in a list. In the order of ids expiry is 0.
type Entry struct{ Scope, Expiry, Line int64 }

// Compare orders entries as lists do.
func (e Entry) Compare(other Entry) int {
	return cmp.Or(cmp.Compare(e.Scope, other.Scope), cmp.Compare(e.Expiry, other.Expiry), cmp.Compare(e.Line, other.Line))
}

// Without adds the entries of a line at one place that it does not have at another.
func (p Place) Without(other Place, id int64, byID, byExpiry []Entry) (ids, expiries []Entry) {
	for scope := range p.Scopes {
		stays := false
		for its := range other.Scopes {
			stays = stays || its == scope
		}
		if !stays {
			byID = append(byID, Entry{scope, 0, id})
		}
		if !stays || p.Expiry != other.Expiry {
			byExpiry = append(byExpiry, Entry{scope, p.Expiry, id})
		}
	}
	return byID, byExpiry
}

// PlaceOf returns the place of a line.
func PlaceOf(s *line.State) Place { return Place{s.Owner, s.ExpiresAt.UnixMilli()} }
