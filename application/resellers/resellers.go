// Package resellers implements the accounts below a caller: their records, blocks, alerts, messages and credits.
package resellers

import (
	"cmp"
	"context"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Service handles the accounts below the caller, and its own.
type Service struct{ k *usecase.Kernel }

// New returns the use cases of this feature.
func New(k *usecase.Kernel) (Service, Credits) { return Service{k}, Credits{k} }

// Reseller is a reseller as the caller sees it.
type Reseller struct {
	*reseller.Reseller
	BlockedAbove bool           // a parent is blocked
	Password     profile.Secret // if the caller has just set it, zero otherwise
}

// Self returns the caller's own reseller.
func (s Service) Self(ctx context.Context, call usecase.Call) (Reseller, error) {
	return s.Get(ctx, call, call.Caller.Reseller())
}

// Get returns a reseller that the caller sees, or fault.ErrNotFound.
func (s Service) Get(ctx context.Context, call usecase.Call, id int64) (Reseller, error) {
	return usecase.Query(ctx, s.k, call, "read reseller",
		func(ctx context.Context, in usecase.View) (r Reseller, err error) {
			if r.Reseller, err = usecase.VisibleReseller(ctx, in.Resellers, in.Actor, id); err != nil {
				return r, err
			}
			r.BlockedAbove, err = in.Resellers.AnyBlocked(ctx, r.Position().Ancestors)
			return r, err
		})
}

// Create is the command to create a reseller below the caller.
type Create struct {
	Username profile.Username
	Password profile.Secret
	Master   bool
	Credits  credit.Amount // initial, may be 0
	Contact  reseller.Contact
	Language profile.Text
}

// Create creates a reseller below the caller, with initial credits that an admin issues and a master pays. Refusals:
// *principal.MissingScope for credits if the caller may not move them, reseller.ErrNotAllowed, principal.ErrBeyond,
// profile.ErrUsernameTaken, reseller.ErrTreeTooDeep, *reseller.InsufficientCredits.
func (s Service) Create(ctx context.Context, call usecase.Call, c Create,
	render usecase.Render[Reseller]) (usecase.Receipt, error) {
	start := reseller.NewReseller{Master: c.Master, Username: c.Username, Contact: c.Contact, Language: c.Language,
		Credits: c.Credits}
	mayCreate := func(actor *reseller.Reseller) (err error) {
		if !c.Credits.IsZero() {
			err = call.Caller.RequireScope(principal.CreditsMove)
		}
		return cmp.Or(err, actor.MayCreate(), usecase.MayActAsOwner(call.Caller))
	}
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Reseller]{
		Name:  "create reseller",
		Event: journal.ResellerCreated,
		Reads: ports.Reads{ResellerName: c.Username},
		IDs:   creationIDs,
		Check: func(ctx context.Context, in usecase.View) error {
			if err := mayCreate(in.Actor); err != nil {
				return err
			}
			return usecase.CheckResellerNameFree(ctx, in.Resellers, c.Username, 0)
		},
		Slow: func(ctx context.Context) (err error) {
			start.Token = s.k.Dependencies.Generator.Generation()
			start.PasswordHash, err = s.k.Dependencies.Hasher.Hash(ctx, call.Caller.HasherKey(), c.Password)
			return err
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Reseller, error) {
			if err := mayCreate(tx.Actor); err != nil {
				return Reseller{}, err
			}
			start.ID = tx.ID(ports.ResellerIDs)
			if err := usecase.CheckResellerNameFree(ctx, tx.Resellers, c.Username, start.ID); err != nil {
				return Reseller{}, err
			}
			created, moved, err := tx.Actor.Create(start, tx.Provenance(profile.Text{}))
			if err != nil {
				return Reseller{}, err
			}
			if err := tx.InsertReseller(ctx, created); err != nil {
				return Reseller{}, err
			}
			if err := usecase.ClaimName(ctx, tx.Tx, profile.Username{}, c.Username,
				profile.NameClaim{ID: start.ID}); err != nil {
				return Reseller{}, err
			}
			if moved != nil {
				err = tx.Post(ctx, *moved, tx.Actor)
			}
			// The caller was admitted, so neither it nor a parent of it is blocked.
			return Reseller{Reseller: created, Password: c.Password}, err
		},
	})
}

var creationIDs = []ports.Sequence{ports.ResellerIDs, ports.MovementIDs}

// Update is the command to change a reseller's record. Without a name or a password the reseller keeps its present one.
type Update struct {
	ID       int64
	Username profile.Username
	Password profile.Secret
	reseller.ContactChange
}

// Update changes a reseller's record. A new password revokes its token. Refusals: fault.ErrNotFound,
// reseller.ErrNotAllowed, principal.ErrBeyond, profile.ErrUsernameTaken.
func (s Service) Update(ctx context.Context, call usecase.Call, c Update,
	render usecase.Render[Reseller]) (usecase.Receipt, error) {
	var compared string
	change := reseller.Update{ContactChange: c.ContactChange}
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Reseller]{
		Name:  "update reseller",
		Event: journal.ResellerUpdated,
		Reads: ports.Reads{Reseller: c.ID, ResellerName: c.Username},
		Check: func(ctx context.Context, in usecase.View) error {
			target, err := in.Resellers.Get(ctx, c.ID)
			if err != nil {
				return err
			}
			compared = target.PasswordHash()
			if err := in.Actor.Sees(target.Position()); err != nil {
				return err
			}
			if err := mayTakeOver(call.Caller, target); err != nil {
				return err
			}
			return freeToRename(ctx, in.Resellers, target.State(), cmp.Or(c.Username, target.State().Username))
		},
		Slow: func(ctx context.Context) error {
			change.PasswordHash, change.Token = compared, s.k.Dependencies.Generator.Generation()
			if c.Password == (profile.Secret{}) {
				return nil
			}
			same, err := s.k.Dependencies.Hasher.Matches(ctx, call.Caller.HasherKey(), c.Password, compared)
			if err == nil && !same {
				change.PasswordHash, err = s.k.Dependencies.Hasher.Hash(ctx, call.Caller.HasherKey(), c.Password)
			}
			return err
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Reseller, error) {
			target, err := tx.Reseller(ctx, c.ID)
			if err != nil {
				return Reseller{}, err
			}
			if target.PasswordHash() != compared {
				return Reseller{}, usecase.StartOver{}
			}
			change.Username = cmp.Or(c.Username, tx.ResellerBefore.Username)
			if err := target.Update(tx.Actor, change, tx.Now); err != nil {
				return Reseller{}, err
			}
			if err := mayTakeOver(call.Caller, target); err != nil {
				return Reseller{}, err
			}
			if err := freeToRename(ctx, tx.Resellers, *tx.ResellerBefore, change.Username); err != nil {
				return Reseller{}, err
			}
			if err := usecase.ClaimName(ctx, tx.Tx, tx.ResellerBefore.Username, target.State().Username,
				profile.NameClaim{ID: c.ID}); err != nil {
				return Reseller{}, err
			}
			return changedReseller(ctx, tx, target, c.Password)
		},
	})
}

// mayTakeOver refuses a principal that would change the name and password of another sign-in. For its own account and
// for an admin the refusal is reseller.ErrNotAllowed, because it would get all their rights. For an account below
// usecase.MayActAsOwner decides.
func mayTakeOver(c usecase.Caller, target *reseller.Reseller) error {
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
	return usecase.MayActAsOwner(c)
}

// ChangeContact changes the contacts of the person behind a reseller. With a name or a password it is Update, with the
// refusals of Update. Otherwise the refusal is fault.ErrNotFound.
func (s Service) ChangeContact(ctx context.Context, call usecase.Call, c Update,
	render usecase.Render[Reseller]) (usecase.Receipt, error) {
	if c.Username != (profile.Username{}) || c.Password != (profile.Secret{}) {
		return s.Update(ctx, call, c, render)
	}
	return usecase.Run(ctx, s.k, call, render, s.changing("change contact", journal.ResellerUpdated, c.ID,
		func(actor, target *reseller.Reseller, now time.Time) error {
			return target.ChangeContact(actor, c.ContactChange, now)
		}))
}

// SetAlert is the command to set the threshold of a low-balance alert.
type SetAlert struct {
	ID    int64
	Below credit.Amount // 0: no alert
}

// SetAlert sets the threshold of a low-balance alert. Refusals: fault.ErrNotFound, reseller.ErrNoBalance.
func (s Service) SetAlert(ctx context.Context, call usecase.Call, c SetAlert,
	render usecase.Render[Reseller]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render,
		s.changing("set alert", journal.ResellerUpdated, c.ID, func(actor, target *reseller.Reseller, now time.Time) error {
			return target.SetAlert(actor, c.Below, now)
		}))
}

// ReminderDays returns the days before the expiry of official lines at which their owners get a reminder, the largest
// first.
func (s Service) ReminderDays() []int { return s.k.Policy.ExpiringDays }

// Block is the command to freeze a reseller and everything below it.
type Block struct {
	ID int64
	reseller.Terms
}

// Block freezes a reseller and everything below it at their next request. A repetition may change the terms. Refusals:
// fault.ErrNotFound, reseller.ErrNotAllowed.
func (s Service) Block(ctx context.Context, call usecase.Call, c Block,
	render usecase.Render[Reseller]) (usecase.Receipt, error) {
	blocking := s.changing("block reseller", journal.ResellerBlocked, c.ID,
		func(actor, target *reseller.Reseller, now time.Time) error {
			return actor.Block(target, c.Terms, now)
		})
	blocking.Emergency = true
	return usecase.Run(ctx, s.k, call, render, blocking)
}

// Unblock ends a reseller's own block only. A repetition changes nothing. Refusals: fault.ErrNotFound,
// reseller.ErrNotAllowed.
func (s Service) Unblock(ctx context.Context, call usecase.Call, id int64,
	render usecase.Render[Reseller]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, s.changing("unblock reseller", journal.ResellerUnblocked, id,
		(*reseller.Reseller).Unblock))
}

// changing changes a reseller by a verb that needs no other resellers.
func (s Service) changing(
	name string, event journal.Type, id int64, verb func(actor, target *reseller.Reseller, now time.Time) error,
) usecase.Command[Reseller] {
	return usecase.Command[Reseller]{
		Name:  name,
		Event: event,
		Reads: ports.Reads{Reseller: id},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Reseller, error) {
			target, err := tx.Reseller(ctx, id)
			if err != nil {
				return Reseller{}, err
			}
			if err := verb(tx.Actor, target, tx.Now); err != nil {
				return Reseller{}, err
			}
			return changedReseller(ctx, tx, target, profile.Secret{})
		},
	}
}

// changedReseller saves the reseller that the command changes, if it has changed. It returns the reseller as the caller
// sees it, with a password that the command has just set.
func changedReseller(ctx context.Context, tx *usecase.Tx, r *reseller.Reseller,
	password profile.Secret) (Reseller, error) {
	blockedAbove, err := tx.Resellers.AnyBlocked(ctx, r.Position().Ancestors)
	if err != nil {
		return Reseller{}, err
	}
	return Reseller{Reseller: r, BlockedAbove: blockedAbove, Password: password}, tx.SaveChangedReseller(ctx, r)
}

// freeToRename refuses a name that another reseller has. The reseller's own name needs no query.
func freeToRename(ctx context.Context, resellers ports.ResellerReader, r reseller.State, name profile.Username) error {
	if name.Key() == r.Username.Key() {
		return nil
	}
	return usecase.CheckResellerNameFree(ctx, resellers, name, r.ID)
}
