package usecase

import (
	"errors"
	"strconv"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/ports"
)

// Later returns the later of two instants.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// None is an unused result.
type None = struct{}

// MovementID is the sequence of a command that makes a movement.
var MovementID = []ports.Sequence{ports.MovementIDs}

// Policy is the operator's configuration of the rules.
type Policy struct {
	TrialDuration time.Duration // how long a trial runs, more than 0
	TrialsPerDay  int           // per reseller in any 24 hours, 0: no limit
	// FreeChangesPerDay is the limit of changes that cost no credits, for the owner of each account but an admin's,
	// each API key and each member of the staff, in a day of UTC and in this process, 0: no limit.
	FreeChangesPerDay int
	// ExpiringDays are the days before the expiry of official lines at which their owners get a reminder: each at most
	// line.MaxReminderDays, the largest first.
	ExpiringDays line.Reminders
	// PlainWebhooks allows http URLs of webhooks: the operator has opened networks of its own.
	PlainWebhooks bool
}

// Dependencies are the outside services that the use cases need.
type Dependencies struct {
	Store     ports.Store
	Clock     ports.Clock
	Generator ports.Generator
	Hasher    ports.PasswordHasher
	Tokens    ports.Tokens
	Vault     ports.Vault
	Codes     ports.OneTimeCodes
	Limiter   ports.LoginLimiter
	Observer  ports.Observer // nil disables it
	Process   Process
	// NoReader makes each request that waits for entries follow the journal by itself, in place of one reader for all:
	// for a test in which one goroutine runs at a time.
	NoReader bool
}

// Process describes the serving process.
type Process struct {
	Version string
	Store   string // the kind of the store
	Started time.Time
	Backups ports.Backups // nil: no backup is known
}

// ErrUnavailable reports that the records can't be reached, or that it is unknown whether a change was stored. It is
// wrapped around the cause.
var ErrUnavailable = ports.ErrUnavailable

// Label names a caller to the hasher, or the record that a ciphertext belongs to.
func Label(of string, id int64) string { return LabelText(of, strconv.FormatInt(id, 10)) }

// LabelText is Label for an id that is a text. The label of sealed content never changes.
func LabelText(of, id string) string { return of + "/[" + id + "]" }

// IsNotFound reports whether an error is fault.ErrNotFound.
func IsNotFound(err error) bool { return errors.Is(err, fault.ErrNotFound) }
