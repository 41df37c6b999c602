// Package access implements logins, sessions of browsers, passwords, second factors, API keys, staff and
// administrators.
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
	"resellerd/domain/secondfactor"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Service handles logins, sessions of browsers, passwords and second factors.
type Service struct{ k *usecase.Kernel }

// New returns the use cases of this feature.
func New(k *usecase.Kernel) (Service, Principals, Admins) {
	return Service{k}, Principals{k}, Admins{k}
}

// The reasons for which a login is refused.
var (
	ErrCredentials     = fault.New(fault.Unauthenticated, "invalid-credentials", "The user name or the password is wrong.")
	ErrTooManyAttempts = fault.New(fault.Exhausted, "too-many-attempts",
		"Too many failed logins under this name from this address.")
	ErrLoginsBusy = fault.New(fault.Exhausted, "logins-busy",
		"The service can't check more passwords now. It did not check this one and does not count the login as failed.")
)

// tooManyAttempts returns ErrTooManyAttempts of passwords, or secondfactor.ErrTooMany of codes, with the time to wait.
func tooManyAttempts(of *fault.Fault, wait time.Duration) error {
	return fault.After(wait, of.WithDetail("%s The next attempt is possible in %s.", of,
		(wait+time.Second-1).Truncate(time.Second)))
}

// Login is the command to get a reseller's token. A zero name or password represents a text that no reseller can have.
type Login struct {
	Username profile.Username
	Password profile.Secret
	Client   string // the client's network, whose logins do not delay other clients
	Code     string // of the second factor, or a recovery code; "" for none
}

// Login returns the reseller's fixed token. Refusals: ErrCredentials, the same and in the same time for an unknown name
// and a wrong password; ErrLoginsBusy if the password could not be compared soon; ErrTooManyAttempts;
// reseller.ErrBlocked, after a right password only. ErrLoginsBusy is decided before the lookup of the name, and is no
// failed login.
func (s Service) Login(ctx context.Context, c Login) (profile.Secret, error) {
	ctx, ended := s.k.Observe(ctx, "login")
	defer ended()
	token, err := s.login(ctx, c)
	if s.k.Dependencies.Observer != nil {
		s.k.Dependencies.Observer.Login(err)
	}
	return token, err
}

func (s Service) login(ctx context.Context, c Login) (profile.Secret, error) {
	who, err := s.enter(ctx, c, false, nil)
	if err != nil {
		return profile.Secret{}, err
	}
	return s.k.Dependencies.Tokens.Issue(ports.Token{Reseller: who.ID(), Generation: who.Token()}), nil
}

// identity is the account or person that signs in: a reseller, or a member of its staff.
type identity struct {
	*reseller.Reseller
	staff    *principal.Principal
	factored bool // it has an active second factor
}

// passwordHash returns the password hash of the identity.
func (i identity) passwordHash() string {
	if i.staff != nil {
		return i.staff.PasswordHash
	}
	return i.PasswordHash()
}

// factor returns the name of the identity's second factor.
func (i identity) factor() string {
	if i.staff != nil {
		return secondfactor.OfStaff(i.staff.ID)
	}
	return secondfactor.OfAccount(i.ID())
}

// named returns the identity that has a name, or fault.ErrNotFound.
func (s Service) named(ctx context.Context, snapshot ports.Snapshot, name profile.Username,
	orStaff bool) (who identity, err error) {
	who.Reseller, err = snapshot.Resellers.FindByUsername(ctx, name)
	if !usecase.IsNotFound(err) || !orStaff {
		return who, err
	}
	page, err := ports.StaffByName.List(ctx, snapshot.Records, record.Query{Equal: record.Tuple{name.Key()}, Limit: 1})
	if err == nil && len(page.Items) == 0 {
		err = fault.ErrNotFound
	}
	if err != nil {
		return who, err
	}
	who.staff = &page.Items[0]
	who.Reseller, err = snapshot.Resellers.Get(ctx, who.staff.Account)
	return who, err
}

// entry is the write of a sign-in, in the transaction that uses up the code of the second factor.
type entry struct {
	write func(ctx context.Context, tx ports.Tx) error
	reads []record.Name
}

// enter finds the reseller, or with orStaff the member of its staff, that has this name and this password, and is not
// blocked. It uses the code of the second factor, if there is one, once. Then it runs the write that begin returns. It
// has the refusals of Login, and those of begin.
func (s Service) enter(ctx context.Context, c Login, orStaff bool,
	begin func(who identity, now time.Time) (entry, error)) (who identity, err error) {
	place, wait := s.k.Dependencies.Hasher.Queue(usecase.LabelText("client", c.Client))
	if wait > 0 {
		return who, fault.After(wait, ErrLoginsBusy) // without figures: it is the same for all clients
	}
	defer place.Leave()
	done, wait, err := s.k.Dependencies.Limiter.Attempt(ctx, c.Username.Key(), c.Client)
	if err != nil {
		return who, err
	}
	if wait > 0 {
		return who, tooManyAttempts(ErrTooManyAttempts, wait)
	}
	failed := false
	defer func() { done(failed) }()

	var hash string
	var factor secondfactor.Factor
	var blockedAbove bool
	err = s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) (err error) {
		hash, blockedAbove, factor = "", false, secondfactor.Factor{}
		if who, err = s.named(ctx, snapshot, c.Username, orStaff); err != nil {
			return err
		}
		hash = who.passwordHash()
		if factor, err = factorOf(ctx, snapshot.Records, who.factor()); err != nil {
			return err
		}
		who.factored = factor.Active()
		blockedAbove, err = snapshot.Resellers.AnyBlocked(ctx, who.Position().Ancestors)
		return err
	})
	if err != nil && !usecase.IsNotFound(err) {
		return who, err
	}
	right, wait, err := place.Matches(ctx, c.Password, hash)
	if err != nil {
		return who, err
	}
	if wait > 0 {
		return who, fault.After(wait, ErrLoginsBusy)
	}
	if !right {
		failed = true
		return who, ErrCredentials
	}
	if err := who.Admit(who.Token(), blockedAbove); err != nil {
		return who, err
	}
	now := s.k.Dependencies.Clock()
	var code oneTimeCode
	if factor.Active() {
		code = codeOf(c.Code, c.Client, hash, now)
		err = takeCode(ctx, s.k, factor, code)
		failed = errors.Is(err, ErrCredentials)
	}
	if err != nil {
		return who, err
	}
	begun := entry{}
	if begin != nil {
		if begun, err = begin(who, now); err != nil {
			return who, err
		}
	}
	if begin == nil && !factor.Active() {
		return who, nil
	}
	err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		if factor.Active() {
			if err := useCode(ctx, s.k, tx, factor.Of, code); err != nil {
				return err
			}
		}
		if begun.write == nil {
			return nil
		}
		return begun.write(ctx, tx)
	}, ports.Reads{Records: append(begun.reads, ports.SecondFactors.Named(factor.Of))})
	failed = errors.Is(err, ErrCredentials)
	return who, err
}

// ChangePassword is the command to change the caller's password.
type ChangePassword struct {
	Present profile.Secret // the zero value represents a text that no reseller can have
	New     profile.Secret
	Client  string // as in Login
}

// ChangePassword changes the password of the caller, who must send its present one. The change ends its token and its
// sessions, except the calling one. If the two passwords are the same nothing changes. Refusals: ErrCredentials and
// ErrTooManyAttempts, as of Login.
func (s Service) ChangePassword(ctx context.Context, call usecase.Call, c ChangePassword,
	render usecase.Render[struct{}]) (usecase.Receipt, error) {
	var compared credentials
	var hash string
	var token reseller.Generation
	return usecase.Run(ctx, s.k, call.Personal(), render, usecase.Command[struct{}]{
		Name:      "change password",
		Event:     journal.PasswordChanged,
		Emergency: true,
		Check: func(_ context.Context, in usecase.View) error {
			compared = credentialsOf(call.Caller, in.Actor)
			return nil
		},
		Slow: func(ctx context.Context) (err error) {
			if err := s.prove(ctx, call.Caller, compared, c.Present, c.Client); err != nil {
				return err
			}
			hash, token = compared.hash, s.k.Dependencies.Generator.Generation()
			if c.New.Reveal() != c.Present.Reveal() {
				hash, err = s.k.Dependencies.Hasher.Hash(ctx, call.Caller.HasherKey(), c.New)
			}
			return err
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) (none struct{}, err error) {
			if credentialsOf(call.Caller, tx.Actor).hash != compared.hash {
				return none, usecase.StartOver{}
			}
			if hash == compared.hash {
				return none, nil
			}
			if id := call.Caller.SessionID(); id != "" {
				sessions := ports.Sessions.In(tx.Records)
				asking, err := sessions.Get(ctx, id)
				if err != nil {
					return none, err
				}
				if err := sessions.Save(ctx, asking.WithPassword(hash)); err != nil {
					return none, err
				}
			}
			if staff := call.Caller.Principal(); staff != nil {
				is := *staff
				is.PasswordHash, tx.Entry.Changes = hash, journal.HiddenChanges("password")
				wrotePrincipal(tx, &is)
				return none, ports.Principals.In(tx.Records).Save(ctx, is)
			}
			tx.TrackReseller(tx.Actor)
			tx.Actor.SetPassword(hash, token, tx.Now)
			return none, tx.SaveReseller(ctx, tx.Actor)
		},
	})
}

// credentials are the name and the password hash of the caller.
type credentials struct {
	name profile.Username
	hash string // of the password
}

func credentialsOf(c usecase.Caller, actor *reseller.Reseller) credentials {
	if p := c.Principal(); p != nil {
		return credentials{profile.RestoreUsername(p.Name, p.Folded), p.PasswordHash}
	}
	return credentials{actor.State().Username, actor.PasswordHash()}
}

// prove returns ErrCredentials unless the given password is the caller's. A wrong one is a failed login of its name.
func (s Service) prove(ctx context.Context, caller usecase.Caller, own credentials, given profile.Secret,
	client string) error {
	done, wait, err := s.k.Dependencies.Limiter.Attempt(ctx, own.name.Key(), client)
	if err != nil {
		return err
	}
	if wait > 0 {
		return tooManyAttempts(ErrTooManyAttempts, wait)
	}
	failed := false
	defer func() { done(failed) }()
	right, err := s.k.Dependencies.Hasher.Matches(ctx, caller.HasherKey(), given, own.hash)
	if err == nil && !right {
		failed, err = true, ErrCredentials
	}
	return err
}

// RevokeToken makes the caller's token invalid at once. Its next login returns a new one.
func (s Service) RevokeToken(ctx context.Context, call usecase.Call,
	render usecase.Render[struct{}]) (usecase.Receipt, error) {
	next := s.k.Dependencies.Generator.Generation()
	return usecase.Run(ctx, s.k, call, render, usecase.Command[struct{}]{
		Name:      "revoke token",
		Event:     journal.TokenRevoked,
		Emergency: true,
		Rules: func(ctx context.Context, tx *usecase.Tx) (none struct{}, err error) {
			tx.TrackReseller(tx.Actor)
			tx.Actor.RevokeToken(next, tx.Now)
			return none, tx.SaveReseller(ctx, tx.Actor)
		},
	})
}
