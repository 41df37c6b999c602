package usecase

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"resellerd/domain/bulk"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Caller is the authenticated caller: the reseller of a token with a valid signature, or of a session.
type Caller struct {
	reseller int64
	token    reseller.Generation // without a session
	session  *callersSession     // nil: authenticated by a token, or by a key
	acting   *acting             // nil: the account's owner
	job      *bulk.Starter       // nil: a request, not a job that acts for its starter
}

// Call is the part of a request that every use case gets.
type Call struct {
	Caller  Caller
	Request string // request id, stored with each movement
	Address string // of the client, stored with each entry of the journal
	Key     string // idempotency key, "" without one
	Content []byte // content of the request: other content under the same key is refused
}

// callersSession is the session of one request.
type callersSession struct {
	id    session.ID
	found atomic.Pointer[session.Session] // as it was read last, nil before
	due   atomic.Bool                     // its use must be saved
}

// acting is the principal that acts for its account in one request.
type acting struct {
	id      int64
	scope   principal.Scope                     // required by the request, "": none
	found   atomic.Pointer[principal.Principal] // as it was read last, nil before
	network principal.Network                   // of the client's address alone
	from    string                              // that address
	due     atomic.Bool                         // its use must be saved
}

// Principal returns the acting principal, as it was read last, nil for the account's owner.
func (c Caller) Principal() *principal.Principal {
	if c.acting == nil {
		return nil
	}
	return c.acting.found.Load()
}

// ByOwner reports whether the caller is the account's owner.
func (c Caller) ByOwner() bool { return c.acting == nil }

// ByKey reports whether the caller is an API key.
func (c Caller) ByKey() bool { return c.acting != nil && c.session == nil }

// SeesPasswords reports whether the caller may see passwords of lines.
func (c Caller) SeesPasswords() bool {
	p := c.Principal()
	return c.acting == nil || p != nil && p.Has(principal.LinesPasswords)
}

// From returns the caller with its address and network. A principal must be allowed to act from this network. The
// address is stored with a principal's last use.
func (c Caller) From(network principal.Network, address string) Caller {
	if c.acting != nil {
		c.acting.network, c.acting.from = network, address
	}
	return c
}

// records names the records of the caller that each transaction reads.
func (c Caller) records() (all []record.Name) {
	if id := c.SessionID(); id != "" {
		all = append(all, ports.Sessions.Named(id))
	}
	if c.acting != nil {
		all = append(all, ports.Principals.Named(c.acting.id))
	}
	return all
}

// compared is the content that two requests under one idempotency key must share. It includes whether the caller sees
// passwords, so that a caller who may not see them gets no recorded answer of a caller who may.
func (c Call) compared() []byte {
	if c.Caller.SeesPasswords() {
		return c.Content
	}
	return append(append([]byte(nil), c.Content...), "\nwithout passwords"...)
}

// Personal scopes the idempotency key of a call to the person, not to the account: another person's answer is not
// replayed.
func (c Call) Personal() Call {
	if c.Caller.acting != nil {
		c.Content = fmt.Appendf(slices.Clone(c.Content), "\nof principal %d", c.Caller.acting.id)
	}
	return c
}

// RequireScope returns *principal.MissingScope unless the caller has a scope. An owner has every scope.
func (c Caller) RequireScope(needs principal.Scope) error {
	if c.acting == nil || needs == "" {
		return nil
	}
	if p := c.Principal(); p == nil || !p.Has(needs) {
		return &principal.MissingScope{Required: needs}
	}
	return nil
}

// ReadPrincipal reads the acting principal, which the journal names, revoked or not.
func (c Caller) ReadPrincipal(ctx context.Context, records record.Reader) error {
	if c.acting == nil {
		return nil
	}
	p, err := ports.Principals.From(records).Get(ctx, c.acting.id)
	if err == nil {
		c.acting.found.Store(&p)
	}
	return err
}

// Copy returns the call with a copy of the acting principal.
func (c Call) Copy() Call {
	if by := c.Caller.acting; by != nil {
		c.Caller.acting = &acting{id: by.id, scope: by.scope, from: by.from}
		c.Caller.acting.found.Store(by.found.Load())
	}
	return c
}

// Unlimited returns the call without the acting principal, and so without its spend limit.
func (c Call) Unlimited() Call {
	c.Caller.acting = nil
	return c
}

// Starter returns the caller of a command, as a job acts for it.
func (tx *Tx) Starter(action bulk.Action) bulk.Starter {
	c := tx.Call.Caller
	by := bulk.Starter{Account: tx.Actor.ID(), Request: tx.Call.Request, Address: tx.Call.Address}
	if c.acting != nil {
		by.Principal, by.Scope, by.Networks = c.acting.id, action.RequiredScope(), []principal.Network{c.acting.network}
	}
	switch {
	case c.session != nil:
		by.Session, by.Password = true, c.session.found.Load().Password
	case c.acting == nil:
		by.Token = c.token
	}
	return by
}

// JobCall returns the call of each item of a job.
func JobCall(by bulk.Starter) Call {
	c := Caller{reseller: by.Account, token: by.Token, job: &by}
	if by.Principal != 0 {
		c.acting = &acting{id: by.Principal, scope: by.Scope, from: by.Address}
		for _, n := range by.Networks {
			c.acting.network = n
		}
	}
	return Call{Caller: c, Request: by.Request, Address: by.Address}
}

// Reseller returns the id of the calling reseller.
func (c Caller) Reseller() int64 { return c.reseller }

// Holder identifies the caller: the account's owner, by token or session, or minus the id of an API key or of a member
// of its staff.
func (c Caller) Holder() session.Holder {
	if c.acting != nil {
		return session.Holder(-c.acting.id)
	}
	return session.Holder(c.reseller)
}

// SessionID returns the id of the caller's session, "" without one.
func (c Caller) SessionID() session.ID {
	if c.session == nil {
		return ""
	}
	return c.session.id
}

// CurrentSession returns the caller's session as it was read last, nil without one.
func (c Caller) CurrentSession() *session.Session {
	if c.session == nil {
		return nil
	}
	return c.session.found.Load()
}

// HasherKey names the caller to the hasher.
func (c Caller) HasherKey() string { return Label("account", c.reseller) }

// refusal is the answer to a caller whose token or session is no longer valid.
func (c Caller) refusal() error {
	if c.session != nil {
		return session.ErrEnded
	}
	return reseller.ErrTokenRevoked
}

// servesCustomers reports whether the caller is an API key for entitlements alone, and requests entitlements. A block
// of its account does not refuse such a request: the answer shows the block.
func (c Caller) servesCustomers() bool {
	p := c.Principal()
	return c.ByKey() && p != nil && p.ServesCustomers() && c.acting.scope == principal.EntitlementsRead
}

// Actor returns the actor of the call.
func (c Call) Actor(actor *reseller.Reseller) journal.Actor {
	by := journal.Actor{Account: actor.ID(), Kind: journal.ByToken, Name: actor.State().Username.String(),
		Address: c.Address}
	if c.Caller.session != nil || c.Caller.job != nil && c.Caller.job.Session {
		by.Kind = journal.BySession
	}
	if p := c.Caller.Principal(); p != nil {
		by.Kind, by.Principal, by.Name = journal.ByKey, p.ID, p.Name
		if p.Kind == principal.Staff {
			by.Kind = journal.ByStaff
		}
	}
	return by
}

// signedIn makes the caller the account or person that began a session.
func (c *Caller) signedIn(s session.Session) {
	c.reseller, c.acting = s.Reseller, nil
	if s.Staff != 0 {
		c.acting = &acting{id: s.Staff}
	}
}
