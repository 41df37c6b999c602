package application

import (
	"context"
	"fmt"
	"sync"

	"resellerd/ports"
)

// turns lets each caller do slow work one request at a time. Who asks often then
// waits for itself: of all who wait for a core, each caller is one.
type callerQueue struct {
	mu  sync.Mutex
	has map[string]*turn
}

// turn is held by who can put a value into it.
type turn struct {
	held chan struct{}
	want int // callers that hold it or wait for it
}

// take waits for the caller's turn, which done ends. Where ctx ends first the
// error is ports.ErrUnavailable.
func (t *callerQueue) take(ctx context.Context, caller string) (done func(), err error) {
	t.mu.Lock()
	if t.has == nil {
		t.has = map[string]*turn{}
	}
	own := t.has[caller]
	if own == nil {
		own = &turn{held: make(chan struct{}, 1)}
		t.has[caller] = own
	}
	own.want++
	t.mu.Unlock()

	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.want--; own.want == 0 {
			delete(t.has, caller)
		}
	}
	select {
	case own.held <- struct{}{}:
		return func() { <-own.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, fmt.Errorf("wait for other requests of the same caller: %w: %w", ports.ErrUnavailable, ctx.Err())
	}
}
