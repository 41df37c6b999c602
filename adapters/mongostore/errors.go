package mongostore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"resellerd/adapters/mongostore/gather"
)

// Labels and codes of the server and the driver.
const (
	transient = "TransientTransactionError" // the transaction had no effect and may run again

	duplicateKey    = 11000
	namespaceExists = 48
	writeConflict   = 112
	tooLarge        = 10334 // a document
)

// retryableCodes are those of a server that starts, stops, is no longer primary, or can't read in a snapshot yet.
var retryableCodes = []int{
	43, // CursorNotFound
	// ShutdownInProgress, PrimarySteppedDown, InterruptedAtShutdown, InterruptedDueToReplStateChange
	91, 189, 11600, 11602,
	10107, 13435, 13436, // NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary
	246, // SnapshotUnavailable
}

// unknownOutcome says that a commit may have been made.
type unknownOutcome struct{ err error }

// Error implements error.
func (u *unknownOutcome) Error() string {
	return fmt.Sprintf("it is not known whether it was committed: %v", u.err)
}

// Unwrap returns the driver's error.
func (u *unknownOutcome) Unwrap() error { return u.err }

// errOvertaken says that another process has put the same idempotency key since it was read: the next attempt finds it.
var errOvertaken = errors.New("another process was first")

// retryable reports whether another attempt may succeed, and can't repeat an effect.
func retryable(err error) bool {
	if _, unknown := errors.AsType[*unknownOutcome](err); unknown {
		return false
	}
	if _, refused := errors.AsType[*gather.RefusedWrite](err); refused {
		return false
	}
	if retryable, ok := errors.AsType[interface {
		error
		Retryable() bool // the pool's, if it was cleared meanwhile
	}](err); ok && retryable.Retryable() {
		return true
	}
	server, _ := errors.AsType[mongo.ServerError](err)
	return errors.Is(err, errOvertaken) || isTransient(err) || mongo.IsNetworkError(err) || mongo.IsTimeout(err) ||
		server != nil && slices.ContainsFunc(retryableCodes, server.HasErrorCode)
}

func isTransient(err error) bool {
	labeled, ok := errors.AsType[mongo.LabeledError](err)
	return ok && labeled.HasErrorLabel(transient)
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
