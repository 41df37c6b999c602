package application

import (
	"context"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Empty reports whether there is no account yet.
func (s *Service) Empty(ctx context.Context) (empty bool, err error) {
	err = s.out.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		empty, err = snapshot.Accounts.Empty(ctx)
		return err
	})
	return empty, err
}

// CreateAdmin makes an operator's account. It is never reachable over the API:
// who may call it holds the store. The refusal is profile.ErrUsernameTaken.
func (s *Service) CreateAdmin(ctx context.Context, name profile.Username, password profile.Secret) error {
	hash, err := s.out.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	id, err := s.out.Store.NextID(ctx, ports.AccountIDs)
	if err != nil {
		return err
	}
	admin := reseller.NewAdmin(reseller.NewAccount{
		ID:           id,
		Username:     name,
		PasswordHash: hash,
		Token:        s.out.Generator.Generation(),
		Contact:      reseller.Contact{Country: profile.RestoreText("ZZ")},
		Language:     profile.RestoreText("en"),
	}, s.out.Clock())
	return s.out.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		return tx.Accounts.Insert(ctx, admin)
	})
}

// ResetPassword gives any account a new password, which revokes its token, for
// an operator who holds the store and lost the password. The refusal is
// fault.ErrNotFound.
func (s *Service) ResetPassword(ctx context.Context, name profile.Username, password profile.Secret) error {
	hash, err := s.out.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	token, now := s.out.Generator.Generation(), s.out.Clock()
	return s.out.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		account, err := tx.Accounts.FindByUsername(ctx, name)
		if err != nil {
			return err
		}
		account.SetPassword(hash, token, now)
		return tx.Accounts.Save(ctx, account)
	})
}
