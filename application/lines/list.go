package lines

import (
	"context"
	"math"
	"slices"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// List selects lines that the caller may manage. A nil filter passes all lines. A filter that names a reseller out of
// sight selects nothing.
type List struct {
	Owner         *int64
	Tree          *int64
	Running       *bool // line.Running, or any other effect
	Effect        *line.Effect
	Suspended     *bool // by their own suspension
	Trial         *bool
	ExpiresAfter  *time.Time // at this instant or later
	ExpiresBefore *time.Time // before this instant
	Username      string     // as profile.UsernamePrefix returned it, "": any
	ExternalID    string     // "": any
	Search        profile.Search
	Sort          *usecase.Order  // nil: by expiry with a status, an effect or a window, otherwise by id
	After         *usecase.Cursor // next_cursor of the page before, nil: from the beginning
	Limit         int
}

// Cursor parses a cursor of this list, or returns ErrBadCursor.
func (c List) Cursor(text string) (usecase.Cursor, error) { return c.order().Parse(text) }

// PageAfter returns the query for up to limit of the same items, after a cursor.
func (c List) PageAfter(after *usecase.Cursor, limit int) List {
	c.After, c.Limit = after, limit
	return c
}

func (c List) order() usecase.Order {
	if c.Sort != nil {
		return *c.Sort
	}
	if c.Running != nil || c.Effect != nil || c.ExpiresAfter != nil || c.ExpiresBefore != nil {
		return usecase.LinesByExpiry
	}
	return usecase.LinesByID
}

// Export is List, with passwords for callers who see them. A line whose password can't be opened is left out.
func (s Service) Export(ctx context.Context, call usecase.Call, c List) (usecase.Page[Line], error) {
	page, err := s.List(ctx, call, c)
	if err != nil || !call.Caller.SeesPasswords() {
		return page, err
	}
	shown := page.Items[:0]
	for _, l := range page.Items {
		opened, err := reveal(s.k, l.Line, l.At)
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

// positionOf returns the position of a line in each order.
func positionOf(l Line) ports.LineCursor {
	return ports.LineCursor{ExpiresAt: l.ExpiresAt(), Name: l.Shown().Username.Key(), ID: l.ID()}
}

// Searches reports whether a page examines many lines for few results. The store has no filter for a part of a text,
// and, except in orders of expiry, no filter for lines that do not run.
func (c List) Searches() bool {
	return !c.Search.IsZero() || c.Running != nil && !*c.Running && !c.order().LineOrder.ByExpiry()
}

// List returns a page of the lines that the caller may manage. A page of a search may be short, or empty, and still
// have a Next.
func (s Service) List(ctx context.Context, call usecase.Call, c List) (usecase.Page[Line], error) {
	order := c.order()
	return usecase.Query(ctx, s.k, call, "list lines",
		func(ctx context.Context, in usecase.View) (usecase.Page[Line], error) {
			var page usecase.Page[Line]
			page.After = func(l Line) usecase.Cursor { return usecase.Cursor{Order: order, At: positionOf(l)} }
			q := ports.LineQuery{
				Trial: c.Trial, Suspended: c.Suspended, ExpiresAfter: c.ExpiresAfter, ExpiresBefore: c.ExpiresBefore,
				Username: c.Username, ExternalID: c.ExternalID, Order: order.LineOrder, After: c.After.Position(), Limit: c.Limit,
			}
			var visible bool
			var err error
			if q.Scope, visible, err = usecase.Scope(ctx, in.Resellers, in.Actor, c.Owner, c.Tree); err != nil || !visible {
				return page, err
			}
			blocks, err := in.Resellers.AnySuspending(ctx)
			if err != nil {
				return page, err
			}
			parts := c.parts(q, in.Now, blocks)
			page.Items = make([]Line, 0, c.Limit)
			if c.Searches() {
				err := c.search(ctx, in, order, blocks, parts, &page)
				return page, err
			}
			for i, part := range parts {
				left := c.Limit - len(page.Items)
				if part.Limit = max(left, 1); i > 0 && left == 0 { // looks for one more line
					page.Next = &usecase.Cursor{Order: order, At: part.After}
				}
				found, err := in.Lines.List(ctx, part)
				if err != nil {
					return page, err
				}
				if left == 0 {
					if len(found.Lines) == 0 && found.Next == nil {
						page.Next = nil
					}
					break
				}
				page.Damaged = append(page.Damaged, found.Damaged...)
				if err := c.sift(ctx, in, blocks, &page, found.Lines); err != nil {
					return page, err
				}
				if found.Next != nil {
					page.Next = &usecase.Cursor{Order: order, At: *found.Next}
					break
				}
			}
			return page, nil
		})
}

// search adds the lines of queries that contain the searched part, and sets page.Next to its position.
func (c List) search(ctx context.Context, in usecase.View, order usecase.Order, blocks bool, parts []ports.LineQuery,
	page *usecase.Page[Line]) error {
	next := func() *usecase.Cursor {
		if len(parts) == 0 {
			return nil
		}
		return &usecase.Cursor{Order: order, At: parts[0].After}
	}
	return usecase.FillPage(page, c.Limit, next, func(most int) (read usecase.Examined, err error) {
		parts[0].Limit = most
		found, err := in.Lines.List(ctx, parts[0])
		if err != nil {
			return read, err
		}
		read.Records = len(found.Lines) + len(found.Damaged)
		read.Short = found.Next != nil && read.Records < most
		if found.Next != nil {
			parts[0].After = *found.Next
		} else {
			parts = parts[1:]
		}
		page.Damaged = append(page.Damaged, found.Damaged...)
		found.Lines = slices.DeleteFunc(found.Lines, func(l *line.Line) bool {
			s := l.Shown()
			read.Bytes += s.SizeOfTexts(func(text string) int { return len(text) })
			return !s.MatchesSearch(c.Search)
		})
		return read, c.sift(ctx, in, blocks, page, found.Lines)
	})
}

// parts returns queries whose lines, one query after the other, are a superset of the requested lines, in their order.
// A line runs until its expiry, the exact instant excluded. blocks states whether any block suspends lines.
func (c List) parts(q ports.LineQuery, now time.Time, blocks bool) (parts []ports.LineQuery) {
	justAfter := now.Add(time.Millisecond)
	suspended := func(q *ports.LineQuery, is bool) bool { // reports whether a line can match
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
	case !q.Order.ByExpiry(): // queries one after the other would not be in order: sift filters
	case can: // expired lines, and of the others those that are suspended or below a block
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
		if passed { // every line of the first query
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

// sift adds the requested ones of these lines to a page.
func (c List) sift(ctx context.Context, in usecase.View, blocks bool, page *usecase.Page[Line],
	lines []*line.Line) error {
	blocked, err := OwnersBlocked(ctx, in.Resellers, blocks, lines)
	if err != nil {
		return err
	}
	for _, l := range lines {
		shown := Line{Line: l, At: in.Now, OwnerBlocked: blocked(l.Owner())}
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
