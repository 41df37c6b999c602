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

// CreateReseller is the command to make a reseller below the caller.
type CreateReseller struct {
	Username profile.Username
	Password profile.Secret
	Master   bool
	Credits  credit.Amount // initial, may be 0
	Contact  reseller.Contact
	Language profile.Text
}

// CreateReseller makes a reseller below the caller, with initial credits that an
// admin issues and a master pays. Refusals: reseller.ErrNotAllowed,
// profile.ErrUsernameTaken, reseller.ErrTreeTooDeep, *reseller.InsufficientCredits.
func (s *Service) CreateReseller(ctx context.Context, call Call, c CreateReseller, render Render[*reseller.Reseller]) (Answer, error) {
	now := s.dependencies.Clock()
	done, err := s.hashing.take(ctx, label("account", call.Token.Reseller))
	if err != nil {
		return Answer{}, err
	}
	defer done()
	recorded, err := s.precheck(ctx, call, now, func(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller) error {
		if err := actor.MayCreate(); err != nil {
			return err
		}
		return freeResellerName(ctx, resellers, c.Username, 0)
	})
	if err != nil {
		return Answer{}, err
	}
	if recorded != nil {
		return *recorded, nil
	}
	hash, err := s.dependencies.Hasher.Hash(ctx, c.Password)
	if err != nil {
		return Answer{}, err
	}
	id, err := s.dependencies.Store.NextID(ctx, ports.ResellerIDs)
	if err != nil {
		return Answer{}, err
	}
	voucher, err := s.provenance(ctx, call, profile.Text{}, now)
	if err != nil {
		return Answer{}, err
	}
	start := reseller.NewReseller{
		ID:           id,
		Master:       c.Master,
		Username:     c.Username,
		PasswordHash: hash,
		Token:        s.dependencies.Generator.Generation(),
		Contact:      c.Contact,
		Language:     c.Language,
		Credits:      c.Credits,
	}
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (*reseller.Reseller, error) {
		if err := actor.MayCreate(); err != nil {
			return nil, err
		}
		if err := freeResellerName(ctx, tx.Resellers, c.Username, id); err != nil {
			return nil, err
		}
		created, moved, err := actor.Create(start, voucher)
		if err != nil {
			return nil, err
		}
		if err := tx.Resellers.Insert(ctx, created); err != nil {
			return nil, err
		}
		if moved != nil {
			err = post(ctx, tx, *moved, actor)
		}
		return created, err
	})
}

// UpdateReseller is the command to change a reseller's record. A nil text is
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

// UpdateReseller changes a reseller's record; a password other than the present
// one revokes its token. Refusals: fault.ErrNotFound, profile.ErrUsernameTaken.
func (s *Service) UpdateReseller(ctx context.Context, call Call, c UpdateReseller, render Render[*reseller.Reseller]) (Answer, error) {
	done, err := s.hashing.take(ctx, label("account", call.Token.Reseller))
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

func (s *Service) updateReseller(ctx context.Context, call Call, c UpdateReseller, render Render[*reseller.Reseller]) (Answer, error) {
	now := s.dependencies.Clock()
	var compared string
	recorded, err := s.precheck(ctx, call, now, func(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller) error {
		target, err := resellers.Get(ctx, c.ID)
		if err != nil {
			return err
		}
		compared = target.PasswordHash()
		return actor.Sees(target.Position())
	})
	if err != nil {
		return Answer{}, err
	}
	if recorded != nil {
		return *recorded, nil
	}
	hash := compared
	same, err := s.dependencies.Hasher.Matches(ctx, c.Password, compared)
	if err == nil && !same {
		hash, err = s.dependencies.Hasher.Hash(ctx, c.Password)
	}
	if err != nil {
		return Answer{}, err
	}
	change := reseller.Update{
		Username:     c.Username,
		PasswordHash: hash,
		Token:        s.dependencies.Generator.Generation(),
		Country:      c.Country,
		Whatsapp:     c.Whatsapp,
		Telegram:     c.Telegram,
		Email:        c.Email,
		Notes:        c.Notes,
	}
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (*reseller.Reseller, error) {
		target, err := tx.Resellers.Get(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		if target.PasswordHash() != compared {
			return nil, errHashMoved
		}
		if err := target.Update(actor, change, now); err != nil {
			return nil, err
		}
		if err := freeResellerName(ctx, tx.Resellers, c.Username, c.ID); err != nil {
			return nil, err
		}
		return target, tx.Resellers.Save(ctx, target)
	})
}

// MoveCredits is the command to add credits to a reseller or to take them back.
type MoveCredits struct {
	ID      int64
	Credits credit.Amount // more than 0
	Notes   profile.Text
}

// AddCredits moves credits to a reseller: issued by an admin, from a master's
// own balance. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed,
// reseller.ErrBalanceLimit, *reseller.InsufficientCredits.
func (s *Service) AddCredits(ctx context.Context, call Call, c MoveCredits, render Render[*reseller.Reseller]) (Answer, error) {
	return s.moveCredits(ctx, call, c, render, (*reseller.Reseller).Fund)
}

// ReclaimCredits takes credits back from a reseller: to issuance by an admin, to
// a master's own balance. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed,
// reseller.ErrBalanceLimit, *reseller.InsufficientCredits with the reseller's
// balance.
func (s *Service) ReclaimCredits(ctx context.Context, call Call, c MoveCredits, render Render[*reseller.Reseller]) (Answer, error) {
	return s.moveCredits(ctx, call, c, render, (*reseller.Reseller).Reclaim)
}

func (s *Service) moveCredits(
	ctx context.Context, call Call, c MoveCredits, render Render[*reseller.Reseller],
	move func(actor, target *reseller.Reseller, amount credit.Amount, v credit.Provenance) (credit.Movement, error),
) (Answer, error) {
	now := s.dependencies.Clock()
	voucher, err := s.provenance(ctx, call, c.Notes, now)
	if err != nil {
		return Answer{}, err
	}
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (*reseller.Reseller, error) {
		target, err := tx.Resellers.Get(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		moved, err := move(actor, target, c.Credits, voucher)
		if err != nil {
			return nil, err
		}
		return target, post(ctx, tx, moved, actor, target)
	})
}

// Block freezes a reseller and everything below it at their next request. It may
// be repeated. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed.
func (s *Service) Block(ctx context.Context, call Call, id int64, render Render[Reseller]) (Answer, error) {
	return s.setBlocked(ctx, call, id, render, (*reseller.Reseller).Block)
}

// Unblock lifts a reseller's own block and nobody else's. It may be repeated.
// Refusals: fault.ErrNotFound, reseller.ErrNotAllowed.
func (s *Service) Unblock(ctx context.Context, call Call, id int64, render Render[Reseller]) (Answer, error) {
	return s.setBlocked(ctx, call, id, render, (*reseller.Reseller).Unblock)
}

func (s *Service) setBlocked(
	ctx context.Context, call Call, id int64, render Render[Reseller],
	set func(actor, target *reseller.Reseller, now time.Time) error,
) (Answer, error) {
	now := s.dependencies.Clock()
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Reseller, error) {
		target, err := tx.Resellers.Get(ctx, id)
		if err != nil {
			return Reseller{}, err
		}
		if err := set(actor, target, now); err != nil {
			return Reseller{}, err
		}
		blockedAbove, err := tx.Resellers.AnyBlocked(ctx, target.Position().Ancestors)
		if err != nil {
			return Reseller{}, err
		}
		return Reseller{target, blockedAbove}, tx.Resellers.Save(ctx, target)
	})
}

// RevokeToken makes the caller's token dead at once; its next login gives
// another.
func (s *Service) RevokeToken(ctx context.Context, call Call, render Render[struct{}]) (Answer, error) {
	now, next := s.dependencies.Clock(), s.dependencies.Generator.Generation()
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (struct{}, error) {
		actor.RevokeToken(next, now)
		return struct{}{}, tx.Resellers.Save(ctx, actor)
	})
}
