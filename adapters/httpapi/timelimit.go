package httpapi

import (
	"context"
	"sync"
	"time"
)

// timeLimit is a context that ends at an instant. It is what context.WithDeadline makes, but for its timer, and its
// place among what the end of the request ends: these are made when somebody waits for them, and few operations do.
type timeLimit struct {
	context.Context

	ends time.Time

	mu    sync.Mutex
	timed context.Context // nil until somebody waits
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

// Value implements context.Context. Package context asks it for what it knows of the end.
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

// cancel gives up what was made for those who wait. Nobody uses the context any more.
func (l *timeLimit) cancel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		l.stop()
	}
}
