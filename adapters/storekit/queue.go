package storekit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// ErrAgain is the error of Failed for a run that is to be repeated.
var ErrAgain = errors.New("the work is to run again")

// Run is the transaction of a store as one run of an update's work sees it.
type Run interface {
	// Failed is called when work has returned. If it returns an error, the run is not kept, and Do returns this error
	// instead of the result of work; after ErrAgain Do waits for the next run.
	Failed() error
	// End is called at the end of the run, also if work panics. From then on the run refuses every call. Unless it is
	// kept it undoes what work did, if the store can't undo that by other means.
	End(kept bool)
}

// Outcome is the outcome of a run of work.
type Outcome int

// The outcomes.
const (
	Dropped Outcome = iota // work failed, was not run, or did not return: nothing of it is kept
	Kept                   // what work did is to be committed
	Again                  // the command waits for another run
)

// Command is an update on its way through a store. Its work runs where the store runs it,
// while the caller waits: what work assigns is the caller's again when Do returns, and a
// panic or a Goexit of work is raised there once more.
type Command[R Run] struct {
	ctx  context.Context
	work func(R) error
	done chan error // how the transaction ended

	state  atomic.Int32
	left   chan struct{} // closed when work has ended that a leaving caller waits for
	ran    bool
	result error  // of the last run
	raise  func() // if that did not return: ends the caller as work ended, else nil
}

// The states of a command.
const (
	waiting int32 = iota // for its turn, or for the end of the transaction
	running
	leaving // it runs, and its caller leaves as soon as that ends
	gone    // no caller waits for another run
)

// Run runs the command's work once, on this goroutine. A caller that does not wait any
// more has dropped its command. A Goexit of work goes on: see Serve.
func (c *Command[R]) Run(r R) (outcome Outcome) {
	if !c.state.CompareAndSwap(waiting, running) {
		return Dropped
	}
	c.ran, c.raise = true, runtime.Goexit
	defer func() {
		if cause := recover(); cause != nil {
			panicked := &Panic{cause, debug.Stack()}
			c.raise = func() { panic(panicked) }
		}
		r.End(outcome == Kept)
		if c.raise != nil {
			c.End(nil) // the caller need not wait
		}
		if c.raise == nil && c.state.CompareAndSwap(running, waiting) {
			return
		}
		if c.state.Swap(gone) == leaving {
			close(c.left)
		}
	}()
	c.result = c.run(r, &outcome)
	c.raise = nil
	return outcome
}

func (c *Command[R]) run(r R, outcome *Outcome) error {
	if err := c.ctx.Err(); err != nil {
		return Unavailable("wait for the writer", err)
	}
	err := c.work(r)
	if failure := r.Failed(); failure != nil { // whatever work returned: it has not seen what it asked for
		if errors.Is(failure, ErrAgain) {
			*outcome = Again
		}
		return failure
	}
	if err := c.ctx.Err(); err != nil {
		return Unavailable("run an update", err)
	}
	if err == nil {
		*outcome = Kept
	}
	return err
}

// End reports how the transaction ended: nil if it was committed, so that the caller gets the result of its work. Only
// the first call counts; it never blocks.
func (c *Command[R]) End(err error) {
	select {
	case c.done <- err:
	default:
	}
}

// answer is the result of Do once the transaction has ended in this way.
func (c *Command[R]) answer(err error) error {
	if c.raise != nil {
		c.raise()
	}
	return cmp.Or(err, c.result)
}

// leave drops the command, once its work does not run: that takes no longer than the
// statements of one command. It returns what the caller waited for.
func (c *Command[R]) leave() string {
	c.left = make(chan struct{})
	for !c.state.CompareAndSwap(waiting, gone) {
		if c.state.CompareAndSwap(running, leaving) {
			<-c.left
			break
		}
		if c.state.Load() == gone { // work has panicked just now
			break
		}
	}
	if c.ran {
		return "wait for the commit"
	}
	return "wait for the writer"
}

// Panic is what Do panics with if work has.
type Panic struct {
	Value any
	Stack []byte // of where that was
}

// Error implements error.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n%s", p.Value, p.Stack) }

// lingerShare is the part of the last batch's time for which its callers are waited for.
const lingerShare = 4

// Queue passes updates to the goroutine that runs Serve.
type Queue[R Run] struct {
	commands chan *Command[R] // as many as a batch has
	outside  atomic.Int64     // commands that wait for a place in it
	stopped  chan struct{}
	linger   time.Duration
}

// NewQueue returns a queue whose batches have at most so many commands, which bounds
// how long the first waits for the last.
//
// The callers of the last batch are likely to come back at once. If one round trip serves a whole batch, it is worth
// waiting for them: without that, the first to come back would go alone while all others wait, and two halves would
// take turns. So the next batch waits until it has as many commands as the last one had, and as waited by its end, for
// a quarter of the time that the last one took, at most linger. A lone command does not wait.
func NewQueue[R Run](most int, linger time.Duration) *Queue[R] {
	return &Queue[R]{commands: make(chan *Command[R], most), stopped: make(chan struct{}), linger: linger}
}

// Do has work run in a transaction, possibly several times, and returns what its last run returned once the transaction
// is committed. An error of the transaction comes first, and the caller makes it ports.ErrUnavailable. If ctx ends
// before the outcome is known, the error is ports.ErrUnavailable; work whose context has ended is not run and not kept,
// but a commit goes on and only the wait ends.
func (q *Queue[R]) Do(ctx context.Context, work func(R) error) error {
	c := &Command[R]{ctx: ctx, work: work, done: make(chan error, 1)}
	select {
	case q.commands <- c:
	default:
		if err := q.join(ctx, c); err != nil {
			return Unavailable("wait for the writer", err)
		}
	}
	select {
	case err := <-c.done:
		return c.answer(err)
	case <-ctx.Done():
		waited := c.leave()
		if c.raise != nil {
			c.raise()
		}
		return Unavailable(waited, ctx.Err())
	}
}

// join waits for a place in a full queue, or returns the error of ctx.
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
//
// If work ends its goroutine, which is this one, all unfinished commands of the batch are lost with the transaction,
// and another goroutine goes on.
func (q *Queue[R]) Serve(transact func(batch []*Command[R])) {
	batch := make([]*Command[R], 0, cap(q.commands))
	served := false
	defer func() {
		if served {
			close(q.stopped)
			return
		}
		for _, c := range batch {
			c.End(Unavailable("run an update", errExited))
		}
		go q.Serve(transact)
	}()
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
	served = true
}

var errExited = errors.New("the work of a command ended the goroutine")

// gather adds to a batch what waits by now and, if several are expected, what comes within a moment.
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

// Close waits until all commands in the queue were served. Do must not be called any more: see Gate.
func (q *Queue[R]) Close() {
	close(q.commands)
	<-q.stopped
}
