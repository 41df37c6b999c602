package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// acting is the principal by which one request acts for its account.
type acting struct {
	id      int64
	scope   principal.Scope                     // that the request needs, "": none
	found   atomic.Pointer[principal.Principal] // as it was found last, nil before
	network principal.Network                   // of the client's address alone
	from    string                              // that address
	due     atomic.Bool                         // its use is to be saved
}

// principal returns the principal that acts, as it was found last, nil for the account's owner.
func (c Caller) principal() *principal.Principal {
	if c.acting == nil {
		return nil
	}
	return c.acting.found.Load()
}

// ByOwner reports whether the caller is the account's owner.
func (c Caller) ByOwner() bool { return c.acting == nil }

// ByKey reports whether the caller is a key.
func (c Caller) ByKey() bool { return c.acting != nil && c.session == nil }

// seesPasswords reports whether passwords of lines are for the caller.
func (c Caller) seesPasswords() bool {
	p := c.principal()
	return c.acting == nil || p != nil && p.Has(principal.LinesPasswords)
}

// From returns the caller with the address that it asks from, and its network, from which a principal has to be good.
// The address is kept as that of a principal's last use.
func (c Caller) From(network principal.Network, address string) Caller {
	if c.acting != nil {
		c.acting.network, c.acting.from = network, address
	}
	return c
}

// records names what is read of the caller in each transaction.
func (c Caller) records() (all []record.Name) {
	if id := c.SessionID(); id != "" {
		all = append(all, ports.Sessions.Named(id))
	}
	if c.acting != nil {
		all = append(all, ports.Principals.Named(c.acting.id))
	}
	return all
}

// compared is what two requests under one idempotency key have in common: also whether passwords are for the caller, so
// that one who may not see them gets no recorded answer of one who may.
func (c Call) compared() []byte {
	if c.Caller.seesPasswords() {
		return c.Content
	}
	return append(append([]byte(nil), c.Content...), "\nwithout passwords"...)
}

// personal returns the call of what concerns nobody of the account but the person who asks: under its key there is no
// answer that somebody else got.
func (c Call) personal() Call {
	if c.Caller.acting != nil {
		c.Content = fmt.Appendf(slices.Clone(c.Content), "\nof principal %d", c.Caller.acting.id)
	}
	return c
}

// principal decides whether the principal that acts is still good, and from its address: it may have been revoked, or
// bound to others, since the request was admitted.
func (at door) principal(ctx context.Context, caller Caller, now time.Time) (p principal.Principal, err error) {
	p, err = ports.Principals.From(at.records).Get(ctx, caller.acting.id)
	if isNotFound(err) {
		err = principal.ErrRevoked
	}
	if err == nil {
		err = cmp.Or(p.Good(now), p.From(caller.acting.network))
	}
	if caller.session != nil && (errors.Is(err, principal.ErrRevoked) || errors.Is(err, principal.ErrExpired)) {
		err = session.ErrEnded
	}
	if err != nil {
		return p, err
	}
	_, due := p.Use(caller.acting.from, now)
	caller.acting.found.Store(&p)
	caller.acting.due.Store(due && caller.job == nil)
	return p, nil
}

// lacks returns *principal.MissingScope unless the caller has a scope. An owner has every one.
func (c Caller) lacks(needs principal.Scope) error {
	if c.acting == nil || needs == "" {
		return nil
	}
	if p := c.principal(); p == nil || !p.Has(needs) {
		return &principal.MissingScope{Required: needs}
	}
	return nil
}

// keyPrefix is how every key begins: rsk_, its id, and its secret part.
const keyPrefix = "rsk_"

// IsKey reports whether a bearer credential claims to be a key.
func IsKey(bearer string) bool { return strings.HasPrefix(bearer, keyPrefix) }

// longestKey bounds a key before it is looked at.
const longestKey = 128

// AuthenticateKey returns the caller that a key names, from the network of one address. Refusals:
// reseller.ErrTokenRevoked for what is no key, principal.ErrRevoked, principal.ErrExpired, principal.ErrAddress.
func (s Authentication) AuthenticateKey(ctx context.Context, key string, from principal.Network,
	address string) (Caller, error) {
	ctx, ended := s.follow(ctx, "authenticate key")
	defer ended()
	text, _, _ := strings.Cut(strings.TrimPrefix(key, keyPrefix), "_")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(key) > longestKey {
		return Caller{}, reseller.ErrTokenRevoked
	}
	by := Caller{acting: &acting{id: id, network: from, from: address}}
	now := s.dependencies.Clock()
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		p, err := ports.Principals.From(snapshot.Records).Get(ctx, id)
		if isNotFound(err) || err == nil && !p.Opens(principal.DigestOf(key)) {
			return reseller.ErrTokenRevoked
		}
		if err != nil {
			return err
		}
		by.reseller = p.Account
		by.acting.found.Store(&p)
		return cmp.Or(p.Good(now), p.From(from))
	})
	return by, err
}

// Permit decides whether the caller's scopes let it ask for something that needs a scope, before its body is read; each
// request decides again. The refusal is *principal.MissingScope, and those of a request but for a block, which is found
// later.
func (s Authentication) Permit(ctx context.Context, caller Caller, needs principal.Scope) error {
	if caller.acting == nil {
		return nil
	}
	caller.acting.scope = needs
	if caller.session == nil { // whose key was read a moment ago
		return caller.lacks(needs)
	}
	return s.Good(ctx, caller)
}

// keepPrincipalsUse saves that a principal was used now, if that is due. What was asked for stands without it.
func (s *kernel) keepPrincipalsUse(ctx context.Context, by *acting, now time.Time) {
	if !by.due.Swap(false) {
		return
	}
	_ = s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		all := ports.Principals.In(tx.Records)
		p, err := all.Get(ctx, by.id)
		if err != nil {
			return err
		}
		used, keep := p.Use(by.from, now)
		if !keep {
			return nil
		}
		return all.Save(ctx, used)
	}, ports.Reads{Records: []record.Name{ports.Principals.Named(by.id)}})
}

// spends reports whether a movement counts against the limit of who makes it: what lines cost, and credits that are
// given away. Those that are taken back do not.
func spends(m credit.Movement) bool { return m.Operation != credit.Reclaim }

// spend counts a movement against the limit of the principal that makes it, if it has one, in the movement's
// transaction. It comes before anything is written: the refusal, *principal.SpendLimitReached, comes before that of
// what another record has.
func (do *work) spend(ctx context.Context, m credit.Movement) error {
	p := do.call.Caller.principal()
	if p == nil || p.Limit == 0 || !spends(m) {
		return nil
	}
	spent, err := p.Spend(m.Amount, do.now)
	if err != nil {
		return err
	}
	do.call.Caller.acting.found.Store(&spent)
	return ports.Principals.In(do.tx.Records).Save(ctx, spent)
}

// overLimit returns *principal.SpendLimitReached if what the balance does not cover is over the principal's limit as
// well, which is told first.
func (do *work) overLimit(event journal.Type, err error) error {
	p := do.call.Caller.principal()
	unpaid, is := errors.AsType[*reseller.InsufficientCredits](err)
	if p == nil || !is || event == journal.ResellerReclaimed {
		return nil
	}
	_, over := p.Spend(unpaid.Required, do.now)
	return over
}

// readPrincipal reads the principal that acts, whom the journal names, revoked or not.
func (c Caller) readPrincipal(ctx context.Context, records record.Reader) error {
	if c.acting == nil {
		return nil
	}
	p, err := ports.Principals.From(records).Get(ctx, c.acting.id)
	if err == nil {
		c.acting.found.Store(&p)
	}
	return err
}

// apart returns the call with a copy of the principal that acts.
func (c Call) apart() Call {
	if by := c.Caller.acting; by != nil {
		c.Caller.acting = &acting{id: by.id, scope: by.scope, from: by.from}
		c.Caller.acting.found.Store(by.found.Load())
	}
	return c
}
