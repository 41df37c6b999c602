package access

import (
	"context"
	"errors"
	"fmt"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Admins handles administrators, for an operator with access to the store. No API operation reaches it.
type Admins struct{ k *usecase.Kernel }

// Empty reports whether no account exists yet.
func (s Admins) Empty(ctx context.Context) (bool, error) {
	return usecase.ReadSnapshot(ctx, s.k, func(ctx context.Context, snapshot ports.Snapshot) (bool, error) {
		return snapshot.Resellers.Empty(ctx)
	})
}

// Create creates an admin, and begins the journal of a new store. Only an operator with access to the store reaches it,
// not the API. The refusal is profile.ErrUsernameTaken.
func (s Admins) Create(ctx context.Context, name profile.Username, password profile.Secret) error {
	hash, err := s.k.Dependencies.Hasher.Hash(ctx, usecase.Operator, password)
	if err != nil {
		return err
	}
	if err := s.k.Epochs().Begin(ctx); err != nil {
		return err
	}
	id, err := s.k.Dependencies.Store.NextID(ctx, ports.ResellerIDs)
	if err != nil {
		return err
	}
	now := s.k.Dependencies.Clock()
	admin := reseller.NewAdmin(reseller.NewReseller{
		ID:           id,
		Username:     name,
		PasswordHash: hash,
		Token:        s.k.Dependencies.Generator.Generation(),
		Contact:      reseller.Contact{Country: profile.RestoreText("ZZ")},
		Language:     profile.RestoreText("en"),
	}, now)
	err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		if err := usecase.CheckResellerNameFree(ctx, tx.Resellers, name, id); err != nil {
			return err
		}
		if err := tx.Resellers.Insert(ctx, admin); err != nil {
			return err
		}
		if err := usecase.ClaimName(ctx, tx, profile.Username{}, name, profile.NameClaim{ID: id}); err != nil {
			return err
		}
		return usecase.AppendOperatorEntry(ctx, tx, journal.AdminCreated, now, nil, admin)
	})
	if errors.Is(err, record.ErrExists) { // another process has just taken it
		err = profile.ErrUsernameTaken
	}
	return err
}

// ResetPassword sets a new password of any account, which revokes its token, for an operator with access to the store.
// The refusal is fault.ErrNotFound.
func (s Admins) ResetPassword(ctx context.Context, name profile.Username, password profile.Secret) error {
	hash, err := s.k.Dependencies.Hasher.Hash(ctx, usecase.Operator, password)
	if err != nil {
		return err
	}
	token, now := s.k.Dependencies.Generator.Generation(), s.k.Dependencies.Clock()
	return s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		reseller, err := tx.Resellers.FindByUsername(ctx, name)
		if err != nil {
			return err
		}
		was := reseller.State()
		reseller.SetPassword(hash, token, now)
		if err := tx.Resellers.Save(ctx, reseller); err != nil {
			return err
		}
		return usecase.AppendOperatorEntry(ctx, tx, journal.PasswordReset, now, &was, reseller)
	})
}

// SetBlocked blocks any account, an admin too, with everything below it, or ends its own block, for an operator with
// access to the store. A repetition changes nothing. The refusal is fault.ErrNotFound.
func (s Admins) SetBlocked(ctx context.Context, name profile.Username, blocked bool) error {
	now, event := s.k.Dependencies.Clock(), journal.AdminUnblocked
	if blocked {
		event = journal.AdminBlocked
	}
	return s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		found, err := tx.Resellers.FindByUsername(ctx, name)
		if err != nil {
			return err
		}
		was := found.State()
		if was.Blocked == blocked {
			return nil
		}
		if blocked {
			found.SetBlocked(reseller.Terms{}, now)
		} else {
			found.SetUnblocked(now)
		}
		if err := tx.Resellers.Save(ctx, found); err != nil {
			return err
		}
		return usecase.AppendOperatorEntry(ctx, tx, event, now, &was, found)
	})
}

// List returns every admin, by id, for an operator with access to the store.
func (s Admins) List(ctx context.Context) (admins []*reseller.Reseller, err error) {
	const atOnce = 500
	err = s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		admins = nil
		for q := (ports.ResellerQuery{Limit: atOnce}); ; {
			page, err := snapshot.Resellers.List(ctx, q)
			if err != nil {
				return err
			}
			if len(page.Damaged) > 0 {
				return fmt.Errorf("the accounts %d are damaged: 'resellerd audit' says more", page.Damaged)
			}
			for _, r := range page.Resellers {
				if r.MayAudit() == nil {
					admins = append(admins, r)
				}
			}
			if q.After = page.Next; q.After == 0 {
				return nil
			}
		}
	})
	return admins, err
}

// AdmitAdmin decides whether the caller is an admin. Refusals: reseller.ErrTokenRevoked, reseller.ErrBlocked,
// reseller.ErrNotAllowed.
func (s Service) AdmitAdmin(ctx context.Context, call usecase.Call) error {
	return s.k.Read(ctx, call, s.k.Dependencies.Clock(), usecase.MayAudit)
}
