package application

import (
	"context"
	"errors"
	"fmt"

	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Admins are for operators with access to the store. None is reachable over the API.
type Admins struct{ *kernel }

// operator names the caller of what is done at the machine.
const operator = "operator"

// Empty reports whether there is no reseller yet.
func (s Admins) Empty(ctx context.Context) (empty bool, err error) {
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		empty, err = snapshot.Resellers.Empty(ctx)
		return err
	})
	return empty, err
}

// CreateAdmin makes an operator's reseller, and begins the journal of a store that has none. It is never reachable over
// the API, only with access to the store. The refusal is profile.ErrUsernameTaken.
func (s Admins) CreateAdmin(ctx context.Context, name profile.Username, password profile.Secret) error {
	hash, err := s.dependencies.Hasher.Hash(ctx, operator, password)
	if err != nil {
		return err
	}
	if err := s.epochs().BeginJournal(ctx); err != nil {
		return err
	}
	id, err := s.dependencies.Store.NextID(ctx, ports.ResellerIDs)
	if err != nil {
		return err
	}
	now := s.dependencies.Clock()
	admin := reseller.NewAdmin(reseller.NewReseller{
		ID:           id,
		Username:     name,
		PasswordHash: hash,
		Token:        s.dependencies.Generator.Generation(),
		Contact:      reseller.Contact{Country: profile.RestoreText("ZZ")},
		Language:     profile.RestoreText("en"),
	}, now)
	err = s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		if err := freeResellerName(ctx, tx.Resellers, name, id); err != nil {
			return err
		}
		if err := tx.Resellers.Insert(ctx, admin); err != nil {
			return err
		}
		if err := claimName(ctx, tx, profile.Username{}, name, ports.NameClaim{ID: id}); err != nil {
			return err
		}
		return operated(ctx, tx, journal.AdminCreated, now, nil, admin)
	})
	if errors.Is(err, record.ErrExists) { // somebody else has just taken it
		err = profile.ErrUsernameTaken
	}
	return err
}

// ResetPassword gives any reseller a new password, which revokes its token, for an operator with access to the store.
// The refusal is fault.ErrNotFound.
func (s Admins) ResetPassword(ctx context.Context, name profile.Username, password profile.Secret) error {
	hash, err := s.dependencies.Hasher.Hash(ctx, operator, password)
	if err != nil {
		return err
	}
	token, now := s.dependencies.Generator.Generation(), s.dependencies.Clock()
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		reseller, err := tx.Resellers.FindByUsername(ctx, name)
		if err != nil {
			return err
		}
		was := reseller.State()
		reseller.SetPassword(hash, token, now)
		if err := tx.Resellers.Save(ctx, reseller); err != nil {
			return err
		}
		return operated(ctx, tx, journal.PasswordReset, now, &was, reseller)
	})
}

// SetBlocked blocks any reseller, an admin too, with everything below it, or lifts its own block, for an operator with
// access to the store. It may be repeated. The refusal is fault.ErrNotFound.
func (s Admins) SetBlocked(ctx context.Context, name profile.Username, blocked bool) error {
	now, event := s.dependencies.Clock(), journal.AdminUnblocked
	if blocked {
		event = journal.AdminBlocked
	}
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
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
		return operated(ctx, tx, event, now, &was, found)
	})
}

// List returns every admin, by id, for an operator with access to the store.
func (s Admins) List(ctx context.Context) (admins []*reseller.Reseller, err error) {
	const atOnce = 500
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
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
func (s Access) AdmitAdmin(ctx context.Context, call Call) error {
	return s.read(ctx, call, s.dependencies.Clock(), mayAudit)
}
