package application

import (
	"context"
	"fmt"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Why a login is refused.
var (
	ErrCredentials     = fault.New(fault.Unauthenticated, "invalid-credentials", "The user name or the password is wrong.")
	ErrTooManyAttempts = fault.New(fault.Exhausted, "too-many-attempts", "Too many failed logins under this name from this address.")
)

// TooManyAttempts is ErrTooManyAttempts with the time to wait.
type TooManyAttempts struct{ Wait time.Duration }

// Error returns the sentence for people, with the figures.
func (e *TooManyAttempts) Error() string {
	return fmt.Sprintf("%s The next attempt is possible in %s.", ErrTooManyAttempts, (e.Wait + time.Second - 1).Truncate(time.Second))
}

// Unwrap makes the error match ErrTooManyAttempts.
func (e *TooManyAttempts) Unwrap() error { return ErrTooManyAttempts }

// Login is the command to get an account's token. A zero name or password stands
// for a text that no account can have.
type Login struct {
	Username profile.Username
	Password profile.Secret
	Client   string // who may not hold up others: the client's network
}

// Login returns the account's fixed token. Refusals: ErrCredentials, the same
// and in the same time for an unknown name and a wrong password;
// *TooManyAttempts; reseller.ErrBlocked, after a right password only.
func (s *Service) Login(ctx context.Context, c Login) (profile.Secret, error) {
	done, wait, err := s.out.Limiter.Attempt(ctx, c.Username.Key(), c.Client)
	if err != nil {
		return profile.Secret{}, err
	}
	if wait > 0 {
		return profile.Secret{}, &TooManyAttempts{wait}
	}
	failed := false
	defer func() { done(failed) }()
	ended, err := s.hashing.take(ctx, label("client", c.Client))
	if err != nil {
		return profile.Secret{}, err
	}
	defer ended()

	var account *reseller.Account
	var hash string
	var blockedAbove bool
	err = s.out.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) (err error) {
		if account, err = snapshot.Accounts.FindByUsername(ctx, c.Username); err != nil {
			return err
		}
		hash = account.PasswordHash()
		blockedAbove, err = snapshot.Accounts.AnyBlocked(ctx, account.Place().Above)
		return err
	})
	if err != nil && !isNotFound(err) {
		return profile.Secret{}, err
	}
	right, err := s.out.Hasher.Matches(ctx, c.Password, hash)
	if err != nil {
		return profile.Secret{}, err
	}
	if !right {
		failed = true
		return profile.Secret{}, ErrCredentials
	}
	if err := account.Admit(account.Token(), blockedAbove); err != nil {
		return profile.Secret{}, err
	}
	return s.out.Tokens.Issue(ports.Token{Account: account.ID(), Generation: account.Token()}), nil
}
