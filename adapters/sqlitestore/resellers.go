package sqlitestore

import (
	"context"
	"errors"
	"math"
	"slices"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/adapters/storekit/fields"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// resellers implements ports.Resellers and, in a view, ports.ResellerDirectory.
type resellers struct{ *transaction }

// Get implements ports.Resellers.
func (rs resellers) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	s, err := rs.reseller(ctx, id)
	if err != nil {
		return nil, err
	}
	return reseller.Restore(*s)
}

// FindByUsername implements ports.Resellers.
func (rs resellers) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	return engine.One(ctx, rs.Tx, findReseller, engine.Args{engine.Text("username_key", name.Key())}, rows.Reseller)
}

// AnyBlocked implements ports.Resellers.
func (rs resellers) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	for _, id := range ids {
		if blocked, err := rs.blocked(ctx, id); blocked || err != nil {
			return blocked, err
		}
	}
	return false, nil
}

// Blocked implements ports.ResellerDirectory.
func (rs resellers) Blocked(ctx context.Context, ids []int64) (blocked []int64, err error) {
	return rs.among(ctx, blockedResellers, ids)
}

// Suspending implements ports.ResellerDirectory.
func (rs resellers) Suspending(ctx context.Context, ids []int64) ([]int64, error) {
	return rs.among(ctx, suspending, ids)
}

// AnySuspending implements ports.ResellerDirectory.
func (rs resellers) AnySuspending(ctx context.Context) (bool, error) {
	return rs.truth(ctx, anySuspending, nil)
}

// among returns the resellers of ids that a statement selects.
func (rs resellers) among(ctx context.Context, n *engine.Statement, ids []int64) (found []int64, err error) {
	for asked := range slices.Chunk(ids, blockedAtOnce) {
		named := make(engine.Args, blockedAtOnce)
		for i, name := range n.Names {
			named[i] = engine.Integer(name, asked[min(i, len(asked)-1)]) // repeats the last one if there are fewer
		}
		err := rs.Rows(ctx, n, named, func(r *engine.Row) error {
			found = append(found, r.Integer())
			return r.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Empty implements ports.ResellerDirectory.
func (rs resellers) Empty(ctx context.Context) (bool, error) {
	found, err := rs.truth(ctx, anyReseller, nil)
	return !found, err
}

// List implements ports.ResellerDirectory.
func (rs resellers) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	if q.Scope.Reseller != 0 && !q.Scope.Tree {
		return storekit.OnlyReseller(ctx, rs, q)
	}
	list := q.Scope.Reseller
	if q.Master != 0 {
		list = -q.Master
		if within, err := rs.within(ctx, q.Scope, q.Master); err != nil {
			return ports.ResellerPage{}, err
		} else if !within {
			return storekit.OnlyReseller(ctx, rs, q) // only the root of the tree can be directly below
		}
	}
	from, to := namesWith(q.Username)
	search := engine.Args{
		engine.Integer("list", list), engine.Integer("after", q.After), engine.Integer("last", int64(math.MaxInt64)), from,
		to,
		engine.Integer("limit", q.Limit+1), engine.Integer("examined", storekit.Examined(q.Limit)),
	}
	var page ports.ResellerPage
	if q.Username != "" {
		few, err := rs.few(ctx, resellerNamesBeyond, search)
		if err != nil {
			return ports.ResellerPage{}, err
		}
		if few {
			return rs.page(ctx, q, resellersNamed, search, page)
		}
		err = rs.Row(ctx, resellersEdge, search, func(r *engine.Row) { page.Next = r.Integer() })
		switch {
		case err == nil:
			search.Set(engine.Integer("last", page.Next))
		case !errors.Is(err, fault.ErrNotFound):
			return ports.ResellerPage{}, err
		}
	}
	return rs.page(ctx, q, listResellers, search, page)
}

// within reports whether a reseller is in the scope.
func (rs resellers) within(ctx context.Context, scope ports.Scope, id int64) (bool, error) {
	if scope.Reseller == 0 {
		return true, nil
	}
	return rs.truth(ctx, resellerInList,
		engine.Args{engine.Integer("list", scope.Reseller), engine.Integer("account", id)})
}

// page adds the resellers whose ids a statement finds: each from the cache, or with its own query.
func (rs resellers) page(ctx context.Context, q ports.ResellerQuery, n *engine.Statement, search engine.Args,
	page ports.ResellerPage) (ports.ResellerPage, error) {
	var ids []int64
	err := rs.Rows(ctx, n, search, func(r *engine.Row) error {
		ids = append(ids, r.Integer())
		return r.Err()
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
		reseller, err := rs.Get(ctx, id)
		switch {
		case err == nil:
			page.Resellers = append(page.Resellers, reseller)
		case errors.Is(err, storekit.ErrDamaged):
			page.Damaged = append(page.Damaged, id)
		default:
			return ports.ResellerPage{}, err
		}
	}
	return page, nil
}

// Insert implements ports.Resellers.
func (rs resellers) Insert(ctx context.Context, r *reseller.Reseller) error {
	s := r.State()
	if _, err := rs.Exec(ctx, insertReseller, rows.Resellers.Of(&s, new(rows.Room))); err != nil {
		return err
	}
	rs.store.resellers.Put(s.ID, &s)
	return nil
}

// Save implements ports.Resellers.
func (rs resellers) Save(ctx context.Context, r *reseller.Reseller) error {
	s := r.State()
	before, err := rs.reseller(ctx, s.ID)
	if err != nil {
		return err
	}
	if err := rs.save(ctx, before, &s); err != nil {
		return err
	}
	rs.store.resellers.Put(s.ID, &s)
	return nil
}

// save writes the changed columns, and possibly more.
func (rs resellers) save(ctx context.Context, before, s *reseller.State) error {
	save := saveReseller
	if fields.Reseller.Change(before, s) == fields.Often {
		save = saveBalance
	}
	return rs.Change(ctx, save, rows.Resellers.Of(s, new(rows.Room)))
}
