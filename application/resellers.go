package application

import (
	"context"
	"errors"

	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// CreateReseller is the command to make an account below the caller.
type CreateReseller struct {
	Username profile.Username
	Password profile.Secret
	Master   bool
	Credits  credit.Amount // initial, may be 0
	Contact  reseller.Contact
	Language profile.Text
}

// CreateReseller makes an account below the caller, with initial credits that an
// admin issues and a master pays. Refusals: reseller.ErrNotAllowed,
// profile.ErrUsernameTaken, reseller.ErrTreeTooDeep, *reseller.InsufficientCredits.
func (s *Service) CreateReseller(ctx context.Context, call Call, c CreateReseller, render Render[*reseller.Account]) (Answer, error) {
	now := s.out.Clock()
	done, err := s.hashing.take(ctx, label("account", call.Token.Account))
	if err != nil {
		return Answer{}, err
	}
	defer done()
	recorded, err := s.look(ctx, call, now, func(ctx context.Context, accounts ports.AccountReader, actor *reseller.Account) error {
		if err := actor.MayCreate(); err != nil {
			return err
		}
		return freeAccountName(ctx, accounts, c.Username, 0)
	})
	if err != nil {
		return Answer{}, err
	}
	if recorded != nil {
		return *recorded, nil
	}
	hash, err := s.out.Hasher.Hash(ctx, c.Password)
	if err != nil {
		return Answer{}, err
	}
	id, err := s.out.Store.NextID(ctx, ports.AccountIDs)
	if err != nil {
		return Answer{}, err
	}
	voucher, err := s.voucher(ctx, call, profile.Text{}, now)
	if err != nil {
		return Answer{}, err
	}
	start := reseller.NewAccount{
		ID:           id,
		Master:       c.Master,
		Username:     c.Username,
		PasswordHash: hash,
		Token:        s.out.Generator.Generation(),
		Contact:      c.Contact,
		Language:     c.Language,
		Credits:      c.Credits,
	}
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Account) (*reseller.Account, error) {
		if err := actor.MayCreate(); err != nil {
			return nil, err
		}
		if err := freeAccountName(ctx, tx.Accounts, c.Username, id); err != nil {
			return nil, err
		}
		created, moved, err := actor.Create(start, voucher)
		if err != nil {
			return nil, err
		}
		if err := tx.Accounts.Insert(ctx, created); err != nil {
			return nil, err
		}
		if moved != nil {
			err = settle(ctx, tx, *moved, actor)
		}
		return created, err
	})
}

// UpdateReseller is the command to change an account's record. A nil text is
// left alone, a pointer to an empty one clears it.
type UpdateReseller struct {
	ID       int64
	Username profile.Username
	Password profile.Secret
	Country  profile.Text
	Whatsapp profile.Text
	Telegram *profile.Text
	Email    *profile.Text
	Notes    *profile.Text
}

// errHashMoved starts an update over: while the password was compared, another
// request changed it.
var errHashMoved = errors.New("the password changed meanwhile")

// UpdateReseller changes an account's record; a password other than the present
// one revokes its token. Refusals: fault.ErrNotFound, profile.ErrUsernameTaken.
func (s *Service) UpdateReseller(ctx context.Context, call Call, c UpdateReseller, render Render[*reseller.Account]) (Answer, error) {
	done, err := s.hashing.take(ctx, label("account", call.Token.Account))
	if err != nil {
		return Answer{}, err
	}
	defer done()
	for {
		answer, err := s.updateReseller(ctx, call, c, render)
		if !errors.Is(err, errHashMoved) {
			return answer, err
		}
	}
}

func (s *Service) updateReseller(ctx context.Context, call Call, c UpdateReseller, render Render[*reseller.Account]) (Answer, error) {
	now := s.out.Clock()
	var compared string
	recorded, err := s.look(ctx, call, now, func(ctx context.Context, accounts ports.AccountReader, actor *reseller.Account) error {
		target, err := accounts.Get(ctx, c.ID)
		if err != nil {
			return err
		}
		compared = target.PasswordHash()
		return actor.Sees(target.Place())
	})
	if err != nil {
		return Answer{}, err
	}
	if recorded != nil {
		return *recorded, nil
	}
	hash := compared
	same, err := s.out.Hasher.Matches(ctx, c.Password, compared)
	if err == nil && !same {
		hash, err = s.out.Hasher.Hash(ctx, c.Password)
	}
	if err != nil {
		return Answer{}, err
	}
	change := reseller.Update{
		Username:     c.Username,
		PasswordHash: hash,
		Token:        s.out.Generator.Generation(),
		Country:      c.Country,
		Whatsapp:     c.Whatsapp,
		Telegram:     c.Telegram,
		Email:        c.Email,
		Notes:        c.Notes,
	}
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Account) (*reseller.Account, error) {
		target, err := tx.Accounts.Get(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		if target.PasswordHash() != compared {
			return nil, errHashMoved
		}
		if err := target.Update(actor, change, now); err != nil {
			return nil, err
		}
		if err := freeAccountName(ctx, tx.Accounts, c.Username, c.ID); err != nil {
			return nil, err
		}
		return target, tx.Accounts.Save(ctx, target)
	})
}

// AddCredits is the command to move credits to an account.
type AddCredits struct {
	ID      int64
	Credits credit.Amount // more than 0
	Notes   profile.Text
}

// AddCredits moves credits to an account: issued by an admin, from a master's
// own balance. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed,
// reseller.ErrBalanceLimit, *reseller.InsufficientCredits.
func (s *Service) AddCredits(ctx context.Context, call Call, c AddCredits, render Render[*reseller.Account]) (Answer, error) {
	now := s.out.Clock()
	voucher, err := s.voucher(ctx, call, c.Notes, now)
	if err != nil {
		return Answer{}, err
	}
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Account) (*reseller.Account, error) {
		target, err := tx.Accounts.Get(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		moved, err := actor.Fund(target, c.Credits, voucher)
		if err != nil {
			return nil, err
		}
		if err := tx.Accounts.Save(ctx, target); err != nil {
			return nil, err
		}
		return target, settle(ctx, tx, moved, actor)
	})
}
