package resellers

import (
	"context"
	"slices"

	"resellerd/application/internal/usecase"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// List selects resellers that the caller sees. A nil filter passes all resellers. A filter that names a reseller out of
// sight selects nothing.
type List struct {
	Tree     *int64
	Master   *int64
	Username string // as profile.UsernamePrefix returned it, "": any
	Search   profile.Search
	After    *usecase.Cursor // next_cursor of the page before, nil: from the beginning
	Limit    int
}

// Cursor parses a cursor of this list, or returns ErrBadCursor.
func (c List) Cursor(text string) (usecase.Cursor, error) { return usecase.ResellersByID.Parse(text) }

// PageAfter returns the query for up to limit of the same items, after a cursor.
func (c List) PageAfter(after *usecase.Cursor, limit int) List {
	c.After, c.Limit = after, limit
	return c
}

// Searches reports whether a page examines many resellers for few results.
func (c List) Searches() bool { return !c.Search.IsZero() }

// List returns a page of the resellers that the caller sees, by id. A page of a search may be short, or empty, and
// still have a Next.
func (s Service) List(ctx context.Context, call usecase.Call, c List) (usecase.Page[Reseller], error) {
	return usecase.Query(ctx, s.k, call, "list resellers",
		func(ctx context.Context, in usecase.View) (usecase.Page[Reseller], error) {
			var page usecase.Page[Reseller]
			page.After = func(r Reseller) usecase.Cursor { return usecase.ResellersByID.NumberCursor(r.ID()) }
			q := ports.ResellerQuery{Username: c.Username, After: c.After.Position().ID}
			var visible bool
			var err error
			if q.Scope, visible, err = usecase.Scope(ctx, in.Resellers, in.Actor, nil, c.Tree); err != nil || !visible {
				return page, err
			}
			if c.Master != nil {
				if _, visible, err = usecase.Scope(ctx, in.Resellers, in.Actor, nil, c.Master); err != nil || !visible {
					return page, err
				}
				q.Master = *c.Master
			}
			page.Items = make([]Reseller, 0, c.Limit)
			ended := false
			next := func() *usecase.Cursor {
				if ended {
					return nil
				}
				return new(usecase.ResellersByID.NumberCursor(q.After))
			}
			read := func(most int) (read usecase.Examined, err error) {
				q.Limit = most
				found, err := in.Resellers.List(ctx, q)
				if err != nil {
					return read, err
				}
				q.After, ended = found.Next, found.Next == 0
				read.Records = len(found.Resellers) + len(found.Damaged)
				read.Short = !ended && read.Records < most
				page.Damaged = append(page.Damaged, found.Damaged...)
				return read, c.sift(ctx, in, &page, found.Resellers, &read.Bytes)
			}
			if c.Searches() {
				err = usecase.FillPage(&page, c.Limit, next, read)
				return page, err
			}
			_, err = read(c.Limit)
			page.Next = next()
			return page, err
		})
}

// sift adds the requested ones of these resellers to a page, and the bytes of the searched texts.
func (c List) sift(ctx context.Context, in usecase.View, page *usecase.Page[Reseller], resellers []*reseller.Reseller,
	bytes *int) error {
	asked := slices.DeleteFunc(resellers, func(r *reseller.Reseller) bool {
		s := r.State()
		*bytes += s.SizeOfTexts(func(text string) int { return len(text) })
		return !s.MatchesSearch(c.Search)
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
