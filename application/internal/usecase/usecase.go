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

// None is the result of a command whose result nobody wants.
type None = struct{}

// MovementID is the sequence of a command that makes a movement.
var MovementID = []ports.Sequence{ports.MovementIDs}

// Policy is what the operator decides.
type Policy struct {
	TrialDuration time.Duration // how long a trial runs, more than 0
	TrialsPerDay  int           // per reseller in any 24 hours, 0: no limit
	// FreeChangesPerDay is how many changes that cost no credits the owner of each account but an admin's, each key and
	// each member of the staff may make, in a day of UTC and by this process, 0: no limit.
	FreeChangesPerDay int
	// ExpiringDays are how many days before their expiry the owners of official lines are told: at most
	// line.MaxReminderDays each, the most first.
	ExpiringDays line.Reminders
	// PlainWebhooks allows addresses of webhooks that are not encrypted: the operator has opened networks of its own.
	PlainWebhooks bool
}

// Dependencies is everything that the use cases need from the outside.
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
	// NoReader has each request that waits for entries follow the journal by itself, in place of one reader for all: for
	// a test in which one goroutine runs at a time.
	NoReader bool
}

// Process is what is known of the process that serves.
type Process struct {
	Version string
	Store   string // what kind of store it serves
	Started time.Time
	Backups ports.Backups // nil: nothing is known of any
}

// ErrUnavailable says that the records can't be reached, or that it is unknown whether an effect took place. It is
// wrapped around the cause.
var ErrUnavailable = ports.ErrUnavailable

// Label names a caller to the hasher, or the record that a ciphertext belongs to.
func Label(of string, id int64) string { return LabelText(of, strconv.FormatInt(id, 10)) }

// LabelText is label of an id that is a text. Sealed content names its record like this for ever.
func LabelText(of, id string) string { return of + "/[" + id + "]" }

// IsNotFound reports whether an error is fault.ErrNotFound.
func IsNotFound(err error) bool { return errors.Is(err, fault.ErrNotFound) }
