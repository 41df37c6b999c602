// Package application holds the use cases: one method is one use case, and its
// effect is one transaction. The methods are the driving port: an adapter calls
// them with parsed values and gets an answer or a fault.
//
// Every use case but the login decides in the same order: is the token still
// good, is the reseller blocked, was this request answered before, may the caller
// see what it acts on, may it do this, does the state allow it, is it paid for.
package application

import (
	"context"
	"errors"
	"fmt"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Policy is what the operator decides.
type Policy struct {
	TrialDuration time.Duration // how long a trial runs, more than 0
	TrialsPerDay  int           // per reseller in any 24 hours, 0: no limit
}

// Dependencies is everything that the use cases need from the outside.
type Dependencies struct {
	Store     ports.Store
	Clock     ports.Clock
	Generator ports.Generator
	Hasher    ports.PasswordHasher
	Tokens    ports.Tokens
	Vault     ports.Vault
	Limiter   ports.LoginLimiter
}

// Service runs the use cases. It is safe for concurrent use and keeps no record
// of its own.
type Service struct {
	dependencies Dependencies
	policy       Policy
	hashing      callerQueue   // who makes or compares a password hash
	proving      chan struct{} // holds a value while a proof runs
}

// New returns the service.
func New(dependencies Dependencies, policy Policy) *Service {
	return &Service{dependencies: dependencies, policy: policy, proving: make(chan struct{}, 1)}
}

// Call is what every use case is told about the request itself.
type Call struct {
	Token   ports.Token // its signature is good; the transaction looks at the rest
	Request string      // request id, kept with each movement
	Key     string      // idempotency key, "" where none was given
	Content []byte      // what the key stands for: another content under it is refused
}

// Answer is what a driving adapter made of a result, to be sent and, where a key
// was given, recorded with the effect.
type Answer struct {
	Status   int
	Body     []byte
	Replayed bool // it was recorded by an earlier request
}

// Render makes the answer of a result. It is called inside the transaction,
// possibly several times, and has no effects.
type Render[R any] func(R) Answer

// perform runs work in one transaction on behalf of the token's reseller, which
// is loaded there so that a revocation or a block counts at once, and records
// the rendered answer under the call's key. A request that was answered before
// gets the recorded answer and has no effect.
func perform[R any](
	ctx context.Context, s *Service, call Call, now time.Time, render Render[R],
	work func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (R, error),
) (Answer, error) {
	var answer Answer
	err := s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		actor, err := admit(ctx, tx.Resellers, call.Token)
		if err != nil {
			return err
		}
		recorded, err := s.recorded(ctx, tx.Keys, call, now)
		if err != nil {
			return err
		}
		if recorded != nil {
			answer = *recorded
			return nil
		}
		result, err := work(ctx, tx, actor)
		if err != nil {
			return err
		}
		answer = render(result)
		return s.record(ctx, tx.Keys, call, answer, now)
	})
	if err != nil {
		return Answer{}, err
	}
	return answer, nil
}

// look refuses what perform would refuse, as far as check can tell, and returns
// the recorded answer of a request that was answered before. It goes ahead of
// slow work, so that a refusal costs none.
func (s *Service) precheck(
	ctx context.Context, call Call, now time.Time,
	check func(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller) error,
) (recorded *Answer, err error) {
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		actor, err := admit(ctx, snapshot.Resellers, call.Token)
		if err != nil {
			return err
		}
		if recorded, err = s.recorded(ctx, snapshot.Keys, call, now); err != nil || recorded != nil {
			return err
		}
		return check(ctx, snapshot.Resellers, actor)
	})
	return recorded, err
}

// admit loads the token's reseller and decides whether it may act at all.
func admit(ctx context.Context, resellers ports.ResellerReader, token ports.Token) (*reseller.Reseller, error) {
	actor, err := resellers.Get(ctx, token.Reseller)
	if err != nil {
		if isNotFound(err) {
			return nil, reseller.ErrTokenRevoked
		}
		return nil, err
	}
	blocked, err := resellers.AnyBlocked(ctx, actor.Position().Ancestors)
	if err != nil {
		return nil, err
	}
	return actor, actor.Admit(token.Generation, blocked)
}

// settle keeps a movement and those of the resellers that it entered. An admin's
// record is not written for what it issues, and so never becomes a hot one.
func post(ctx context.Context, tx ports.Tx, m credit.Movement, resellers ...*reseller.Reseller) error {
	for _, a := range resellers {
		if _, concerned := m.Posting(a.ID()); !concerned {
			continue
		}
		if err := tx.Resellers.Save(ctx, a); err != nil {
			return err
		}
	}
	return tx.Ledger.Append(ctx, m)
}

// provenance takes the id of a movement and signs for it.
func (s *Service) provenance(ctx context.Context, call Call, notes profile.Text, now time.Time) (credit.Provenance, error) {
	id, err := s.dependencies.Store.NextID(ctx, ports.MovementIDs)
	if err != nil {
		return credit.Provenance{}, err
	}
	return credit.Provenance{
		ID:      id,
		Actor:   call.Token.Reseller,
		Request: call.Request,
		Notes:   notes.String(),
		At:      now,
	}, nil
}

// seal encrypts a line's password for its record.
func (s *Service) seal(password profile.Secret, lineID int64) line.Sealed {
	return s.dependencies.Vault.Seal([]byte(password.Reveal()), label("line", lineID))
}

// free returns profile.ErrUsernameTaken where found, the outcome of a search for
// a name, is another record than own. The store has the last word: a name may
// still be taken at the insert, or at the commit.
func free(found, own int64, err error) error {
	switch {
	case isNotFound(err):
		return nil
	case err != nil:
		return err
	case found != own:
		return profile.ErrUsernameTaken
	}
	return nil
}

func freeResellerName(ctx context.Context, resellers ports.ResellerReader, name profile.Username, own int64) error {
	holder, err := resellers.FindByUsername(ctx, name)
	if err != nil {
		return free(0, own, err)
	}
	return free(holder.ID(), own, nil)
}

func freeLineName(ctx context.Context, lines ports.Lines, name profile.Username, own int64) error {
	holder, err := lines.FindByUsername(ctx, name)
	return free(holder, own, err)
}

// label names the record that a ciphertext belongs to.
func label(of string, ids ...any) string { return of + fmt.Sprintf("/%v", ids) }

func isNotFound(err error) bool { return errors.Is(err, fault.ErrNotFound) }
