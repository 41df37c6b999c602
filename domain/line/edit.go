package line

import (
	"reflect"
	"slices"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// ErrIsTrial refuses an operation that needs an official line.
var ErrIsTrial = fault.New(fault.Conflict, "line-is-trial", "The line is a trial: it must be activated first.")

// ErrExternalIDTaken refuses an external id that another line of the same owner has.
var ErrExternalIDTaken = fault.New(fault.Conflict, "external-id-taken",
	"Another line of the same owner has this external_id.")

// Details are the fields that an activation or an edit sets.
type Details struct {
	Username profile.Username
	Password Sealed
	Description
}

func (l *Line) set(d Details) {
	l.s.Username = d.Username
	l.s.Password = slices.Clone(d.Password)
	l.describe(d.Description)
}

// Describe changes the texts and metadata of a line, also of a trial. It does not count as an edit. A change without an
// effect has no date.
func (l *Line) Describe(d Description, now time.Time) {
	was := l.s
	l.describe(d)
	l.date(was, now)
}

// date dates and counts a change of a line that had an effect.
func (l *Line) date(was State, now time.Time) {
	if !reflect.DeepEqual(l.s, was) { // over all fields that a line has
		l.s.UpdatedAt = now
		l.s.Version++
	}
}

// Editable returns ErrIsTrial for a trial.
func (l *Line) Editable() error {
	if l.s.Trial {
		return ErrIsTrial
	}
	return nil
}

// Edit changes the record of an official line, running or expired. One without an effect has no date. The refusal is
// ErrIsTrial.
func (l *Line) Edit(d Details, now time.Time) error {
	if err := l.Editable(); err != nil {
		return err
	}
	was := l.s
	l.set(d)
	l.s.Edited = true
	l.date(was, now)
	return nil
}

// Reseal replaces the password by the same one, encrypted with another key. It changes nothing else and does not count
// as an edit.
func (l *Line) Reseal(same Sealed) { l.s.Password = slices.Clone(same) }
