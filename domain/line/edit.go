package line

import (
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
	l.s.Username = d.Username
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

// Edit changes the record of an official line, running or expired. The refusal is ErrIsTrial.
func (l *Line) Edit(d Details, now time.Time) error {
	if err := l.Editable(); err != nil {
		return err
	}
	l.describe(d)
	l.s.Edited = true
	l.s.UpdatedAt = now
	return nil
}

// SealAnew keeps the same password, encrypted under another key. Nothing else is changed, nor does it count as an edit.
func (l *Line) SealAnew(same Sealed) { l.s.Password = slices.Clone(same) }
