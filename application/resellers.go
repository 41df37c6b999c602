package application

import (
	"context"
	"errors"
	"time"

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

// MoveCredits is the command to add credits to an account or to take them back.
type MoveCredits struct {
	ID      int64
	Credits credit.Amount // more than 0
	Notes   profile.Text
}

// AddCredits moves credits to an account: issued by an admin, from a master's
// own balance. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed,
// reseller.ErrBalanceLimit, *reseller.InsufficientCredits.
func (s *Service) AddCredits(ctx context.Context, call Call, c MoveCredits, render Render[*reseller.Account]) (Answer, error) {
	return s.moveCredits(ctx, call, c, render, (*reseller.Account).Fund)
}

// ReclaimCredits takes credits back from an account: to issuance by an admin, to
// a master's own balance. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed,
// reseller.ErrBalanceLimit, *reseller.InsufficientCredits with the account's
// balance.
func (s *Service) ReclaimCredits(ctx context.Context, call Call, c MoveCredits, render Render[*reseller.Account]) (Answer, error) {
	return s.moveCredits(ctx, call, c, render, (*reseller.Account).Reclaim)
}

func (s *Service) moveCredits(
	ctx context.Context, call Call, c MoveCredits, render Render[*reseller.Account],
	move func(actor, target *reseller.Account, amount credit.Amount, v credit.Voucher) (credit.Movement, error),
) (Answer, error) {
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
		moved, err := move(actor, target, c.Credits, voucher)
		if err != nil {
			return nil, err
		}
		return target, settle(ctx, tx, moved, actor, target)
	})
}

// Block freezes an account and everything below it at their next request. It may
// be repeated. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed.
func (s *Service) Block(ctx context.Context, call Call, id int64, render Render[Reseller]) (Answer, error) {
	return s.setBlocked(ctx, call, id, render, (*reseller.Account).Block)
}

// Unblock lifts an account's own block and nobody else's. It may be repeated.
// Refusals: fault.ErrNotFound, reseller.ErrNotAllowed.
func (s *Service) Unblock(ctx context.Context, call Call, id int64, render Render[Reseller]) (Answer, error) {
	return s.setBlocked(ctx, call, id, render, (*reseller.Account).Unblock)
}

func (s *Service) setBlocked(
	ctx context.Context, call Call, id int64, render Render[Reseller],
	set func(actor, target *reseller.Account, now time.Time) error,
) (Answer, error) {
	now := s.out.Clock()
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Account) (Reseller, error) {
		target, err := tx.Accounts.Get(ctx, id)
		if err != nil {
			return Reseller{}, err
		}
		if err := set(actor, target, now); err != nil {
			return Reseller{}, err
		}
		blockedAbove, err := tx.Accounts.AnyBlocked(ctx, target.Place().Above)
		if err != nil {
			return Reseller{}, err
		}
		return Reseller{target, blockedAbove}, tx.Accounts.Save(ctx, target)
	})
}

// RevokeToken makes the caller's token dead at once; its next login gives
// another.
func (s *Service) RevokeToken(ctx context.Context, call Call, render Render[struct{}]) (Answer, error) {
	now, next := s.out.Clock(), s.out.Generator.Generation()
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Account) (struct{}, error) {
		actor.RevokeToken(next, now)
		return struct{}{}, tx.Accounts.Save(ctx, actor)
	})
}
