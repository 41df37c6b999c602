package storekit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/ports"
)

// Watch reports a store's commits: the half of ports.Observable that all stores share. The zero value reports to no
// observer.
type Watch struct {
	seen atomic.Pointer[func(ports.Commit)]
}

// Observe has seen called for every commit from now on.
func (w *Watch) Observe(seen func(ports.Commit)) { w.seen.Store(&seen) }

// Committed reports a commit, with the fields of a ports.Commit.
func (w *Watch) Committed(commands, attempts int, took time.Duration) {
	if seen := w.seen.Load(); seen != nil {
		(*seen)(ports.Commit{Commands: commands, Attempts: attempts, Took: took})
	}
}

// Signal wakes all who wait for something. The zero value is ready for use.
type Signal struct {
	mu     sync.Mutex
	raised chan struct{}
}

// Next returns a channel that is closed when the signal is raised the next time.
func (s *Signal) Next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raised == nil {
		s.raised = make(chan struct{})
	}
	return s.raised
}

// Raise wakes those who wait now. It costs little if there are none.
func (s *Signal) Raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raised != nil {
		close(s.raised)
		s.raised = nil
	}
}

// Await waits until there is what a caller looks for, and looks again whenever the signal was raised. An error of look
// ends it, as does ctx, with its error.
func (s *Signal) Await(ctx context.Context, look func(ctx context.Context) (there bool, err error)) error {
	return s.AwaitOr(ctx, nil, look)
}

// AwaitOr is Await that also looks again at each tick, for what raises no signal.
func (s *Signal) AwaitOr(ctx context.Context, tick <-chan time.Time,
	look func(ctx context.Context) (there bool, err error)) error {
	for {
		next := s.Next() // before the look, so that nothing is missed
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
