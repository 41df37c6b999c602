// Package background does what is done beside requests: it removes what has expired, tells the owners of lines that
// these expire, delivers webhooks, and works on jobs for many lines.
//
// # One process
//
// Of the last three each process is ready to do all, and one at a time does: the holder of a lease (package lease). It
// looks every second whether it is asked, or has lost the lease. One that believes to hold it a moment longer saves
// records that its successor saves as well, so the later of two transactions fails.
//
// # Cursors
//
// None has a queue. How far lines were told of is a watermark for each number of days, saved with the entries that it
// leads to. How far a webhook's deliveries are is one record: a cursor over the journal, the entries that are to be
// sent again, the last attempts. A job is its lines, with what became of each. What a webhook has under way is in
// memory, and after a second in the record, too: whoever goes on after a crash sends it again. The journal is read once
// for all webhooks, to find whom an entry may be for; each of these then reads its own by an index, so a webhook that
// begins far back costs the others nothing.
//
// # Nobody delays another
//
// A webhook to which something is to be sent has a goroutine, with one attempt at a time at first, and more while it
// takes what is sent: one that never answers holds one place. Attempts to webhooks that fail, and attempts that take
// more than two seconds, have places of their own. Of each kind of places an account has at most an eighth, and
// accounts that wait take turns. The record of a webhook is saved once for many attempts, and not later than a second
// after the first.
//
// # The end
//
// A process that ends in order gives back the lease. Before that what is under way may come to its end for a second,
// and what has arrived is kept. So nothing that arrived comes again. What is cut short then comes again at once, and
// does not count.
package background

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/application"
	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/line"
	"resellerd/domain/webhook"
	"resellerd/ports"
)

// Options say what Run works with.
type Options struct {
	Service *application.Service
	Process string // a name that no other process has
	Days    line.Reminders
	Sender  ports.WebhookSender
	Encode  func(n journal.Numbered) []byte // an entry as a receiver gets it
	Clock   ports.Clock                     // the service's
	After   func(d time.Duration) <-chan time.Time
	Passed  func() time.Duration // since any fixed instant, by a clock that nobody sets
	Spread  func() float64       // at random from [0, 1)
	Figures *Figures
	Log     *slog.Logger
}

// Run takes the lease whenever it is to be had, and does the work of its holder, until ctx ends. Then it gives the
// lease back, so that another process takes it at once.
func Run(ctx context.Context, o Options) {
	r := &runner{o}
	var failing complaint
	for ctx.Err() == nil {
		held, err := r.acquire(ctx)
		failing.about(ctx, r.Log, "the lease of what is done in the background could not be read or taken", err)
		if held {
			r.hold(ctx)
		}
	}
}

type runner struct{ Options }

// complaint tells once that something fails, until it works again.
type complaint struct{ made bool }

// about takes whether it worked.
func (c *complaint) about(ctx context.Context, log *slog.Logger, failed string, err error) {
	if err != nil && !c.made && ctx.Err() == nil {
		log.Warn(failed, slog.Any("error", err))
	}
	c.made = err != nil
}

// sleep waits, and returns whether ctx has not ended.
func (r *runner) sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-r.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// acquire returns true once this process holds the lease, or false after a while.
func (r *runner) acquire(ctx context.Context) (held bool, err error) {
	asked, err := r.Service.Leases.Get(ctx)
	if err == nil && asked.Holder != "" {
		if asked, err = r.Service.Leases.Change(ctx, lease.Lease.Ask); err == nil {
			err = r.watch(ctx, func(is lease.Lease) bool { return is != asked })
		}
	}
	is := asked
	if err == nil {
		is, err = r.Service.Leases.Change(ctx, func(l lease.Lease) (lease.Lease, bool) {
			if !l.MayTake(asked) {
				return l, false
			}
			return l.Take(r.Process), true
		})
	}
	switch {
	case err != nil:
		r.sleep(ctx, lease.Look)
	case is.Holder == r.Process:
		return true, nil
	default:
		err = r.watch(ctx, func(l lease.Lease) bool { return l.Holder != is.Holder })
	}
	return false, err
}

// watch looks at the lease until something is true of it, for as long as its holder may take to answer.
func (r *runner) watch(ctx context.Context, until func(lease.Lease) bool) error {
	for passed := time.Duration(0); passed < lease.Patience; passed += lease.Look {
		if !r.sleep(ctx, lease.Look) {
			return ctx.Err()
		}
		if is, err := r.Service.Leases.Get(ctx); err != nil || until(is) {
			return err
		}
	}
	return nil
}

// hold does the work until the lease is lost, or ctx ends.
func (r *runner) hold(ctx context.Context) {
	working, lose := context.WithCancelCause(ctx)
	r.Log.Info("this process sends reminders and webhooks from now on")
	var works sync.WaitGroup
	works.Go(func() { r.remind(working, lose) })
	works.Go(func() { deliver(working, r, lose) })
	works.Go(func() { r.work(working, lose, ordered) })
	works.Go(func() { r.work(working, lose, dryRuns) })
	for r.sleep(working, lease.Look) {
		l, err := r.Service.Leases.Get(working)
		switch {
		case err != nil: // whoever asks is in the same position
		case l.Holder != r.Process:
			lose(usecase.ErrNotHeld)
		case l.Open():
			_, _ = r.Service.Leases.Change(working, func(l lease.Lease) (lease.Lease, bool) { // it is asked again
				if l.Holder != r.Process {
					return l, false
				}
				return l.Answer()
			})
		}
	}
	lose(nil)
	works.Wait()
	r.Figures.reset()
	if ctx.Err() == nil {
		r.Log.Warn("another process sends reminders and webhooks from now on")
		return
	}
	const briefly = 2 * time.Second
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), briefly)
	defer cancel()
	if _, err := r.Service.Leases.Change(ending, func(l lease.Lease) (lease.Lease, bool) {
		return l.Release(r.Process)
	}); err != nil {
		r.Log.Warn(
			"the lease of what is done in the background could not be given back: another process takes it in some seconds",
			slog.Any("error", err))
	}
}

const (
	// remindEvery is how often lines are looked for that are to be told of: an idle service costs little more, and a line
	// is told of within two seconds.
	remindEvery = time.Second
	// remindAtOnce is how many are told of in one transaction, for which commands wait.
	remindAtOnce = 32
	// remindShare is how many times as long as such a transaction the next one is waited for: commands of clients come
	// first. A million lines are told of in some minutes.
	remindShare = 3
)

// remind tells the owners of lines that these expire.
func (r *runner) remind(ctx context.Context, lose context.CancelCauseFunc) {
	all := append([]int{0}, r.Days...)
	told := r.Passed() // when none was left
	var failing complaint
	for {
		var behind time.Duration
		var err error
		for _, days := range all {
			if err = r.remindOf(ctx, days, &behind); err != nil {
				break
			}
		}
		switch {
		case errors.Is(err, usecase.ErrNotHeld):
			lose(err)
		case err == nil:
			told = r.Passed()
		default:
			behind = max(behind, r.Passed()-told)
		}
		failing.about(ctx, r.Log, "the expiry of lines could not be told of", err)
		r.Figures.remindersBehind.Store(int64(behind))
		if !r.sleep(ctx, remindEvery) {
			return
		}
	}
}

// remindOf tells of all lines that are due so many days before their expiry. behind is of the first that is left.
func (r *runner) remindOf(ctx context.Context, days int, behind *time.Duration) error {
	for {
		began := r.Passed()
		told, err := r.Service.Reminders.Send(ctx, r.Process, days, remindAtOnce)
		r.Figures.reminders.Add(int64(told.Entries))
		if err != nil || !told.More {
			return err
		}
		*behind = max(*behind, told.Behind)
		r.Figures.remindersBehind.Store(int64(told.Behind))
		if !r.sleep(ctx, remindShare*(r.Passed()-began)) {
			return ctx.Err()
		}
	}
}

// delivered is the outcome of an attempt that did not fail.
const delivered = "delivered"

// Figures are those of what is done in the background, for operators. The zero value is ready, and safe for concurrent
// use.
type Figures struct {
	remindersBehind atomic.Int64 // nanoseconds
	reminders       atomic.Int64
	attempts        sync.Map // of outcome to *atomic.Int64
	mu              sync.Mutex
	webhooks        func() ports.WebhookLoad // nil: another process delivers
}

// Now returns the figures of this moment.
func (f *Figures) Now() ports.Background {
	now := ports.Background{
		RemindersBehind: time.Duration(f.remindersBehind.Load()), Reminders: f.reminders.Load(),
		Attempts: map[string]int64{delivered: 0},
	}
	for _, failure := range webhook.Failures() {
		now.Attempts[string(failure)] = 0
	}
	f.attempts.Range(func(outcome, count any) bool {
		now.Attempts[outcome.(string)] = count.(*atomic.Int64).Load() //nolint:forcetypeassert // count puts them there
		return true
	})
	f.mu.Lock()
	webhooks := f.webhooks
	f.mu.Unlock()
	if webhooks != nil {
		now.Webhooks = new(webhooks())
	}
	return now
}

// count counts an attempt by its outcome.
func (f *Figures) count(outcome string) {
	count, _ := f.attempts.LoadOrStore(outcome, new(atomic.Int64))
	count.(*atomic.Int64).Add(1) //nolint:forcetypeassert // nothing else is put there
}

func (f *Figures) show(webhooks func() ports.WebhookLoad) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.webhooks = webhooks
}

func (f *Figures) reset() {
	f.remindersBehind.Store(0)
	f.show(nil)
}
