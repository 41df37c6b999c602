package application

import (
	"context"
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
	Username string  // that profile.UsernamePrefix returned, "": any
	After    *string // next_cursor of the page before, nil: from the beginning
	Limit    int
}

// Refused returns ErrBadCursor if After is no cursor of this list, as the use case does.
func (c ListResellers) Refused() error {
	_, err := ResellersByID.after(c.After)
	return err
}

// ListResellers returns a page of the resellers that the caller sees, by id.
func (s Resellers) ListResellers(ctx context.Context, call Call, c ListResellers) (Page[Reseller], error) {
	at, err := ResellersByID.after(c.After)
	if err != nil {
		return Page[Reseller]{}, err
	}
	return query(ctx, s.kernel, call, "list resellers", func(ctx context.Context, in reading) (Page[Reseller], error) {
		page := Page[Reseller]{After: func(r Reseller) string { return ResellersByID.cursor(r.ID(), time.Time{}) }}
		q := ports.ResellerQuery{Username: profile.KeysWith(c.Username), After: at.ID, Limit: c.Limit}
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
		found, err := in.Resellers.List(ctx, q)
		if err != nil {
			return page, err
		}
		if q.Username != c.Username {
			found.Resellers = slices.DeleteFunc(found.Resellers, func(r *reseller.Reseller) bool { return !r.State().Username.StartsWith(c.Username) })
		}
		var above []int64
		for _, r := range found.Resellers {
			above = append(above, r.Position().Ancestors...)
		}
		slices.Sort(above)
		blocked, err := in.Resellers.Blocked(ctx, slices.Compact(above))
		if err != nil {
			return page, err
		}
		if found.Next != 0 {
			page.Next = ResellersByID.cursor(found.Next, time.Time{})
		}
		page.Damaged = found.Damaged
		page.Items = make([]Reseller, 0, len(found.Resellers))
		for _, r := range found.Resellers {
			page.Items = append(page.Items, Reseller{Reseller: r, BlockedAbove: slices.ContainsFunc(blocked, r.Position().Under)})
		}
		return page, nil
	})
}

// ListLines asks for lines that the caller may manage. A nil filter is none; one
// that names a reseller out of sight selects nothing.
type ListLines struct {
	Owner         *int64
	Tree          *int64
	Running       *bool
	Trial         *bool
	ExpiresAfter  *time.Time // at this instant or later
	ExpiresBefore *time.Time // before this instant
	Username      string     // that profile.UsernamePrefix returned, "": any
	ExternalID    string     // "": any
	After         *string    // next_cursor of the page before, nil: from the beginning
	Limit         int
}

// Refused returns ErrBadCursor if After is no cursor of this list, as the use case does.
func (c ListLines) Refused() error {
	_, err := c.order().after(c.After)
	return err
}

// order is by expiry if a status or a window is given, else by id.
func (c ListLines) order() Order {
	if c.Running != nil || c.ExpiresAfter != nil || c.ExpiresBefore != nil {
		return LinesByExpiry
	}
	return LinesByID
}

// ListLines returns a page of the lines that the caller may manage.
func (s Lines) ListLines(ctx context.Context, call Call, c ListLines) (Page[Line], error) {
	order := c.order()
	at, err := order.after(c.After)
	if err != nil {
		return Page[Line]{}, err
	}
	return query(ctx, s.kernel, call, "list lines", func(ctx context.Context, in reading) (Page[Line], error) {
		page := Page[Line]{After: func(l Line) string { return order.cursor(l.ID(), l.ExpiresAt()) }}
		q := ports.LineQuery{
			Trial: c.Trial, ExpiresAfter: c.ExpiresAfter, ExpiresBefore: c.ExpiresBefore,
			Username: profile.KeysWith(c.Username), ExternalID: c.ExternalID, ByExpiry: order.byExpiry, After: at, Limit: c.Limit,
		}
		// A line runs until its expiry, the very instant excluded.
		switch justAfter := in.now.Add(time.Millisecond); {
		case c.Running == nil:
		case *c.Running:
			q.ExpiresAfter = laterOf(q.ExpiresAfter, justAfter)
		default:
			q.ExpiresBefore = earlierOf(q.ExpiresBefore, justAfter)
		}
		var visible bool
		var err error
		if q.Scope, visible, err = scope(ctx, in.Resellers, in.actor, c.Owner, c.Tree); err != nil || !visible {
			return page, err
		}
		found, err := in.Lines.List(ctx, q)
		if err != nil {
			return page, err
		}
		if found.Next != nil {
			page.Next = order.cursor(found.Next.ID, found.Next.ExpiresAt)
		}
		page.Damaged = found.Damaged
		if q.Username != c.Username {
			found.Lines = slices.DeleteFunc(found.Lines, func(l *line.Line) bool { return !l.State().Username.StartsWith(c.Username) })
		}
		page.Items = make([]Line, 0, len(found.Lines))
		for _, l := range found.Lines {
			page.Items = append(page.Items, Line{Line: l, At: in.now})
		}
		return page, nil
	})
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
func scope(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller, owner, tree *int64) (ports.Scope, bool, error) {
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
