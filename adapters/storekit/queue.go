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

// ErrAgain is the error of Failed for a run that must be repeated.
var ErrAgain = errors.New("the work must run again")

// Run is one run of an update's work in the transaction of a store.
type Run interface {
	// Failed is called after work has returned. If it returns an error, the run is undone, and Do returns this error
	// instead of the result of work. After ErrAgain Do waits for the next run.
	Failed() error
	// End is called at the end of the run, even if work panics. From then on the run refuses every call. If commit is
	// false, End undoes the changes of work, unless the store undoes them by other means.
	End(commit bool)
}

// Outcome is the outcome of a run of work.
type Outcome int

// The outcomes.
const (
	Dropped   Outcome = iota // work failed, did not run, or did not return: no change remains
	Succeeded                // the changes of work are to be committed
	Again                    // the command waits for another run
)

// Command is an update in the queue of a store. Its work runs on a goroutine of the store while the caller waits. After
// Do has returned, the caller may use the variables that work assigns. A panic or a Goexit of work is repeated in the
// caller's goroutine.
type Command[R Run] struct {
	ctx  context.Context
	work func(R) error
	done chan error // how the transaction ended

	state  atomic.Int32
	left   chan struct{} // closed when the work has ended that a leaving caller waits for
	ran    bool
	result error  // of the last run
	raise  func() // repeats a panic or a Goexit of work in the caller, else nil
}

// The states of a command.
const (
	waiting int32 = iota // for its turn, or for the end of the transaction
	running
	leaving // it runs, and its caller leaves as soon as that ends
	gone    // no caller waits for another run
)

// Run runs the command's work once, on this goroutine. A caller that no longer waits has dropped its command. A Goexit
// of work continues: see Serve.
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
		r.End(outcome == Succeeded)
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
	if failure := r.Failed(); failure != nil { // even if work returned nil: it has not read what it requested
		if errors.Is(failure, ErrAgain) {
			*outcome = Again
		}
		return failure
	}
	if err := c.ctx.Err(); err != nil {
		return Unavailable("run an update", err)
	}
	if err == nil {
		*outcome = Succeeded
	}
	return err
}

// End passes on the outcome of the transaction. After nil, a commit, the caller gets the result of its work. Only the
// first call counts; it never blocks.
func (c *Command[R]) End(err error) {
	select {
	case c.done <- err:
	default:
	}
}

// answer returns the result of Do for the outcome of the transaction.
func (c *Command[R]) answer(err error) error {
	if c.raise != nil {
		c.raise()
	}
	return cmp.Or(err, c.result)
}

// leave drops the command. If its work runs, leave waits for its end, which takes as long as the statements of one
// command. It returns the step that the caller waited for.
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

// Panic is the value that Do panics with after a panic of work.
type Panic struct {
	Value any
	Stack []byte // of the panic in work
}

// Error implements error.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n%s", p.Value, p.Stack) }

// lingerShare limits the wait for callers of the last batch: to this part of the time that the batch took.
const lingerShare = 4

// Queue passes updates to the goroutine that runs Serve.
type Queue[R Run] struct {
	commands chan *Command[R] // room for one batch
	outside  atomic.Int64     // commands that wait for room in the channel
	stopped  chan struct{}
	linger   time.Duration
}

// NewQueue returns a queue with at most so many commands in a batch. This limits how long the first command waits for
// the last.
//
// The callers of the last batch are likely to return at once. If one round trip serves a whole batch, waiting for them
// is faster: without the wait, the first to return would go alone while all others wait, and two halves would
// alternate. The next batch therefore waits until it has as many commands as the last batch and the queue at its end
// together. It waits for a quarter of the time of the last batch, at most linger. A lone command does not wait.
func NewQueue[R Run](most int, linger time.Duration) *Queue[R] {
	return &Queue[R]{commands: make(chan *Command[R], most), stopped: make(chan struct{}), linger: linger}
}

// Do runs work in a transaction, possibly several times. When the transaction is committed, it returns the result of
// the last run. An error of the transaction has precedence; the caller turns it into ports.ErrUnavailable. If ctx ends
// before the outcome is known, the error is ports.ErrUnavailable. Work whose context has ended does not run, and its
// changes are undone. A commit in progress continues: only the wait ends.
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

// join waits for room in a full queue, or returns the error of ctx.
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

// Len returns the number of waiting commands, including those that wait for room in the queue.
func (q *Queue[R]) Len() int { return len(q.commands) + int(q.outside.Load()) }

// Serve calls transact with batches of commands in the order of their arrival, until the queue is closed and empty.
// transact ends each command, at once or later; the batch belongs to it until it returns.
//
// If work ends its goroutine, which is this one, all unfinished commands of the batch are lost with the transaction.
// Another goroutine then continues.
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

// gather adds the waiting commands to a batch. If it expects several, it also adds those that arrive within a moment.
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

// Close waits until all commands in the queue have ended. Do must not be called any more: see Gate.
func (q *Queue[R]) Close() {
	close(q.commands)
	<-q.stopped
}
