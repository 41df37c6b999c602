// Package testclock implements the clock of a sandbox: it runs like the real clock, and can be set forward.
package testclock

import (
	"sync"
	"time"

	"resellerd/domain/fault"
)

// Errors of setting the clock.
var (
	ErrBackward = fault.New(fault.Conflict, "clock-goes-forward", "The clock goes forward only.")
	ErrTooFar   = fault.New(fault.Conflict, "clock-limit", "The clock goes at most 100 years ahead of the real one.")
)

// farthest is the most that this clock may be ahead of the real clock: every client can read such times.
const farthest = 100 * 365 * 24 * time.Hour

// Clock is a ports.Clock that can be set. It is safe for concurrent use.
type Clock struct {
	real  func() time.Time
	mu    sync.RWMutex
	ahead time.Duration
}

// New returns a clock that begins at an instant and runs like the real clock.
func New(system func() time.Time, at time.Time) *Clock {
	return &Clock{real: system, ahead: at.Sub(system())}
}

// Now returns the time in UTC, to the millisecond.
func (c *Clock) Now() time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.now()
}

func (c *Clock) now() time.Time { return c.real().Add(c.ahead).UTC().Truncate(time.Millisecond) }

// Forward sets the clock to the result of to for the present time, and returns the new time. Refusals: ErrBackward,
// ErrTooFar.
func (c *Clock) Forward(to func(now time.Time) time.Time) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	target := to(now)
	switch by := target.Sub(now); {
	case by < 0:
		return now, ErrBackward
	case target.After(c.real().Add(farthest)):
		return now, ErrTooFar
	default:
		c.ahead += by
		return c.now(), nil
	}
}
