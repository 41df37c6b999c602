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

// Login is the command to get a reseller's token. A zero name or password stands for a text that no reseller can have.
type Login struct {
	Username profile.Username
	Password profile.Secret
	Client   string // who may not hold up others: the client's network
}

// Login returns the reseller's fixed token. Refusals: ErrCredentials, the same and in the same time for an unknown name
// and a wrong password; *TooManyAttempts; reseller.ErrBlocked, after a right password only.
func (s *Service) Login(ctx context.Context, c Login) (profile.Secret, error) {
	done, wait, err := s.dependencies.Limiter.Attempt(ctx, c.Username.Key(), c.Client)
	if err != nil {
		return profile.Secret{}, err
	}
	if wait > 0 {
		return profile.Secret{}, &TooManyAttempts{wait}
	}
	failed := false
	defer func() { done(failed) }()

	var r *reseller.Reseller
	var hash string
	var blockedAbove bool
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) (err error) {
		if r, err = snapshot.Resellers.FindByUsername(ctx, c.Username); err != nil {
			return err
		}
		hash = r.PasswordHash()
		blockedAbove, err = snapshot.Resellers.AnyBlocked(ctx, r.Position().Ancestors)
		return err
	})
	if err != nil && !isNotFound(err) {
		return profile.Secret{}, err
	}
	right, err := s.dependencies.Hasher.Matches(ctx, label("client", c.Client), c.Password, hash)
	if err != nil {
		return profile.Secret{}, err
	}
	if !right {
		failed = true
		return profile.Secret{}, ErrCredentials
	}
	if err := r.Admit(r.Token(), blockedAbove); err != nil {
		return profile.Secret{}, err
	}
	return s.dependencies.Tokens.Issue(ports.Token{Reseller: r.ID(), Generation: r.Token()}), nil
}

// RevokeToken makes the caller's token dead at once; its next login gives another.
func (s *Service) RevokeToken(ctx context.Context, call Call, render Render[struct{}]) (Receipt, error) {
	now, next := s.dependencies.Clock(), s.dependencies.Generator.Generation()
	return perform(ctx, s, call, now, ports.Reads{}, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (struct{}, error) {
		actor.RevokeToken(next, now)
		return struct{}{}, tx.Resellers.Save(ctx, actor)
	})
}
