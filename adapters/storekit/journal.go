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

// EventListOf says what a list is of.
type EventListOf int

// What lists are of. A tree is two lists: what concerns its top, and what is below it.
const (
	OfAccount    EventListOf = iota + 1 // entries that concern it
	BelowAccount                        // entries whose account is below it, which is no admin
	OfLine
)

// EventLists returns the lists that an entry is in, each once: at most 12, for a tree is at most 8 deep.
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

// ListsOf returns the lists of which a part of the journal consists, which may share entries; none for all of it.
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

// CloneEntry returns an entry that shares nothing with n.
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

// EachEntry passes the entries of a journal up to last to each, in their order. If one is damaged, changed or missing
// it returns ErrDamaged.
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
