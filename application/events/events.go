// Package events lists the entries of the journal, and waits for new ones.
package events

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Service lists the entries of the journal.
type Service struct {
	k    *usecase.Kernel
	feed *feed
}

// New returns the use cases of the journal.
func New(k *usecase.Kernel) Service { return Service{k, newFeed(k.Dependencies)} }

// List selects entries of the journal that the caller sees. They pass every filter; a nil filter passes all entries. A
// filter that names something out of sight selects nothing.
type List struct {
	Types    []journal.Type // empty: any
	Account  *int64         // entries that concern it
	Tree     *int64         // entries that concern it, or an account below it
	Line     *int64
	Movement *int64 // the entry that names it
	Newest   bool   // from the newest on, not from the oldest
	After    *usecase.EventCursor
	Limit    int
}

// Page is a page of the journal. From the oldest on it always has a Next: the end of the page, from which a later page
// continues. An entry that did not match does not come again.
type Page struct {
	usecase.PageOf[journal.Numbered, usecase.EventCursor] // Damaged are numbers of entries

	More bool // there are entries that were not examined
	Head int64

	epoch journal.Epoch
	all   bool // the caller sees everything
}

// Cursor parses a cursor of the journal, or returns ErrBadCursor.
func (c List) Cursor(cursor string) (usecase.EventCursor, error) {
	decoded, err := base64.RawURLEncoding.DecodeString(cursor)
	text, named := strings.CutPrefix(string(decoded), usecase.EventCursorPrefix)
	text, _, _ = strings.Cut(text, " ")
	epoch, known := journal.ParseEpoch(text)
	if err != nil || !named || !known {
		return usecase.EventCursor{}, usecase.ErrBadCursor
	}
	at, err := usecase.EventOrder(epoch).Parse(cursor)
	if err != nil || at.At.ID < 0 {
		return usecase.EventCursor{}, usecase.ErrBadCursor
	}
	return usecase.EventCursor{Epoch: epoch, Seq: at.At.ID}, nil
}

// PageAfter returns the query for up to limit of the same items, after a cursor.
func (c List) PageAfter(after *usecase.EventCursor, limit int) List {
	c.After, c.Limit = after, limit
	return c
}

// List returns a page of the journal. The refusal is *CursorUnknown.
func (s Service) List(ctx context.Context, call usecase.Call, c List) (Page, error) {
	return usecase.Query(ctx, s.k, call, "list events", func(ctx context.Context, in usecase.View) (Page, error) {
		head, err := in.Journal.Head(ctx)
		if err != nil {
			return Page{}, err
		}
		after := c.After
		if after != nil && after.Epoch != head.Epoch {
			first, err := usecase.FirstOfEpoch(ctx, in.Journal, head)
			if err != nil {
				return Page{}, err
			}
			return Page{}, &usecase.CursorUnknown{Restart: usecase.EventCursor{Epoch: head.Epoch, Seq: first - 1}.String()}
		}
		page := Page{Head: head.Seq, epoch: head.Epoch, all: in.Actor.VisibleRoot() == 0}
		page.After = func(n journal.Numbered) usecase.EventCursor {
			return usecase.EventCursor{Epoch: head.Epoch, Seq: n.Seq}
		}
		found, err := c.find(ctx, in)
		if err != nil {
			return page, err
		}
		page.Items, page.Damaged, page.More = found.Entries, found.Damaged, found.Next != 0
		switch {
		case page.More:
			page.Next = &usecase.EventCursor{Epoch: head.Epoch, Seq: found.Next}
		case !c.Newest:
			// A cursor may be ahead of the store for a moment: after a change of the primary of a replica set.
			seen := head.Seq
			if after != nil {
				seen = max(seen, after.Seq)
			}
			page.Next = &usecase.EventCursor{Epoch: head.Epoch, Seq: seen}
		}
		return page, nil
	})
}

// find returns the entries that pass the filters, as the caller sees them. The store selects by the narrowest filter.
func (c List) find(ctx context.Context, in usecase.View) (found ports.EventPage, err error) {
	of, visible, err := c.scope(ctx, in)
	if err != nil || !visible {
		return ports.EventPage{}, err
	}
	q := ports.EventQuery{Of: of, Types: c.Types, Descending: c.Newest, Limit: c.Limit}
	switch {
	case c.After == nil:
	case !c.Newest:
		q.After = c.After.Seq
	case c.After.Seq == 0: // no entry is older
		return ports.EventPage{}, nil
	default:
		q.Before = c.After.Seq
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
		if shown, hidden := n.SeenBy(in.Actor); hidden == nil {
			seen = append(seen, journal.Numbered{Entry: shown, Head: n.Head})
		}
	}
	found.Entries = seen
	return found, err
}

// scope returns the narrowest part of the journal that has all requested entries. It reports false if a filter names an
// account that is out of sight.
func (c List) scope(ctx context.Context, in usecase.View) (of ports.EventScope, visible bool, err error) {
	if in.Actor.VisibleRoot() != 0 {
		of = ports.EventScope{Tree: in.Actor.ID()}
	}
	for _, narrower := range []struct {
		reseller *int64
		of       func(r *reseller.Reseller) ports.EventScope
	}{
		// an admin's has no list
		{c.Tree, func(r *reseller.Reseller) ports.EventScope { return ports.EventScope{Tree: r.VisibleRoot()} }},
		{c.Account, func(r *reseller.Reseller) ports.EventScope { return ports.EventScope{Account: r.ID()} }},
	} {
		if narrower.reseller == nil {
			continue
		}
		r, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, *narrower.reseller)
		if err != nil {
			if usecase.IsNotFound(err) {
				err = nil
			}
			return of, false, err
		}
		of = narrower.of(r)
	}
	if c.Line == nil {
		return of, true, nil
	}
	// All entries about a line concern its owner. So a caller can't count the entries of a line that is out of sight.
	of = ports.EventScope{Line: *c.Line}
	if of.Line == 0 {
		return of, false, nil
	}
	page, err := in.Journal.List(ctx, ports.EventQuery{Of: of, Limit: 1})
	if err != nil || len(page.Entries) == 0 {
		return of, false, err
	}
	_, hidden := page.Entries[0].SeenBy(in.Actor)
	return of, hidden == nil, nil
}

// selects reports whether an entry passes the filters.
func (c List) selects(n *journal.Numbered) bool {
	return (len(c.Types) == 0 || slices.Contains(c.Types, n.Type)) &&
		(c.Account == nil || n.Concerns(*c.Account)) &&
		(c.Tree == nil || n.Concerns(*c.Tree) || n.Account.Under(*c.Tree)) &&
		(c.Line == nil || n.Line == *c.Line) &&
		(c.Movement == nil || n.Movement != nil && n.Movement.ID == *c.Movement)
}
