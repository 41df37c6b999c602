package memstore

import (
	"context"
	"iter"
	"slices"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// resellers implements ports.Resellers and, in a view, ports.ResellerDirectory.
type resellers struct{ *transaction }

// Get implements ports.ResellerReader.
func (rs resellers) Get(_ context.Context, id int64) (*reseller.Reseller, error) {
	return one(rs.resellers, id, reseller.Restore)
}

// FindByUsername implements ports.ResellerReader.
func (rs resellers) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	found, there := rs.index.get(resellerNames + name.Key())
	if !there {
		return nil, fault.ErrNotFound
	}
	return rs.Get(ctx, found.id)
}

// AnyBlocked implements ports.ResellerReader.
func (rs resellers) AnyBlocked(_ context.Context, ids []int64) (bool, error) {
	return slices.ContainsFunc(ids, rs.blocked), nil
}

func (rs resellers) blocked(id int64) bool {
	state, found := rs.resellers.get(id)
	return found && state.Blocked
}

// Empty implements ports.ResellerDirectory.
func (rs resellers) Empty(context.Context) (bool, error) { return rs.resellers.empty(), nil }

// Blocked implements ports.ResellerDirectory.
func (rs resellers) Blocked(_ context.Context, ids []int64) ([]int64, error) {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !rs.blocked(id) }), nil
}

// Suspending implements ports.ResellerDirectory.
func (rs resellers) Suspending(_ context.Context, ids []int64) ([]int64, error) {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		state, found := rs.resellers.get(id)
		return !found || !state.Block.Suspends
	}), nil
}

// AnySuspending implements ports.ResellerDirectory.
func (rs resellers) AnySuspending(context.Context) (bool, error) {
	found, few := rs.few(suspendingResellers, 1)
	return len(found) > 0 || !few, nil
}

// List implements ports.ResellerDirectory.
func (rs resellers) List(_ context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	listed, next, err := page(rs.candidates(q), rs.resellers, q.Limit, func(s reseller.State) bool {
		return selectsReseller(q, s)
	}, reseller.Restore)
	found := ports.ResellerPage{Resellers: listed}
	if next != nil {
		found.Next = next.ID
	}
	return found, err
}

// candidates yields, by id, a superset of the resellers that q selects.
func (rs resellers) candidates(q ports.ResellerQuery) iter.Seq[int64] {
	if q.Username != "" {
		if ids, few := rs.few(resellerNames+q.Username, storekit.Examined(q.Limit)); few {
			slices.Sort(ids)
			return slices.Values(ids)
		}
	}
	list := resellerList(0, q.Scope.Reseller)
	switch {
	case q.Scope.Reseller != 0 && !q.Scope.Tree:
		return rs.only(q.Scope.Reseller)
	case q.Master != 0 && q.Scope.Reseller != 0:
		master, _ := rs.resellers.get(q.Master)
		if !within(q.Scope, master.Position) {
			return rs.only(q.Scope.Reseller) // only the root of the tree can be directly below it
		}
		fallthrough
	case q.Master != 0:
		list = resellerList(q.Master, 0)
	}
	return rs.listed(list, ordered(q.After), "")
}

// only yields the id of a reseller, if it exists.
func (rs resellers) only(id int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if _, there := rs.resellers.get(id); there {
			yield(id)
		}
	}
}

func selectsReseller(q ports.ResellerQuery, s reseller.State) bool {
	return s.ID > q.After && within(q.Scope, s.Position) &&
		(q.Master == 0 || s.Parent() == q.Master) &&
		strings.HasPrefix(s.Username.Key(), q.Username)
}

// within reports whether scope includes the reseller at p, or its property.
func within(scope ports.Scope, p reseller.Position) bool {
	return scope.Reseller == 0 || p.ID == scope.Reseller || scope.Tree && p.Under(scope.Reseller)
}

// Insert implements ports.Resellers.
func (rs resellers) Insert(_ context.Context, added *reseller.Reseller) error {
	state := added.State()
	return insert(rs.transaction, &rs.resellers, state.ID, state, resellerEntries)
}

// Save implements ports.Resellers.
func (rs resellers) Save(_ context.Context, changed *reseller.Reseller) error {
	state := changed.State()
	return save(rs.transaction, &rs.resellers, state.ID, state, resellerEntries)
}
