package storekit

import (
	"context"
	"fmt"
	"slices"

	"resellerd/domain/journal"
	"resellerd/ports"
)

// EventList names a list of entries of the journal. Each store encodes it in its own way.
type EventList struct {
	Of EventListOf
	ID int64 // of the account or the line
}

// EventListOf is the kind of a list.
type EventListOf int

// The kinds of lists. A scope of a tree has two lists: the entries that concern its root, and those of the accounts
// below.
const (
	OfAccount    EventListOf = iota + 1 // entries that concern it
	BelowAccount                        // entries whose account is below it, which is no admin
	OfLine
)

// EventLists returns the lists that contain an entry, each once: at most 12, because a tree has at most 8 levels.
func EventLists(e *journal.Entry) (lists []EventList) {
	if e.Account.ID != 0 {
		lists = append(lists, EventList{OfAccount, e.Account.ID})
	}
	if m := e.Movement; m != nil {
		for _, side := range [...]int64{m.Source.ResellerID(), m.Target.ResellerID()} {
			if list := (EventList{OfAccount, side}); side != 0 && !slices.Contains(lists, list) {
				lists = append(lists, list)
			}
		}
	}
	for _, above := range e.Account.Ancestors[min(1, len(e.Account.Ancestors)):] { // the first is an admin
		lists = append(lists, EventList{BelowAccount, above})
	}
	if e.Line != 0 {
		lists = append(lists, EventList{OfLine, e.Line})
	}
	return lists
}

// ListsOf returns the lists of a scope, which may share entries. The whole journal has no list.
func ListsOf(of ports.EventScope) []EventList {
	switch {
	case of.Account != 0:
		return []EventList{{Of: OfAccount, ID: of.Account}}
	case of.Tree != 0:
		return []EventList{{Of: OfAccount, ID: of.Tree}, {Of: BelowAccount, ID: of.Tree}}
	case of.Line != 0:
		return []EventList{{Of: OfLine, ID: of.Line}}
	}
	return nil
}

// CloneEntry returns a deep copy of n.
func CloneEntry(n journal.Numbered) journal.Numbered {
	n.Account.Ancestors = slices.Clone(n.Account.Ancestors)
	n.Changes, n.Data = slices.Clone(n.Changes), slices.Clone(n.Data)
	if n.Movement != nil {
		movement := *n.Movement
		movement.Balances = slices.Clone(movement.Balances)
		n.Movement = &movement
	}
	return n
}

// EachEntry calls each for the entries of the journal up to last, in order. It returns ErrDamaged if an entry is
// damaged, changed or missing.
func EachEntry(ctx context.Context,
	entries func(ctx context.Context, after int64, limit int) ([]ports.Audited[journal.Numbered], error),
	last journal.Head, each func(n *journal.Numbered)) error {
	var at journal.Head
	for at != last {
		page, err := entries(ctx, at.Seq, int(min(500, last.Seq-at.Seq)))
		if err == nil && len(page) == 0 {
			err = fmt.Errorf("%w: the journal does not end with entry %d", ErrDamaged, last.Seq)
		}
		if err != nil {
			return err
		}
		for i := range page {
			n := &page[i].Record
			if page[i].Damage != nil || !n.Follows(at) {
				return fmt.Errorf("%w: entry %d of the journal", ErrDamaged, page[i].ID)
			}
			at = n.Head
			each(n)
		}
	}
	return nil
}
