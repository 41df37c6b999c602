package application

import (
	"context"
	"fmt"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Why a login is refused.
var (
	ErrCredentials     = fault.New(fault.Unauthenticated, "invalid-credentials", "The user name or the password is wrong.")
	ErrTooManyAttempts = fault.New(fault.Exhausted, "too-many-attempts", "Too many failed logins under this name from this address.")
	ErrLoginsBusy      = fault.New(fault.Exhausted, "logins-busy", "The service checks as many passwords as it can at this time. This login was not checked and is no failed one.")
)

// TooManyAttempts is ErrTooManyAttempts with the time to wait.
type TooManyAttempts struct{ Wait time.Duration }

// Error returns the sentence for people, with the figures.
func (e *TooManyAttempts) Error() string {
	return fmt.Sprintf("%s The next attempt is possible in %s.", ErrTooManyAttempts, (e.Wait + time.Second - 1).Truncate(time.Second))
}

// Unwrap makes the error match ErrTooManyAttempts.
func (e *TooManyAttempts) Unwrap() error { return ErrTooManyAttempts }

// LoginsBusy is ErrLoginsBusy with the time to wait. Its text has no figures: it is the same for all.
type LoginsBusy struct{ Wait time.Duration }

// Error returns the sentence for people.
func (e *LoginsBusy) Error() string { return ErrLoginsBusy.Error() }

// Unwrap makes the error match ErrLoginsBusy.
func (e *LoginsBusy) Unwrap() error { return ErrLoginsBusy }

// Login is the command to get a reseller's token. A zero name or password stands for a text that no reseller can have.
type Login struct {
	Username profile.Username
	Password profile.Secret
	Client   string // the client's network, which may not delay others
}

// Login returns the reseller's fixed token. Refusals: ErrCredentials, the same and in the same time for an unknown name
// and a wrong password; *LoginsBusy if the password could not be compared soon, which is decided before the name is
// looked up and is no failed login; *TooManyAttempts; reseller.ErrBlocked, after a right password only.
func (s Access) Login(ctx context.Context, c Login) (profile.Secret, error) {
	ctx, ended := s.follow(ctx, "login")
	defer ended()
	token, err := s.login(ctx, c)
	if s.dependencies.Observer != nil {
		s.dependencies.Observer.Login(err)
	}
	return token, err
}

func (s Access) login(ctx context.Context, c Login) (profile.Secret, error) {
	r, err := s.identify(ctx, c)
	if err != nil {
		return profile.Secret{}, err
	}
	return s.dependencies.Tokens.Issue(ports.Token{Reseller: r.ID(), Generation: r.Token()}), nil
}

// identify returns the reseller that has this name and this password, and is not blocked. It has the refusals of Login.
func (s Access) identify(ctx context.Context, c Login) (*reseller.Reseller, error) {
	place, wait := s.dependencies.Hasher.Queue(labelled("client", c.Client))
	if wait > 0 {
		return nil, &LoginsBusy{wait}
	}
	defer place.Leave()
	done, wait, err := s.dependencies.Limiter.Attempt(ctx, c.Username.Folded(), c.Client)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		return nil, &TooManyAttempts{wait}
	}
	failed := false
	defer func() { done(failed) }()

	var r *reseller.Reseller
	var hash string
	var blockedAbove bool
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) (err error) {
		hash, blockedAbove = "", false
		if r, err = resellerNamed(ctx, snapshot.Resellers, c.Username); err != nil {
			return err
		}
		hash = r.PasswordHash()
		blockedAbove, err = snapshot.Resellers.AnyBlocked(ctx, r.Position().Ancestors)
		return err
	})
	if err != nil && !isNotFound(err) {
		return nil, err
	}
	right, wait, err := place.Matches(ctx, c.Password, hash)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		return nil, &LoginsBusy{wait}
	}
	if !right {
		failed = true
		return nil, ErrCredentials
	}
	return r, r.Admit(r.Token(), blockedAbove)
}

// ChangePassword is the command to give the caller another password.
type ChangePassword struct {
	Present profile.Secret // the zero value stands for a text that no reseller can have
	New     profile.Secret
	Client  string // as in Login
}

// ChangePassword gives the caller, who has to know its present password, another one. That ends its token and its
// sessions, except the calling one; if the two passwords are the same nothing changes. Refusals: ErrCredentials and
// *TooManyAttempts, as of Login.
func (s Access) ChangePassword(ctx context.Context, call Call, c ChangePassword, render Render[struct{}]) (Receipt, error) {
	var compared, hash string
	var name profile.Username
	var token reseller.Generation
	return run(ctx, s.kernel, call, render, command[struct{}]{
		name:  "change password",
		event: journal.PasswordChanged,
		check: func(_ context.Context, in reading) error {
			compared, name = in.actor.PasswordHash(), in.actor.State().Username
			return nil
		},
		slow: func(ctx context.Context) (err error) {
			if err := s.prove(ctx, call.Caller, c, name, compared); err != nil {
				return err
			}
			hash, token = compared, s.dependencies.Generator.Generation()
			if c.New.Reveal() != c.Present.Reveal() {
				hash, err = s.dependencies.Hasher.Hash(ctx, call.Caller.hashing(), c.New)
			}
			return err
		},
		rules: func(ctx context.Context, do *work) (none struct{}, err error) {
			if do.actor.PasswordHash() != compared {
				return none, errStale
			}
			if hash == compared {
				return none, nil
			}
			do.about(do.actor)
			do.actor.SetPassword(hash, token, do.now)
			if id := call.Caller.SessionID(); id != "" {
				sessions := ports.Sessions.In(do.tx.Records)
				asking, err := sessions.Get(ctx, id)
				if err != nil {
					return none, err
				}
				if err := sessions.Save(ctx, asking.Stay(hash)); err != nil {
					return none, err
				}
			}
			return none, do.saveReseller(ctx, do.actor)
		},
	})
}

// prove returns ErrCredentials unless the given password is the caller's. A wrong one is a failed login of its name.
func (s Access) prove(ctx context.Context, caller Caller, c ChangePassword, name profile.Username, hash string) error {
	done, wait, err := s.dependencies.Limiter.Attempt(ctx, name.Folded(), c.Client)
	if err != nil {
		return err
	}
	if wait > 0 {
		return &TooManyAttempts{wait}
	}
	failed := false
	defer func() { done(failed) }()
	right, err := s.dependencies.Hasher.Matches(ctx, caller.hashing(), c.Present, hash)
	if err != nil {
		return err
	}
	if failed = !right; failed {
		return ErrCredentials
	}
	return nil
}

// RevokeToken makes the caller's token dead at once; its next login gives another.
func (s Access) RevokeToken(ctx context.Context, call Call, render Render[struct{}]) (Receipt, error) {
	next := s.dependencies.Generator.Generation()
	return run(ctx, s.kernel, call, render, command[struct{}]{
		name:  "revoke token",
		event: journal.TokenRevoked,
		rules: func(ctx context.Context, do *work) (none struct{}, err error) {
			do.about(do.actor)
			do.actor.RevokeToken(next, do.now)
			return none, do.saveReseller(ctx, do.actor)
		},
	})
}
