// Package application holds the use cases: one method is one use case, and its effect is one transaction. The methods
// are the driving port: an adapter calls them with parsed values and gets a result or a fault.
//
// Every use case but the login decides in the same order: is the credential still good, has it the scope, is the
// reseller blocked, was this request answered before, may the caller see what it acts on, may it do this, does the
// state allow it, is it paid for. What precedes the rules of a request stands in call.go, and what use cases have in
// common in kernel.go.
package application

import (
	"errors"
	"strconv"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/ports"
)

// Policy is what the operator decides.
type Policy struct {
	TrialDuration time.Duration // how long a trial runs, more than 0
	TrialsPerDay  int           // per reseller in any 24 hours, 0: no limit
	// FreeChangesPerDay is how many changes that cost no credits the owner of each account but an admin's, each key and
	// each member of the staff may make, in a day of UTC and by this process, 0: no limit.
	FreeChangesPerDay int
	// ExpiringDays are how many days before their expiry the owners of official lines are told: at most
	// line.MostReminderDays each, the most first.
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

// Service runs the use cases, in families. It is safe for concurrent use and keeps no record of its own.
type Service struct {
	Authentication
	Access
	Principals
	Admins
	Resellers
	Credits
	Lines
	Jobs
	Worker
	Ledger
	Journal
	Reports
	Webhooks
	Dispatch
	Reminders
	Leases
	Epochs
	IdempotencyKeys
	Rekeying
}

// New returns the service.
func New(dependencies Dependencies, policy Policy) *Service {
	k := newKernel(dependencies, policy)
	s := &Service{
		Authentication: k.authentication(), Lines: newLines(k), Ledger: newLedger(k), Journal: newJournal(k),
		Reports: newReports(k), Reminders: newReminders(k), Leases: k.leases(), Epochs: k.epochs(),
		IdempotencyKeys: k.idempotencyKeys(), Rekeying: newRekeying(k),
	}
	s.Access, s.Principals, s.Admins = newAccess(k)
	s.Resellers, s.Credits = newResellers(k)
	s.Jobs, s.Worker = newJobs(k)
	s.Webhooks, s.Dispatch = newWebhooks(k)
	return s
}

// ErrUnavailable says that the records can't be reached, or that it is unknown whether an effect took place. It is
// wrapped around the cause.
var ErrUnavailable = ports.ErrUnavailable

// label names a caller to the hasher, or the record that a ciphertext belongs to.
func label(of string, id int64) string { return labelled(of, strconv.FormatInt(id, 10)) }

// labelled is label of an id that is a text. Sealed content names its record like this for ever.
func labelled(of, id string) string { return of + "/[" + id + "]" }

func isNotFound(err error) bool { return errors.Is(err, fault.ErrNotFound) }
