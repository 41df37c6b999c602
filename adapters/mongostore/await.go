package mongostore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/adapters/storekit"
)

// lookTime is how often the head is read while a goroutine waits for it to grow.
const lookTime = 50 * time.Millisecond

// growth wakes waiting goroutines when the journal grows. Numbers of this process wake them at once. For numbers of
// other processes it reads the head while a goroutine waits.
type growth struct {
	signal storekit.Signal
	seen   atomic.Int64 // the largest number that is known to be assigned

	mu      sync.Mutex
	waiting int
	stop    context.CancelFunc // ends the reading of the head
	looks   sync.WaitGroup
}

// grew records a number that was assigned.
func (g *growth) grew(seq int64) {
	for {
		seen := g.seen.Load()
		if seq <= seen {
			return
		}
		if g.seen.CompareAndSwap(seen, seq) {
			g.signal.Raise()
			return
		}
	}
}

// join starts reading the head, until leave is called for the last caller.
func (g *growth) join(look func(ctx context.Context)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting++; g.waiting > 1 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	g.stop = stop
	g.looks.Go(func() {
		for ctx.Err() == nil {
			look(ctx)
			wait(ctx, lookTime)
		}
	})
}

func (g *growth) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting--; g.waiting == 0 {
		g.stop()
	}
}

// AwaitEntry implements ports.Store.
func (s *Store) AwaitEntry(ctx context.Context, after int64) error {
	enter := func() error { return s.users.Enter(context.WithoutCancel(ctx)) }
	if err := enter(); err != nil {
		return err
	}
	s.growth.join(s.lookAtHead) //nolint:contextcheck // it reads for all waiting callers
	s.users.Leave()
	defer s.growth.leave()
	return s.growth.signal.Await(ctx, func(context.Context) (bool, error) {
		if err := enter(); err != nil {
			return false, err
		}
		defer s.users.Leave()
		return s.growth.seen.Load() > after, nil
	})
}

// lookAtHead reads the head and records its number, if the server answers.
func (s *Store) lookAtHead(ctx context.Context) {
	var found headDocument
	err := inStep(ctx, func(ctx context.Context) error {
		return s.db.Collection(journalHeadName).FindOne(ctx, byID(headName)).Decode(&found)
	})
	if err == nil {
		s.growth.grew(found.Seq)
	}
}
