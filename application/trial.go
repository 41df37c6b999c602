package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// nameAttempts bounds how many generated names a trial tries. One in 31^12 is
// generated twice, so that a few taken ones in a row are a fault of the generator.
const nameAttempts = 8

var errNoName = fmt.Errorf("%d generated names in a row are taken", nameAttempts)

// CreateTrial issues a trial that the caller owns, with a generated name and
// password. The refusal is *reseller.AllowanceSpent.
func (s *Service) CreateTrial(ctx context.Context, call Call, notes profile.Text, render Render[Line]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "create trial")
	defer ended()
	id, err := s.dependencies.Store.NextID(ctx, ports.LineIDs)
	if err != nil {
		return Receipt{}, err
	}
	for range nameAttempts {
		receipt, err := s.createTrial(ctx, call, id, notes, render)
		if !errors.Is(err, profile.ErrUsernameTaken) {
			return receipt, err
		}
	}
	return Receipt{}, errNoName
}

func (s *Service) createTrial(ctx context.Context, call Call, id int64, notes profile.Text, render Render[Line]) (Receipt, error) {
	now := s.dependencies.Clock()
	password := s.dependencies.Generator.LinePassword()
	username := s.dependencies.Generator.LineUsername()
	var ahead bool
	receipt, err := perform(ctx, s, call, now, ports.Reads{}, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Line, error) {
		ahead = actor.BringTrialsBack(now)
		sealed, err := s.seal(password, id)
		if err != nil {
			return Line{}, err
		}
		trial := line.Trial{ID: id, Username: username, Password: sealed, Notes: notes, Runs: s.policy.TrialDuration}
		l, err := line.NewTrial(actor, trial, s.policy.TrialsPerDay, now)
		if err != nil {
			return Line{}, err
		}
		if err := tx.Lines.Insert(ctx, l); err != nil {
			return Line{}, err
		}
		if s.policy.TrialsPerDay > 0 {
			err = tx.Resellers.Save(ctx, actor)
		}
		return Line{l, password, now}, err
	})
	if ahead && errors.Is(err, reseller.ErrAllowance) {
		// The refusal keeps nothing, and without this the wait would begin anew with each request.
		err = cmp.Or(s.bringTrialsBack(ctx, call.Caller.Reseller(), now), err)
	}
	return receipt, err
}

func (s *Service) bringTrialsBack(ctx context.Context, reseller int64, now time.Time) error {
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Resellers.Get(ctx, reseller)
		if err != nil || !r.BringTrialsBack(now) {
			return err
		}
		return tx.Resellers.Save(ctx, r)
	})
}
