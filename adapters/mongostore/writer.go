package mongostore

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
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
	// mostMeetings is how often a transaction that several share may meet others before
	// the commands part: about half a second.
	mostMeetings = 8
)

// command is an update on its way through the writer. Its work runs on its
// caller's goroutine, where a panic, a Goexit and whatever work assigns belong.
type command struct {
	ctx  context.Context
	turn chan *transaction // gives the records to the caller for one run of work
	ran  chan fate         // gives them back
	gone chan struct{}     // closed when the caller does not wait any more
	done chan error        // how the transaction ended: nil where it was committed
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
	transactions *transactions
	db           *mongo.Database
	queue        chan *command
	stopped      chan struct{}
	alone        sync.WaitGroup // commands that wait for a record that others keep

	patience         time.Duration
	begun, committed atomic.Int64 // transactions
}

func newWriter(t *transactions, db *mongo.Database) *writer {
	return &writer{transactions: t, db: db, queue: make(chan *command, maxBatch), stopped: make(chan struct{}), patience: patience}
}

// do runs work in a transaction and returns after its commit.
func (w *writer) do(ctx context.Context, work func(*transaction) error) error {
	if err := ctx.Err(); err != nil {
		return unavailable("wait for the writer", err)
	}
	c := &command{
		ctx:  ctx,
		turn: make(chan *transaction),
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
func (c *command) run(q *transaction, work func(*transaction) error) (err error) {
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
// its own. Where others keep a record that somebody here needs, the commands part,
// until who needs it waits for it alone, and holds up nobody.
func (w *writer) settle(batch []*command) {
	err := w.transact(batch, mostMeetings)
	_, refused := errors.AsType[*refusedWrite](err)
	switch {
	case refused && len(batch) > 1:
		for i := range batch {
			w.settle(batch[i : i+1])
		}
		return
	case errors.Is(err, errHeld) && len(batch) > 1:
		half := len(batch) / 2
		w.settle(batch[:half])
		w.settle(batch[half:])
		return
	case errors.Is(err, errHeld):
		c := batch[0]
		w.alone.Go(func() { c.done <- meaning(w.transact([]*command{c}, math.MaxInt)) })
		return
	}
	for _, c := range batch {
		c.done <- meaning(err)
	}
}

// meaning returns what the end of a transaction means to a command that had it alone,
// or that shared it with others.
func meaning(err error) error {
	if refused, ok := errors.AsType[*refusedWrite](err); ok {
		return refused.meaning()
	}
	return err
}

// errHeld says that a transaction met another one too often.
var errHeld = errors.New("others keep a record")

// transact runs commands in one transaction, and gives up with errHeld where it has
// met others in writing so often. Any other error means that nothing of it was kept,
// or, where the outcome of the commit is unknown, that nobody can tell.
func (w *writer) transact(batch []*command, meetings int) error {
	ctx, cancel := context.WithTimeout(context.Background(), w.patience) // of no caller: they share it
	defer cancel()
	var r *records
	met := 0
	err := w.transactions.run(ctx, func(ctx context.Context) error {
		w.begun.Add(1)
		r = newRecords(w.db, r)
		err := r.run(ctx, batch)
		if server, ok := errors.AsType[mongo.ServerError](err); ok && server.HasErrorCode(writeConflict) {
			if met++; met >= meetings {
				return errHeld
			}
		}
		return err
	})
	if refused, ok := errors.AsType[*refusedWrite](err); ok && !retryable(err) {
		return refused
	}
	if errors.Is(err, errHeld) {
		return err
	}
	if err != nil {
		return unavailable("run a transaction", err)
	}
	w.committed.Add(1)
	return nil
}

// run gives each command its turn until none waits for a record, and writes what
// they have changed.
func (r *records) run(ctx context.Context, batch []*command) error {
	if err := r.each(ctx, recordTable.fetch); err != nil { // what an earlier attempt had read
		return err
	}
	for pending := batch; len(pending) > 0; {
		var behind []*command
		for _, c := range pending {
			if c.give(r) == waiting {
				behind = append(behind, c)
			}
		}
		if err := r.each(ctx, recordTable.fetch); err != nil {
			return err
		}
		pending = behind
	}
	return r.each(ctx, recordTable.flush)
}

// give gives a command its turn.
func (c *command) give(r *records) fate {
	select {
	case c.turn <- &transaction{records: r}:
		return <-c.ran
	case <-c.gone:
		return dropped
	}
}

// close waits until the queue is empty. Nobody may be about to join it.
func (w *writer) close() {
	close(w.queue)
	<-w.stopped
	w.alone.Wait()
}
