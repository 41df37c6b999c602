package httpapi

import (
	"context"
	"sync"
	"time"
)

// timeLimit is a context that ends at an instant. It is like that of context.WithDeadline, but its timer and its
// registration with the parent are made only on Done, which few operations call.
type timeLimit struct {
	context.Context

	ends time.Time

	mu    sync.Mutex
	timed context.Context // nil until Done
	stop  context.CancelFunc
}

// Deadline implements context.Context.
func (l *timeLimit) Deadline() (time.Time, bool) {
	if sooner, has := l.Context.Deadline(); has && sooner.Before(l.ends) {
		return sooner, true
	}
	return l.ends, true
}

// Done implements context.Context.
func (l *timeLimit) Done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timed == nil {
		l.timed, l.stop = context.WithDeadline(l.Context, l.ends)
	}
	return l.timed.Done()
}

// Err implements context.Context.
func (l *timeLimit) Err() error {
	if timed := l.waitedFor(); timed != nil {
		return timed.Err()
	}
	if err := l.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(l.ends) {
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements context.Context. Package context uses it to find the cancellation.
func (l *timeLimit) Value(key any) any {
	if timed := l.waitedFor(); timed != nil {
		return timed.Value(key)
	}
	return l.Context.Value(key)
}

func (l *timeLimit) waitedFor() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.timed
}

// cancel releases what Done made. The context must not be used any more.
func (l *timeLimit) cancel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		l.stop()
	}
}
