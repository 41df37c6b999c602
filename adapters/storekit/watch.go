package storekit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/ports"
)

// Watch reports a store's commits, for ports.Observable. The zero value has no observer.
type Watch struct {
	seen atomic.Pointer[func(ports.Commit)]
}

// Observe sets the function that is called for every later commit.
func (w *Watch) Observe(seen func(ports.Commit)) { w.seen.Store(&seen) }

// Committed reports a commit, with the fields of a ports.Commit.
func (w *Watch) Committed(commands, attempts int, took time.Duration) {
	if seen := w.seen.Load(); seen != nil {
		(*seen)(ports.Commit{Commands: commands, Attempts: attempts, Took: took})
	}
}

// Signal wakes all goroutines that wait for an event. The zero value is ready for use.
type Signal struct {
	mu     sync.Mutex
	raised chan struct{}
}

// Next returns a channel that the next Raise closes.
func (s *Signal) Next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raised == nil {
		s.raised = make(chan struct{})
	}
	return s.raised
}

// Raise wakes the goroutines that wait now. It costs little if no goroutine waits.
func (s *Signal) Raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raised != nil {
		close(s.raised)
		s.raised = nil
	}
}

// Await calls look until it returns true, at once and after each Raise. An error of look ends it; the end of ctx does
// too, with the error of ctx.
func (s *Signal) Await(ctx context.Context, look func(ctx context.Context) (there bool, err error)) error {
	return s.AwaitOr(ctx, nil, look)
}

// AwaitOr is Await that also calls look at each tick, for changes that raise no signal.
func (s *Signal) AwaitOr(ctx context.Context, tick <-chan time.Time,
	look func(ctx context.Context) (there bool, err error)) error {
	for {
		next := s.Next() // before the look, so that no signal is missed
		if there, err := look(ctx); there || err != nil {
			return err
		}
		select {
		case <-next:
		case <-tick:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
