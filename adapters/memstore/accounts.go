package memstore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// accountList names a list of accounts in the order of ids: all, those right
// below a master, or a tree.
type accountList struct{ master, tree int64 }

type accountEntry struct {
	accountList
	id int64
}

func (a accountEntry) compare(b accountEntry) int {
	return cmp.Or(cmp.Compare(a.master, b.master), cmp.Compare(a.tree, b.tree), cmp.Compare(a.id, b.id))
}

// accountListsOf returns the lists that an account is in.
func accountListsOf(p reseller.Place) []accountList {
	lists := []accountList{{}}
	if len(p.Above) > 0 {
		lists = append(lists, accountList{master: p.Parent()})
	}
	for _, id := range p.Path() {
		lists = append(lists, accountList{tree: id})
	}
	return lists
}

type accountReader struct{ *records }

// Get implements ports.AccountReader.
func (r accountReader) Get(_ context.Context, id int64) (*reseller.Account, error) {
	state, found := r.accounts.get(id)
	if !found {
		return nil, fault.ErrNotFound
	}
	return reseller.Restore(state)
}

// FindByUsername implements ports.AccountReader.
func (r accountReader) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Account, error) {
	id, found := r.accountNames.get(name.Key())
	if !found {
		return nil, fault.ErrNotFound
	}
	return r.Get(ctx, id)
}

// AnyBlocked implements ports.AccountReader.
func (r accountReader) AnyBlocked(_ context.Context, ids []int64) (bool, error) {
	return slices.ContainsFunc(ids, r.blocked), nil
}

func (r accountReader) blocked(id int64) bool {
	state, found := r.accounts.get(id)
	return found && state.Blocked
}

// Empty implements ports.AccountDirectory.
func (r accountReader) Empty(context.Context) (bool, error) { return r.accounts.root == nil, nil }

// Blocked implements ports.AccountDirectory.
func (r accountReader) Blocked(_ context.Context, ids []int64) ([]int64, error) {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !r.blocked(id) }), nil
}

// List implements ports.AccountDirectory.
func (r accountReader) List(_ context.Context, q ports.AccountQuery) (ports.AccountPage, error) {
	states, next := page(r.candidates(q), q.Limit, func(id int64) (reseller.State, bool) {
		state, found := r.accounts.get(id)
		return state, found && id > q.After && selectsAccount(q, state)
	})
	var found ports.AccountPage
	for _, state := range states {
		a, err := reseller.Restore(state)
		if err != nil {
			return ports.AccountPage{}, err
		}
		found.Accounts = append(found.Accounts, a)
	}
	if next != nil {
		found.Next = *next
	}
	return found, nil
}

// candidates yields, by id, the accounts among which all that q selects are.
func (r accountReader) candidates(q ports.AccountQuery) iter.Seq[int64] {
	if q.Username != "" {
		if ids, few := named(r.accountNames, q.Username, examined(q.Limit)); few {
			slices.Sort(ids)
			return slices.Values(ids)
		}
	}
	list := accountList{tree: q.Scope.Account}
	switch {
	case q.Scope.Account != 0 && !q.Scope.Tree:
		return slices.Values([]int64{q.Scope.Account})
	case q.Master != 0 && q.Scope.Account != 0:
		master, _ := r.accounts.get(q.Master)
		if !within(q.Scope, master.Place) {
			// Right below it is nothing of the tree but perhaps its root.
			return slices.Values([]int64{q.Scope.Account})
		}
		fallthrough
	case q.Master != 0:
		list = accountList{master: q.Master}
	}
	return func(yield func(int64) bool) {
		for e := range r.accountLists.after(accountEntry{list, q.After}) {
			if e.accountList != list || !yield(e.id) {
				return
			}
		}
	}
}

func selectsAccount(q ports.AccountQuery, s reseller.State) bool {
	return within(q.Scope, s.Place) &&
		(q.Master == 0 || s.Parent() == q.Master) &&
		strings.HasPrefix(s.Username.Key(), q.Username)
}

// within reports whether what stands at p, or is owned by who does, is in scope.
func within(scope ports.Scope, p reseller.Place) bool {
	return scope.Account == 0 || p.ID == scope.Account || scope.Tree && p.Under(scope.Account)
}

type accounts struct {
	accountReader
	session *session
}

// Insert implements ports.Accounts.
func (a accounts) Insert(_ context.Context, added *reseller.Account) error {
	state := added.State()
	if _, found := a.accounts.get(state.ID); found {
		return fmt.Errorf("insert account %d: it is there already", state.ID)
	}
	if err := a.put(state, state.Username.Key()); err != nil {
		return err
	}
	for _, list := range accountListsOf(state.Place) {
		a.accountLists = a.accountLists.with(accountEntry{list, state.ID}, struct{}{})
	}
	return nil
}

// Save implements ports.Accounts.
func (a accounts) Save(_ context.Context, changed *reseller.Account) error {
	state := changed.State()
	old, found := a.accounts.get(state.ID)
	if !found {
		return fault.ErrNotFound
	}
	return a.put(state, old.Username.Key())
}

func (a accounts) put(state reseller.State, had string) error {
	if err := a.session.open(); err != nil {
		return err
	}
	names, err := give(a.accountNames, state.ID, had, state.Username.Key())
	if err != nil {
		return err
	}
	a.accountNames, a.accounts = names, a.accounts.with(state.ID, state)
	return nil
}
