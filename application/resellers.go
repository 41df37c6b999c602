package application

import (
	"cmp"
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Resellers are the accounts below the caller, and its own.
type Resellers struct{ *kernel }

// newResellers returns the families of this feature.
func newResellers(k *kernel) (Resellers, Credits) { return Resellers{k}, Credits{k} }

// Reseller is a reseller as a reader sees it.
type Reseller struct {
	*reseller.Reseller
	BlockedAbove bool           // a reseller above it is blocked
	Password     profile.Secret // if the caller has just given it, zero otherwise
}

// Self returns the caller's own reseller.
func (s Resellers) Self(ctx context.Context, call Call) (Reseller, error) {
	return s.Reseller(ctx, call, call.Caller.Reseller())
}

// Reseller returns a reseller that the caller sees, or fault.ErrNotFound.
func (s Resellers) Reseller(ctx context.Context, call Call, id int64) (Reseller, error) {
	return query(ctx, s.kernel, call, "read reseller", func(ctx context.Context, in reading) (r Reseller, err error) {
		if r.Reseller, err = seenReseller(ctx, in.Resellers, in.actor, id); err != nil {
			return r, err
		}
		r.BlockedAbove, err = in.Resellers.AnyBlocked(ctx, r.Position().Ancestors)
		return r, err
	})
}

func seenReseller(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller,
	id int64) (*reseller.Reseller, error) {
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
// Refusals: *principal.MissingScope for credits by who may not move them, reseller.ErrNotAllowed, principal.ErrBeyond,
// profile.ErrUsernameTaken, reseller.ErrTreeTooDeep, *reseller.InsufficientCredits.
func (s Resellers) CreateReseller(ctx context.Context, call Call, c CreateReseller,
	render Render[Reseller]) (Receipt, error) {
	start := reseller.NewReseller{Master: c.Master, Username: c.Username, Contact: c.Contact, Language: c.Language,
		Credits: c.Credits}
	mayCreate := func(actor *reseller.Reseller) (err error) {
		if !c.Credits.IsZero() {
			err = call.Caller.lacks(principal.CreditsMove)
		}
		return cmp.Or(err, actor.MayCreate(), mayActAsOwner(call.Caller))
	}
	return run(ctx, s.kernel, call, render, command[Reseller]{
		name:  "create reseller",
		event: journal.ResellerCreated,
		reads: ports.Reads{ResellerName: c.Username},
		ids:   creationIDs,
		check: func(ctx context.Context, in reading) error {
			if err := mayCreate(in.actor); err != nil {
				return err
			}
			return freeResellerName(ctx, in.Resellers, c.Username, 0)
		},
		slow: func(ctx context.Context) (err error) {
			start.Token = s.dependencies.Generator.Generation()
			start.PasswordHash, err = s.dependencies.Hasher.Hash(ctx, call.Caller.hashing(), c.Password)
			return err
		},
		rules: func(ctx context.Context, do *work) (Reseller, error) {
			if err := mayCreate(do.actor); err != nil {
				return Reseller{}, err
			}
			start.ID = do.id(ports.ResellerIDs)
			if err := freeResellerName(ctx, do.tx.Resellers, c.Username, start.ID); err != nil {
				return Reseller{}, err
			}
			created, moved, err := do.actor.Create(start, do.provenance(profile.Text{}))
			if err != nil {
				return Reseller{}, err
			}
			if err := do.insertReseller(ctx, created); err != nil {
				return Reseller{}, err
			}
			if err := claimName(ctx, do.tx, profile.Username{}, c.Username, ports.NameClaim{ID: start.ID}); err != nil {
				return Reseller{}, err
			}
			if moved != nil {
				err = do.post(ctx, *moved, do.actor)
			}
			// Its creator was not blocked a moment ago, nor was any reseller above.
			return Reseller{Reseller: created, Password: c.Password}, err
		},
	})
}

var creationIDs = []ports.Sequence{ports.ResellerIDs, ports.MovementIDs}

// UpdateReseller is the command to change a reseller's record. Without a name, or a password, the reseller keeps its
// own.
type UpdateReseller struct {
	ID       int64
	Username profile.Username
	Password profile.Secret
	reseller.ContactChange
}

// UpdateReseller changes a reseller's record; a password other than the present
// one revokes its token. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed, principal.ErrBeyond,
// profile.ErrUsernameTaken.
func (s Resellers) UpdateReseller(ctx context.Context, call Call, c UpdateReseller,
	render Render[Reseller]) (Receipt, error) {
	var compared string
	change := reseller.Update{ContactChange: c.ContactChange}
	return run(ctx, s.kernel, call, render, command[Reseller]{
		name:  "update reseller",
		event: journal.ResellerUpdated,
		reads: ports.Reads{Reseller: c.ID, ResellerName: c.Username},
		check: func(ctx context.Context, in reading) error {
			target, err := in.Resellers.Get(ctx, c.ID)
			if err != nil {
				return err
			}
			compared = target.PasswordHash()
			if err := in.actor.Sees(target.Position()); err != nil {
				return err
			}
			if err := mayTakeOver(call.Caller, target); err != nil {
				return err
			}
			return freeToRename(ctx, in.Resellers, target.State(), cmp.Or(c.Username, target.State().Username))
		},
		slow: func(ctx context.Context) error {
			change.PasswordHash, change.Token = compared, s.dependencies.Generator.Generation()
			if c.Password == (profile.Secret{}) {
				return nil
			}
			same, err := s.dependencies.Hasher.Matches(ctx, call.Caller.hashing(), c.Password, compared)
			if err == nil && !same {
				change.PasswordHash, err = s.dependencies.Hasher.Hash(ctx, call.Caller.hashing(), c.Password)
			}
			return err
		},
		rules: func(ctx context.Context, do *work) (Reseller, error) {
			target, err := do.reseller(ctx, c.ID)
			if err != nil {
				return Reseller{}, err
			}
			if target.PasswordHash() != compared {
				return Reseller{}, errStale
			}
			change.Username = cmp.Or(c.Username, do.resellerWas.Username)
			if err := target.Update(do.actor, change, do.now); err != nil {
				return Reseller{}, err
			}
			if err := mayTakeOver(call.Caller, target); err != nil {
				return Reseller{}, err
			}
			if err := freeToRename(ctx, do.tx.Resellers, *do.resellerWas, change.Username); err != nil {
				return Reseller{}, err
			}
			if err := claimName(ctx, do.tx, do.resellerWas.Username, target.State().Username,
				ports.NameClaim{ID: c.ID}); err != nil {
				return Reseller{}, err
			}
			return do.changedReseller(ctx, target, c.Password)
		},
	})
}

// mayTakeOver refuses a principal that would say by which name and password somebody else signs in: its own account or
// an admin, reseller.ErrNotAllowed, for all their rights would be its own; and an account below, as mayActAsOwner does.
func mayTakeOver(c Caller, target *reseller.Reseller) error {
	switch {
	case c.ByOwner():
		return nil
	case target.ID() == c.Reseller():
		return reseller.ErrNotAllowed.WithDetail(
			"A key, or a member of the staff, may not change the user name and the password of its own account.")
	case target.State().Role == reseller.Admin:
		return reseller.ErrNotAllowed.WithDetail(
			"A key, or a member of the staff, may not change the user name and the password of an admin.")
	}
	return mayActAsOwner(c)
}

// mayActAsOwner returns principal.ErrBeyond to a principal that would know the password of an account below, unless it
// may do all of what that lets it do there, from anywhere, without an end and without a limit.
func mayActAsOwner(c Caller) error {
	if err := mayGive(c, principal.Principal{Role: principal.Manager}); err != nil {
		return principal.ErrBeyond.WithDetail(
			"A key, or a member of the staff, needs all scopes of a manager for this, and no expiry, no addresses and no spend limit.")
	}
	return nil
}

// ChangeContact changes what is known of the person behind a reseller. With a name or a password it is UpdateReseller,
// whose refusals it then has; otherwise the refusal is fault.ErrNotFound.
func (s Resellers) ChangeContact(ctx context.Context, call Call, c UpdateReseller,
	render Render[Reseller]) (Receipt, error) {
	if c.Username != (profile.Username{}) || c.Password != (profile.Secret{}) {
		return s.UpdateReseller(ctx, call, c, render)
	}
	return run(ctx, s.kernel, call, render, s.changing("change contact", journal.ResellerUpdated, c.ID,
		func(actor, target *reseller.Reseller, now time.Time) error {
			return target.ChangeContact(actor, c.ContactChange, now)
		}))
}

// SetAlert is the command to have a reseller told once its balance is low.
type SetAlert struct {
	ID    int64
	Below credit.Amount // 0: never
}

// SetAlert has a reseller told once its balance is below an amount. Refusals: fault.ErrNotFound, reseller.ErrNoBalance.
func (s Resellers) SetAlert(ctx context.Context, call Call, c SetAlert, render Render[Reseller]) (Receipt, error) {
	return run(ctx, s.kernel, call, render,
		s.changing("set alert", journal.ResellerUpdated, c.ID, func(actor, target *reseller.Reseller, now time.Time) error {
			return target.SetAlert(actor, c.Below, now)
		}))
}

// ReminderDays returns how many days before their expiry the owners of official lines are told, the most first.
func (s Resellers) ReminderDays() []int { return s.policy.ExpiringDays }

// BlockReseller is the command to freeze a reseller and everything below it.
type BlockReseller struct {
	ID int64
	reseller.Terms
}

// Block freezes a reseller and everything below it at their next request. It may be repeated, on other terms. Refusals:
// fault.ErrNotFound, reseller.ErrNotAllowed.
func (s Resellers) Block(ctx context.Context, call Call, c BlockReseller, render Render[Reseller]) (Receipt, error) {
	blocking := s.changing("block reseller", journal.ResellerBlocked, c.ID,
		func(actor, target *reseller.Reseller, now time.Time) error {
			return actor.Block(target, c.Terms, now)
		})
	blocking.emergency = true
	return run(ctx, s.kernel, call, render, blocking)
}

// Unblock lifts a reseller's own block only. It may be repeated. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed.
func (s Resellers) Unblock(ctx context.Context, call Call, id int64, render Render[Reseller]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, s.changing("unblock reseller", journal.ResellerUnblocked, id,
		(*reseller.Reseller).Unblock))
}

// changing changes a reseller by a verb that needs to know no others.
func (s Resellers) changing(
	name string, event journal.Type, id int64, verb func(actor, target *reseller.Reseller, now time.Time) error,
) command[Reseller] {
	return command[Reseller]{
		name:  name,
		event: event,
		reads: ports.Reads{Reseller: id},
		rules: func(ctx context.Context, do *work) (Reseller, error) {
			target, err := do.reseller(ctx, id)
			if err != nil {
				return Reseller{}, err
			}
			if err := verb(do.actor, target, do.now); err != nil {
				return Reseller{}, err
			}
			return do.changedReseller(ctx, target, profile.Secret{})
		},
	}
}

// changedReseller saves the reseller that the command is about if it has changed, and returns it as the caller sees it,
// with a password that the command has just given it.
func (do *work) changedReseller(ctx context.Context, r *reseller.Reseller, password profile.Secret) (Reseller, error) {
	blockedAbove, err := do.tx.Resellers.AnyBlocked(ctx, r.Position().Ancestors)
	if err != nil {
		return Reseller{}, err
	}
	return Reseller{Reseller: r, BlockedAbove: blockedAbove, Password: password}, do.saveChangedReseller(ctx, r)
}

func freeResellerName(ctx context.Context, resellers ports.ResellerReader, name profile.Username, except int64) error {
	return freeName(except, func() (int64, error) {
		holder, err := resellers.FindByUsername(ctx, name)
		if err != nil {
			return 0, err
		}
		return holder.ID(), nil
	})
}

// freeToRename refuses a name that another reseller has. A reseller's own is free to it, without a query.
func freeToRename(ctx context.Context, resellers ports.ResellerReader, r reseller.State, name profile.Username) error {
	if name.Key() == r.Username.Key() {
		return nil
	}
	return freeResellerName(ctx, resellers, name, r.ID)
}

// freeName returns profile.ErrUsernameTaken if another record than except has a name. The store decides: a name may
// still be taken at the insert, or at the commit.
func freeName(except int64, find func() (holder int64, err error)) error {
	switch holder, err := find(); {
	case isNotFound(err):
		return nil
	case err != nil:
		return err
	case holder != except:
		return profile.ErrUsernameTaken
	}
	return nil
}
