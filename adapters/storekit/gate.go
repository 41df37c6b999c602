package storekit

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"resellerd/ports"
)

var errClosed = errors.New("the store is closed")

// Unavailable wraps the cause of a failure in ports.ErrUnavailable and adds the action that failed.
func Unavailable(doing string, cause error) error {
	return fmt.Errorf("%s: %w: %w", doing, ports.ErrUnavailable, cause)
}

// Gate counts the calls in progress of a store and refuses new calls after Shut. The zero value is open.
type Gate struct {
	mu     sync.Mutex
	shut   bool
	inside sync.WaitGroup
}

// Enter counts a call, which ends with Leave. It fails with ports.ErrUnavailable if the gate is shut or ctx has ended;
// after that Leave must not be called.
func (g *Gate) Enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return Unavailable("use the store", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return Unavailable("use the store", errClosed)
	}
	g.inside.Add(1)
	return nil
}

// Leave ends a call that Enter has counted.
func (g *Gate) Leave() { g.inside.Done() }

// Shut refuses later calls, waits until all calls have ended, and reports whether this call shut the gate.
func (g *Gate) Shut() bool {
	g.mu.Lock()
	first := !g.shut
	g.shut = true
	g.mu.Unlock()
	if first {
		g.inside.Wait()
	}
	return first
}
