package usecase

import (
	"cmp"
	"context"
	"errors"
	"time"

	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Admission reads the records that decide about the caller, before the rules of any use case.
type Admission struct {
	resellers ports.ResellerReader
	records   record.Reader
	keys      ports.KeyReader
}

// AdmissionIn is the admission in a transaction that writes.
func AdmissionIn(tx ports.Tx) Admission { return Admission{tx.Resellers, tx.Records, tx.Keys} }

func admissionOf(s ports.Snapshot) Admission { return Admission{s.Resellers, s.Records, s.Keys} }

// begin decides what precedes the rules of any use case. It loads the caller, so that a revocation, a block or the end
// of a session counts at once. It returns the receipt of a request that was answered before, nil for a new one.
func (s *Kernel) begin(ctx context.Context, at Admission, call Call,
	now time.Time) (*reseller.Reseller, *Receipt, error) {
	actor, err := at.Admit(ctx, call.Caller, now)
	if err != nil {
		return nil, nil, err
	}
	recorded, err := s.storedAnswer(ctx, at.keys, call, now)
	return actor, recorded, err
}

// Admit loads the caller's reseller and decides whether it may act at all.
func (at Admission) Admit(ctx context.Context, caller Caller, now time.Time) (*reseller.Reseller, error) {
	actor, err := at.resellers.Get(ctx, caller.reseller)
	if err != nil {
		if IsNotFound(err) {
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
		if !current.BeganWith(password) {
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
		if err := caller.RequireScope(caller.acting.scope); err != nil {
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

// principal decides whether the acting principal is still valid, also at its address: it may have been revoked, or its
// address list may have changed, since the request was admitted.
func (at Admission) principal(ctx context.Context, caller Caller, now time.Time) (p principal.Principal, err error) {
	p, err = ports.Principals.From(at.records).Get(ctx, caller.acting.id)
	if IsNotFound(err) {
		err = principal.ErrRevoked
	}
	if err == nil {
		err = cmp.Or(p.CheckActive(now), p.CheckAddress(caller.acting.network))
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

// Precheck refuses a request that run would refuse, as far as check knows, and returns the receipt of a request that
// was answered before. It precedes slow work, so that a refused request does not cause it.
func (s *Kernel) Precheck(
	ctx context.Context, call Call, now time.Time,
	check func(ctx context.Context, in View) error,
) (recorded *Receipt, err error) {
	err = s.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		var actor *reseller.Reseller
		if actor, recorded, err = s.begin(ctx, admissionOf(snapshot), call, now); err != nil || recorded != nil {
			return err
		}
		return check(ctx, View{Snapshot: snapshot, Actor: actor, Now: now})
	})
	s.Sessions.After(call.Caller, err)
	_ = s.SaveUse(ctx, call.Caller, now) // the recorded answer, or the refusal, counts with or without it
	return recorded, err
}

// Read runs look over one snapshot for the caller.
func (s *Kernel) Read(
	ctx context.Context, call Call, now time.Time,
	look func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error,
) error {
	err := s.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		actor, err := admissionOf(snapshot).Admit(ctx, call.Caller, now)
		if err != nil {
			return err
		}
		return look(ctx, snapshot, actor)
	})
	s.Sessions.After(call.Caller, err)
	return cmp.Or(err, s.SaveUse(ctx, call.Caller, now))
}

// ReadSnapshot returns the result of look over one snapshot, for the service itself.
func ReadSnapshot[R any](
	ctx context.Context, s *Kernel, look func(ctx context.Context, snapshot ports.Snapshot) (R, error),
) (r R, err error) {
	err = s.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) (err error) {
		r, err = look(ctx, snapshot)
		return err
	})
	return r, err
}

// DamagedSession is session.ErrEnded for a session whose record can't be read: it is over.
type DamagedSession struct{ Damage error }

// Error returns the sentence for people, without the damage, which is for the log.
func (*DamagedSession) Error() string { return session.ErrEnded.Error() }

// Unwrap makes the error match session.ErrEnded.
func (*DamagedSession) Unwrap() error { return session.ErrEnded }

// goodSession returns a session that is active at now, or session.ErrEnded, as a *DamagedSession for a damaged one.
func goodSession(ctx context.Context, records record.Reader, id session.ID, now time.Time) (session.Session, error) {
	found, err := ports.Sessions.From(records).Get(ctx, id)
	if IsNotFound(err) || err == nil && !found.Active(now) {
		return session.Session{}, session.ErrEnded
	}
	if errors.Is(err, record.ErrDamaged) {
		err = &DamagedSession{err}
	}
	return found, err
}

// SaveUse saves now as the last use of the caller's session, if that is due. A read succeeds even if the store can't
// write: the next request tries again.
func (s *Kernel) SaveUse(ctx context.Context, by Caller, now time.Time) error {
	if by.acting != nil {
		s.savePrincipalUse(ctx, by.acting, now)
	}
	if by.session == nil || !by.session.due.Swap(false) {
		return nil
	}
	var used session.Session
	err := s.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) (err error) {
		sessions := ports.Sessions.In(tx.Records)
		if used, err = sessions.Get(ctx, by.session.id); err != nil {
			return err
		}
		var due bool
		if used, due = used.Use(now); !due {
			return nil
		}
		return sessions.Save(ctx, used)
	}, ports.Reads{Records: SessionNames([]session.ID{by.session.id})})
	switch {
	case err == nil:
		by.session.found.Store(&used)
	case IsNotFound(err), errors.Is(err, ErrUnavailable):
		return nil
	}
	return err
}

// savePrincipalUse saves now as the last use of a principal, if that is due. The request succeeds without it.
func (s *Kernel) savePrincipalUse(ctx context.Context, by *acting, now time.Time) {
	if !by.due.Swap(false) {
		return
	}
	_ = s.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		all := ports.Principals.In(tx.Records)
		p, err := all.Get(ctx, by.id)
		if err != nil {
			return err
		}
		used, due := p.Use(by.from, now)
		if !due {
			return nil
		}
		return all.Save(ctx, used)
	}, ports.Reads{Records: []record.Name{ports.Principals.Named(by.id)}})
}
