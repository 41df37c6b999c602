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

// accounts implements ports.Accounts and, in a view, ports.AccountDirectory.
type accounts struct{ *session }

// Get implements ports.Accounts.
func (a accounts) Get(ctx context.Context, id int64) (*reseller.Account, error) {
	return accountOfRow(a.scanner(ctx, getAccount, id))
}

// FindByUsername implements ports.Accounts.
func (a accounts) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Account, error) {
	return accountOfRow(a.scanner(ctx, findAccount, name.Key()))
}

// AnyBlocked implements ports.Accounts.
func (a accounts) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	blocked, err := a.Blocked(ctx, ids)
	return len(blocked) > 0, err
}

// Blocked implements ports.AccountDirectory.
func (a accounts) Blocked(ctx context.Context, ids []int64) (blocked []int64, err error) {
	for asked := range slices.Chunk(ids, blockedAtOnce) {
		var args [blockedAtOnce]any
		for i := range args {
			args[i] = asked[min(i, len(asked)-1)] // repeats the last one where there are fewer
		}
		err := a.rows(ctx, blockedAccounts, args[:], func(scan scan) error {
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

// Empty implements ports.AccountDirectory.
func (a accounts) Empty(ctx context.Context) (bool, error) {
	var found bool
	err := a.row(ctx, anyAccount, nil, read(&found, truthOf))
	return !found, err
}

// List implements ports.AccountDirectory.
func (a accounts) List(ctx context.Context, q ports.AccountQuery) (ports.AccountPage, error) {
	if q.Scope.Account != 0 && !q.Scope.Tree {
		return a.listOne(ctx, q)
	}
	list := q.Scope.Account
	if q.Master != 0 {
		list = -q.Master
		if within, err := a.within(ctx, q.Scope, q.Master); err != nil {
			return ports.AccountPage{}, err
		} else if !within {
			return a.listOne(ctx, q) // nothing of the tree but perhaps its root is right below
		}
	}
	n, most := namesWith(q.Username), examined(q.Limit)
	edge := int64(math.MaxInt64)
	if q.Username != "" {
		few, err := a.few(ctx, accountNamesBeyond, n, most)
		if err != nil {
			return ports.AccountPage{}, err
		}
		if few {
			return a.listNamed(ctx, q, list, n)
		}
		err = a.row(ctx, accountsEdge, []any{list, q.After, most - 1}, plain(&edge))
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return ports.AccountPage{}, err
		}
	}
	var page ports.AccountPage
	err := a.rows(ctx, listAccounts, []any{list, q.After, edge, n[0], n[1], q.Limit + 1}, func(scan scan) error {
		account, err := accountOfRow(scan)
		page.Accounts = append(page.Accounts, account)
		return err
	})
	if err != nil {
		return ports.AccountPage{}, err
	}
	switch {
	case len(page.Accounts) > q.Limit:
		page.Accounts = page.Accounts[:q.Limit]
		page.Next = page.Accounts[q.Limit-1].ID()
	case edge < math.MaxInt64:
		page.Next = edge
	}
	return page, nil
}

// within reports whether an account is in the scope.
func (a accounts) within(ctx context.Context, scope ports.Scope, id int64) (bool, error) {
	if scope.Account == 0 {
		return true, nil
	}
	var found bool
	err := a.row(ctx, accountInList, []any{scope.Account, id}, read(&found, truthOf))
	return found, err
}

// listOne lists the scope's own account, where the query selects it.
func (a accounts) listOne(ctx context.Context, q ports.AccountQuery) (ports.AccountPage, error) {
	account, err := a.Get(ctx, q.Scope.Account)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return ports.AccountPage{}, nil
	case err != nil:
		return ports.AccountPage{}, err
	}
	s := account.State()
	if s.ID <= q.After || q.Master != 0 && s.Parent() != q.Master || !strings.HasPrefix(s.Username.Key(), q.Username) {
		return ports.AccountPage{}, nil
	}
	return ports.AccountPage{Accounts: []*reseller.Account{account}}, nil
}

// listNamed lists accounts of a list by the few names that they may have.
func (a accounts) listNamed(ctx context.Context, q ports.AccountQuery, list int64, n names) (page ports.AccountPage, err error) {
	var ids []int64
	err = a.rows(ctx, accountsNamed, []any{list, q.After, n[0], n[1]}, func(scan scan) error {
		var id int64
		err := scan(plain(&id))
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return ports.AccountPage{}, err
	}
	slices.Sort(ids)
	if len(ids) > q.Limit {
		ids = ids[:q.Limit]
		page.Next = ids[q.Limit-1]
	}
	for _, id := range ids {
		account, err := a.Get(ctx, id)
		if err != nil {
			return ports.AccountPage{}, err
		}
		page.Accounts = append(page.Accounts, account)
	}
	return page, nil
}

// Insert implements ports.Accounts.
func (a accounts) Insert(ctx context.Context, account *reseller.Account) error {
	_, err := a.exec(ctx, insertAccount, rowOfAccount(account.State())...)
	return err
}

// Save implements ports.Accounts.
func (a accounts) Save(ctx context.Context, account *reseller.Account) error {
	return a.change(ctx, saveAccount, rowOfAccount(account.State())...)
}
