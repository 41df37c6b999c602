package credentials

import (
	"context"
	"fmt"
	"sync"

	"resellerd/ports"
)

// callerQueue lets each caller do slow work one call at a time. Who asks often then
// waits for itself: of all who wait for a core, each caller is one.
type callerQueue struct {
	mu    sync.Mutex
	turns map[string]*turn // of callers that hold one or wait for it
}

// turn is held by who can put a value into it.
type turn struct {
	held chan struct{}
	want int // calls that hold it or wait for it
}

// take waits for the caller's turn, which done ends. Where ctx ends first the
// error is ports.ErrUnavailable.
func (q *callerQueue) take(ctx context.Context, caller string) (done func(), err error) {
	q.mu.Lock()
	own := q.turns[caller]
	if own == nil {
		own = &turn{held: make(chan struct{}, 1)}
		q.turns[caller] = own
	}
	own.want++
	q.mu.Unlock()

	leave := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if own.want--; own.want == 0 {
			delete(q.turns, caller)
		}
	}
	select {
	case own.held <- struct{}{}:
		return func() { <-own.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, fmt.Errorf("wait for other requests of the same caller: %w: %w", ports.ErrUnavailable, context.Cause(ctx))
	}
}
