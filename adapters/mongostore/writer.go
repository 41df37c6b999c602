package mongostore

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
)

const (
	// maxBatch bounds how many commands share a transaction, and so how long the
	// first of them waits for the last, and how large a transaction gets.
	maxBatch = 256
	// patience bounds how long a batch is tried again, and stepTime each step of
	// it: a server that was stopped or cut off answers nothing, and by then another
	// may be primary.
	patience = 10 * time.Second
	stepTime = 3 * time.Second
	// The pause before another attempt is random up to a bound that grows between
	// these.
	leastPause = 4 * time.Millisecond
	mostPause  = 400 * time.Millisecond
	// The callers of the last transaction are waited for, for a part of the time that
	// it took, up to a bound.
	gatherShare = 4
	mostGather  = 10 * time.Millisecond
)

// command is an update on its way through the writer. Its work runs on its
// caller's goroutine, where a panic, a Goexit and whatever work assigns belong.
type command struct {
	ctx  context.Context
	turn chan *session // gives the records to the caller for one run of work
	ran  chan fate     // gives them back
	gone chan struct{} // closed when the caller does not wait any more
	done chan error    // how the transaction ended: nil where it was committed
}

// fate is what becomes of a command after a run of its work.
type fate int

const (
	dropped fate = iota // nothing of it is kept
	kept
	waiting // for records that it has asked for
)

// writer runs commands, all that wait in one transaction: see the package comment.
type writer struct {
	client  *mongo.Client
	db      *mongo.Database
	queue   chan *command
	stopped chan struct{}

	patience         time.Duration
	begun, committed atomic.Int64 // transactions
}

func newWriter(db *mongo.Database) *writer {
	return &writer{client: db.Client(), db: db, queue: make(chan *command, maxBatch), stopped: make(chan struct{}), patience: patience}
}

// do runs work in a transaction and returns after its commit.
func (w *writer) do(ctx context.Context, work func(*session) error) error {
	if err := ctx.Err(); err != nil {
		return unavailable("wait for the writer", err)
	}
	c := &command{
		ctx:  ctx,
		turn: make(chan *session),
		ran:  make(chan fate),
		gone: make(chan struct{}),
		done: make(chan error, 1),
	}
	defer close(c.gone)
	select {
	case w.queue <- c:
	case <-ctx.Done():
		return unavailable("wait for the writer", ctx.Err())
	}
	var refusal error
	for {
		select {
		case q := <-c.turn:
			refusal = c.run(q, work)
		case err := <-c.done:
			if err != nil {
				return err
			}
			return refusal
		case <-ctx.Done(): // the commit may still succeed
			return unavailable("wait for the commit", ctx.Err())
		}
	}
}

// run runs work once and gives the records back, also when work does not return.
func (c *command) run(q *session, work func(*session) error) (err error) {
	f := dropped
	defer func() {
		q.end(f != kept)
		c.ran <- f
	}()
	if err := c.ctx.Err(); err != nil {
		return unavailable("run an update", err)
	}
	err = work(q)
	switch {
	case q.missed: // whatever work made of it
		f = waiting
	case c.ctx.Err() != nil:
		return unavailable("run an update", c.ctx.Err())
	case err == nil:
		f = kept
	}
	return err
}

// run gathers commands and runs them until the queue is closed.
func (w *writer) run() {
	defer close(w.stopped)
	batch := make([]*command, 0, maxBatch)
	var pause time.Duration
	for c := range w.queue {
		batch = w.gather(append(batch[:0], c), len(batch), pause)
		began := time.Now()
		w.settle(batch)
		pause = min(time.Since(began)/gatherShare, mostGather)
	}
}

// gather adds to a batch what waits by now. Whoever shared the last transaction is
// likely to come back at once, so after one of several commands it waits a moment
// for as many: without that, the first to come back would travel alone, and all
// others wait for it.
func (w *writer) gather(batch []*command, last int, pause time.Duration) []*command {
	if last > 1 {
		over := time.NewTimer(pause)
		defer over.Stop()
		for waiting := true; waiting && len(batch) < last; {
			select {
			case c, open := <-w.queue:
				if waiting = open; open {
					batch = append(batch, c)
				}
			case <-over.C:
				waiting = false
			}
		}
	}
	for len(batch) < maxBatch && len(w.queue) > 0 {
		batch = append(batch, <-w.queue)
	}
	return batch
}

// settle runs commands in one transaction and tells each how it ended. Where a
// write was refused, nobody can tell whose it was: each then has a transaction of
// its own.
func (w *writer) settle(batch []*command) {
	err := w.transact(batch)
	if refused, ok := errors.AsType[*refusedWrite](err); ok {
		if len(batch) > 1 {
			for i := range batch {
				w.settle(batch[i : i+1])
			}
			return
		}
		err = refused.meaning()
	}
	for _, c := range batch {
		c.done <- err
	}
}

// transact tries until a transaction is committed, or can't be, or patience ends.
// An error means that nothing of it was kept, or, where the outcome of the commit is
// unknown, that nobody can tell.
func (w *writer) transact(batch []*command) error {
	ctx, cancel := context.WithTimeout(context.Background(), w.patience) // of no caller: they share it
	defer cancel()
	var read *records
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		var err error
		read, err = w.attempt(ctx, batch, read)
		if err == nil {
			w.committed.Add(1)
			return nil
		}
		if refused, ok := errors.AsType[*refusedWrite](err); ok && !passing(err) {
			return refused
		}
		if !passing(err) || !rest(ctx, pause) {
			return unavailable("run a transaction", err)
		}
	}
}

// attempt runs the commands in one transaction and returns what it has read.
func (w *writer) attempt(ctx context.Context, batch []*command, earlier *records) (*records, error) {
	w.begun.Add(1)
	s, err := w.client.StartSession()
	if err != nil {
		return nil, err
	}
	t := &transaction{session: s, db: w.db, records: newRecords()}
	if earlier != nil {
		for i, table := range t.all() {
			table.again(earlier.all()[i])
		}
	}
	err = t.session.StartTransaction(inSnapshot())
	if err == nil {
		err = t.run(ctx, batch)
	}
	if err != nil {
		go t.giveUp(context.WithoutCancel(ctx))
		return t.records, err
	}
	return t.records, t.commit(ctx)
}

func inSnapshot() *options.TransactionOptionsBuilder {
	return options.Transaction().SetReadConcern(readconcern.Snapshot()).SetWriteConcern(durably()).SetReadPreference(readpref.Primary())
}

// transaction is one attempt.
type transaction struct {
	*records
	session *mongo.Session
	db      *mongo.Database
}

// run gives each command its turn until none waits for a record, and writes what
// they have changed.
func (t *transaction) run(ctx context.Context, batch []*command) error {
	if err := t.step(ctx, recordTable.fetch); err != nil { // what an earlier attempt had read
		return err
	}
	for pending := batch; len(pending) > 0; {
		var behind []*command
		for _, c := range pending {
			if t.give(c) == waiting {
				behind = append(behind, c)
			}
		}
		if err := t.step(ctx, recordTable.fetch); err != nil {
			return err
		}
		pending = behind
	}
	return t.step(ctx, recordTable.flush)
}

// give gives a command its turn.
func (t *transaction) give(c *command) fate {
	select {
	case c.turn <- &session{records: t.records}:
		return <-c.ran
	case <-c.gone:
		return dropped
	}
}

// step does the same to every table.
func (t *transaction) step(ctx context.Context, do func(recordTable, context.Context, *mongo.Database) error) error {
	ctx, cancel := context.WithTimeout(mongo.NewSessionContext(ctx, t.session), stepTime)
	defer cancel()
	for _, table := range t.all() {
		if err := do(table, ctx, t.db); err != nil {
			return err
		}
	}
	return nil
}

// commit commits, and asks again where it is not known whether that was done: the
// same commit is never made twice.
func (t *transaction) commit(ctx context.Context) error {
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		step, cancel := context.WithTimeout(ctx, stepTime)
		err := t.session.CommitTransaction(step)
		cancel()
		undone := hasLabel(err, transient)
		if err != nil && !undone && rest(ctx, pause) {
			continue
		}
		go t.giveUp(context.WithoutCancel(ctx))
		if err != nil && !undone {
			return &unknownOutcome{err}
		}
		return err
	}
}

// giveUp aborts the transaction where it was not committed, so that what it has
// locked is free at once.
func (t *transaction) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	t.session.EndSession(ctx)
}

// close waits until the queue is empty. Nobody may be about to join it.
func (w *writer) close() {
	close(w.queue)
	<-w.stopped
}
