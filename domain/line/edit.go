package line

import (
	"reflect"
	"slices"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// ErrIsTrial refuses what only an official line may.
var ErrIsTrial = fault.New(fault.Conflict, "line-is-trial", "The line is a trial: it must be activated first.")

// Details are what activating or editing sets. A nil text is left alone, a pointer to an empty one clears it.
type Details struct {
	Username profile.Username
	Password Sealed
	Country  profile.Text
	Whatsapp *profile.Text
	Notes    *profile.Text
}

func (l *Line) describe(d Details) {
	l.s.Username = l.s.Username.Become(d.Username)
	l.s.Password = slices.Clone(d.Password)
	l.s.Country = d.Country
	l.s.Whatsapp.Change(d.Whatsapp)
	l.s.Notes.Change(d.Notes)
}

// Editable returns ErrIsTrial for a trial.
func (l *Line) Editable() error {
	if l.s.Trial {
		return ErrIsTrial
	}
	return nil
}

// Edit changes the record of an official line, running or expired. One that leaves it as it is has no date. The refusal
// is ErrIsTrial.
func (l *Line) Edit(d Details, now time.Time) error {
	if err := l.Editable(); err != nil {
		return err
	}
	was := l.s
	l.describe(d)
	l.s.Edited = true
	if !reflect.DeepEqual(l.s, was) { // in whatever fields a line has
		l.s.UpdatedAt = now
	}
	return nil
}

// SealAnew keeps the same password, encrypted under another key. Nothing else is changed, nor does it count as an edit.
func (l *Line) SealAnew(same Sealed) { l.s.Password = slices.Clone(same) }
