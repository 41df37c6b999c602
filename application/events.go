package application

import (
	"context"
	"encoding/base64"
	"slices"
	"sort"
	"strings"

	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Journal is what happened.
type Journal struct {
	*kernel
	feed *feed
}

// newJournal returns the use cases of the journal.
func newJournal(k *kernel) Journal { return Journal{k, newFeed(k.dependencies)} }

// ListEvents asks for entries of the journal that the caller sees. They pass every filter; a nil one is none, and one
// that names what is out of sight selects nothing.
type ListEvents struct {
	Types    []journal.Type // none: any
	Account  *int64         // which entries concern
	Tree     *int64         // which entries concern, or an account below it
	Line     *int64
	Movement *int64 // which an entry names
	Newest   bool   // from the newest on, not from the oldest
	After    *string
	Limit    int
}

// EventPage is a page of the journal. From the oldest on it always has a Next: the end of the page, from which a later
// one goes on. An entry that was passed because it did not match does not come again.
type EventPage struct {
	Page[journal.Numbered] // Damaged are numbers of entries

	More bool // entries were left to be examined
	Head int64

	epoch journal.Epoch
	all   bool // the caller sees everything
}

// errCursorUnknown refuses a cursor of numbers that may be given again.
var errCursorUnknown = fault.New(fault.Gone, "cursor-unknown",
	"The journal has begun anew since this cursor was given: its store was restored from a backup.")

// CursorUnknown refuses a cursor of another epoch than the one in force.
type CursorUnknown struct {
	Restart string // cursor right before the first entry of the epoch in force
}

// Error implements error.
func (*CursorUnknown) Error() string { return errCursorUnknown.Error() }

// Unwrap makes it match its fault.
func (*CursorUnknown) Unwrap() error { return errCursorUnknown }

// Members implements fault.Detailed.
func (e *CursorUnknown) Members() []fault.Member {
	return []fault.Member{{Name: "restart", Value: e.Restart}}
}

// eventCursor is a place in the journal: right after an entry in the order of the query, so that the entries that
// follow have larger numbers or, from the newest on, smaller ones.
type eventCursor struct {
	epoch journal.Epoch // in force when it was made
	seq   int64
}

// eventsName is how cursors of the journal begin.
const eventsName = "events "

// eventsOf is the order of entries while an epoch is in force.
func eventsOf(epoch journal.Epoch) Order { return Order{name: eventsName + string(epoch)} }

// String returns the cursor as callers carry it.
func (c eventCursor) String() string { return eventsOf(c.epoch).numbered(c.seq) }

// after reads the cursor that a page begins after, nil for the beginning, or returns ErrBadCursor.
func (c ListEvents) after() (*eventCursor, error) {
	if c.After == nil {
		return nil, nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(*c.After)
	text, named := strings.CutPrefix(string(decoded), eventsName)
	text, _, _ = strings.Cut(text, " ")
	epoch, known := journal.ParseEpoch(text)
	if err != nil || !named || !known {
		return nil, ErrBadCursor
	}
	at, err := eventsOf(epoch).Parse(*c.After)
	if err != nil || at.at.ID < 0 {
		return nil, ErrBadCursor
	}
	return &eventCursor{epoch: epoch, seq: at.at.ID}, nil
}

// Refused returns ErrBadCursor if After is no cursor of the journal, as the use case does.
func (c ListEvents) Refused() error {
	_, err := c.after()
	return err
}

// Part returns the query for up to limit of the same items, after a cursor.
func (c ListEvents) Part(after *string, limit int) ListEvents {
	c.After, c.Limit = after, limit
	return c
}

// ListEvents returns a page of the journal. The refusal is *CursorUnknown.
func (s Journal) ListEvents(ctx context.Context, call Call, c ListEvents) (EventPage, error) {
	after, err := c.after()
	if err != nil {
		return EventPage{}, err
	}
	return query(ctx, s.kernel, call, "list events", func(ctx context.Context, in reading) (EventPage, error) {
		head, err := in.Journal.Head(ctx)
		if err != nil {
			return EventPage{}, err
		}
		if after != nil && after.epoch != head.Epoch {
			first, err := firstOfEpoch(ctx, in.Journal, head)
			if err != nil {
				return EventPage{}, err
			}
			return EventPage{}, &CursorUnknown{Restart: eventCursor{epoch: head.Epoch, seq: first - 1}.String()}
		}
		page := EventPage{Head: head.Seq, epoch: head.Epoch, all: in.actor.Sight() == 0}
		page.After = func(n journal.Numbered) string { return eventCursor{epoch: head.Epoch, seq: n.Seq}.String() }
		found, err := c.find(ctx, in, after)
		if err != nil {
			return page, err
		}
		page.Items, page.Damaged, page.More = found.Entries, found.Damaged, found.Next != 0
		switch {
		case page.More:
			page.Next = eventCursor{epoch: head.Epoch, seq: found.Next}.String()
		case !c.Newest:
			// A cursor may be ahead of what the store shows: of a replica set that has another primary since, for a moment.
			seen := head.Seq
			if after != nil {
				seen = max(seen, after.seq)
			}
			page.Next = eventCursor{epoch: head.Epoch, seq: seen}.String()
		}
		return page, nil
	})
}

// find returns the entries that pass the filters, as the caller sees them. The store selects by one of them, the
// narrowest.
func (c ListEvents) find(ctx context.Context, in reading, after *eventCursor) (found ports.EventPage, err error) {
	of, visible, err := c.scope(ctx, in)
	if err != nil || !visible {
		return ports.EventPage{}, err
	}
	q := ports.EventQuery{Of: of, Types: c.Types, Descending: c.Newest, Limit: c.Limit}
	switch {
	case after == nil:
	case !c.Newest:
		q.After = after.seq
	case after.seq == 0: // nothing is older
		return ports.EventPage{}, nil
	default:
		q.Before = after.seq
	}
	if c.Movement == nil {
		found, err = in.Journal.List(ctx, q)
	} else {
		var naming map[int64]journal.Numbered
		naming, err = in.Journal.OfMovements(ctx, []int64{*c.Movement})
		for _, n := range naming {
			if n.Seq > q.After && (q.Before == 0 || n.Seq < q.Before) {
				found.Entries = append(found.Entries, n)
			}
		}
	}
	seen := found.Entries[:0]
	for _, n := range found.Entries {
		if !c.selects(&n) {
			continue
		}
		if shown, hidden := n.SeenBy(in.actor); hidden == nil {
			seen = append(seen, journal.Numbered{Entry: shown, Head: n.Head})
		}
	}
	found.Entries = seen
	return found, err
}

// scope returns the narrowest part of the journal that has all that is asked for, and reports false if a filter names
// an account that is out of sight.
func (c ListEvents) scope(ctx context.Context, in reading) (of ports.EventScope, visible bool, err error) {
	if in.actor.Sight() != 0 {
		of = ports.EventScope{Tree: in.actor.ID()}
	}
	for _, narrower := range []struct {
		reseller *int64
		of       func(r *reseller.Reseller) ports.EventScope
	}{
		// an admin's has no list
		{c.Tree, func(r *reseller.Reseller) ports.EventScope { return ports.EventScope{Tree: r.Sight()} }},
		{c.Account, func(r *reseller.Reseller) ports.EventScope { return ports.EventScope{Account: r.ID()} }},
	} {
		if narrower.reseller == nil {
			continue
		}
		r, err := seenReseller(ctx, in.Resellers, in.actor, *narrower.reseller)
		if err != nil {
			if isNotFound(err) {
				err = nil
			}
			return of, false, err
		}
		of = narrower.of(r)
	}
	if c.Line == nil {
		return of, true, nil
	}
	// All entries about a line concern its owner. So nobody learns how many there are of one that is out of sight.
	of = ports.EventScope{Line: *c.Line}
	if of.Line == 0 {
		return of, false, nil
	}
	page, err := in.Journal.List(ctx, ports.EventQuery{Of: of, Limit: 1})
	if err != nil || len(page.Entries) == 0 {
		return of, false, err
	}
	_, hidden := page.Entries[0].SeenBy(in.actor)
	return of, hidden == nil, nil
}

// selects reports whether an entry passes the filters.
func (c ListEvents) selects(n *journal.Numbered) bool {
	return (len(c.Types) == 0 || slices.Contains(c.Types, n.Type)) &&
		(c.Account == nil || n.Concerns(*c.Account)) &&
		(c.Tree == nil || n.Concerns(*c.Tree) || n.Account.Under(*c.Tree)) &&
		(c.Line == nil || n.Line == *c.Line) &&
		(c.Movement == nil || n.Movement != nil && n.Movement.ID == *c.Movement)
}

// firstOfEpoch returns the number of the first entry of the epoch in force, by a binary search: epochs follow one
// another.
func firstOfEpoch(ctx context.Context, events ports.Events, head journal.Head) (first int64, err error) {
	before := sort.Search(int(head.Seq), func(after int) bool {
		page := ports.EventPage{Next: int64(after)}
		for more := true; more && err == nil && len(page.Entries) == 0; more = page.Next != 0 { // past damaged entries
			page, err = events.List(ctx, ports.EventQuery{After: page.Next, Limit: 1})
		}
		return err != nil || len(page.Entries) == 0 || page.Entries[0].Epoch == head.Epoch
	})
	return int64(before) + 1, err
}
