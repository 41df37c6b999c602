package sqlitestore

import (
	"context"
	"slices"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
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
	for asked := range slices.Chunk(ids, blockedAtOnce) {
		var (
			args    [blockedAtOnce]any
			blocked int
		)
		for i := range args {
			args[i] = asked[min(i, len(asked)-1)] // repeats the last one where there are fewer
		}
		if err := a.row(ctx, countBlocked, args[:], &blocked); err != nil || blocked > 0 {
			return blocked > 0, err
		}
	}
	return false, nil
}

// Empty implements ports.AccountDirectory.
func (a accounts) Empty(ctx context.Context) (bool, error) {
	var found bool
	err := a.row(ctx, anyAccount, nil, &found)
	return !found, err
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
