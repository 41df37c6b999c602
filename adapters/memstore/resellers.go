package memstore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// resellerList names a list of resellers in the order of ids: all, those right
// below a master, or a tree.
type resellerList struct{ master, tree int64 }

type resellerEntry struct {
	resellerList
	id int64
}

func (e resellerEntry) compare(b resellerEntry) int {
	return cmp.Or(cmp.Compare(e.master, b.master), cmp.Compare(e.tree, b.tree), cmp.Compare(e.id, b.id))
}

// resellerListsOf returns the lists that a reseller is in.
func resellerListsOf(p reseller.Position) []resellerList {
	lists := []resellerList{{}}
	if len(p.Ancestors) > 0 {
		lists = append(lists, resellerList{master: p.Parent()})
	}
	for _, id := range p.Path() {
		lists = append(lists, resellerList{tree: id})
	}
	return lists
}

type resellerReader struct{ *records }

// Get implements ports.ResellerReader.
func (r resellerReader) Get(_ context.Context, id int64) (*reseller.Reseller, error) {
	return one(r.resellers, id, reseller.Restore)
}

// FindByUsername implements ports.ResellerReader.
func (r resellerReader) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	id, found := r.resellerNames.get(name.Key())
	if !found {
		return nil, fault.ErrNotFound
	}
	return r.Get(ctx, id)
}

// AnyBlocked implements ports.ResellerReader.
func (r resellerReader) AnyBlocked(_ context.Context, ids []int64) (bool, error) {
	return slices.ContainsFunc(ids, r.blocked), nil
}

func (r resellerReader) blocked(id int64) bool {
	state, found := r.resellers.get(id)
	return found && state.Blocked
}

// Empty implements ports.ResellerDirectory.
func (r resellerReader) Empty(context.Context) (bool, error) { return r.resellers.root == nil, nil }

// Blocked implements ports.ResellerDirectory.
func (r resellerReader) Blocked(_ context.Context, ids []int64) ([]int64, error) {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !r.blocked(id) }), nil
}

// List implements ports.ResellerDirectory.
func (r resellerReader) List(_ context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	listed, next, err := page(r.candidates(q), q.Limit, func(id int64) (reseller.State, bool) {
		state, found := r.resellers.get(id)
		return state, found && id > q.After && selectsReseller(q, state)
	}, reseller.Restore)
	found := ports.ResellerPage{Resellers: listed}
	if next != nil {
		found.Next = *next
	}
	return found, err
}

// candidates yields, by id, the resellers among which all that q selects are.
func (r resellerReader) candidates(q ports.ResellerQuery) iter.Seq[int64] {
	if q.Username != "" {
		if ids, few := named(r.resellerNames, q.Username, storekit.Examined(q.Limit)); few {
			slices.Sort(ids)
			return slices.Values(ids)
		}
	}
	list := resellerList{tree: q.Scope.Reseller}
	switch {
	case q.Scope.Reseller != 0 && !q.Scope.Tree:
		return slices.Values([]int64{q.Scope.Reseller})
	case q.Master != 0 && q.Scope.Reseller != 0:
		master, _ := r.resellers.get(q.Master)
		if !within(q.Scope, master.Position) {
			// Right below it is nothing of the tree but perhaps its root.
			return slices.Values([]int64{q.Scope.Reseller})
		}
		fallthrough
	case q.Master != 0:
		list = resellerList{master: q.Master}
	}
	return func(yield func(int64) bool) {
		for e := range r.resellerLists.after(resellerEntry{list, q.After}) {
			if e.resellerList != list || !yield(e.id) {
				return
			}
		}
	}
}

func selectsReseller(q ports.ResellerQuery, s reseller.State) bool {
	return within(q.Scope, s.Position) &&
		(q.Master == 0 || s.Parent() == q.Master) &&
		strings.HasPrefix(s.Username.Key(), q.Username)
}

// within reports whether what stands at p, or is owned by who does, is in scope.
func within(scope ports.Scope, p reseller.Position) bool {
	return scope.Reseller == 0 || p.ID == scope.Reseller || scope.Tree && p.Under(scope.Reseller)
}

type resellers struct {
	resellerReader
	transaction *transaction
}

// Insert implements ports.Resellers.
func (rs resellers) Insert(_ context.Context, added *reseller.Reseller) error {
	state := added.State()
	if _, found := rs.resellers.get(state.ID); found {
		return fmt.Errorf("insert account %d: it is there already", state.ID)
	}
	if err := rs.put(state, state.Username.Key()); err != nil {
		return err
	}
	for _, list := range resellerListsOf(state.Position) {
		rs.resellerLists = rs.resellerLists.with(resellerEntry{list, state.ID}, struct{}{})
	}
	return nil
}

// Save implements ports.Resellers.
func (rs resellers) Save(_ context.Context, changed *reseller.Reseller) error {
	state := changed.State()
	old, found := rs.resellers.get(state.ID)
	if !found {
		return fault.ErrNotFound
	}
	return rs.put(state, old.Username.Key())
}

func (rs resellers) put(state reseller.State, had string) error {
	if err := rs.transaction.open(); err != nil {
		return err
	}
	names, err := reassign(rs.resellerNames, state.ID, had, state.Username.Key())
	if err != nil {
		return err
	}
	rs.resellerNames, rs.resellers = names, rs.resellers.with(state.ID, state)
	return nil
}
