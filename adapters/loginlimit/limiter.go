// Package loginlimit implements ports.LoginLimiter: it bounds failed logins per name and client, in memory and for one
// process.
package loginlimit

import (
	"container/list"
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"resellerd/ports"
)

// MostRemembered is the most bytes of memory that idle pairs take: about 5,000 pairs with 10 failures each and the
// longest names, or 12,000 usual ones. Above it the limiter forgets the pair that has been idle longest, with its
// failures. An attacker would need as many failures in a window, each at the cost of a password comparison: more than
// 10 guesses at one name are worth.
const MostRemembered = 4 << 20

// Limiter implements ports.LoginLimiter. Attempts in progress count as failures, so concurrency gains no guess. It runs
// no goroutine: later attempts drop the pairs whose failures have left the window.
type Limiter struct {
	limit  int
	window time.Duration
	now    ports.Clock
	most   int // bytes of idle pairs

	mu    sync.Mutex
	pairs map[pair]*record
	idle  *list.List // of *record without attempts in progress, the longest idle first
	size  int        // of those
}

var _ ports.LoginLimiter = (*Limiter)(nil)

// New returns a limiter that accepts at most limit failed attempts of a pair in any window, at least 1.
func New(limit int, window time.Duration, now ports.Clock) *Limiter {
	return &Limiter{
		limit:  max(limit, 1),
		window: window,
		now:    now,
		most:   MostRemembered,
		pairs:  make(map[pair]*record),
		idle:   list.New(),
	}
}

// pair is the name and the client of an attempt.
type pair struct{ username, client string }

// record has the attempts of a pair.
type record struct {
	of       pair
	failures []time.Time   // in the window, oldest first, at most limit
	underWay int           // attempts in progress
	ended    chan struct{} // closed when an attempt ends; nil while none waits
	idle     *list.Element // nil while an attempt is in progress
	counted  int           // its size as it became idle
}

// size returns the memory of an idle record in bytes. It includes the record, an entry of a half-full map, an entry of
// a list, and the memory that these refer to, rounded up to size classes.
func (r *record) size() int {
	return recordSize + len(r.of.username)*9/8 + len(r.of.client)*9/8 + cap(r.failures)*timeSize
}

var (
	recordSize = int(reflect.TypeFor[record]().Size()+3*reflect.TypeFor[pair]().Size()+
		reflect.TypeFor[list.Element]().Size()) + 4*16
	timeSize = int(reflect.TypeFor[time.Time]().Size())
)

// Attempt implements ports.LoginLimiter. A clock that is set back delays no attempt for more than the window.
func (l *Limiter) Attempt(ctx context.Context, usernameKey, client string) (func(failed bool), time.Duration, error) {
	of := pair{usernameKey, client}
	for {
		r, wait, ended := l.enter(of)
		if wait > 0 {
			return nil, wait, nil
		}
		if r != nil {
			return func(failed bool) { l.leave(r, failed) }, 0, nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, 0, fmt.Errorf("wait for logins in progress: %w: %w", ports.ErrUnavailable, context.Cause(ctx))
		}
	}
}

// enter returns one of three results: the record, with the attempt counted as in progress; how long to hold off; or a
// channel that is closed when to try again.
func (l *Limiter) enter(of pair) (*record, time.Duration, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.forget(now)
	r := l.pairs[of]
	if r == nil {
		r = &record{of: of}
		l.pairs[of] = r
	}
	r.expire(now, l.window)
	switch {
	case len(r.failures) >= l.limit:
		return nil, r.failures[0].Add(l.window).Sub(now), nil
	case len(r.failures)+r.underWay >= l.limit:
		if r.ended == nil {
			r.ended = make(chan struct{})
		}
		return nil, 0, r.ended
	}
	r.underWay++
	if r.idle != nil {
		l.leaves(r)
	}
	return r, 0, nil
}

func (l *Limiter) leave(r *record, failed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	r.expire(now, l.window)
	if failed {
		r.failures = append(r.failures, now)
	}
	r.underWay--
	if r.ended != nil {
		close(r.ended)
		r.ended = nil
	}
	switch {
	case r.underWay > 0:
	case len(r.failures) == 0:
		delete(l.pairs, r.of)
	default:
		r.failures = slices.Clone(r.failures) // without the memory of removed ones
		r.idle, r.counted = l.idle.PushBack(r), r.size()
		l.size += r.counted
		l.forget(now)
	}
}

// forget drops the idle pairs at the front whose failures have left the window, and more pairs while the size is over
// the bound. A pair that was idle for a window has no failure left, so such pairs are at the front. Each is dropped
// once: the attempts that made the pairs share the cost.
func (l *Limiter) forget(now time.Time) {
	for front := l.idle.Front(); front != nil; front = l.idle.Front() {
		r := front.Value.(*record)
		if r.expire(now, l.window); len(r.failures) > 0 && l.size <= l.most {
			return
		}
		l.leaves(r)
		delete(l.pairs, r.of)
	}
}

// leaves removes a record from the list of idle ones.
func (l *Limiter) leaves(r *record) {
	l.idle.Remove(r.idle)
	r.idle = nil
	l.size -= r.counted
}

// expire removes the failures that are not in the window that ends now. A failure in the future, after the clock was
// set back, counts from now.
func (r *record) expire(now time.Time, window time.Duration) {
	gone := 0
	for i, at := range r.failures {
		if at.After(now) {
			r.failures[i] = now
		} else if !at.Add(window).After(now) {
			gone = i + 1
		}
	}
	r.failures = r.failures[gone:]
}
