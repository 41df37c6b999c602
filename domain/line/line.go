// Package line implements the line aggregate, the account of a customer. A line starts as a trial and becomes official
// when its owner pays. The clock alone decides whether it runs. A line that was imported from another system is
// official without a payment.
//
// While a line runs, its months keep the day of the month: a line that is activated on 31 January and extended month by
// month ends on 28 February, 31 March and 30 April. Three times one month is one time three months. A price in days, an
// extension of an expired line, and an import set another day.
package line

import (
	"fmt"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// MinPassword is the least number of characters in a line's password.
const MinPassword = 4

// Sealed is an encrypted password. The service must show a line's password again, so it stores the password, readable
// only with the service key.
type Sealed []byte

// State is a line as a store has it.
type State struct {
	ID        int64
	Owner     reseller.Position // the reseller that is responsible for it
	Username  profile.Username
	Password  Sealed
	Trial     bool
	ExpiresAt time.Time
	Known
	PlatformID int64 // of an official line, 0 of a trial
	Charge     int64 // id of the movement that paid for the activation, 0 of a trial and of an imported line
	Edited     bool  // since activation
	CreatedAt  time.Time
	UpdatedAt  time.Time

	Suspension
	Origin   Origin
	Reimport int64 // the version that the last repeated import made, 0 without one
	Plan     int64 // 0 of a trial, and of an imported line until its first extension
	credit.Terms
	MonthDay int64 // day by which months count, if the month of ExpiresAt has no such day; 0: the day of ExpiresAt, in UTC

	Version int64 // the number of changes that UpdatedAt dated, plus 1
}

// Line is the aggregate.
type Line struct{ s State }

// Restore returns the line of a stored state. It refuses impossible states only.
func Restore(s State) (*Line, error) {
	switch {
	case s.ID <= 0 || s.Owner.ID <= 0:
		return nil, fmt.Errorf("line %d of account %d: an id is positive", s.ID, s.Owner.ID)
	case s.ExpiresAt.IsZero():
		return nil, fmt.Errorf("line %d: no expiry", s.ID)
	case !s.Suspended && s.Suspension != (Suspension{}):
		return nil, fmt.Errorf("line %d: it is not suspended, and so there is no reason", s.ID)
	case s.Origin != "" && (s.Origin != Imported || s.Trial || s.Charge != 0):
		return nil, fmt.Errorf("line %d: an imported line is official, and nothing was paid for it", s.ID)
	case s.Trial != (s.PlatformID == 0) || s.Origin == "" && s.Trial != (s.Charge == 0):
		return nil, fmt.Errorf("line %d: an official line, and no trial, has a platform id and was paid for", s.ID)
	case s.Reimport > s.Version:
		return nil, fmt.Errorf("line %d: an import over it made version %d, and it has version %d", s.ID,
			s.Reimport, s.Version)
	case (s.Plan == 0) != (s.Terms == credit.Terms{}) || s.Plan != 0 && (s.Trial || s.Connections < 1):
		return nil, fmt.Errorf("line %d: %d connections do not fit plan %d", s.ID, s.Connections, s.Plan)
	case s.MonthDay != 0 && !s.clamped():
		return nil, fmt.Errorf("line %d: it expires %s, and its months count by day %d", s.ID, s.ExpiresAt, s.MonthDay)
	}
	return &Line{s.clone()}, nil
}

// clamped reports whether an official line expires on its month's last day because the month has no MonthDay.
func (s State) clamped() bool {
	expiry := s.ExpiresAt.UTC()
	return !s.Trial && expiry.AddDate(0, 0, 1).Day() == 1 && s.MonthDay > int64(expiry.Day()) && s.MonthDay <= 31
}

// State returns a copy of the state to store.
func (l *Line) State() State { return l.s.clone() }

// Shown returns the fields that callers see: the state without the password and without the parents of its owner.
func (l *Line) Shown() State {
	s := l.s
	s.Owner.Ancestors, s.Password = nil, nil
	return s
}

func (s State) clone() State {
	s.Owner.Ancestors = slices.Clone(s.Owner.Ancestors)
	s.Password = slices.Clone(s.Password)
	return s
}

// ID returns the line's id.
func (l *Line) ID() int64 { return l.s.ID }

// Owner returns the position of the reseller that is responsible for the line.
func (l *Line) Owner() reseller.Position {
	return reseller.Position{ID: l.s.Owner.ID, Ancestors: slices.Clone(l.s.Owner.Ancestors)}
}

// ExpiresAt returns the end of the line's period.
func (l *Line) ExpiresAt() time.Time { return l.s.ExpiresAt }

// Running reports whether the line's period goes on. At the instant of expiry it has ended.
func (l *Line) Running(now time.Time) bool { return now.Before(l.s.ExpiresAt) }

// Trial has the fields of a new trial.
type Trial struct {
	ID          int64
	Username    profile.Username
	Password    Sealed
	Duration    time.Duration
	Description // without a country it gets its owner's
}

// NewTrial creates a trial of owner, counted against its allowance for 24 hours (0: no limit). The refusal is
// reseller.ErrAllowance.
func NewTrial(owner *reseller.Reseller, t Trial, allowance int, now time.Time) (*Line, error) {
	if err := owner.CountTrial(allowance, now); err != nil {
		return nil, err
	}
	l := &Line{State{
		ID:        t.ID,
		Owner:     owner.Position(),
		Username:  t.Username,
		Password:  slices.Clone(t.Password),
		Trial:     true,
		ExpiresAt: now.Add(t.Duration),
		Known:     Known{Country: owner.Country()},
		CreatedAt: now,
		UpdatedAt: now,
		Version:   1,
	}}
	l.describe(t.Description)
	return l, nil
}

// Tombstone is the record that a deleted line leaves, so that a deletion can be distinguished from a loss. The ledger
// keeps the movements that paid for the line.
type Tombstone struct {
	Line   int64
	Charge int64 // id of the movement that paid for the activation, 0 of a trial and of an imported line
	Actor  int64 // reseller that deleted it
	At     time.Time
}

// Tombstone returns the record that the line leaves after actor deleted it.
func (l *Line) Tombstone(actor int64, now time.Time) Tombstone {
	return Tombstone{Line: l.s.ID, Charge: l.s.Charge, Actor: actor, At: now}
}
