// Package gather implements group commit for a database whose transactions cost round trips, not records. One engine
// per process runs all waiting updates in one transaction.
//
// # Rounds
//
// Work runs on the engine's goroutine, one at a time, over the records that the transaction has read. If work requests
// a record that was not read yet, its run is undone. After all commands have run, the engine reads all requested
// records in one round trip. The commands that had to wait then run again, in the same order. A record that one command
// has read costs the others nothing. Commands on one record see each other's effects and never conflict. A record that
// many commands have changed is written once, and a lone command does not wait. A refused command undoes its changes,
// and no other command sees them.
//
// # Refused writes
//
// If the database refuses a write, the transaction is lost and each command runs in a transaction of its own, so that
// the right command gets the refusal.
//
// # Contention
//
// Between processes the database detects conflicts. A transaction that conflicts with another one runs again, for a
// bounded time. Before it reads, it now claims the shared records that it was going to change. This either fails at
// once, for the cost of one round trip, or excludes all other processes. Shared records are claimed and written in the
// order of their keys, so that one of two transactions gets all that it needs.
//
// If a record remains locked, for example by the transaction of a killed process, the commands are divided. In the end
// only the commands that need the record wait for it, each alone.
package gather

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/adapters/storekit"
)

const (
	// mostCommands bounds the commands of a transaction. This limits how long the first waits for the last, and the
	// size of the transaction.
	mostCommands = 256
	// linger bounds the wait for the callers of the last transaction.
	linger = 10 * time.Millisecond
	// mostContention is how long a shared transaction may conflict with others before its commands are divided. Each
	// half may conflict for half as long.
	mostContention = 250 * time.Millisecond
)

// Database runs transactions.
type Database interface {
	// Transact runs do in a transaction and commits it. If do or the commit failed and another attempt may succeed, it
	// starts again, until ctx ends. After an error no change was made, unless the error is an unknown outcome.
	Transact(ctx context.Context, do func(ctx context.Context) error) error
	// Read runs all of these queries in one round trip. It fails if a later version of the program has upgraded the
	// schema. Each transaction that writes calls it, even without a query.
	Read(ctx context.Context, queries ...Query) error
	// Conflict reports whether err means that another transaction has written, or is writing, the same record.
	Conflict(err error) bool
}

// RefusedWrite is a write that the database refuses in every attempt of this transaction. Examples are a second record
// with the same name, and a read of more data than the database returns at once.
type RefusedWrite struct {
	Err error // its meaning for the command of the write
}

// Error implements error.
func (r *RefusedWrite) Error() string { return "a write was refused: " + r.Err.Error() }

// Unwrap returns the error for the command of the write.
func (r *RefusedWrite) Unwrap() error { return r.Err }

// errContended reports that a transaction conflicted with others for too long.
var errContended = errors.New("another transaction locks a record")

// Engine runs all waiting commands in one transaction.
type Engine struct {
	database Database
	kinds    []AnyKind
	queue    *storekit.Queue[*Run]
	alone    sync.WaitGroup // commands that wait for a locked record

	// RetryTime returns how long a transaction that begins now is retried. Step bounds each of its round trips: a
	// server that was stopped or disconnected does not answer. Both are set before the first Do.
	RetryTime func() time.Duration
	Step      time.Duration

	// Watch is notified of each commit in which something was written.
	Watch storekit.Watch

	begun, committed atomic.Int64
	failed           atomic.Pointer[transaction] // the last that could not write, nil after a later success
}

// New starts an engine for records of these kinds, which are written in this order. It runs until Close.
func New(database Database, retryTime func() time.Duration, step time.Duration, kinds ...AnyKind) *Engine {
	e := &Engine{database: database, kinds: kinds, queue: storekit.NewQueue[*Run](mostCommands, linger),
		RetryTime: retryTime, Step: step}
	for i, k := range kinds {
		k.register(i)
	}
	go e.queue.Serve(e.runBatch)
	return e
}

// Do runs work in a transaction, possibly several times. Once the transaction is committed, it returns the result of
// the last run: see storekit.Queue.
func (e *Engine) Do(ctx context.Context, work func(r *Run) error) error { return e.queue.Do(ctx, work) }

// Queued returns how many commands wait.
func (e *Engine) Queued() int { return e.queue.Len() }

// Transactions returns how many transactions were begun, and how many committed.
func (e *Engine) Transactions() (begun, committed int64) { return e.begun.Load(), e.committed.Load() }

// Close waits until all commands have ended. Do must not be called any more.
func (e *Engine) Close() {
	e.queue.Close()
	e.alone.Wait()
}

// runBatch runs commands in one transaction and reports its outcome to each.
func (e *Engine) runBatch(batch []*storekit.Command[*Run]) { e.runWithin(batch, mostContention) }

// runWithin runs a batch that may conflict with others for so long. If a write was refused, its command is unknown.
func (e *Engine) runWithin(batch []*storekit.Command[*Run], contention time.Duration) {
	err := e.transact(batch, contention)
	_, refused := errors.AsType[*RefusedWrite](err)
	contended := errors.Is(err, errContended)
	switch {
	case refused && len(batch) > 1:
		for i := range batch {
			e.runWithin(batch[i:i+1], contention)
		}
	case contended && len(batch) > 1:
		half := len(batch) / 2
		e.runWithin(batch[:half], contention/2)
		e.runWithin(batch[half:], contention/2)
	case contended:
		c := batch[0]
		e.alone.Go(func() { c.End(meaning(e.transact([]*storekit.Command[*Run]{c}, math.MaxInt64))) })
	default:
		for _, c := range batch {
			c.End(meaning(err))
		}
	}
}

// meaning returns the result for a command whose transaction ended with err, whether it was alone or shared it.
func meaning(err error) error {
	if refused, ok := errors.AsType[*RefusedWrite](err); ok {
		return refused.Err
	}
	return err
}

// transact runs commands in one transaction. It returns errContended if it still conflicts with others after so long.
func (e *Engine) transact(batch []*storekit.Command[*Run], contention time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), e.RetryTime()) // of no single caller: they share it
	defer cancel()
	var tx *transaction
	var firstMet time.Time                       // of the first conflict
	met, attempts, began := false, 0, time.Now() // met: the last attempt conflicted
	err := e.database.Transact(ctx, func(ctx context.Context) error {
		e.begun.Add(1)
		attempts++
		tx = e.newTransaction(tx, met)
		err := tx.run(ctx, batch)
		switch met = err != nil && e.database.Conflict(err); {
		case met && firstMet.IsZero():
			firstMet = time.Now()
		case met && time.Since(firstMet) >= contention:
			return errContended
		}
		return err
	})
	if err == nil {
		e.committed.Add(1)
		if tx.wrote {
			e.failed.Store(nil)
			e.Watch.Committed(len(batch), attempts, time.Since(began))
		}
		return nil
	}
	if _, refused := errors.AsType[*RefusedWrite](err); refused || errors.Is(err, errContended) {
		return err
	}
	if tx != nil && tx.wrote {
		e.failed.Store(tx)
	}
	return storekit.Unavailable("run a transaction", err)
}

var errUndone = errors.New("the writes were only a trial")

// TryFailed tries the writes of the last transaction that failed, and undoes them. It does nothing if a later
// transaction has written.
func (e *Engine) TryFailed(ctx context.Context) error {
	tx := e.failed.Load()
	if tx == nil {
		return nil
	}
	err := e.database.Transact(ctx, func(ctx context.Context) error {
		if err := e.database.Read(ctx); err != nil {
			return err
		}
		return cmp.Or(tx.each(ctx, table.write), errUndone)
	})
	if _, refused := errors.AsType[*RefusedWrite](err); !refused && !errors.Is(err, errUndone) {
		return err
	}
	e.failed.CompareAndSwap(tx, nil)
	return nil
}

// transaction is the state of one attempt: its reads and its changes, shared by all of its commands.
type transaction struct {
	tables   []table // by kind
	step     time.Duration
	database Database
	checked  bool // the schema is this program's
	wrote    bool // work has made a change
}

// newTransaction returns a transaction that reads at once all records of an earlier attempt, if any. If that attempt
// conflicted with another transaction, it also claims the records that the attempt was going to change.
func (e *Engine) newTransaction(earlier *transaction, met bool) *transaction {
	tx := &transaction{step: e.Step, database: e.database}
	for i, k := range e.kinds {
		t := k.table()
		if earlier != nil {
			t.wantAgain(earlier.tables[i], met)
		}
		tx.tables = append(tx.tables, t)
	}
	return tx
}

// run runs each command until none waits for a record, and writes the changes.
func (tx *transaction) run(ctx context.Context, batch []*storekit.Command[*Run]) error {
	if err := tx.each(ctx, table.claim); err != nil {
		return err
	}
	if err := tx.read(ctx); err != nil {
		return err
	}
	for pending := batch; len(pending) > 0; {
		var waiting []*storekit.Command[*Run]
		for _, c := range pending {
			if c.Run(&Run{tx: tx}) == storekit.Again {
				waiting = append(waiting, c)
			}
		}
		if err := tx.read(ctx); err != nil {
			return err
		}
		pending = waiting
	}
	if !tx.wrote {
		return nil
	}
	if !tx.checked {
		if err := tx.database.Read(ctx); err != nil {
			return err
		}
	}
	return tx.each(ctx, table.write)
}

// read reads the requested records of all kinds.
func (tx *transaction) read(ctx context.Context) error {
	var queries []Query
	for _, t := range tx.tables {
		if q := t.query(); q != nil {
			queries = append(queries, q)
		}
	}
	if len(queries) == 0 {
		return nil
	}
	tx.checked = true
	return tx.database.Read(ctx, queries...)
}

// each calls do for every table, in bounded time.
func (tx *transaction) each(ctx context.Context, do func(table, context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, tx.step)
	defer cancel()
	for _, t := range tx.tables {
		if err := do(t, ctx); err != nil {
			return err
		}
	}
	return nil
}
