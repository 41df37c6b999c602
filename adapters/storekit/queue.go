package storekit

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// ErrAgain is what Failed returns for a run that is to be repeated.
var ErrAgain = errors.New("the work is to run again")

// Run is the transaction of a store as one run of an update's work sees it.
type Run interface {
	// Failed is asked when work has returned. Where it returns an error, the run is not
	// kept, and Do returns this error in place of what work returned; after ErrAgain Do
	// waits for the next run.
	Failed() error
	// End is called at the end of the run, also where work panics. From then on the run
	// refuses whatever is asked of it. It undoes what work did unless it is kept, where
	// the store can't undo that by other means.
	End(kept bool)
}

// Outcome is what a run of work came to.
type Outcome int

// The outcomes.
const (
	Dropped Outcome = iota // work failed, was not run, or did not return: nothing of it is kept
	Kept                   // what work did is to be committed
	Again                  // the command waits for another run
)

// Command is an update on its way through a store. Its work runs on the goroutine
// that called Do: a panic, a Goexit and whatever work assigns belong there.
type Command[R Run] struct {
	ctx  context.Context
	turn chan R        // hands a run to the caller
	ran  chan Outcome  // hands it back
	gone chan struct{} // closed when the caller does not wait any more
	done chan error    // how the transaction ended
}

// Run has the command's work run once, and waits for that. A caller that does not
// wait any more has dropped its command.
func (c *Command[R]) Run(r R) Outcome {
	select {
	case c.turn <- r:
		return <-c.ran
	case <-c.gone:
		return Dropped
	}
}

// End tells how the transaction ended: nil where it was committed, so that the
// caller gets what its work returned. It is called once, and waits for nobody.
func (c *Command[R]) End(err error) { c.done <- err }

// runHere runs work on the caller's goroutine and hands the run back, also where
// work does not return.
func (c *Command[R]) runHere(r R, work func(R) error) (err error) {
	outcome := Dropped
	defer func() {
		r.End(outcome == Kept)
		c.ran <- outcome
	}()
	if err := c.ctx.Err(); err != nil {
		return Unavailable("wait for the writer", err)
	}
	err = work(r)
	if failure := r.Failed(); failure != nil { // whatever work made of it: it has not seen what it asked for
		if errors.Is(failure, ErrAgain) {
			outcome = Again
		}
		return failure
	}
	if err := c.ctx.Err(); err != nil {
		return Unavailable("run an update", err)
	}
	if err == nil {
		outcome = Kept
	}
	return err
}

// lingerShare is the part of the time that the last batch took for which its callers
// are waited for.
const lingerShare = 4

// Queue hands updates over to the goroutine that runs Serve.
type Queue[R Run] struct {
	commands chan *Command[R] // as many as a batch has
	outside  atomic.Int64     // commands that wait for a place in there
	stopped  chan struct{}
	linger   time.Duration
}

// NewQueue returns a queue whose batches have at most so many commands, which bounds
// how long the first waits for the last.
//
// Whoever shared the last batch is likely to come back at once. Where one round trip
// serves all of a batch, it is worth waiting for them: without that, the first to
// come back would travel alone, and all others wait for it; and what came meanwhile
// would travel without them, so that two halves take turns. So the next batch is
// waited for until it has as many commands as the last one had, and as waited by its
// end: a quarter of the time that the last one took, at most linger. A lone command
// waits for nobody.
func NewQueue[R Run](most int, linger time.Duration) *Queue[R] {
	return &Queue[R]{commands: make(chan *Command[R], most), stopped: make(chan struct{}), linger: linger}
}

// Do has work run in a transaction, possibly several times, and returns what its
// last run returned once the transaction is committed. An error of the transaction
// comes first, and is the caller's to make ports.ErrUnavailable of. Where ctx ends
// before the outcome is known, the error is ports.ErrUnavailable; work whose context
// has ended is not run and not kept, but a commit goes on and only the wait ends.
func (q *Queue[R]) Do(ctx context.Context, work func(R) error) error {
	c := &Command[R]{
		ctx:  ctx,
		turn: make(chan R),
		ran:  make(chan Outcome),
		gone: make(chan struct{}),
		done: make(chan error, 1),
	}
	defer close(c.gone)
	waiting := "wait for the writer"
	select {
	case q.commands <- c:
	default:
		if err := q.join(ctx, c); err != nil {
			return Unavailable(waiting, err)
		}
	}
	var result error
	for {
		select {
		case r := <-c.turn:
			result = c.runHere(r, work)
			waiting = "wait for the commit"
		case err := <-c.done:
			if err != nil {
				return err
			}
			return result
		case <-ctx.Done():
			return Unavailable(waiting, ctx.Err())
		}
	}
}

// join waits for a place in a queue that is full, or returns the error of ctx.
func (q *Queue[R]) join(ctx context.Context, c *Command[R]) error {
	q.outside.Add(1)
	defer q.outside.Add(-1)
	select {
	case q.commands <- c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Len returns how many commands wait, those that have no place yet included.
func (q *Queue[R]) Len() int { return len(q.commands) + int(q.outside.Load()) }

// Serve calls transact with batches of commands in the order in which they came,
// until the queue is closed and empty. transact ends each command, there or later;
// the batch is its own until it returns.
func (q *Queue[R]) Serve(transact func(batch []*Command[R])) {
	defer close(q.stopped)
	batch := make([]*Command[R], 0, cap(q.commands))
	var took time.Duration
	expected := 0
	for c := range q.commands {
		batch = q.gather(append(batch[:0], c), min(expected, cap(batch)), min(took/lingerShare, q.linger))
		began := time.Now()
		transact(batch)
		took = time.Since(began)
		expected = len(batch) + len(q.commands)
		clear(batch)
	}
}

// gather adds to a batch what waits by now and, where several are expected, for a
// moment what comes.
func (q *Queue[R]) gather(batch []*Command[R], expected int, pause time.Duration) []*Command[R] {
	if expected > 1 && pause > 0 {
		ended := time.NewTimer(pause)
		defer ended.Stop()
		for waiting := true; waiting && len(batch) < expected; {
			select {
			case c, open := <-q.commands:
				if waiting = open; open {
					batch = append(batch, c)
				}
			case <-ended.C:
				waiting = false
			}
		}
	}
	for len(batch) < cap(batch) && len(q.commands) > 0 {
		batch = append(batch, <-q.commands)
	}
	return batch
}

// Close waits until all commands in the queue were served. Nobody may call Do any
// more: see Gate.
func (q *Queue[R]) Close() {
	close(q.commands)
	<-q.stopped
}
