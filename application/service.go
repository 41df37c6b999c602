// Package application holds the use cases: one method is one use case, and its effect is one transaction. The methods
// are the driving port: an adapter calls them with parsed values and gets a result or a fault.
//
// Every use case but the login decides in the same order: is the token still good, is the reseller blocked, was this
// request answered before, may the caller see what it acts on, may it do this, does the state allow it, is it paid for.
// What a request is decided by before its own rules stands in call.go.
package application

import (
	"errors"
	"strconv"
	"time"

	"resellerd/domain/fault"
	"resellerd/ports"
)

// Policy is what the operator decides.
type Policy struct {
	TrialDuration time.Duration // how long a trial runs, more than 0
	TrialsPerDay  int           // per reseller in any 24 hours, 0: no limit
	// FreeBytesPerDay is what each reseller but an admin may have the store keep by changes that cost no credits, in a
	// day of UTC and by this process, 0: no limit.
	FreeBytesPerDay int
}

// Dependencies is everything that the use cases need from the outside.
type Dependencies struct {
	Store     ports.Store
	Clock     ports.Clock
	Generator ports.Generator
	Hasher    ports.PasswordHasher
	Tokens    ports.Tokens
	Vault     ports.Vault
	Limiter   ports.LoginLimiter
	Observer  ports.Observer // nil: nobody is told of anything
}

// Service runs the use cases. It is safe for concurrent use and keeps no record of its own.
type Service struct {
	dependencies Dependencies
	policy       Policy
	proving      chan struct{} // holds a value while a proof runs
	free         freeBytes
}

// New returns the service.
func New(dependencies Dependencies, policy Policy) *Service {
	return &Service{dependencies: dependencies, policy: policy, proving: make(chan struct{}, 1), free: freeBytes{most: int64(policy.FreeBytesPerDay)}}
}

// ErrUnavailable says that the records can't be reached, or that nobody can tell
// whether an effect took place. It is wrapped around the cause.
var ErrUnavailable = ports.ErrUnavailable

// label names a caller to the hasher, or the record that a ciphertext belongs to.
func label(of string, id int64) string { return labelled(of, strconv.FormatInt(id, 10)) }

// labelled is label of an id that is a text. What is sealed names its record like this for ever.
func labelled(of, id string) string { return of + "/[" + id + "]" }

func isNotFound(err error) bool { return errors.Is(err, fault.ErrNotFound) }
