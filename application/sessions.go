package application

import (
	"context"
	"errors"
	"slices"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
)

// ErrSessionsNotKept refuses to sign anybody in where the store keeps no sessions.
var ErrSessionsNotKept = fault.New(fault.Unsupported, "sessions-not-kept", "The store of this service keeps no sessions: only tokens are taken.")

// KeepsSessions reports whether resellers can sign in with a browser.
func (s Access) KeepsSessions() bool {
	_, err := s.sessions()
	return err == nil
}

func (s *kernel) sessions() (ports.Sessions, error) {
	if kept := s.dependencies.Store.Parts().Sessions; kept != nil {
		return kept, nil
	}
	return nil, ErrSessionsNotKept
}

// SignIn is the command to begin a session.
type SignIn struct {
	Login
	Device   string // what the browser calls itself
	Address  string // of the client
	Previous string // secret of the session that the browser has, "" for none: it ends where the new one begins
}

// SignedIn is a session, and the reseller who is signed in with it.
type SignedIn struct {
	session.Session
	Reseller *reseller.Reseller
}

// SignIn begins a session of who has the password, and returns its secret, which is kept nowhere. Refusals: those of
// Login, ErrSessionsNotKept.
func (s Access) SignIn(ctx context.Context, c SignIn) (SignedIn, profile.Secret, error) {
	ctx, ended := s.follow(ctx, "sign in")
	defer ended()
	sessions, err := s.sessions()
	if err != nil {
		return SignedIn{}, profile.Secret{}, err
	}
	begun, secret, err := s.signIn(ctx, sessions, c)
	if s.dependencies.Observer != nil {
		s.dependencies.Observer.Login(err)
	}
	return begun, secret, err
}

func (s Access) signIn(ctx context.Context, sessions ports.Sessions, c SignIn) (begun SignedIn, secret profile.Secret, err error) {
	if begun.Reseller, err = s.identify(ctx, c.Login); err != nil {
		return begun, secret, err
	}
	if c.Previous != "" {
		if err := endPrevious(ctx, sessions, session.IDOf(c.Previous)); err != nil {
			return begun, secret, err
		}
	}
	secret = s.dependencies.Generator.SessionSecret()
	now := s.dependencies.Clock()
	begun.Session = session.Session{
		ID:       session.IDOf(secret.Reveal()),
		Reseller: begun.Reseller.ID(),
		Password: session.MarkOf(begun.Reseller.PasswordHash()),
		Device:   c.Device,
		Address:  c.Address,
		Created:  now,
		Used:     now,
	}
	return begun, secret, sessions.BeginSession(ctx, begun.Session, session.Most)
}

// endPrevious ends a session, whosever it is: who asks has its secret. Of one that is damaged nobody knows whose it is,
// and it is good for nothing.
func endPrevious(ctx context.Context, sessions ports.Sessions, id session.ID) error {
	previous, err := sessions.Session(ctx, id)
	if err != nil {
		if errors.Is(err, ErrUnavailable) {
			return err
		}
		return nil
	}
	if err = sessions.EndSession(ctx, previous.Reseller, id); isNotFound(err) {
		return nil
	}
	return err
}

// AuthenticateSession returns whose browser holds this secret, or session.ErrEnded. Whether the session is one of the
// present password, and its reseller not blocked, is decided with the request.
func (s Access) AuthenticateSession(ctx context.Context, secret string) (Caller, error) {
	ctx, ended := s.follow(ctx, "authenticate session")
	defer ended()
	sessions, err := s.sessions()
	if err != nil {
		return Caller{}, session.ErrEnded
	}
	now := s.dependencies.Clock()
	found, err := goodSession(ctx, sessions, session.IDOf(secret), now)
	if err != nil {
		return Caller{}, err
	}
	if used, keep := found.Use(now); keep {
		// Who only reads is served where nothing can be written, too: the next request tries again.
		err := sessions.UseSession(ctx, found.ID, used.Used)
		if err != nil && !errors.Is(err, ErrUnavailable) {
			return Caller{}, err
		}
		if err == nil {
			found = used
		}
	}
	return Caller{reseller: found.Reseller, session: &found}, nil
}

// DamagedSession is session.ErrEnded of a session whose record can't be read: it is over, whatever it was.
type DamagedSession struct{ Damage error }

// Error returns the sentence for people, without the damage, which is for the log.
func (*DamagedSession) Error() string { return session.ErrEnded.Error() }

// Unwrap makes the error match session.ErrEnded.
func (*DamagedSession) Unwrap() error { return session.ErrEnded }

// goodSession returns a session that is not over at now, or session.ErrEnded, as a *DamagedSession where that is why.
func goodSession(ctx context.Context, sessions ports.SessionReader, id session.ID, now time.Time) (session.Session, error) {
	if sessions == nil {
		return session.Session{}, ErrSessionsNotKept
	}
	found, err := sessions.Session(ctx, id)
	if isNotFound(err) || err == nil && !found.Good(now) {
		return session.Session{}, session.ErrEnded
	}
	if err != nil && !errors.Is(err, ErrUnavailable) {
		err = &DamagedSession{err}
	}
	return found, err
}

// Session returns the session by which the caller is signed in, or session.ErrEnded where it is by none.
func (s Access) Session(ctx context.Context, call Call) (SignedIn, error) {
	ctx, ended := s.follow(ctx, "read session")
	defer ended()
	return s.session(ctx, call, s.dependencies.Clock())
}

func (s Access) session(ctx context.Context, call Call, now time.Time) (SignedIn, error) {
	if call.Caller.session == nil {
		return SignedIn{}, session.ErrEnded
	}
	current := SignedIn{Session: *call.Caller.session}
	err := s.read(ctx, call, now, func(_ context.Context, _ ports.Snapshot, actor *reseller.Reseller) error {
		current.Reseller = actor
		return nil
	})
	return current, err
}

// SignOut ends the session by which the caller is signed in, and nothing else. A reseller that is blocked may do it, and
// only this: its session would be good again once it is not. The refusal is session.ErrEnded.
func (s Access) SignOut(ctx context.Context, call Call) error {
	ctx, ended := s.follow(ctx, "sign out")
	defer ended()
	if _, err := s.session(ctx, call, s.dependencies.Clock()); err != nil && !errors.Is(err, reseller.ErrBlocked) {
		return err
	}
	err := s.endSession(ctx, call, call.Caller.session.ID)
	if isNotFound(err) {
		return session.ErrEnded
	}
	return err
}

// Sessions returns the caller's sessions that are good, the newest first.
func (s Access) Sessions(ctx context.Context, call Call) ([]session.Session, error) {
	ctx, ended := s.follow(ctx, "list sessions")
	defer ended()
	now := s.dependencies.Clock()
	current, err := s.session(ctx, call, now)
	if err != nil {
		return nil, err
	}
	sessions, err := s.sessions()
	if err != nil {
		return nil, err
	}
	all, err := sessions.SessionsOf(ctx, current.Reseller.ID())
	return slices.DeleteFunc(all, func(other session.Session) bool {
		return !other.Good(now) || !other.Began(current.Reseller.PasswordHash())
	}), err
}

// EndSession ends one of the caller's own sessions, for who has lost the browser. The refusal is fault.ErrNotFound.
func (s Access) EndSession(ctx context.Context, call Call, id session.ID) error {
	ctx, ended := s.follow(ctx, "end session")
	defer ended()
	if _, err := s.session(ctx, call, s.dependencies.Clock()); err != nil {
		return err
	}
	return s.endSession(ctx, call, id)
}

func (s Access) endSession(ctx context.Context, call Call, id session.ID) error {
	sessions, err := s.sessions()
	if err != nil {
		return err
	}
	return sessions.EndSession(ctx, call.Caller.Reseller(), id)
}

// ForgetSessions removes sessions that are over, at most limit of them, and returns how many. Whether and when it runs
// changes no answer.
func (s Operations) ForgetSessions(ctx context.Context, limit int) (int, error) {
	sessions, err := s.sessions()
	if err != nil {
		return 0, nil //nolint:nilerr // there are none
	}
	return sessions.DropSessions(ctx, s.dependencies.Clock(), limit)
}
