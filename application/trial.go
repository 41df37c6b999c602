package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"resellerd/domain/journal"
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
// password, of which this is known. Refusals: reseller.ErrAllowance, line.ErrExternalIDTaken.
func (s Lines) CreateTrial(ctx context.Context, call Call, known line.Description,
	render Render[Line]) (Receipt, error) {
	for range nameAttempts {
		receipt, err := s.createTrial(ctx, call, known, render)
		if !errors.Is(err, profile.ErrUsernameTaken) {
			return receipt, err
		}
	}
	return Receipt{}, errNoName
}

var lineID = []ports.Sequence{ports.LineIDs}

func (s Lines) createTrial(ctx context.Context, call Call, known line.Description,
	render Render[Line]) (Receipt, error) {
	password := s.dependencies.Generator.LinePassword()
	username := s.dependencies.Generator.LineUsername()
	var ahead bool
	var now time.Time
	receipt, err := run(ctx, s.kernel, call, render, command[Line]{
		name:  "create trial",
		event: journal.TrialCreated,
		ids:   lineID,
		rules: func(ctx context.Context, do *work) (Line, error) {
			now, ahead = do.now, do.actor.BringTrialsBack(do.now)
			id := do.id(ports.LineIDs)
			sealed, err := s.seal(password, id)
			if err != nil {
				return Line{}, err
			}
			trial := line.Trial{ID: id, Username: username, Password: sealed, Runs: s.policy.TrialDuration, Description: known}
			l, err := line.NewTrial(do.actor, trial, s.policy.TrialsPerDay, do.now)
			if err != nil {
				return Line{}, err
			}
			if err := do.insertLine(ctx, l); err != nil {
				return Line{}, err
			}
			if s.policy.TrialsPerDay > 0 {
				if err := do.saveReseller(ctx, do.actor); err != nil {
					return Line{}, err
				}
			}
			return do.shows(ctx, do.changed(l, password))
		},
	})
	if ahead && errors.Is(err, reseller.ErrAllowance) {
		// The refusal keeps nothing, and without this the wait would start again with each request.
		err = cmp.Or(s.bringTrialsBack(ctx, call.Caller.Reseller(), now), err)
	}
	return receipt, err
}

func (s Lines) bringTrialsBack(ctx context.Context, reseller int64, now time.Time) error {
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Resellers.Get(ctx, reseller)
		if err != nil || !r.BringTrialsBack(now) {
			return err
		}
		return tx.Resellers.Save(ctx, r)
	})
}
