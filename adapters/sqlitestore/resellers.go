package sqlitestore

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// resellers implements ports.Resellers and, in a view, ports.ResellerDirectory.
type resellers struct{ *transaction }

// Get implements ports.Resellers.
func (a resellers) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	return resellerOfRow(a.scanner(ctx, getReseller, id))
}

// FindByUsername implements ports.Resellers.
func (a resellers) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	return resellerOfRow(a.scanner(ctx, findReseller, name.Key()))
}

// AnyBlocked implements ports.Resellers.
func (a resellers) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	blocked, err := a.Blocked(ctx, ids)
	return len(blocked) > 0, err
}

// Blocked implements ports.ResellerDirectory.
func (a resellers) Blocked(ctx context.Context, ids []int64) (blocked []int64, err error) {
	for asked := range slices.Chunk(ids, blockedAtOnce) {
		var args [blockedAtOnce]any
		for i := range args {
			args[i] = asked[min(i, len(asked)-1)] // repeats the last one where there are fewer
		}
		err := a.rows(ctx, blockedResellers, args[:], func(scan scan) error {
			var id int64
			err := scan(plain(&id))
			blocked = append(blocked, id)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return blocked, nil
}

// Empty implements ports.ResellerDirectory.
func (a resellers) Empty(ctx context.Context) (bool, error) {
	var found bool
	err := a.row(ctx, anyReseller, nil, read(&found, truthOf))
	return !found, err
}

// List implements ports.ResellerDirectory.
func (a resellers) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	if q.Scope.Reseller != 0 && !q.Scope.Tree {
		return a.listOne(ctx, q)
	}
	list := q.Scope.Reseller
	if q.Master != 0 {
		list = -q.Master
		if within, err := a.within(ctx, q.Scope, q.Master); err != nil {
			return ports.ResellerPage{}, err
		} else if !within {
			return a.listOne(ctx, q) // nothing of the tree but perhaps its root is right below
		}
	}
	n, most := namesWith(q.Username), examined(q.Limit)
	edge := int64(math.MaxInt64)
	if q.Username != "" {
		few, err := a.few(ctx, resellerNamesBeyond, n, most)
		if err != nil {
			return ports.ResellerPage{}, err
		}
		if few {
			return a.listNamed(ctx, q, list, n)
		}
		err = a.row(ctx, resellersEdge, []any{list, q.After, most - 1}, plain(&edge))
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return ports.ResellerPage{}, err
		}
	}
	var page ports.ResellerPage
	err := a.rows(ctx, listResellers, []any{list, q.After, edge, n[0], n[1], q.Limit + 1}, func(scan scan) error {
		reseller, err := resellerOfRow(scan)
		page.Resellers = append(page.Resellers, reseller)
		return err
	})
	if err != nil {
		return ports.ResellerPage{}, err
	}
	switch {
	case len(page.Resellers) > q.Limit:
		page.Resellers = page.Resellers[:q.Limit]
		page.Next = page.Resellers[q.Limit-1].ID()
	case edge < math.MaxInt64:
		page.Next = edge
	}
	return page, nil
}

// within reports whether a reseller is in the scope.
func (a resellers) within(ctx context.Context, scope ports.Scope, id int64) (bool, error) {
	if scope.Reseller == 0 {
		return true, nil
	}
	var found bool
	err := a.row(ctx, resellerInList, []any{scope.Reseller, id}, read(&found, truthOf))
	return found, err
}

// listOne lists the scope's own reseller, where the query selects it.
func (a resellers) listOne(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	r, err := a.Get(ctx, q.Scope.Reseller)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return ports.ResellerPage{}, nil
	case err != nil:
		return ports.ResellerPage{}, err
	}
	s := r.State()
	if s.ID <= q.After || q.Master != 0 && s.Parent() != q.Master || !strings.HasPrefix(s.Username.Key(), q.Username) {
		return ports.ResellerPage{}, nil
	}
	return ports.ResellerPage{Resellers: []*reseller.Reseller{r}}, nil
}

// listNamed lists resellers of a list by the few names that they may have.
func (a resellers) listNamed(ctx context.Context, q ports.ResellerQuery, list int64, n names) (page ports.ResellerPage, err error) {
	var ids []int64
	err = a.rows(ctx, resellersNamed, []any{list, q.After, n[0], n[1]}, func(scan scan) error {
		var id int64
		err := scan(plain(&id))
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return ports.ResellerPage{}, err
	}
	slices.Sort(ids)
	if len(ids) > q.Limit {
		ids = ids[:q.Limit]
		page.Next = ids[q.Limit-1]
	}
	for _, id := range ids {
		reseller, err := a.Get(ctx, id)
		if err != nil {
			return ports.ResellerPage{}, err
		}
		page.Resellers = append(page.Resellers, reseller)
	}
	return page, nil
}

// Insert implements ports.Resellers.
func (a resellers) Insert(ctx context.Context, r *reseller.Reseller) error {
	_, err := a.exec(ctx, insertReseller, rowOfReseller(r.State())...)
	return err
}

// Save implements ports.Resellers.
func (a resellers) Save(ctx context.Context, r *reseller.Reseller) error {
	return a.change(ctx, saveReseller, rowOfReseller(r.State())...)
}
