package mongostore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	"resellerd/adapters/mongostore/gather"
	"resellerd/adapters/storekit"
)

const (
	// retryTime bounds retries, and stepTime each step: a server that was stopped or disconnected does not answer.
	// Within stepTime another server may become primary.
	retryTime = 10 * time.Second
	stepTime  = 3 * time.Second
	// leastRetryTime bounds retries once no primary was known for longer than retryTime. readyTime bounds a check of
	// readiness.
	leastRetryTime = 800 * time.Millisecond
	readyTime      = 800 * time.Millisecond
	// The pause before another attempt is random up to a bound that grows between these.
	leastPause = 8 * time.Millisecond
	mostPause  = 400 * time.Millisecond
)

// transactions runs transactions like the driver's WithTransaction. Neither the context of a caller nor a server that
// does not answer can end them.
type transactions struct {
	client   *mongo.Client
	explain  func(error) error
	settings *mongo.Collection
	newest   int64          // the version of the schema that this process writes
	ending   sync.WaitGroup // sessions that are being ended
}

// Transact implements gather.Database. do gets a context with the session, and bounds its own steps. The error is an
// unknownOutcome if it is unknown whether the commit was made.
func (t *transactions) Transact(ctx context.Context, do func(ctx context.Context) error) error {
	return t.explain(retry(ctx, func() error {
		session, err := t.client.StartSession()
		if err != nil {
			return err
		}
		defer t.end(ctx, session)
		return transact(ctx, session, do)
	}))
}

// transact runs do in a transaction of a session. If do fails, the transaction lasts until the session ends.
func transact(ctx context.Context, session *mongo.Session, do func(ctx context.Context) error) error {
	if err := session.StartTransaction(options.Transaction().
		SetReadConcern(readconcern.Snapshot()).SetWriteConcern(durably()).SetReadPreference(readpref.Primary())); err != nil {
		return err
	}
	if err := do(mongo.NewSessionContext(ctx, session)); err != nil {
		return err
	}
	return commit(ctx, session)
}

// query is a query for documents of a collection.
type query struct {
	from   string
	stages bson.A
	each   func(raw bson.Raw) error
}

// Read implements gather.Database. Each read also returns the version of the schema.
func (t *transactions) Read(ctx context.Context, queries ...gather.Query) error {
	stages := bson.A{stage("$match", byID(schemaSetting))}
	for _, asked := range queries {
		q := asked.(query)
		stages = append(stages, stage("$lookup", bson.D{
			{Key: "from", Value: q.from}, {Key: "pipeline", Value: q.stages}, {Key: "as", Value: q.from},
		}))
	}
	return inStep(ctx, func(ctx context.Context) error {
		var found []bson.Raw
		cursor, err := t.settings.Aggregate(ctx, stages)
		if err == nil {
			found, err = all(ctx, cursor)
		}
		if server, ok := errors.AsType[mongo.ServerError](err); ok && server.HasErrorCode(tooLarge) {
			return &gather.RefusedWrite{Err: storekit.Unavailable("read records", err)}
		}
		if err != nil {
			return fmt.Errorf("read records: %w", err)
		}
		if len(found) == 0 {
			return errNoStore
		}
		if _, err := versionIn(found[0], t.newest); err != nil {
			return err
		}
		for _, asked := range queries {
			q := asked.(query)
			documents, _ := found[0].Lookup(q.from).Array().Values()
			for i := range documents {
				if err := q.each(documents[i].Document()); err != nil {
					return fmt.Errorf("read %s: %w", q.from, err)
				}
			}
		}
		return nil
	})
}

// Conflict implements gather.Database.
func (t *transactions) Conflict(err error) bool {
	server, ok := errors.AsType[mongo.ServerError](err)
	return ok && server.HasErrorCode(writeConflict)
}

// commit commits. If the outcome is unknown, it sends the commit again: the server never makes the same commit twice.
// Only an answer of a server proves that the commit was not made. The driver claims it for every command that it could
// not send, even for a repeated one.
func commit(ctx context.Context, session *mongo.Session) error {
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		step, cancel := context.WithTimeout(ctx, stepTime)
		err := session.CommitTransaction(step)
		cancel()
		if server, said := errors.AsType[mongo.CommandError](err); err == nil || said && server.Code != 0 &&
			server.HasErrorLabel(transient) {
			return err
		}
		if !rest(ctx, pause) {
			return &unknownOutcome{err}
		}
	}
}

// end returns a session. A failed transaction is aborted in the background, so that its locks are free at once.
func (t *transactions) end(ctx context.Context, session *mongo.Session) {
	t.ending.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepTime)
		defer cancel()
		session.EndSession(ctx)
	})
}

// retry calls try until it succeeds, fails for good, or ctx ends.
func retry(ctx context.Context, try func() error) error {
	for pause := leastPause; ; pause = min(pause*3/2, mostPause) {
		err := try()
		if err == nil || !retryable(err) || !rest(ctx, pause) {
			return err
		}
	}
}

// inStep runs do with a time limit of its own: a server that was stopped or disconnected does not answer.
func inStep(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	return do(ctx)
}

func byID(id any) bson.D { return bson.D{{Key: "_id", Value: id}} }

func byIDs[K any](ids []K) bson.D {
	if len(ids) == 1 {
		return byID(ids[0])
	}
	return bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}
}

// exists reports whether a collection has a matching document.
func exists(ctx context.Context, c *mongo.Collection, filter bson.D) (bool, error) {
	err := c.FindOne(ctx, filter, options.FindOne().SetProjection(onlyID)).Err()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return false, nil
	}
	return err == nil, err
}

// visit calls do with every document of a cursor, which it closes in bounded time. The document is valid until do
// returns.
func visit(ctx context.Context, cursor *mongo.Cursor, do func(bson.Raw) error) (err error) {
	defer func() {
		err = errors.Join(err, inStep(context.WithoutCancel(ctx), cursor.Close))
	}()
	for cursor.Next(ctx) {
		if err := do(cursor.Current); err != nil {
			return err
		}
	}
	return cursor.Err()
}

// all returns every document of a cursor.
func all(ctx context.Context, cursor *mongo.Cursor) (found []bson.Raw, err error) {
	err = visit(ctx, cursor, func(raw bson.Raw) error {
		found = append(found, slices.Clone(raw))
		return nil
	})
	return found, err
}

// Labels and codes of the server and the driver.
const (
	transient = "TransientTransactionError" // the transaction had no effect and may run again

	duplicateKey    = 11000
	namespaceExists = 48
	writeConflict   = 112
	tooLarge        = 10334 // a document
)

// retryableCodes are the codes of a server that starts, stops, is no longer primary, or can't read in a snapshot yet.
var retryableCodes = []int{
	43, // CursorNotFound
	// ShutdownInProgress, PrimarySteppedDown, InterruptedAtShutdown, InterruptedDueToReplStateChange
	91, 189, 11600, 11602,
	10107, 13435, 13436, // NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary
	246, // SnapshotUnavailable
}

// unknownOutcome reports that a commit may have been made.
type unknownOutcome struct{ err error }

// Error implements error.
func (u *unknownOutcome) Error() string {
	return fmt.Sprintf("the outcome of the commit is unknown: %v", u.err)
}

// Unwrap returns the driver's error.
func (u *unknownOutcome) Unwrap() error { return u.err }

// errOvertaken reports that another process has put the same idempotency key since it was read. The next attempt finds
// it.
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
		Retryable() bool // true if the pool was cleared
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

// rest waits a random time up to most. It returns false if ctx ends before.
func rest(ctx context.Context, most time.Duration) bool {
	select {
	case <-time.After(rand.N(most)): //nolint:gosec // no secret
		return true
	case <-ctx.Done():
		return false
	}
}
