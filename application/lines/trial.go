package lines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// insertLine inserts the line that the command creates.
func insertLine(ctx context.Context, tx *usecase.Tx, l *line.Line) error {
	is := l.State()
	tx.Written, tx.Entry = true, tx.Entry.WithLine(nil, &is)
	if err := tx.Lines.Insert(ctx, l); err != nil {
		return err
	}
	return requeueReminders(ctx, tx.Tx, l, tx.ExpiringDays.DueOnCreation(l))
}

// nameAttempts bounds how many generated names a trial tries. There are 31^12 names, so several taken ones in a row are
// a fault of the generator.
const nameAttempts = 8

var errNoName = fmt.Errorf("%d generated names in a row are taken", nameAttempts)

// CreateTrial creates a trial that the caller owns, with a generated name and password and this description. Refusals:
// reseller.ErrAllowance, line.ErrExternalIDTaken.
func (s Service) CreateTrial(ctx context.Context, call usecase.Call, known line.Description,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	for range nameAttempts {
		receipt, err := s.createTrial(ctx, call, known, render)
		if !errors.Is(err, profile.ErrUsernameTaken) {
			return receipt, err
		}
	}
	return usecase.Receipt{}, errNoName
}

var lineID = []ports.Sequence{ports.LineIDs}

func (s Service) createTrial(ctx context.Context, call usecase.Call, known line.Description,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	password := s.k.Dependencies.Generator.LinePassword()
	username := s.k.Dependencies.Generator.LineUsername()
	var ahead bool
	var now time.Time
	receipt, err := usecase.Run(ctx, s.k, call, render, usecase.Command[Line]{
		Name:  "create trial",
		Event: journal.TrialCreated,
		IDs:   lineID,
		Rules: func(ctx context.Context, tx *usecase.Tx) (Line, error) {
			now, ahead = tx.Now, tx.Actor.ClampTrials(tx.Now)
			id := tx.ID(ports.LineIDs)
			sealed, err := seal(s.k, password, id)
			if err != nil {
				return Line{}, err
			}
			trial := line.Trial{ID: id, Username: username, Password: sealed,
				Duration: s.k.Policy.TrialDuration, Description: known}
			l, err := line.NewTrial(tx.Actor, trial, s.k.Policy.TrialsPerDay, tx.Now)
			if err != nil {
				return Line{}, err
			}
			if err := insertLine(ctx, tx, l); err != nil {
				return Line{}, err
			}
			if s.k.Policy.TrialsPerDay > 0 {
				if err := tx.SaveReseller(ctx, tx.Actor); err != nil {
					return Line{}, err
				}
			}
			return shows(ctx, tx, Line{Line: l, Password: password})
		},
	})
	if ahead && errors.Is(err, reseller.ErrAllowance) {
		// The refusal stores nothing, and without this the wait would start again with each request.
		err = cmp.Or(s.bringTrialsBack(ctx, call.Caller.Reseller(), now), err)
	}
	return receipt, err
}

func (s Service) bringTrialsBack(ctx context.Context, reseller int64, now time.Time) error {
	return s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Resellers.Get(ctx, reseller)
		if err != nil || !r.ClampTrials(now) {
			return err
		}
		return tx.Resellers.Save(ctx, r)
	})
}

// requeueReminders moves the cursors of reminders back to a new line that other processes may see only when its
// reminder is due. A cursor may have passed the line. Another process may also be about to move a cursor past the line:
// it then checks again.
func requeueReminders(ctx context.Context, tx ports.Tx, l *line.Line, days []int) error {
	reminders := ports.Reminders.In(tx.Records)
	for _, n := range days {
		at, err := reminders.Get(ctx, int64(n))
		if usecase.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		if !at.Expiry.Before(l.ExpiresAt()) {
			at.SentUntil = usecase.Later(at.SentUntil, at.Expiry)
			at.Expiry, at.Line = l.ExpiresAt().Add(-time.Millisecond), math.MaxInt64
		}
		at.LateLine++
		if err := reminders.Save(ctx, at); err != nil {
			return err
		}
	}
	return nil
}
