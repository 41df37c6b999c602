package access

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Principals handles the principals of an account: API keys and staff.
type Principals struct{ k *usecase.Kernel }

// Principal is an API key or a member of the staff as the account's owner sees it.
type Principal struct {
	principal.Principal
	At  time.Time
	Key profile.Secret // of a new API key, zero otherwise
}

// List returns the caller's API keys, or its staff, in the order of their ids.
func (s Principals) List(ctx context.Context, call usecase.Call, kind principal.Kind) ([]Principal, error) {
	return usecase.Query(ctx, s.k, call, "list principals",
		func(ctx context.Context, in usecase.View) (all []Principal, err error) {
			found, err := principalsOf(ctx, in, kind)
			slices.SortFunc(found, func(a, b principal.Principal) int { return cmp.Compare(a.ID, b.ID) })
			for _, p := range found {
				all = append(all, Principal{Principal: p, At: in.Now})
			}
			return all, err
		})
}

func principalsOf(ctx context.Context, in usecase.View, kind principal.Kind) ([]principal.Principal, error) {
	page, err := ports.PrincipalsByAccount.List(ctx, in.Records,
		record.Query{Equal: record.Tuple{in.Actor.ID(), string(kind)}, Limit: principal.MaxPrincipals})
	return page.Items, err
}

// Get returns an API key of the caller, or a member of its staff, or fault.ErrNotFound.
func (s Principals) Get(ctx context.Context, call usecase.Call, kind principal.Kind, id int64) (Principal, error) {
	return usecase.Query(ctx, s.k, call, "read principal", func(ctx context.Context, in usecase.View) (Principal, error) {
		p, err := ownPrincipal(ctx, in.Records, in.Actor.ID(), kind, id)
		return Principal{Principal: p, At: in.Now}, err
	})
}

func ownPrincipal(ctx context.Context, records record.Reader, account int64, kind principal.Kind,
	id int64) (principal.Principal, error) {
	p, err := ports.Principals.From(records).Get(ctx, id)
	if err == nil && (p.Account != account || p.Kind != kind || !p.Revoked.IsZero()) {
		err = fault.ErrNotFound
	}
	if err != nil {
		return principal.Principal{}, err
	}
	return p, nil
}

// CreatePrincipal is the command to create an API key, or a member of the staff.
type CreatePrincipal struct {
	Kind     principal.Kind
	Name     string           // of a key
	Username profile.Username // of a person
	Password profile.Secret   // likewise
	Role     principal.Role   // "" with scopes
	Scopes   []principal.Scope
	Networks []principal.Network
	Expires  time.Time
	Limit    principal.Units
}

var principalID = []ports.Sequence{ports.Principals.Sequence()}

// Create creates an API key, whose secret is shown only here, or a member of the staff. Refusals: principal.ErrBeyond,
// principal.ErrPastExpiry, principal.ErrTooMany, profile.ErrUsernameTaken.
func (s Principals) Create(ctx context.Context, call usecase.Call, c CreatePrincipal,
	render usecase.Render[Principal]) (usecase.Receipt, error) {
	made := principal.Principal{Kind: c.Kind, Name: c.Name, Role: c.Role, GivenScopes: principal.SortScopes(c.Scopes),
		Networks: c.Networks, Expires: c.Expires, Limit: c.Limit}
	if err := usecase.MayGrant(call.Caller, made); err != nil { // before a recorded answer is replayed
		return usecase.Receipt{}, err
	}
	event, secret := journal.KeyCreated, profile.Secret{}
	if c.Kind == principal.Staff {
		event, made.Name, made.Folded = journal.StaffCreated, c.Username.String(), c.Username.Key()
	} else {
		secret = s.k.Dependencies.Generator.SessionSecret()
	}
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Principal]{
		Name:    "create principal",
		Event:   event,
		IDs:     principalID,
		RetryOn: []error{principal.ErrSlotTaken},
		Check: func(ctx context.Context, in usecase.View) error {
			if err := usecase.MayGrant(call.Caller, made); err != nil {
				return err
			}
			if err := principal.CheckExpiry(time.Time{}, made.Expires, in.Now); err != nil {
				return err
			}
			all, err := principalsOf(ctx, in, c.Kind)
			if err == nil {
				made.Slot, err = principal.FreeSlot(all)
			}
			if err == nil && c.Kind == principal.Staff {
				err = usecase.CheckResellerNameFree(ctx, in.Resellers, c.Username, 0)
			}
			return err
		},
		Slow: func(ctx context.Context) (err error) {
			if c.Kind == principal.Staff {
				made.PasswordHash, err = s.k.Dependencies.Hasher.Hash(ctx, call.Caller.HasherKey(), c.Password)
			}
			return err
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Principal, error) {
			made.ID, made.Account, made.Created = tx.ID(ports.Principals.Sequence()), tx.Actor.ID(), tx.Now
			if err := usecase.MayGrant(call.Caller, made); err != nil {
				return Principal{}, err
			}
			if err := principal.CheckExpiry(time.Time{}, made.Expires, tx.Now); err != nil {
				return Principal{}, err
			}
			var key profile.Secret
			if c.Kind == principal.Key {
				key = profile.NewSecret(fmt.Sprintf("%s%d_%s", usecase.KeyPrefix, made.ID, secret.Reveal()))
				made.Secret = principal.DigestOf(key.Reveal())
			} else {
				if err := usecase.CheckResellerNameFree(ctx, tx.Resellers, c.Username, 0); err != nil {
					return Principal{}, err
				}
				if err := usecase.ClaimName(ctx, tx.Tx, profile.Username{}, c.Username,
					profile.NameClaim{Staff: true, ID: made.ID}); err != nil {
					return Principal{}, err
				}
			}
			wrotePrincipal(tx, &made)
			return Principal{made, tx.Now, key}, ports.Principals.In(tx.Records).Insert(ctx, made)
		},
	})
}

// wrotePrincipal makes the command's entry report a change of a principal.
func wrotePrincipal(tx *usecase.Tx, p *principal.Principal) {
	tx.Written = true
	tx.Entry.Account = tx.Actor.Position()
	tx.Entry.Data = []journal.Datum{{Name: journal.Principal, Value: journal.Number(p.ID)}}
}

// UpdatePrincipal is the command to change an API key, or a member of the staff. A nil field stays.
type UpdatePrincipal struct {
	ID   int64
	Kind principal.Kind
	principal.Change
	Username profile.Username // of a person, the zero value: no change
	Password *profile.Secret  // likewise
}

// Update changes an API key, or a member of the staff. Refusals: fault.ErrNotFound, principal.ErrBeyond,
// principal.ErrPastExpiry, profile.ErrUsernameTaken.
func (s Principals) Update(ctx context.Context, call usecase.Call, c UpdatePrincipal,
	render usecase.Render[Principal]) (usecase.Receipt, error) {
	event, hash := journal.KeyUpdated, ""
	if c.Kind == principal.Staff {
		event = journal.StaffUpdated
	}
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Principal]{
		Name:      "update principal",
		Event:     event,
		Emergency: c.Password != nil,
		Reads:     ports.Reads{Records: []record.Name{ports.Principals.Named(c.ID)}},
		Check: func(ctx context.Context, in usecase.View) error {
			p, err := ownPrincipal(ctx, in.Records, in.Actor.ID(), c.Kind, c.ID)
			if err == nil {
				err = usecase.MayGrant(call.Caller, p)
			}
			return err
		},
		Slow: func(ctx context.Context) (err error) {
			if c.Password != nil {
				hash, err = s.k.Dependencies.Hasher.Hash(ctx, call.Caller.HasherKey(), *c.Password)
			}
			return err
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Principal, error) {
			was, err := ownPrincipal(ctx, tx.Records, tx.Actor.ID(), c.Kind, c.ID)
			if err != nil {
				return Principal{}, err
			}
			is, fields := was.Changed(c.Change)
			for _, p := range []principal.Principal{was, is} { // also the rights that it had before
				if err := usecase.MayGrant(call.Caller, p); err != nil {
					return Principal{}, err
				}
			}
			if err := principal.CheckExpiry(was.Expires, is.Expires, tx.Now); err != nil {
				return Principal{}, err
			}
			if c.Username.String() != "" && c.Username.String() != is.Name {
				before := profile.RestoreUsername(was.Name, was.Folded)
				if err := usecase.CheckResellerNameFree(ctx, tx.Resellers, c.Username, 0); err != nil {
					return Principal{}, err
				}
				if err := usecase.ClaimName(ctx, tx.Tx, before, c.Username,
					profile.NameClaim{Staff: true, ID: was.ID}); err != nil {
					return Principal{}, err
				}
				is.Name, is.Folded, fields = c.Username.String(), c.Username.Key(), append(fields, "username")
			}
			if hash != "" {
				is.PasswordHash, fields = hash, append(fields, "password")
			}
			shown := Principal{Principal: is, At: tx.Now}
			if len(fields) == 0 {
				return shown, nil
			}
			slices.Sort(fields)
			tx.Entry.Changes = journal.HiddenChanges(fields...)
			wrotePrincipal(tx, &is)
			return shown, ports.Principals.In(tx.Records).Save(ctx, is)
		},
	})
}

// RemovePrincipal is the command to revoke an API key, or to remove a member of the staff.
type RemovePrincipal struct {
	ID   int64
	Kind principal.Kind
}

// Remove ends the rights of a principal at its next request, in every process. Its record stays, its second factor does
// not. Refusals: fault.ErrNotFound, principal.ErrBeyond.
func (s Principals) Remove(ctx context.Context, call usecase.Call, c RemovePrincipal,
	render usecase.Render[int64]) (usecase.Receipt, error) {
	event := journal.KeyRevoked
	if c.Kind == principal.Staff {
		event = journal.StaffRemoved
	}
	return usecase.Run(ctx, s.k, call, render, usecase.Command[int64]{
		Name:      "remove principal",
		Event:     event,
		Emergency: true,
		Reads:     ports.Reads{Records: []record.Name{ports.Principals.Named(c.ID)}},
		Rules: func(ctx context.Context, tx *usecase.Tx) (int64, error) {
			p, err := ownPrincipal(ctx, tx.Records, tx.Actor.ID(), c.Kind, c.ID)
			if err != nil {
				return 0, err
			}
			if err := usecase.MayGrant(call.Caller, p); err != nil {
				return 0, err
			}
			if p.Kind == principal.Staff {
				if err := usecase.ReleaseName(ctx, tx.Tx, p.Folded, profile.NameClaim{Staff: true, ID: p.ID}); err != nil {
					return 0, err
				}
				if err := ports.SecondFactors.In(tx.Records).Delete(ctx, secondfactor.OfStaff(p.ID)); err != nil &&
					!usecase.IsNotFound(err) {
					return 0, err
				}
			}
			wrotePrincipal(tx, &p)
			return c.ID, ports.Principals.In(tx.Records).Save(ctx, p.Revoke(tx.Now))
		},
	})
}
