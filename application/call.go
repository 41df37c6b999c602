package application

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"resellerd/domain/bulk"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Authentication finds the caller that a credential names.
type Authentication struct{ *kernel }

// authentication returns this family.
func (s *kernel) authentication() Authentication { return Authentication{s} }

// Caller is the authenticated caller: the reseller of a token with a good signature, or of a session.
type Caller struct {
	reseller int64
	token    reseller.Generation // if there is no session
	session  *callersSession     // nil: authenticated by a token, or by a key
	acting   *acting             // nil: it is the account's owner
	job      *bulk.Starter       // nil: it is a request, and no job that acts as who started it
}

// callersSession is the session of one request.
type callersSession struct {
	id    session.ID
	found atomic.Pointer[session.Session] // as it was found last, nil before
	due   atomic.Bool                     // its use is to be saved
}

// Authenticate returns the caller that a bearer token names, or reseller.ErrTokenRevoked if its signature is not good.
// Whether the token is revoked is decided with the request.
func (s Authentication) Authenticate(bearer string) (Caller, error) {
	token, err := s.dependencies.Tokens.Verify(bearer)
	return Caller{reseller: token.Reseller, token: token.Generation}, err
}

// Good returns nil if the token or the session is good at this moment, otherwise the refusal of any use case. It checks
// no rights, and each request decides again.
func (s Authentication) Good(ctx context.Context, caller Caller) error {
	err := s.read(ctx, Call{Caller: caller}, s.dependencies.Clock(),
		func(context.Context, ports.Snapshot, *reseller.Reseller) error { return nil })
	if errors.Is(err, reseller.ErrBlocked) { // which only a good one gets
		return nil
	}
	return err
}

// Reseller returns the id of the calling reseller.
func (c Caller) Reseller() int64 { return c.reseller }

// Holder returns who asks: the account's owner, by token or session, or minus the id of a key or of a member of its
// staff.
func (c Caller) Holder() session.Holder {
	if c.acting != nil {
		return session.Holder(-c.acting.id)
	}
	return session.Holder(c.reseller)
}

// SessionID returns the id of the caller's session, "" if a token authenticates it.
func (c Caller) SessionID() session.ID {
	if c.session == nil {
		return ""
	}
	return c.session.id
}

// CurrentSession returns the caller's session as it was read last, nil if it has none.
func (c Caller) CurrentSession() *session.Session {
	if c.session == nil {
		return nil
	}
	return c.session.found.Load()
}

// hashing names the caller to the hasher.
func (c Caller) hashing() string { return label("account", c.reseller) }

// refusal is the answer to a caller whose token or session is no longer good.
func (c Caller) refusal() error {
	if c.session != nil {
		return session.ErrEnded
	}
	return reseller.ErrTokenRevoked
}

// Call is what every use case gets about the request itself.
type Call struct {
	Caller  Caller
	Request string // request id, kept with each movement
	Address string // of the client, kept with each entry of the journal
	Key     string // idempotency key, "" if none was given
	Content []byte // content of the request: a different one under the key is refused
}

// door is what is read from a transaction before the rules of any use case.
type door struct {
	resellers ports.ResellerReader
	records   record.Reader
	keys      ports.KeyReader
}

// doorIn is the door of a transaction that writes.
func doorIn(tx ports.Tx) door { return door{tx.Resellers, tx.Records, tx.Keys} }

func doorOf(s ports.Snapshot) door { return door{s.Resellers, s.Records, s.Keys} }

// begin decides what precedes the rules of any use case: it loads the caller, so that a revocation, a block or the end
// of a session counts at once, and returns the receipt of a request that was answered before, nil for a new one.
func (s *kernel) begin(ctx context.Context, at door, call Call, now time.Time) (*reseller.Reseller, *Receipt, error) {
	actor, err := at.admit(ctx, call.Caller, now)
	if err != nil {
		return nil, nil, err
	}
	recorded, err := s.recorded(ctx, at.keys, call, now)
	return actor, recorded, err
}

// admit loads the caller's reseller and decides whether it may act at all.
func (at door) admit(ctx context.Context, caller Caller, now time.Time) (*reseller.Reseller, error) {
	actor, err := at.resellers.Get(ctx, caller.reseller)
	if err != nil {
		if isNotFound(err) {
			return nil, caller.refusal()
		}
		return nil, err
	}
	token, password := caller.token, actor.PasswordHash()
	if caller.acting != nil {
		p, err := at.principal(ctx, caller, now)
		if err != nil {
			return nil, err
		}
		token, password = actor.Token(), p.PasswordHash
	}
	if caller.session != nil {
		current, err := goodSession(ctx, at.records, caller.session.id, now)
		if err != nil {
			return nil, err
		}
		_, due := current.Use(now)
		caller.session.found.Store(&current)
		caller.session.due.Store(due)
		if !current.Began(password) {
			return nil, session.ErrEnded
		}
		token = actor.Token()
	}
	if caller.job != nil && caller.job.Session {
		if session.MarkOf(password) != caller.job.Password {
			return nil, session.ErrEnded
		}
		token = actor.Token()
	}
	if caller.acting != nil {
		if err := caller.lacks(caller.acting.scope); err != nil {
			return nil, err
		}
	}
	blocked, err := at.resellers.AnyBlocked(ctx, actor.Position().Ancestors)
	if err != nil {
		return nil, err
	}
	if err := actor.Admit(token, blocked); !errors.Is(err, reseller.ErrBlocked) || !caller.servesCustomers() {
		return actor, err
	}
	return actor, nil
}

// precheck refuses what run would refuse, as far as check knows, and returns the receipt of a request that was answered
// before. It precedes slow work, so that a refusal costs none.
func (s *kernel) precheck(
	ctx context.Context, call Call, now time.Time,
	check func(ctx context.Context, in reading) error,
) (recorded *Receipt, err error) {
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		var actor *reseller.Reseller
		if actor, recorded, err = s.begin(ctx, doorOf(snapshot), call, now); err != nil || recorded != nil {
			return err
		}
		return check(ctx, reading{Snapshot: snapshot, actor: actor, now: now})
	})
	s.signedIn.after(call.Caller, err)
	_ = s.keepUse(ctx, call.Caller, now) // the recorded answer, or the refusal, stands
	return recorded, err
}

// read runs look over one snapshot on behalf of the caller.
func (s *kernel) read(
	ctx context.Context, call Call, now time.Time,
	look func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error,
) error {
	err := s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		actor, err := doorOf(snapshot).admit(ctx, call.Caller, now)
		if err != nil {
			return err
		}
		return look(ctx, snapshot, actor)
	})
	s.signedIn.after(call.Caller, err)
	return cmp.Or(err, s.keepUse(ctx, call.Caller, now))
}
