// Package line holds the line, a client's account, as an aggregate: it starts as a trial, becomes
// official when its owner pays, and is running or not by the clock alone.
package line

import (
	"fmt"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// MinPassword is the least number of characters in a line's password.
const MinPassword = 4

// Why something is refused for a line.
var (
	ErrNotTrial = fault.New(fault.Conflict, "line-not-trial", "The line is official already: only a trial can be activated.")
	ErrIsTrial  = fault.New(fault.Conflict, "line-is-trial", "The line is a trial: it must be activated first.")
	ErrTooLong  = fault.New(fault.Conflict, "period-too-long", "A line runs at most 10 years ahead.")
)

// Sealed is an encrypted password: a line's password must be delivered again, so
// it is kept, and only who holds the service key can read it.
type Sealed []byte

// State is a line as a store keeps it.
type State struct {
	ID         int64
	Owner      reseller.Position // of the reseller responsible for it
	Username   profile.Username
	Password   Sealed
	Trial      bool
	ExpiresAt  time.Time
	Country    profile.Text
	Whatsapp   profile.Text
	Notes      profile.Text
	PlatformID int64 // given at activation, 0 before
	Charge     int64 // movement that paid for the activation, 0 before
	Edited     bool  // since activation
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Line is the aggregate.
type Line struct{ s State }

// Restore returns the line that a store kept. It refuses impossible states only.
func Restore(s State) (*Line, error) {
	switch {
	case s.ID <= 0 || s.Owner.ID <= 0:
		return nil, fmt.Errorf("line %d of account %d: an id is positive", s.ID, s.Owner.ID)
	case s.ExpiresAt.IsZero():
		return nil, fmt.Errorf("line %d: no expiry", s.ID)
	case s.Trial != (s.PlatformID == 0) || s.Trial != (s.Charge == 0):
		return nil, fmt.Errorf("line %d: an official line, and no trial, has a platform id and was paid for", s.ID)
	}
	return &Line{s.clone()}, nil
}

// State returns a copy of what is to be kept.
func (l *Line) State() State { return l.s.clone() }

func (s State) clone() State {
	s.Owner.Ancestors = slices.Clone(s.Owner.Ancestors)
	s.Password = slices.Clone(s.Password)
	return s
}

// ID returns the line's id.
func (l *Line) ID() int64 { return l.s.ID }

// Owner returns the place of the reseller responsible for the line.
func (l *Line) Owner() reseller.Position {
	return reseller.Position{ID: l.s.Owner.ID, Ancestors: slices.Clone(l.s.Owner.Ancestors)}
}

// Running reports whether the line's period has not ended: at the very instant
// of expiry it has.
func (l *Line) Running(now time.Time) bool { return now.Before(l.s.ExpiresAt) }

// Trial is what a trial starts with.
type Trial struct {
	ID       int64
	Username profile.Username
	Password Sealed
	Notes    profile.Text
	Runs     time.Duration
}

// NewTrial issues a trial that owner is responsible for, counted against its
// allowance for 24 hours (0: no limit). The refusal is *reseller.AllowanceSpent.
func NewTrial(owner *reseller.Reseller, t Trial, allowance int, now time.Time) (*Line, error) {
	if err := owner.CountTrial(allowance, now); err != nil {
		return nil, err
	}
	return &Line{State{
		ID:        t.ID,
		Owner:     owner.Position(),
		Username:  t.Username,
		Password:  slices.Clone(t.Password),
		Trial:     true,
		ExpiresAt: now.Add(t.Runs),
		Country:   owner.Country(),
		Notes:     t.Notes,
		CreatedAt: now,
		UpdatedAt: now,
	}}, nil
}

// Activatable returns ErrNotTrial for an official line.
func (l *Line) Activatable() error {
	if !l.s.Trial {
		return ErrNotTrial
	}
	return nil
}

// ExpiresAt returns when the line's period ends.
func (l *Line) ExpiresAt() time.Time { return l.s.ExpiresAt }

// Editable returns ErrIsTrial for a trial.
func (l *Line) Editable() error {
	if l.s.Trial {
		return ErrIsTrial
	}
	return nil
}

// Details are what activating or editing sets. A nil text is left alone, a
// pointer to an empty one clears it.
type Details struct {
	Username profile.Username
	Password Sealed
	Country  profile.Text
	Whatsapp *profile.Text
	Notes    *profile.Text
}

func (l *Line) describe(d Details) {
	l.s.Username = d.Username
	l.s.Password = slices.Clone(d.Password)
	l.s.Country = d.Country
	l.s.Whatsapp.Change(d.Whatsapp)
	l.s.Notes.Change(d.Notes)
}

// Activate makes a trial, running or expired, official for the price's period,
// counted from now, and charges payer, who must be the owner. Refusals:
// ErrNotTrial, *reseller.InsufficientCredits.
func (l *Line) Activate(payer *reseller.Reseller, price credit.Price, d Details, platformID int64, v credit.Provenance) (credit.Movement, error) {
	if err := l.Activatable(); err != nil {
		return credit.Movement{}, err
	}
	m, err := l.charge(payer, credit.Activation, price, v)
	if err != nil {
		return credit.Movement{}, err
	}
	l.describe(d)
	l.s.Trial = false
	l.s.ExpiresAt = price.Period().After(v.At)
	l.s.PlatformID = platformID
	l.s.Charge = m.ID
	l.s.UpdatedAt = v.At
	return m, nil
}

// maxYearsAhead bounds how far an extension reaches.
const maxYearsAhead = 10

// Extend makes an official line run longer by the price's period, counted from
// the later of now and its expiry, and charges payer, who must be the owner. It
// returns the start of the period with the charge. Refusals: ErrIsTrial,
// ErrTooLong, *reseller.InsufficientCredits.
func (l *Line) Extend(payer *reseller.Reseller, price credit.Price, v credit.Provenance) (time.Time, credit.Movement, error) {
	if l.s.Trial {
		return time.Time{}, credit.Movement{}, ErrIsTrial
	}
	from := v.At
	if l.s.ExpiresAt.After(from) {
		from = l.s.ExpiresAt
	}
	until := price.Period().After(from)
	if until.After(credit.Years(maxYearsAhead).After(v.At)) {
		return time.Time{}, credit.Movement{}, ErrTooLong
	}
	m, err := l.charge(payer, credit.Extension, price, v)
	if err != nil {
		return time.Time{}, credit.Movement{}, err
	}
	l.s.ExpiresAt = until
	l.s.UpdatedAt = v.At
	return from, m, nil
}

// charge makes the owner pay for the line.
func (l *Line) charge(payer *reseller.Reseller, op credit.Operation, price credit.Price, v credit.Provenance) (credit.Movement, error) {
	if payer.ID() != l.s.Owner.ID {
		return credit.Movement{}, fmt.Errorf("line %d is owned by account %d: account %d can't pay for it", l.s.ID, l.s.Owner.ID, payer.ID())
	}
	return payer.Pay(op, price.Credits(), l.s.ID, v)
}

// Edit changes the record of an official line, running or expired. The refusal
// is ErrIsTrial.
func (l *Line) Edit(d Details, now time.Time) error {
	if err := l.Editable(); err != nil {
		return err
	}
	l.describe(d)
	l.s.Edited = true
	l.s.UpdatedAt = now
	return nil
}

// Tombstone is what is left of a line that was deleted, so that its deletion can be
// told from a disappearance: what was paid for the line stays in the ledger.
type Tombstone struct {
	Line   int64
	Charge int64 // movement that paid for the activation, 0 of a trial
	Actor  int64 // reseller that deleted it
	At     time.Time
}

// Tombstone returns what is left of the line once actor has deleted it.
func (l *Line) Tombstone(actor int64, now time.Time) Tombstone {
	return Tombstone{Line: l.s.ID, Charge: l.s.Charge, Actor: actor, At: now}
}
