package application

import (
	"context"
	"errors"
	"sync"
	"time"

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
	Device   string // what the browser calls itself
	Request  string // request id
	Address  string // of the client
	Previous string // secret of the session that the browser has, "" for none: it ends when the new one begins
}

// SignedIn is a session and its reseller.
type SignedIn struct {
	session.Session
	Reseller *reseller.Reseller
	Staff    *principal.Principal // who signed in, nil: the reseller itself
	Factor   bool                 // who signed in has a second factor
}

// SignIn checks the password, begins a session and returns its secret, which is kept nowhere. Refusals: those of Login.
func (s Access) SignIn(ctx context.Context, c SignIn) (SignedIn, profile.Secret, error) {
	ctx, ended := s.follow(ctx, "sign in")
	defer ended()
	begun, secret, err := s.signIn(ctx, c)
	if s.dependencies.Observer != nil {
		s.dependencies.Observer.Login(err)
	}
	return begun, secret, err
}

func (s Access) signIn(ctx context.Context, c SignIn) (begun SignedIn, secret profile.Secret, err error) {
	secret = s.dependencies.Generator.SessionSecret()
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
		if c.Previous != "" { // of anybody: the caller has its secret
			previous = session.IDOf(c.Previous)
			reads = append(reads, ports.Sessions.Named(previous))
		}
		return entry{func(ctx context.Context, tx ports.Tx) error {
			sessions := ports.Sessions.In(tx.Records)
			if previous != "" {
				if err := sessions.Delete(ctx, previous); err != nil && !isNotFound(err) {
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
	s.signedIn.forget(previous)
	return begun, secret, s.endOldest(ctx, begun.Of())
}

// endOldest ends the sessions of a reseller, or of a member of its staff, beyond the newest session.Most. Each sign-in
// checks after its own commit, so that of several at once the last one sees all of them. If the store fails the next
// sign-in does it.
func (s *kernel) endOldest(ctx context.Context, of session.Holder) (err error) {
	for more := true; more && err == nil; {
		var over []session.ID
		err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
			page, err := ports.SessionsByHolder.List(ctx, snapshot.Records,
				record.Query{Equal: record.Tuple{int64(of)}, Descending: true, Limit: 2 * session.Most})
			over, more = page.Damaged, len(page.Items) == 2*session.Most
			for _, old := range page.Items[min(session.Most, len(page.Items)):] {
				over = append(over, old.ID)
			}
			return err
		})
		if err == nil && len(over) > 0 {
			_, err = s.drop(ctx, over, func(session.Session) bool { return true })
		}
	}
	if errors.Is(err, ErrUnavailable) {
		return nil
	}
	return err
}

// drop removes those of these sessions that are over, and those that are damaged, in one transaction. It returns how
// many.
func (s *kernel) drop(ctx context.Context, ids []session.ID, over func(session.Session) bool) (dropped int, err error) {
	err = s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		dropped = 0
		sessions := ports.Sessions.In(tx.Records)
		for _, id := range ids {
			found, err := sessions.Get(ctx, id)
			switch {
			case isNotFound(err), err == nil && !over(found):
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
	}, ports.Reads{Records: named(ids)})
	s.signedIn.forget(ids...)
	return dropped, err
}

func named(ids []session.ID) (names []record.Name) {
	for _, id := range ids {
		names = append(names, ports.Sessions.Named(id))
	}
	return names
}

// AuthenticateSession returns the caller whose browser holds this secret, or session.ErrEnded. Whether the session is
// good is decided with the request: the store is read here only if the session's reseller is not remembered.
func (s Authentication) AuthenticateSession(ctx context.Context, secret string) (Caller, error) {
	ctx, ended := s.follow(ctx, "authenticate session")
	defer ended()
	id, now := session.IDOf(secret), s.dependencies.Clock()
	by := Caller{session: &callersSession{id: id}}
	if known, is := s.signedIn.of(id, now); is {
		by.signedIn(known)
		return by, nil
	}
	err := s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		found, err := goodSession(ctx, snapshot.Records, id, now)
		by.signedIn(found)
		return err
	})
	return by, err
}

// signedIn makes the caller the one who began a session.
func (c *Caller) signedIn(s session.Session) {
	c.reseller, c.acting = s.Reseller, nil
	if s.Staff != 0 {
		c.acting = &acting{id: s.Staff}
	}
}

// DamagedSession is session.ErrEnded of a session whose record can't be read: it is over.
type DamagedSession struct{ Damage error }

// Error returns the sentence for people, without the damage, which is for the log.
func (*DamagedSession) Error() string { return session.ErrEnded.Error() }

// Unwrap makes the error match session.ErrEnded.
func (*DamagedSession) Unwrap() error { return session.ErrEnded }

// goodSession returns a session that is not over at now, or session.ErrEnded, as a *DamagedSession if it is one.
func goodSession(ctx context.Context, records record.Reader, id session.ID, now time.Time) (session.Session, error) {
	found, err := ports.Sessions.From(records).Get(ctx, id)
	if isNotFound(err) || err == nil && !found.Good(now) {
		return session.Session{}, session.ErrEnded
	}
	if errors.Is(err, record.ErrDamaged) {
		err = &DamagedSession{err}
	}
	return found, err
}

// keepUse saves that the caller's session was used now, if that is due. A read is served even if nothing can be
// written: the next request tries again.
func (s *kernel) keepUse(ctx context.Context, by Caller, now time.Time) error {
	if by.acting != nil {
		s.keepPrincipalsUse(ctx, by.acting, now)
	}
	if by.session == nil || !by.session.due.Swap(false) {
		return nil
	}
	var used session.Session
	err := s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) (err error) {
		sessions := ports.Sessions.In(tx.Records)
		if used, err = sessions.Get(ctx, by.session.id); err != nil {
			return err
		}
		var keep bool
		if used, keep = used.Use(now); !keep {
			return nil
		}
		return sessions.Save(ctx, used)
	}, ports.Reads{Records: named([]session.ID{by.session.id})})
	switch {
	case err == nil:
		by.session.found.Store(&used)
	case isNotFound(err), errors.Is(err, ErrUnavailable):
		return nil
	}
	return err
}

// Session returns the session by which the caller is signed in, or session.ErrEnded if there is none.
func (s Access) Session(ctx context.Context, call Call) (SignedIn, error) {
	ctx, ended := s.follow(ctx, "read session")
	defer ended()
	var current SignedIn
	if call.Caller.SessionID() == "" {
		return current, session.ErrEnded
	}
	err := s.read(ctx, call, s.dependencies.Clock(),
		func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
			f, err := factorOf(ctx, snapshot.Records, factorOfCaller(call.Caller))
			current.Reseller, current.Factor = actor, f.Active()
			return err
		})
	if err == nil {
		current.Session, current.Staff = *call.Caller.CurrentSession(), call.Caller.principal()
	}
	return current, err
}

// SignOut ends the session by which the caller is signed in, and nothing else. A blocked reseller may do only this: its
// session would be good again after the block. The refusal is session.ErrEnded.
func (s Access) SignOut(ctx context.Context, call Call) error {
	ctx, ended := s.follow(ctx, "sign out")
	defer ended()
	err := s.endSession(ctx, call, call.Caller.SessionID(), reseller.ErrBlocked)
	if isNotFound(err) {
		return session.ErrEnded
	}
	return err
}

// ListedSession is a session of an account, and who signed in.
type ListedSession struct {
	session.Session
	StaffName string // "" for the account itself
}

// Sessions returns the caller's sessions that are good, the newest first; an owner's are followed by those of its
// staff.
func (s Access) Sessions(ctx context.Context, call Call) (all []ListedSession, err error) {
	ctx, ended := s.follow(ctx, "list sessions")
	defer ended()
	if call.Caller.SessionID() == "" {
		return nil, session.ErrEnded
	}
	now := s.dependencies.Clock()
	err = s.read(ctx, call, now, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
		all = nil
		of := func(holder session.Holder, name, hash string) error {
			page, err := ports.SessionsByHolder.List(ctx, snapshot.Records,
				record.Query{Equal: record.Tuple{int64(holder)}, Descending: true, Limit: 2 * session.Most})
			for _, found := range page.Items {
				if found.Good(now) && found.Began(hash) {
					all = append(all, ListedSession{found, name})
				}
			}
			return err
		}
		if p := call.Caller.principal(); p != nil {
			return of(session.Holder(-p.ID), p.Name, p.PasswordHash)
		}
		if err := of(session.Holder(actor.ID()), "", actor.PasswordHash()); err != nil {
			return err
		}
		staff, err := principalsOf(ctx, reading{Snapshot: snapshot, actor: actor, now: now}, principal.Staff)
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

// EndSession ends one of the caller's own sessions, such as that of a lost browser. The refusal is fault.ErrNotFound.
func (s Access) EndSession(ctx context.Context, call Call, id session.ID) error {
	ctx, ended := s.follow(ctx, "end session")
	defer ended()
	return s.endSession(ctx, call, id, nil)
}

// endSession ends a session of the caller, even if but refuses the caller for all else.
func (s Access) endSession(ctx context.Context, call Call, id session.ID, but error) error {
	if call.Caller.SessionID() == "" {
		return session.ErrEnded
	}
	now := s.dependencies.Clock()
	err := s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		actor, err := doorIn(tx).admit(ctx, call.Caller, now)
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
			Type: journal.SessionEnded, At: now, Account: actor.Position(), Request: call.Request, Actor: call.by(actor),
		})
	}, ports.Reads{Actor: call.Caller.Reseller(), Records: named([]session.ID{call.Caller.SessionID(), id})})
	s.signedIn.after(call.Caller, err)
	if err == nil {
		s.signedIn.forget(id)
		if id == call.Caller.SessionID() {
			return nil
		}
	}
	_ = s.keepUse(ctx, call.Caller, now) // what was done, or refused, stands
	return err
}

// endable reports whether a caller may end a session: an owner any of its account, others their own.
func endable(c Caller, s session.Session) bool {
	if c.ByOwner() {
		return s.Reseller == c.Reseller()
	}
	return s.Of() == c.Holder()
}

// ForgetSessions removes sessions that are over, at most limit of them, and returns how many. It affects no answer,
// except that a session which a clock that was ahead dated later than now lasts no longer than others from then on.
func (s Access) ForgetSessions(ctx context.Context, limit int) (int, error) {
	if limit <= 0 {
		return 0, nil
	}
	now := s.dependencies.Clock()
	var over, ahead []session.ID
	err := s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		past, err := ports.SessionsByEnd.List(ctx, snapshot.Records,
			record.Query{To: now.Add(time.Millisecond), Limit: limit})
		if err != nil {
			return err
		}
		over, ahead = idsOf(past), nil
		future, err := ports.SessionsByEnd.List(ctx, snapshot.Records,
			record.Query{From: now.Add(session.Idle + time.Millisecond), Limit: limit})
		ahead = idsOf(future)
		return err
	})
	if err != nil {
		return 0, err
	}
	if len(ahead) > 0 {
		if err := s.clamp(ctx, ahead, now); err != nil {
			return 0, err
		}
	}
	if len(over) == 0 {
		return 0, nil
	}
	return s.drop(ctx, over, func(found session.Session) bool { return !found.Good(now) })
}

func idsOf(page record.Page[session.ID, session.Session]) []session.ID {
	ids := page.Damaged
	for _, s := range page.Items {
		ids = append(ids, s.ID)
	}
	return ids
}

// clamp makes sessions that are dated ahead begin and be used at now. A damaged one is over in any case.
func (s *kernel) clamp(ctx context.Context, ids []session.ID, now time.Time) error {
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		sessions := ports.Sessions.In(tx.Records)
		for _, id := range ids {
			found, err := sessions.Get(ctx, id)
			switch {
			case isNotFound(err), errors.Is(err, record.ErrDamaged), err == nil &&
				!found.ExpiresAt().After(now.Add(session.Idle)):
				continue
			case err == nil:
				err = sessions.Save(ctx, found.Clamped(now))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, ports.Reads{Records: named(ids)})
}

// mostSignedIn bounds the sessions whose resellers are remembered.
const mostSignedIn = 10_000

// signedIn remembers the resellers of sessions, which never change, and until when each is good as far as this process
// knows. It decides only whether the store is also read for a session before the request is decoded.
type signedIn struct {
	mu    sync.Mutex
	known map[session.ID]session.Session
}

func (m *signedIn) of(id session.ID, now time.Time) (s session.Session, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, known = m.known[id]
	return s, known && s.Good(now)
}

// remember takes a session that was found good, in place of any other one if there are too many.
func (m *signedIn) remember(s session.Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[session.ID]session.Session{}
	}
	if _, known := m.known[s.ID]; !known && len(m.known) >= mostSignedIn {
		for other := range m.known {
			delete(m.known, other)
			break
		}
	}
	m.known[s.ID] = s
}

func (m *signedIn) forget(ids ...session.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		delete(m.known, id)
	}
}

// after takes the outcome of a request of a caller.
func (m *signedIn) after(by Caller, err error) {
	if by.session == nil {
		return
	}
	if errors.Is(err, session.ErrEnded) {
		m.forget(by.session.id)
	} else if found := by.session.found.Load(); found != nil {
		m.remember(*found)
	}
}
