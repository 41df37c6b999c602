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
	k := &kernel{dependencies: dependencies, policy: policy, free: freeChanges{most: policy.FreeChangesPerDay}}
	started := make(chan none, 1)
	return &Service{
		Authentication: Authentication{k}, Access: Access{k}, Principals: Principals{k}, Admins: Admins{k},
		Resellers: Resellers{k}, Credits: Credits{k}, Lines: Lines{k}, Jobs: newJobs(k, started), Worker: Worker{k, started},
		Ledger: Ledger{k, make(chan struct{}, 1)}, Journal: Journal{k, newFeed(dependencies)}, Reports: Reports{k},
		Webhooks: Webhooks{k}, Dispatch: Dispatch{k}, Reminders: Reminders{k}, Leases: Leases{k}, Epochs: Epochs{k},
		IdempotencyKeys: IdempotencyKeys{k}, Rekeying: Rekeying{k},
	}
}

// ErrUnavailable says that the records can't be reached, or that it is unknown whether an effect took place. It is
// wrapped around the cause.
var ErrUnavailable = ports.ErrUnavailable

// label names a caller to the hasher, or the record that a ciphertext belongs to.
func label(of string, id int64) string { return labelled(of, strconv.FormatInt(id, 10)) }

// labelled is label of an id that is a text. Sealed content names its record like this for ever.
func labelled(of, id string) string { return of + "/[" + id + "]" }

func isNotFound(err error) bool { return errors.Is(err, fault.ErrNotFound) }
