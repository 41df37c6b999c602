package access

import (
	"context"
	"errors"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// SignIn is the command to begin a session.
type SignIn struct {
	Login
	Device   string // the name that the browser sent
	Request  string // request id
	Address  string // of the client
	Previous string // secret of the browser's present session, "" without one: it ends when the new one begins
}

// SignedIn is a session and its reseller.
type SignedIn struct {
	session.Session
	Reseller *reseller.Reseller
	Staff    *principal.Principal // the member of the staff who signed in, nil: the owner
	Factor   bool                 // a second factor is active
}

// SignIn checks the password, begins a session and returns its secret, which is not stored. Refusals: those of Login.
func (s Service) SignIn(ctx context.Context, c SignIn) (SignedIn, profile.Secret, error) {
	ctx, ended := s.k.Observe(ctx, "sign in")
	defer ended()
	begun, secret, err := s.signIn(ctx, c)
	if s.k.Dependencies.Observer != nil {
		s.k.Dependencies.Observer.Login(err)
	}
	return begun, secret, err
}

func (s Service) signIn(ctx context.Context, c SignIn) (begun SignedIn, secret profile.Secret, err error) {
	secret = s.k.Dependencies.Generator.SessionSecret()
	var previous session.ID
	_, err = s.enter(ctx, c.Login, true, func(who identity, now time.Time) (entry, error) {
		begun.Reseller, begun.Staff, begun.Factor = who.Reseller, who.staff, who.factored
		begun.Session = session.Session{
			ID:       session.IDOf(secret.Reveal()),
			Reseller: who.ID(),
			Password: session.MarkOf(who.passwordHash()),
			Device:   c.Device,
			Address:  c.Address,
			Created:  now,
			Used:     now,
		}
		started := journal.Entry{
			Type: journal.SessionStarted, At: now, Account: who.Position(), Request: c.Request,
			Actor: journal.Actor{Account: who.ID(), Kind: journal.BySession, Name: who.State().Username.String(),
				Address: c.Address},
		}
		if who.staff != nil {
			begun.Session.Staff = who.staff.ID
			started.Actor.Kind, started.Actor.Principal, started.Actor.Name = journal.ByStaff, who.staff.ID, who.staff.Name
		}
		reads := []record.Name{ports.Sessions.Named(begun.ID)}
		if c.Previous != "" { // of any account: the caller has its secret
			previous = session.IDOf(c.Previous)
			reads = append(reads, ports.Sessions.Named(previous))
		}
		return entry{func(ctx context.Context, tx ports.Tx) error {
			sessions := ports.Sessions.In(tx.Records)
			if previous != "" {
				if err := sessions.Delete(ctx, previous); err != nil && !usecase.IsNotFound(err) {
					return err
				}
			}
			if err := sessions.Insert(ctx, begun.Session); err != nil {
				return err
			}
			return tx.Journal.Append(ctx, started)
		}, reads}, nil
	})
	if err != nil {
		return begun, secret, err
	}
	s.k.Sessions.Forget(previous)
	return begun, secret, endOldest(ctx, s.k, begun.Holder())
}

// endOldest ends the sessions of a reseller, or of a member of its staff, beyond the newest session.MaxSessions. Each
// sign-in checks after its own commit, so that of concurrent sign-ins the last one sees all sessions. If the store
// fails the next sign-in does it.
func endOldest(ctx context.Context, s *usecase.Kernel, of session.Holder) (err error) {
	for more := true; more && err == nil; {
		var over []session.ID
		err = s.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
			page, err := ports.SessionsByHolder.List(ctx, snapshot.Records,
				record.Query{Equal: record.Tuple{int64(of)}, Descending: true, Limit: 2 * session.MaxSessions})
			over, more = page.Damaged, len(page.Items) == 2*session.MaxSessions
			for _, old := range page.Items[min(session.MaxSessions, len(page.Items)):] {
				over = append(over, old.ID)
			}
			return err
		})
		if err == nil && len(over) > 0 {
			_, err = drop(ctx, s, over, func(session.Session) bool { return true })
		}
	}
	if errors.Is(err, usecase.ErrUnavailable) {
		return nil
	}
	return err
}

// drop removes the sessions for which over is true, and the damaged ones, in one transaction. It returns their number.
func drop(ctx context.Context, s *usecase.Kernel, ids []session.ID,
	over func(session.Session) bool) (dropped int, err error) {
	err = s.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		dropped = 0
		sessions := ports.Sessions.In(tx.Records)
		for _, id := range ids {
			found, err := sessions.Get(ctx, id)
			switch {
			case usecase.IsNotFound(err), err == nil && !over(found):
				continue
			case err == nil || errors.Is(err, record.ErrDamaged):
				err = sessions.Delete(ctx, id)
			}
			if err != nil {
				return err
			}
			dropped++
		}
		return nil
	}, ports.Reads{Records: usecase.SessionNames(ids)})
	s.Sessions.Forget(ids...)
	return dropped, err
}

// Session returns the session of the request, or session.ErrEnded if it has no session.
func (s Service) Session(ctx context.Context, call usecase.Call) (SignedIn, error) {
	ctx, ended := s.k.Observe(ctx, "read session")
	defer ended()
	var current SignedIn
	if call.Caller.SessionID() == "" {
		return current, session.ErrEnded
	}
	err := s.k.Read(ctx, call, s.k.Dependencies.Clock(),
		func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
			f, err := factorOf(ctx, snapshot.Records, factorOfCaller(call.Caller))
			current.Reseller, current.Factor = actor, f.Active()
			return err
		})
	if err == nil {
		current.Session, current.Staff = *call.Caller.CurrentSession(), call.Caller.Principal()
	}
	return current, err
}

// SignOut ends the session of the request, and no other one. A blocked reseller may do only this: its session would be
// valid again after the block. The refusal is session.ErrEnded.
func (s Service) SignOut(ctx context.Context, call usecase.Call) error {
	ctx, ended := s.k.Observe(ctx, "sign out")
	defer ended()
	return s.endSession(ctx, call, call.Caller.SessionID(), reseller.ErrBlocked)
}

// ListedSession is a session of an account, with the name of the person who signed in.
type ListedSession struct {
	session.Session
	StaffName string // "" for the account itself
}

// Sessions returns the caller's active sessions, the newest first. Those of the staff follow the owner's.
func (s Service) Sessions(ctx context.Context, call usecase.Call) (all []ListedSession, err error) {
	ctx, ended := s.k.Observe(ctx, "list sessions")
	defer ended()
	if call.Caller.SessionID() == "" {
		return nil, session.ErrEnded
	}
	now := s.k.Dependencies.Clock()
	err = s.k.Read(ctx, call, now, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
		all = nil
		of := func(holder session.Holder, name, hash string) error {
			page, err := ports.SessionsByHolder.List(ctx, snapshot.Records,
				record.Query{Equal: record.Tuple{int64(holder)}, Descending: true, Limit: 2 * session.MaxSessions})
			for _, found := range page.Items {
				if found.Active(now) && found.BeganWith(hash) {
					all = append(all, ListedSession{found, name})
				}
			}
			return err
		}
		if p := call.Caller.Principal(); p != nil {
			return of(session.Holder(-p.ID), p.Name, p.PasswordHash)
		}
		if err := of(session.Holder(actor.ID()), "", actor.PasswordHash()); err != nil {
			return err
		}
		staff, err := principalsOf(ctx, usecase.View{Snapshot: snapshot, Actor: actor, Now: now}, principal.Staff)
		for _, p := range staff {
			if err == nil {
				err = of(session.Holder(-p.ID), p.Name, p.PasswordHash)
			}
		}
		return err
	})
	for i, listed := range all {
		if current := call.Caller.CurrentSession(); listed.ID == current.ID {
			all[i].Session = *current // its use may have been saved since
		}
	}
	return all, err
}

// EndSession ends a session of the caller, such as that of a lost browser. The refusal is fault.ErrNotFound.
func (s Service) EndSession(ctx context.Context, call usecase.Call, id session.ID) error {
	ctx, ended := s.k.Observe(ctx, "end session")
	defer ended()
	return s.endSession(ctx, call, id, nil)
}

// endSession ends a session of the caller, even if the caller gets the refusal but for everything else.
func (s Service) endSession(ctx context.Context, call usecase.Call, id session.ID, but error) error {
	if call.Caller.SessionID() == "" {
		return session.ErrEnded
	}
	now := s.k.Dependencies.Clock()
	err := s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		actor, err := usecase.AdmissionIn(tx).Admit(ctx, call.Caller, now)
		if err != nil && (but == nil || !errors.Is(err, but)) {
			return err
		}
		sessions := ports.Sessions.In(tx.Records)
		found, err := sessions.Get(ctx, id)
		if errors.Is(err, record.ErrDamaged) || err == nil && !endable(call.Caller, found) {
			err = fault.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := sessions.Delete(ctx, id); err != nil {
			return err
		}
		return tx.Journal.Append(ctx, journal.Entry{
			Type: journal.SessionEnded, At: now, Account: actor.Position(), Request: call.Request, Actor: call.Actor(actor),
		})
	}, ports.Reads{Actor: call.Caller.Reseller(),
		Records: usecase.SessionNames([]session.ID{call.Caller.SessionID(), id})})
	s.k.Sessions.After(call.Caller, err)
	if err == nil {
		s.k.Sessions.Forget(id)
		if id == call.Caller.SessionID() {
			return nil
		}
	}
	_ = s.k.SaveUse(ctx, call.Caller, now) // the result or refusal counts, with or without it
	return err
}

// endable reports whether a caller may end a session: an owner any of its account, a member of the staff only its own.
func endable(c usecase.Caller, s session.Session) bool {
	if c.ByOwner() {
		return s.Reseller == c.Reseller()
	}
	return s.Holder() == c.Holder()
}

// ForgetSessions removes at most limit sessions that are over, and returns their number. It affects no answer, with one
// exception: a session that a fast clock dated after now lasts no longer than others after this.
func (s Service) ForgetSessions(ctx context.Context, limit int) (int, error) {
	if limit <= 0 {
		return 0, nil
	}
	now := s.k.Dependencies.Clock()
	var over, ahead []session.ID
	err := s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		past, err := ports.SessionsByEnd.List(ctx, snapshot.Records,
			record.Query{To: now.Add(time.Millisecond), Limit: limit})
		if err != nil {
			return err
		}
		over, ahead = idsOf(past), nil
		future, err := ports.SessionsByEnd.List(ctx, snapshot.Records,
			record.Query{From: now.Add(session.IdleTimeout + time.Millisecond), Limit: limit})
		ahead = idsOf(future)
		return err
	})
	if err != nil {
		return 0, err
	}
	if len(ahead) > 0 {
		if err := clamp(ctx, s.k, ahead, now); err != nil {
			return 0, err
		}
	}
	if len(over) == 0 {
		return 0, nil
	}
	return drop(ctx, s.k, over, func(found session.Session) bool { return !found.Active(now) })
}

func idsOf(page record.Page[session.ID, session.Session]) []session.ID {
	ids := page.Damaged
	for _, s := range page.Items {
		ids = append(ids, s.ID)
	}
	return ids
}

// clamp makes sessions with dates after now begin and be used at now. A damaged session is over in any case.
func clamp(ctx context.Context, s *usecase.Kernel, ids []session.ID, now time.Time) error {
	return s.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		sessions := ports.Sessions.In(tx.Records)
		for _, id := range ids {
			found, err := sessions.Get(ctx, id)
			switch {
			case usecase.IsNotFound(err), errors.Is(err, record.ErrDamaged), err == nil &&
				!found.ExpiresAt().After(now.Add(session.IdleTimeout)):
				continue
			case err == nil:
				err = sessions.Save(ctx, found.Clamped(now))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, ports.Reads{Records: usecase.SessionNames(ids)})
}
