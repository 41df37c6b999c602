package application

import (
	"context"
	"errors"
	"reflect"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Reseller is a reseller as a reader sees it.
type Reseller struct {
	*reseller.Reseller
	BlockedAbove bool           // a reseller above it is blocked
	Password     profile.Secret // where the caller has just given it, zero otherwise
}

// Self returns the caller's own reseller.
func (s *Service) Self(ctx context.Context, call Call) (Reseller, error) {
	return s.Reseller(ctx, call, call.Caller.Reseller())
}

// Reseller returns a reseller that the caller sees, or fault.ErrNotFound.
func (s *Service) Reseller(ctx context.Context, call Call, id int64) (r Reseller, err error) {
	ctx, ended := s.follow(ctx, "read reseller")
	defer ended()
	err = s.read(ctx, call, s.dependencies.Clock(), func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) (err error) {
		if r.Reseller, err = seenReseller(ctx, snapshot.Resellers, actor, id); err != nil {
			return err
		}
		r.BlockedAbove, err = snapshot.Resellers.AnyBlocked(ctx, r.Position().Ancestors)
		return err
	})
	return r, err
}

func seenReseller(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller, id int64) (*reseller.Reseller, error) {
	if id == actor.ID() {
		return actor, nil
	}
	r, err := resellers.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return r, actor.Sees(r.Position())
}

// CreateReseller is the command to make a reseller below the caller.
type CreateReseller struct {
	Username profile.Username
	Password profile.Secret
	Master   bool
	Credits  credit.Amount // initial, may be 0
	Contact  reseller.Contact
	Language profile.Text
}

// CreateReseller makes a reseller below the caller, with initial credits that an admin issues and a master pays.
// Refusals: reseller.ErrNotAllowed, profile.ErrUsernameTaken, reseller.ErrTreeTooDeep, *reseller.InsufficientCredits.
func (s *Service) CreateReseller(ctx context.Context, call Call, c CreateReseller, render Render[Reseller]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "create reseller")
	defer ended()
	now := s.dependencies.Clock()
	recorded, err := s.precheck(ctx, call, now, func(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller) error {
		if err := actor.MayCreate(); err != nil {
			return err
		}
		return freeResellerName(ctx, resellers, c.Username, 0)
	})
	if err != nil {
		return Receipt{}, err
	}
	if recorded != nil {
		return *recorded, nil
	}
	hash, err := s.dependencies.Hasher.Hash(ctx, call.Caller.hashing(), c.Password)
	if err != nil {
		return Receipt{}, err
	}
	id, err := s.dependencies.Store.NextID(ctx, ports.ResellerIDs)
	if err != nil {
		return Receipt{}, err
	}
	provenance, err := s.provenance(ctx, call, profile.Text{}, now)
	if err != nil {
		return Receipt{}, err
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
	return perform(ctx, s, call, now, ports.Reads{ResellerName: c.Username}, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Reseller, error) {
		if err := actor.MayCreate(); err != nil {
			return Reseller{}, err
		}
		if err := freeResellerName(ctx, tx.Resellers, c.Username, id); err != nil {
			return Reseller{}, err
		}
		created, moved, err := actor.Create(start, provenance)
		if err != nil {
			return Reseller{}, err
		}
		if err := tx.Resellers.Insert(ctx, created); err != nil {
			return Reseller{}, err
		}
		if moved != nil {
			err = post(ctx, tx, *moved, actor)
		}
		// Its creator was not blocked a moment ago, nor was anybody above.
		return Reseller{Reseller: created, Password: c.Password}, err
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

// errHashMoved starts a change over: while the password was compared, another request changed it.
var errHashMoved = errors.New("the password changed meanwhile")

// UpdateReseller changes a reseller's record; a password other than the present
// one revokes its token. Refusals: fault.ErrNotFound, profile.ErrUsernameTaken.
func (s *Service) UpdateReseller(ctx context.Context, call Call, c UpdateReseller, render Render[Reseller]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "update reseller")
	defer ended()
	return startOver(func() (Receipt, error) { return s.updateReseller(ctx, call, c, render) })
}

// startOver does a change until it meets no other one of the password.
func startOver(change func() (Receipt, error)) (Receipt, error) {
	for {
		receipt, err := change()
		if !errors.Is(err, errHashMoved) {
			return receipt, err
		}
	}
}

func (s *Service) updateReseller(ctx context.Context, call Call, c UpdateReseller, render Render[Reseller]) (Receipt, error) {
	now := s.dependencies.Clock()
	var compared string
	recorded, err := s.precheck(ctx, call, now, func(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller) error {
		target, err := resellers.Get(ctx, c.ID)
		if err != nil {
			return err
		}
		compared = target.PasswordHash()
		if err := actor.Sees(target.Position()); err != nil {
			return err
		}
		return freeToRename(ctx, resellers, target.State(), c.Username)
	})
	if err != nil {
		return Receipt{}, err
	}
	if recorded != nil {
		return *recorded, nil
	}
	hash := compared
	same, err := s.dependencies.Hasher.Matches(ctx, call.Caller.hashing(), c.Password, compared)
	if err == nil && !same {
		hash, err = s.dependencies.Hasher.Hash(ctx, call.Caller.hashing(), c.Password)
	}
	if err != nil {
		return Receipt{}, err
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
	return perform(ctx, s, call, now, ports.Reads{Reseller: c.ID, ResellerName: c.Username}, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Reseller, error) {
		target, err := tx.Resellers.Get(ctx, c.ID)
		if err != nil {
			return Reseller{}, err
		}
		if target.PasswordHash() != compared {
			return Reseller{}, errHashMoved
		}
		had := target.State()
		if err := target.Update(actor, change, now); err != nil {
			return Reseller{}, err
		}
		if err := freeToRename(ctx, tx.Resellers, had, c.Username); err != nil {
			return Reseller{}, err
		}
		return Reseller{Reseller: target, Password: c.Password}, saveChanged(ctx, tx, had, target)
	})
}

// ChangeContact is the command to change what is known of the person behind a reseller, by who need not know its
// password.
type ChangeContact struct {
	ID int64
	reseller.ContactChange
}

// ChangeContact changes what is known of the person behind a reseller. The refusal is fault.ErrNotFound.
func (s *Service) ChangeContact(ctx context.Context, call Call, c ChangeContact, render Render[Reseller]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "change contact")
	defer ended()
	return s.change(ctx, call, c.ID, render, func(actor, target *reseller.Reseller, now time.Time) error {
		return target.ChangeContact(actor, c.ContactChange, now)
	})
}

// Block freezes a reseller and everything below it at their next request. It may
// be repeated. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed.
func (s *Service) Block(ctx context.Context, call Call, id int64, render Render[Reseller]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "block reseller")
	defer ended()
	return s.change(ctx, call, id, render, (*reseller.Reseller).Block)
}

// Unblock lifts a reseller's own block and nobody else's. It may be repeated.
// Refusals: fault.ErrNotFound, reseller.ErrNotAllowed.
func (s *Service) Unblock(ctx context.Context, call Call, id int64, render Render[Reseller]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "unblock reseller")
	defer ended()
	return s.change(ctx, call, id, render, (*reseller.Reseller).Unblock)
}

// change changes a reseller by a verb that needs to know no others.
func (s *Service) change(
	ctx context.Context, call Call, id int64, render Render[Reseller],
	verb func(actor, target *reseller.Reseller, now time.Time) error,
) (Receipt, error) {
	now := s.dependencies.Clock()
	return perform(ctx, s, call, now, ports.Reads{Reseller: id}, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Reseller, error) {
		target, err := tx.Resellers.Get(ctx, id)
		if err != nil {
			return Reseller{}, err
		}
		had := target.State()
		if err := verb(actor, target, now); err != nil {
			return Reseller{}, err
		}
		blockedAbove, err := tx.Resellers.AnyBlocked(ctx, target.Position().Ancestors)
		if err != nil {
			return Reseller{}, err
		}
		return Reseller{Reseller: target, BlockedAbove: blockedAbove}, saveChanged(ctx, tx, had, target)
	})
}

// saveChanged saves a reseller that is another one than it had been: who changes nothing has nothing written.
func saveChanged(ctx context.Context, tx ports.Tx, had reseller.State, target *reseller.Reseller) error {
	if reflect.DeepEqual(had, target.State()) {
		return nil
	}
	return tx.Resellers.Save(ctx, target)
}

// resellerNamed returns the reseller that has a name, or fault.ErrNotFound.
func resellerNamed(ctx context.Context, resellers ports.ResellerReader, name profile.Username) (*reseller.Reseller, error) {
	for _, alike := range name.Alike() {
		if found, err := resellers.FindByUsername(ctx, alike); !isNotFound(err) {
			return found, err
		}
	}
	return nil, fault.ErrNotFound
}

func freeResellerName(ctx context.Context, resellers ports.ResellerReader, name profile.Username, own int64) error {
	return freeName(name, own, func(alike profile.Username) (int64, error) {
		holder, err := resellers.FindByUsername(ctx, alike)
		if err != nil {
			return 0, err
		}
		return holder.ID(), nil
	})
}

// freeToRename refuses a name that another reseller has. A reseller's own is free to it, without a question.
func freeToRename(ctx context.Context, resellers ports.ResellerReader, r reseller.State, name profile.Username) error {
	if r.Username.Keeps(name) {
		return nil
	}
	return freeResellerName(ctx, resellers, name, r.ID)
}

// freeName returns profile.ErrUsernameTaken where another record than own has a name. The store has the last word: a
// name may still be taken at the insert, or at the commit.
func freeName(name profile.Username, own int64, find func(alike profile.Username) (holder int64, err error)) error {
	for _, alike := range name.Alike() {
		switch holder, err := find(alike); {
		case isNotFound(err):
		case err != nil:
			return err
		case holder != own:
			return profile.ErrUsernameTaken
		}
	}
	return nil
}
