package application

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Principals act for an account: keys and staff.
type Principals struct{ *kernel }

// Principal is a key or a member of the staff as the account's owner sees it.
type Principal struct {
	principal.Principal
	At  time.Time
	Key profile.Secret // if it was just made, zero otherwise
}

// Principals returns the caller's keys, or its staff, in the order of their ids.
func (s Principals) Principals(ctx context.Context, call Call, kind principal.Kind) ([]Principal, error) {
	return query(ctx, s.kernel, call, "list principals",
		func(ctx context.Context, in reading) (all []Principal, err error) {
			found, err := principalsOf(ctx, in, kind)
			slices.SortFunc(found, func(a, b principal.Principal) int { return cmp.Compare(a.ID, b.ID) })
			for _, p := range found {
				all = append(all, Principal{Principal: p, At: in.now})
			}
			return all, err
		})
}

func principalsOf(ctx context.Context, in reading, kind principal.Kind) ([]principal.Principal, error) {
	page, err := ports.PrincipalsByAccount.List(ctx, in.Records,
		record.Query{Equal: record.Tuple{in.actor.ID(), string(kind)}, Limit: principal.Most})
	return page.Items, err
}

// Principal returns one of the caller's keys, or of its staff, or fault.ErrNotFound.
func (s Principals) Principal(ctx context.Context, call Call, kind principal.Kind, id int64) (Principal, error) {
	return query(ctx, s.kernel, call, "read principal", func(ctx context.Context, in reading) (Principal, error) {
		p, err := ownPrincipal(ctx, in.Records, in.actor.ID(), kind, id)
		return Principal{Principal: p, At: in.now}, err
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

// CreatePrincipal is the command to make a key, or a member of the staff.
type CreatePrincipal struct {
	Kind     principal.Kind
	Name     string           // of a key
	Username profile.Username // of a person
	Password profile.Secret   // likewise
	Role     principal.Role   // "" if there are scopes
	Scopes   []principal.Scope
	Networks []principal.Network
	Expires  time.Time
	Limit    principal.Units
}

var principalID = []ports.Sequence{ports.Principals.Sequence()}

// CreatePrincipal makes a key, which is shown here alone, or a member of the staff. Refusals: principal.ErrBeyond,
// principal.ErrPastExpiry, principal.ErrTooMany, profile.ErrUsernameTaken.
func (s Principals) CreatePrincipal(ctx context.Context, call Call, c CreatePrincipal,
	render Render[Principal]) (Receipt, error) {
	made := principal.Principal{Kind: c.Kind, Name: c.Name, Role: c.Role, Given: principal.InOrder(c.Scopes),
		Networks: c.Networks, Expires: c.Expires, Limit: c.Limit}
	if err := mayGive(call.Caller, made); err != nil { // nor see what another one was answered under the same key
		return Receipt{}, err
	}
	event, secret := journal.KeyCreated, profile.Secret{}
	if c.Kind == principal.Staff {
		event, made.Name, made.Folded = journal.StaffCreated, c.Username.String(), c.Username.Key()
	} else {
		secret = s.dependencies.Generator.SessionSecret()
	}
	return run(ctx, s.kernel, call, render, command[Principal]{
		name:  "create principal",
		event: event,
		ids:   principalID,
		again: principal.ErrSlotTaken,
		check: func(ctx context.Context, in reading) error {
			if err := mayGive(call.Caller, made); err != nil {
				return err
			}
			if err := principal.CheckExpiry(time.Time{}, made.Expires, in.now); err != nil {
				return err
			}
			all, err := principalsOf(ctx, in, c.Kind)
			if err == nil {
				made.Slot, err = principal.FreeSlot(all)
			}
			if err == nil && c.Kind == principal.Staff {
				err = freeResellerName(ctx, in.Resellers, c.Username, 0)
			}
			return err
		},
		slow: func(ctx context.Context) (err error) {
			if c.Kind == principal.Staff {
				made.PasswordHash, err = s.dependencies.Hasher.Hash(ctx, call.Caller.hashing(), c.Password)
			}
			return err
		},
		rules: func(ctx context.Context, do *work) (Principal, error) {
			made.ID, made.Account, made.Created = do.id(ports.Principals.Sequence()), do.actor.ID(), do.now
			if err := mayGive(call.Caller, made); err != nil {
				return Principal{}, err
			}
			if err := principal.CheckExpiry(time.Time{}, made.Expires, do.now); err != nil {
				return Principal{}, err
			}
			var key profile.Secret
			if c.Kind == principal.Key {
				key = profile.NewSecret(fmt.Sprintf("%s%d_%s", keyPrefix, made.ID, secret.Reveal()))
				made.Secret = principal.DigestOf(key.Reveal())
			} else {
				if err := freeResellerName(ctx, do.tx.Resellers, c.Username, 0); err != nil {
					return Principal{}, err
				}
				if err := claimName(ctx, do.tx, profile.Username{}, c.Username,
					ports.NameClaim{Staff: true, ID: made.ID}); err != nil {
					return Principal{}, err
				}
			}
			do.wrotePrincipal(&made)
			return Principal{made, do.now, key}, ports.Principals.In(do.tx.Records).Insert(ctx, made)
		},
	})
}

// mayGive returns principal.ErrBeyond if another principal would have what the caller has not. An owner has everything.
func mayGive(c Caller, other principal.Principal) error {
	p := c.principal()
	if p == nil {
		return nil
	}
	return p.MayGive(other)
}

// wrotePrincipal makes the command's entry one about a principal.
func (do *work) wrotePrincipal(p *principal.Principal) {
	do.written = true
	do.entry.Account = do.actor.Position()
	do.entry.Data = []journal.Datum{{Name: journal.Principal, Value: journal.Number(p.ID)}}
}

// freeClaim gives up a name that is claimed by this owner.
func freeClaim(ctx context.Context, tx ports.Tx, folded string, by ports.NameClaim) error {
	claims := ports.NameClaims.In(tx.Records)
	claim, err := claims.Get(ctx, folded)
	if by.Folded = folded; isNotFound(err) || err == nil && claim != by {
		return nil
	}
	if err != nil {
		return err
	}
	return claims.Delete(ctx, folded)
}

// claimName keeps a name to one record, and frees the one that it had. The refusal is profile.ErrUsernameTaken; of two
// at once one gets record.ErrExists, possibly at the end of the transaction.
func claimName(ctx context.Context, tx ports.Tx, was, is profile.Username, by ports.NameClaim) error {
	claims := ports.NameClaims.In(tx.Records)
	if was.String() != "" {
		if was.Key() == is.Key() {
			return nil
		}
		if err := freeClaim(ctx, tx, was.Key(), by); err != nil {
			return err
		}
	}
	by.Folded = is.Key()
	_, err := claims.Get(ctx, by.Folded)
	if err == nil {
		return profile.ErrUsernameTaken
	}
	if !isNotFound(err) {
		return err
	}
	return claims.Insert(ctx, by)
}

// UpdatePrincipal is the command to change a key, or a member of the staff. What is nil is left alone.
type UpdatePrincipal struct {
	ID   int64
	Kind principal.Kind
	principal.Change
	Username profile.Username // of a person, the zero value: it stays
	Password *profile.Secret  // likewise
}

// UpdatePrincipal changes a key, or a member of the staff. Refusals: fault.ErrNotFound, principal.ErrBeyond,
// principal.ErrPastExpiry, profile.ErrUsernameTaken.
func (s Principals) UpdatePrincipal(ctx context.Context, call Call, c UpdatePrincipal,
	render Render[Principal]) (Receipt, error) {
	event, hash := journal.KeyUpdated, ""
	if c.Kind == principal.Staff {
		event = journal.StaffUpdated
	}
	return run(ctx, s.kernel, call, render, command[Principal]{
		name:      "update principal",
		event:     event,
		emergency: c.Password != nil,
		reads:     ports.Reads{Records: []record.Name{ports.Principals.Named(c.ID)}},
		check: func(ctx context.Context, in reading) error {
			p, err := ownPrincipal(ctx, in.Records, in.actor.ID(), c.Kind, c.ID)
			if err == nil {
				err = mayGive(call.Caller, p)
			}
			return err
		},
		slow: func(ctx context.Context) (err error) {
			if c.Password != nil {
				hash, err = s.dependencies.Hasher.Hash(ctx, call.Caller.hashing(), *c.Password)
			}
			return err
		},
		rules: func(ctx context.Context, do *work) (Principal, error) {
			was, err := ownPrincipal(ctx, do.tx.Records, do.actor.ID(), c.Kind, c.ID)
			if err != nil {
				return Principal{}, err
			}
			is, fields := was.Changed(c.Change)
			for _, p := range []principal.Principal{was, is} { // nor does anybody take over what is beyond their own
				if err := mayGive(call.Caller, p); err != nil {
					return Principal{}, err
				}
			}
			if err := principal.CheckExpiry(was.Expires, is.Expires, do.now); err != nil {
				return Principal{}, err
			}
			if c.Username.String() != "" && c.Username.String() != is.Name {
				before := profile.RestoreUsername(was.Name, was.Folded)
				if err := freeResellerName(ctx, do.tx.Resellers, c.Username, 0); err != nil {
					return Principal{}, err
				}
				if err := claimName(ctx, do.tx, before, c.Username, ports.NameClaim{Staff: true, ID: was.ID}); err != nil {
					return Principal{}, err
				}
				is.Name, is.Folded, fields = c.Username.String(), c.Username.Key(), append(fields, "username")
			}
			if hash != "" {
				is.PasswordHash, fields = hash, append(fields, "password")
			}
			shown := Principal{Principal: is, At: do.now}
			if len(fields) == 0 {
				return shown, nil
			}
			slices.Sort(fields)
			do.entry.Changes = journal.Hidden(fields...)
			do.wrotePrincipal(&is)
			return shown, ports.Principals.In(do.tx.Records).Save(ctx, is)
		},
	})
}

// RemovePrincipal is the command to revoke a key, or to remove a member of the staff.
type RemovePrincipal struct {
	ID   int64
	Kind principal.Kind
}

// RemovePrincipal ends what a principal may at its next request, of every process. Its record stays, its second factor
// does not. Refusals: fault.ErrNotFound, principal.ErrBeyond.
func (s Principals) RemovePrincipal(ctx context.Context, call Call, c RemovePrincipal,
	render Render[int64]) (Receipt, error) {
	event := journal.KeyRevoked
	if c.Kind == principal.Staff {
		event = journal.StaffRemoved
	}
	return run(ctx, s.kernel, call, render, command[int64]{
		name:      "remove principal",
		event:     event,
		emergency: true,
		reads:     ports.Reads{Records: []record.Name{ports.Principals.Named(c.ID)}},
		rules: func(ctx context.Context, do *work) (int64, error) {
			p, err := ownPrincipal(ctx, do.tx.Records, do.actor.ID(), c.Kind, c.ID)
			if err != nil {
				return 0, err
			}
			if err := mayGive(call.Caller, p); err != nil {
				return 0, err
			}
			if p.Kind == principal.Staff {
				if err := freeClaim(ctx, do.tx, p.Folded, ports.NameClaim{Staff: true, ID: p.ID}); err != nil {
					return 0, err
				}
				if err := ports.SecondFactors.In(do.tx.Records).Delete(ctx, secondfactor.OfStaff(p.ID)); err != nil &&
					!isNotFound(err) {
					return 0, err
				}
			}
			do.wrotePrincipal(&p)
			return c.ID, ports.Principals.In(do.tx.Records).Save(ctx, p.Revoke(do.now))
		},
	})
}
