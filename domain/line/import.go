package line

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// Origin is how an official line came to be without a charge. The set is closed; the zero value is that of all other
// lines. It never changes.
type Origin string

// Imported is the origin of a line that was taken over from another system, in which it was paid for.
const Imported Origin = "imported"

// ParseOrigin finds an origin by its stored name, which is "" for none.
func ParseOrigin(name string) (Origin, error) {
	switch o := Origin(name); o {
	case "", Imported:
		return o, nil
	}
	return "", fmt.Errorf("unknown origin %q of a line", name)
}

// ErrExternalIDDiffers refuses an import under an external id that a line of the same owner has, with other values.
var ErrExternalIDDiffers = fault.New(fault.Conflict, "external-id-differs", "A line of the same owner has this external_id, with other values.")

// Import is a line of another system. Its expiry, which may have passed, is kept.
type Import struct {
	ID          int64
	PlatformID  int64
	Username    profile.Username
	Password    Sealed
	ExpiresAt   time.Time
	Trial       bool // there, which is refused
	Suspended   bool
	Description // its country is the owner's where it has none
}

// NewImported takes over a line that owner is responsible for, official and without a charge. Refusals:
// ErrIsTrial, ErrTooLong.
func NewImported(owner *reseller.Reseller, i Import, now time.Time) (*Line, error) {
	switch {
	case i.Trial:
		return nil, ErrIsTrial
	case tooLong(i.ExpiresAt, now):
		return nil, ErrTooLong
	}
	l := &Line{State{
		ID:         i.ID,
		Owner:      owner.Position(),
		Username:   i.Username,
		Password:   slices.Clone(i.Password),
		ExpiresAt:  i.ExpiresAt,
		Country:    owner.Country(),
		PlatformID: i.PlatformID,
		CreatedAt:  now,
		UpdatedAt:  now,
		Suspension: Suspension{Suspended: i.Suspended},
		Origin:     Imported,
		Version:    1,
	}}
	l.describe(i.Description)
	return l, nil
}

// Repeats reports whether a line that is there has the values of an imported one. Passwords, which are sealed, are left
// to the caller; ids, dates of the record, the reason of a suspension, how the line came to be official, and by which day
// its months count do not count.
func (l *Line) Repeats(imported *Line) bool {
	values := func(s State) State {
		s.ExpiresAt = s.ExpiresAt.UTC()
		s.ID, s.PlatformID, s.Charge, s.Origin, s.MonthDay, s.Password = 0, 0, 0, "", 0, nil
		s.Edited, s.CreatedAt, s.UpdatedAt, s.Version, s.Reason = false, time.Time{}, time.Time{}, 0, profile.Text{}
		return s
	}
	return reflect.DeepEqual(values(l.State()), values(imported.State()))
}
