package application

import (
	"context"
	"math"
	"slices"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// ListResellers asks for resellers that the caller sees. A nil filter is none;
// one that names a reseller out of sight selects nothing.
type ListResellers struct {
	Tree     *int64
	Master   *int64
	Username string // that profile.UsernamePrefix returned, "": any
	Search   profile.Search
	After    *string // next_cursor of the page before, nil: from the beginning
	Limit    int
}

// Refused returns ErrBadCursor if After is no cursor of this list, as the use case does.
func (c ListResellers) Refused() error {
	_, err := ResellersByID.after(c.After)
	return err
}

// Part returns the query for up to limit of the same items, after a cursor.
func (c ListResellers) Part(after *string, limit int) ListResellers {
	c.After, c.Limit = after, limit
	return c
}

// Searches reports whether a page looks through many resellers for those that are asked for.
func (c ListResellers) Searches() bool { return !c.Search.IsZero() }

// ListResellers returns a page of the resellers that the caller sees, by id. That of a search may be short, or empty,
// and still have a Next.
func (s Resellers) ListResellers(ctx context.Context, call Call, c ListResellers) (Page[Reseller], error) {
	at, err := ResellersByID.after(c.After)
	if err != nil {
		return Page[Reseller]{}, err
	}
	return query(ctx, s.kernel, call, "list resellers", func(ctx context.Context, in reading) (Page[Reseller], error) {
		page := Page[Reseller]{After: func(r Reseller) string { return ResellersByID.numbered(r.ID()) }}
		q := ports.ResellerQuery{Username: c.Username, After: at.ID}
		var visible bool
		var err error
		if q.Scope, visible, err = scope(ctx, in.Resellers, in.actor, nil, c.Tree); err != nil || !visible {
			return page, err
		}
		if c.Master != nil {
			if _, visible, err = scope(ctx, in.Resellers, in.actor, nil, c.Master); err != nil || !visible {
				return page, err
			}
			q.Master = *c.Master
		}
		page.Items = make([]Reseller, 0, c.Limit)
		ended := false
		next := func() string {
			if ended {
				return ""
			}
			return ResellersByID.numbered(q.After)
		}
		read := func(most int) (read examined, err error) {
			q.Limit = most
			found, err := in.Resellers.List(ctx, q)
			if err != nil {
				return read, err
			}
			q.After, ended = found.Next, found.Next == 0
			read.records = len(found.Resellers) + len(found.Damaged)
			read.short = !ended && read.records < most
			page.Damaged = append(page.Damaged, found.Damaged...)
			return read, c.sift(ctx, in, &page, found.Resellers, &read.bytes)
		}
		if c.Searches() {
			err = fill(&page, c.Limit, next, read)
			return page, err
		}
		_, err = read(c.Limit)
		page.Next = next()
		return page, err
	})
}

// sift adds those of the resellers to a page that are asked for, and the bytes of the texts that it searches.
func (c ListResellers) sift(ctx context.Context, in reading, page *Page[Reseller], resellers []*reseller.Reseller,
	bytes *int) error {
	asked := slices.DeleteFunc(resellers, func(r *reseller.Reseller) bool {
		s := r.State()
		for _, text := range s.Texts() {
			*bytes += len(text)
		}
		return !s.Mentions(c.Search)
	})
	var above []int64
	for _, r := range asked {
		above = append(above, r.Position().Ancestors...)
	}
	slices.Sort(above)
	blocked, err := in.Resellers.Blocked(ctx, slices.Compact(above))
	if err != nil {
		return err
	}
	for _, r := range asked {
		page.Items = append(page.Items, Reseller{Reseller: r, BlockedAbove: slices.ContainsFunc(blocked, r.Position().Under)})
	}
	return nil
}

// ListLines asks for lines that the caller may manage. A nil filter is none; one
// that names a reseller out of sight selects nothing.
type ListLines struct {
	Owner         *int64
	Tree          *int64
	Running       *bool // line.Running, or any other effect
	Effect        *line.Effect
	Suspended     *bool // themselves
	Trial         *bool
	ExpiresAfter  *time.Time // at this instant or later
	ExpiresBefore *time.Time // before this instant
	Username      string     // that profile.UsernamePrefix returned, "": any
	ExternalID    string     // "": any
	Search        profile.Search
	Sort          *Order  // nil: by expiry if a status, an effect or a window is given, else by id
	After         *string // next_cursor of the page before, nil: from the beginning
	Limit         int
}

// Refused returns ErrBadCursor if After is no cursor of this list, as the use case does.
func (c ListLines) Refused() error {
	_, err := c.order().after(c.After)
	return err
}

// Part returns the query for up to limit of the same items, after a cursor.
func (c ListLines) Part(after *string, limit int) ListLines {
	c.After, c.Limit = after, limit
	return c
}

func (c ListLines) order() Order {
	if c.Sort != nil {
		return *c.Sort
	}
	if c.Running != nil || c.Effect != nil || c.ExpiresAfter != nil || c.ExpiresBefore != nil {
		return LinesByExpiry
	}
	return LinesByID
}

// ExportLines is ListLines, with passwords for callers who see them. A line whose password can't be opened is left out.
func (s Lines) ExportLines(ctx context.Context, call Call, c ListLines) (Page[Line], error) {
	page, err := s.ListLines(ctx, call, c)
	if err != nil || !call.Caller.seesPasswords() {
		return page, err
	}
	shown := page.Items[:0]
	for _, l := range page.Items {
		opened, err := s.reveal(l.Line, l.At)
		if err != nil { // sealed under another key
			page.Damaged = append(page.Damaged, l.ID())
			continue
		}
		l.Password = opened.Password
		shown = append(shown, l)
	}
	page.Items = shown
	return page, nil
}

// positionOf is where a line stands in each order.
func positionOf(l Line) ports.LineCursor {
	return ports.LineCursor{ExpiresAt: l.ExpiresAt(), Name: l.Shown().Username.Key(), ID: l.ID()}
}

// Searches reports whether a page looks through many lines for those that are asked for: no filter of the store is for
// a part of a text, nor, except in orders of expiry, for what does not run.
func (c ListLines) Searches() bool {
	return !c.Search.IsZero() || c.Running != nil && !*c.Running && !c.order().lines.ByExpiry()
}

// What a page of a search examines, at most: no index helps it. It ends there, with the cursor of where it came to. The
// records of a read and those that were found before are MostHeld together.
const (
	maxSearched      = 5_000   // records
	maxSearchedBytes = 8 << 20 // of their texts, beyond which no further are read
	leastSearched    = 25      // records of a read, at least
)

// ListLines returns a page of the lines that the caller may manage. That of a search may be short, or empty, and still
// have a Next.
func (s Lines) ListLines(ctx context.Context, call Call, c ListLines) (Page[Line], error) {
	order := c.order()
	at, err := order.after(c.After)
	if err != nil {
		return Page[Line]{}, err
	}
	return query(ctx, s.kernel, call, "list lines", func(ctx context.Context, in reading) (Page[Line], error) {
		page := Page[Line]{After: func(l Line) string { return order.cursor(positionOf(l)) }}
		q := ports.LineQuery{
			Trial: c.Trial, Suspended: c.Suspended, ExpiresAfter: c.ExpiresAfter, ExpiresBefore: c.ExpiresBefore,
			Username: c.Username, ExternalID: c.ExternalID, Order: order.lines, After: at, Limit: c.Limit,
		}
		var visible bool
		var err error
		if q.Scope, visible, err = scope(ctx, in.Resellers, in.actor, c.Owner, c.Tree); err != nil || !visible {
			return page, err
		}
		blocks, err := in.Resellers.AnySuspending(ctx)
		if err != nil {
			return page, err
		}
		parts := c.parts(q, in.now, blocks)
		page.Items = make([]Line, 0, c.Limit)
		if c.Searches() {
			err := c.search(ctx, in, order, blocks, parts, &page)
			return page, err
		}
		for i, part := range parts {
			left := c.Limit - len(page.Items)
			if part.Limit = max(left, 1); i > 0 && left == 0 { // is there anything?
				page.Next = order.cursor(part.After)
			}
			found, err := in.Lines.List(ctx, part)
			if err != nil {
				return page, err
			}
			if left == 0 {
				if len(found.Lines) == 0 && found.Next == nil {
					page.Next = ""
				}
				break
			}
			page.Damaged = append(page.Damaged, found.Damaged...)
			if err := c.sift(ctx, in, blocks, &page, found.Lines); err != nil {
				return page, err
			}
			if found.Next != nil {
				page.Next = order.cursor(*found.Next)
				break
			}
		}
		return page, nil
	})
}

// search adds the lines of queries that have what is searched for, and says in page.Next how far it has come.
func (c ListLines) search(ctx context.Context, in reading, order Order, blocks bool, parts []ports.LineQuery,
	page *Page[Line]) error {
	next := func() string {
		if len(parts) == 0 {
			return ""
		}
		return order.cursor(parts[0].After)
	}
	return fill(page, c.Limit, next, func(most int) (read examined, err error) {
		parts[0].Limit = most
		found, err := in.Lines.List(ctx, parts[0])
		if err != nil {
			return read, err
		}
		read.records = len(found.Lines) + len(found.Damaged)
		read.short = found.Next != nil && read.records < most
		if found.Next != nil {
			parts[0].After = *found.Next
		} else {
			parts = parts[1:]
		}
		page.Damaged = append(page.Damaged, found.Damaged...)
		found.Lines = slices.DeleteFunc(found.Lines, func(l *line.Line) bool {
			s := l.Shown()
			for _, text := range s.Texts() {
				read.bytes += len(text)
			}
			return !s.Mentions(c.Search)
		})
		return read, c.sift(ctx, in, blocks, page, found.Lines)
	})
}

// examined is what a search has read.
type examined struct {
	records int
	bytes   int  // of their texts
	short   bool // the store has examined as much as it may at once, and there are more
}

// fill adds to a page what a search finds, and says in page.Next how far it has come. Next is the cursor of that, "" at
// the end; read adds what is found among the following records, of which it reads so many, at most.
func fill[T any](page *Page[T], limit int, next func() string, read func(most int) (examined, error)) error {
	most, sum := min(limit, MostHeld-leastSearched), examined{}
	for page.Next = next(); page.Next != ""; page.Next = next() {
		if len(page.Items) == most || sum.short || sum.records >= maxSearched || sum.bytes >= maxSearchedBytes {
			return nil
		}
		more, err := read(MostHeld - len(page.Items))
		if err != nil {
			return err
		}
		sum = examined{sum.records + more.records, sum.bytes + more.bytes, more.short}
		if len(page.Items) > most {
			clear(page.Items[most:])
			page.Items = page.Items[:most]
			page.Next = page.After(page.Items[most-1])
			return nil
		}
	}
	return nil
}

// parts returns the queries whose lines, one query after the other, are a superset of those that are asked for, in
// their order. A line runs until its expiry, the very instant excluded. There may be blocks that suspend lines, or
// none.
func (c ListLines) parts(q ports.LineQuery, now time.Time, blocks bool) (parts []ports.LineQuery) {
	justAfter := now.Add(time.Millisecond)
	suspended := func(q *ports.LineQuery, is bool) bool { // reports whether that can be
		can := q.Suspended == nil || *q.Suspended == is
		q.Suspended = &is
		return can
	}
	can := true
	if c.Effect != nil {
		switch can = suspended(&q, *c.Effect == line.Suspended); *c.Effect {
		case line.Running:
			q.ExpiresAfter = laterOf(q.ExpiresAfter, justAfter)
		case line.Expired:
			q.ExpiresBefore = earlierOf(q.ExpiresBefore, justAfter)
		case line.OwnerBlocked:
			can = can && blocks
		case line.Suspended: // whatever their expiry
		}
	}
	switch {
	case c.Running == nil:
	case *c.Running:
		can = suspended(&q, false) && can
		q.ExpiresAfter = laterOf(q.ExpiresAfter, justAfter)
	case !q.Order.ByExpiry(): // where those below would not stand one after the other: sift finds them
	case can: // those that have expired, and of the others those that are suspended or below a block
		expired, others := q, q
		expired.ExpiresBefore = earlierOf(q.ExpiresBefore, justAfter)
		others.ExpiresAfter = laterOf(q.ExpiresAfter, justAfter)
		if !blocks && !suspended(&others, true) {
			return []ports.LineQuery{expired}
		}
		parts = []ports.LineQuery{expired, others}
		edge, passed := ports.LineCursor{ExpiresAt: now, ID: math.MaxInt64}, !q.After.ExpiresAt.Before(justAfter)
		if q.Order.Backwards() {
			slices.Reverse(parts)
			edge, passed = ports.LineCursor{ExpiresAt: justAfter, ID: math.MinInt64}, !passed && q.After != (ports.LineCursor{})
		}
		if passed { // all of the first
			return parts[1:]
		}
		parts[1].After = edge
		return parts
	}
	if can {
		parts = append(parts, q)
	}
	return parts
}

// sift adds those of the lines to a page that are asked for.
func (c ListLines) sift(ctx context.Context, in reading, blocks bool, page *Page[Line], lines []*line.Line) error {
	blocked, err := ownersBlocked(ctx, in.Resellers, blocks, lines)
	if err != nil {
		return err
	}
	for _, l := range lines {
		shown := Line{Line: l, At: in.now, OwnerBlocked: blocked(l.Owner())}
		effect := shown.Effect()
		if (c.Running == nil || (effect == line.Running) == *c.Running) && (c.Effect == nil || effect == *c.Effect) {
			page.Items = append(page.Items, shown)
		}
	}
	return nil
}

func laterOf(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.After(b) {
		return a
	}
	return &b
}

func earlierOf(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.Before(b) {
		return a
	}
	return &b
}

// scope returns the part of the tree that a query of actor's is bounded to: what it sees, narrowed to one owner or to a
// tree. It reports false if the two have nothing in common.
func scope(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller,
	owner, tree *int64) (ports.Scope, bool, error) {
	bound := actor.Sight()
	for _, narrower := range []struct {
		reseller *int64
		tree     bool
	}{{tree, true}, {owner, false}} {
		if narrower.reseller == nil {
			continue
		}
		r, err := resellers.Get(ctx, *narrower.reseller)
		if isNotFound(err) {
			return ports.Scope{}, false, nil
		}
		if err != nil {
			return ports.Scope{}, false, err
		}
		if at := r.Position(); bound != 0 && at.ID != bound && !at.Under(bound) {
			return ports.Scope{}, false, nil
		}
		bound = r.ID()
	}
	return ports.Scope{Reseller: bound, Tree: owner == nil}, true, nil
}
