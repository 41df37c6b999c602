package mongostore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"resellerd/domain/profile"
	"resellerd/ports"
)

// What the server and the driver say.
const (
	transient = "TransientTransactionError" // the transaction had no effect and may run again

	duplicateKey    = 11000
	namespaceExists = 48
	writeConflict   = 112
)

// passingCodes are what a server says that starts, stops, or is not primary any more,
// or can't read in a snapshot yet.
var passingCodes = []int{
	43,                    // CursorNotFound
	91, 189, 11600, 11602, // ShutdownInProgress, PrimarySteppedDown, InterruptedAtShutdown, InterruptedDueToReplStateChange
	10107, 13435, 13436, // NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary
	246, // SnapshotUnavailable
}

// unknownOutcome says that a commit may have been made.
type unknownOutcome struct{ err error }

// Error implements error.
func (u *unknownOutcome) Error() string {
	return fmt.Sprintf("it is not known whether it was committed: %v", u.err)
}

// Unwrap returns what the driver said.
func (u *unknownOutcome) Unwrap() error { return u.err }

// refusedWrite is a write that the database can't take from this transaction: a
// second record of one name, or what a validator forbids.
type refusedWrite struct {
	collection string
	code       int
	err        error
}

// Error implements error.
func (r *refusedWrite) Error() string { return fmt.Sprintf("write %s: %v", r.collection, r.err) }

// Unwrap returns what the driver said.
func (r *refusedWrite) Unwrap() error { return r.err }

// meaning returns what the refusal means to the one command whose write it was: any
// but a taken name is a defect of the caller.
func (r *refusedWrite) meaning() error {
	if r.code == duplicateKey && (r.collection == resellerNamesName || r.collection == lineNamesName) {
		return profile.ErrUsernameTaken
	}
	return r
}

// overtaken reports whether another process has put the same idempotency key since
// it was looked up: the next attempt will find it.
func (r *refusedWrite) overtaken() bool { return r.code == duplicateKey && r.collection == keysName }

// passing reports whether another attempt may succeed, and can't repeat an effect.
func retryable(err error) bool {
	if _, unknown := errors.AsType[*unknownOutcome](err); unknown {
		return false
	}
	if refused, ok := errors.AsType[*refusedWrite](err); ok {
		return refused.overtaken()
	}
	if retryable, ok := errors.AsType[interface {
		error
		Retryable() bool // the pool's, when it was cleared meanwhile
	}](err); ok && retryable.Retryable() {
		return true
	}
	server, _ := errors.AsType[mongo.ServerError](err)
	return hasLabel(err, transient) || mongo.IsNetworkError(err) || mongo.IsTimeout(err) ||
		server != nil && slices.ContainsFunc(passingCodes, server.HasErrorCode)
}

func hasLabel(err error, label string) bool {
	labeled, ok := errors.AsType[mongo.LabeledError](err)
	return ok && labeled.HasErrorLabel(label)
}

// rest waits a random time up to most, and reports whether ctx has not ended by
// then.
func rest(ctx context.Context, most time.Duration) bool {
	select {
	case <-time.After(rand.N(most)): //nolint:gosec // no secret
		return true
	case <-ctx.Done():
		return false
	}
}

func unavailable(doing string, cause error) error {
	return fmt.Errorf("%s: %w: %w", doing, ports.ErrUnavailable, cause)
}
