// Package background runs background work: it removes expired records, sends reminders, delivers webhooks, and runs
// bulk jobs.
//
// # One process
//
// Each process is ready for the last three, and one at a time does them: the holder of a lease (package lease). The
// holder looks every second whether another process requests an answer, or has the lease. A process that believes to be
// the holder a moment longer saves records that its successor saves as well, so the later of two transactions fails.
//
// None of this work has a queue. The cursors are records, and a job has its lines, each with its result. A process that
// ends in order releases the lease.
package background

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"resellerd/application"
	"resellerd/application/internal/usecase"
	"resellerd/application/reminders"
	"resellerd/application/webhooks"
	"resellerd/domain/lease"
	"resellerd/ports"
)

// Options configure Run.
type Options struct {
	usecase.Loop
	webhooks.Sending

	Service *application.Service
	Figures *Figures
}

// Run takes the lease whenever it is free, and does the work of its holder, until ctx ends. Then it releases the lease,
// so that another process takes it at once.
func Run(ctx context.Context, o Options) {
	r := &runner{o}
	var failure usecase.Failure
	for ctx.Err() == nil {
		held, err := r.acquire(ctx)
		failure.Report(ctx, &r.Loop, "the lease of background work could not be read or taken", err)
		if held {
			r.hold(ctx)
		}
	}
}

type runner struct{ Options }

// acquire returns true once this process holds the lease, or false after a while.
func (r *runner) acquire(ctx context.Context) (held bool, err error) {
	asked, err := r.Service.Leases.Get(ctx)
	if err == nil && asked.Holder != "" {
		if asked, err = r.Service.Leases.Change(ctx, lease.Lease.Request); err == nil {
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
		r.Sleep(ctx, lease.PollInterval)
	case is.Holder == r.Process:
		return true, nil
	default:
		err = r.watch(ctx, func(l lease.Lease) bool { return l.Holder != is.Holder })
	}
	return false, err
}

// watch reads the lease until a condition is true, for as long as its holder may take to answer.
func (r *runner) watch(ctx context.Context, until func(lease.Lease) bool) error {
	for passed := time.Duration(0); passed < lease.AnswerTimeout; passed += lease.PollInterval {
		if !r.Sleep(ctx, lease.PollInterval) {
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
	working, endAll := context.WithCancelCause(ctx)
	loop := r.Loop
	loop.EndAll = endAll
	r.Log.Info("this process sends reminders and webhooks from now on")
	var works sync.WaitGroup
	works.Go(func() { r.Service.Reminders.Run(working, loop, &r.Figures.reminders) })
	works.Go(func() { r.Service.Deliveries.Run(working, loop, r.Sending, &r.Figures.webhooks) })
	works.Go(func() { r.Service.JobWorker.Run(working, loop, false) })
	works.Go(func() { r.Service.JobWorker.Run(working, loop, true) })
	for r.Sleep(working, lease.PollInterval) {
		l, err := r.Service.Leases.Get(working)
		switch {
		case err != nil: // a process that waits for the lease can't read it either
		case l.Holder != r.Process:
			endAll(usecase.ErrNotHeld)
		case l.RequestPending():
			_, _ = r.Service.Leases.Change(working, func(l lease.Lease) (lease.Lease, bool) { // a new request to the holder
				if l.Holder != r.Process {
					return l, false
				}
				return l.Answer()
			})
		}
	}
	endAll(nil)
	works.Wait()
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
			"the lease of background work could not be released: another process takes it in some seconds",
			slog.Any("error", err))
	}
}

// Figures are the figures of background work, for operators. The zero value is ready, and safe for concurrent use.
type Figures struct {
	reminders reminders.Figures
	webhooks  webhooks.Figures
}

// Now returns the figures of this moment.
func (f *Figures) Now() ports.Background {
	return ports.Background{
		RemindersBehind: time.Duration(f.reminders.Behind.Load()), Reminders: f.reminders.Sent.Load(),
		Attempts: f.webhooks.Attempts(), Webhooks: f.webhooks.Load(),
	}
}
