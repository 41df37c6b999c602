package line

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// Origin is how an official line was created without a charge. The set is closed; the zero value is the origin of all
// other lines. It never changes.
type Origin string

// Imported is the origin of a line from another system, where it was paid for.
const Imported Origin = "imported"

// ParseOrigin finds an origin by its stored name, which is "" for other lines.
func ParseOrigin(name string) (Origin, error) {
	switch o := Origin(name); o {
	case "", Imported:
		return o, nil
	}
	return "", fmt.Errorf("unknown origin %q of a line", name)
}

// ErrExternalIDDiffers refuses an import under an external id that a line of the same owner has, with other values.
var ErrExternalIDDiffers = fault.New(fault.Conflict, "external-id-differs",
	"A line of the same owner has this external_id, with other values.")

// ImportConflict refuses an import under an external id that a line of the same owner has, with other values. It
// matches ErrExternalIDDiffers.
type ImportConflict struct {
	Members      []string  // whose values differ, by their names in the interface
	Expiry       time.Time // of the line
	ReasonToKeep string    // why the line does not take over the values, "" unless the import is to update lines
}

// Error names the members.
func (e *ImportConflict) Error() string {
	said := "A line of the same owner has this external_id, with another " + strings.Join(e.Members, ", ") + "."
	if slices.Contains(e.Members, memberExpiry) {
		said += " Here it expires " + e.Expiry.UTC().Format(time.RFC3339) + "."
	}
	if e.ReasonToKeep != "" {
		said += " " + e.ReasonToKeep
	}
	return said
}

// Unwrap returns ErrExternalIDDiffers.
func (e *ImportConflict) Unwrap() error { return ErrExternalIDDiffers }

// Import is a line of another system. Its expiry stays, also if it has passed.
type Import struct {
	ID         int64
	PlatformID int64
	Username   profile.Username
	Password   Sealed
	ExpiresAt  time.Time
	Trial      bool // in the other system: refused
	Suspended  bool
	Plan       int64 // 0: none
	credit.Terms
	Description // without a country it gets its owner's
}

// NewImported creates an official line for owner from a line of another system, without a charge. Refusals: ErrIsTrial,
// ErrTooLong.
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
		Known:      Known{Country: owner.Country()},
		PlatformID: i.PlatformID,
		CreatedAt:  now,
		UpdatedAt:  now,
		Suspension: Suspension{Suspended: i.Suspended},
		Plan:       i.Plan,
		Terms:      i.Terms,
		Origin:     Imported,
		Version:    1,
	}}
	l.describe(i.Description)
	return l, nil
}

const memberExpiry = "expDate"

// DifferingMembers returns the members whose values differ from those of an imported line, by their names in the
// interface. The caller compares passwords, which are sealed. These do not count: ids, dates of the record, the reason
// of a suspension, the origin, the day by which months count, and a plan that the imported line lacks.
func (l *Line) DifferingMembers(imported *Line) (members []string) {
	is, other := l.s, imported.s
	compare := func(name string, same bool) {
		if !same {
			members = append(members, name)
		}
	}
	compare("username", is.Username == other.Username)
	compare(memberExpiry, is.ExpiresAt.Equal(other.ExpiresAt))
	compare("isTrial", is.Trial == other.Trial)
	compare("suspended", is.Suspended == other.Suspended)
	texts := other.Texts()
	for i, m := range is.Texts() {
		compare(m.Name, *m.At == *texts[i].At)
	}
	compare("metadata", is.Metadata == other.Metadata)
	compare("plan", is.Plan == other.Plan || other.Plan == 0)
	return members
}

// ReasonToKeep returns why a line keeps its values when it is imported again, "" if it takes over the imported ones. It
// takes them over if only imports have changed it and it does not run longer.
func (l *Line) ReasonToKeep(imported *Line) string {
	switch {
	case l.s.Origin != Imported:
		return "It was not imported: it keeps its own."
	case l.s.Version != max(1, l.s.Reimport):
		return "It was changed here since its import: it keeps its own."
	case imported.s.ExpiresAt.Before(l.s.ExpiresAt):
		return "It runs longer here: an import takes no time away."
	}
	return ""
}

// TakeOver replaces the values of a line by those of one that is imported again, with its password, which may be the
// same. The line must have no ReasonToKeep.
func (l *Line) TakeOver(imported *Line, password Sealed, now time.Time) {
	was := l.s
	l.s = imported.State()
	l.s.ID, l.s.PlatformID, l.s.Password, l.s.CreatedAt = was.ID, was.PlatformID, slices.Clone(password), was.CreatedAt
	l.s.UpdatedAt, l.s.Version, l.s.Reimport = was.UpdatedAt, was.Version, was.Reimport
	if l.s.Plan == 0 {
		l.s.Plan, l.s.Terms = was.Plan, was.Terms
	}
	if was.Suspended == l.s.Suspended {
		l.s.Suspension = was.Suspension
	}
	if l.date(was, now); l.s.Version != was.Version {
		l.s.Reimport = l.s.Version
	}
}
