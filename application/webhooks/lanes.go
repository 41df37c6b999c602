package webhooks

import (
	"context"
	"slices"
	"sync"
)

// lanes bound the number of attempts in flight. An account has at most accountShare of them, and waiting accounts take
// turns.
type lanes struct {
	most int

	mu    sync.Mutex
	taken int
	of    map[int64]*laneUse // by account
	turns []int64            // waiting accounts below their share, the next one first
}

// accountShare is the part of the lanes that one account may use: an eighth.
const accountShare = 8

// laneUse is the use of the lanes by an account.
type laneUse struct {
	taken   int
	waiting []chan struct{} // closed when a lane is assigned, in the order of arrival
	queued  bool            // it has a turn
}

func newLanes(most int) *lanes { return &lanes{most: most, of: map[int64]*laneUse{}} }

// enter waits for a lane, or returns the error of ctx.
func (l *lanes) enter(ctx context.Context, account int64) error {
	l.mu.Lock()
	assigned := make(chan struct{})
	use := l.use(account)
	use.waiting = append(use.waiting, assigned)
	l.queue(account, use)
	l.assign()
	l.mu.Unlock()
	select {
	case <-assigned:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := slices.Index(use.waiting, assigned); at >= 0 {
		use.waiting = slices.Delete(use.waiting, at, at+1)
		l.forget(account, use)
	} else {
		l.release(account)
	}
	return ctx.Err()
}

// add counts an attempt in flight, even if no lane is free: the next ones then wait longer. It returns false if twice
// as many attempts are in flight as there are lanes.
func (l *lanes) add(account int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken >= 2*l.most {
		return false
	}
	l.taken++
	l.use(account).taken++
	return true
}

func (l *lanes) leave(account int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(account)
}

func (l *lanes) release(account int64) {
	l.taken--
	use := l.of[account]
	use.taken--
	l.queue(account, use)
	l.forget(account, use)
	l.assign()
}

// assign assigns free lanes.
func (l *lanes) assign() {
	for l.taken < l.most && len(l.turns) > 0 {
		account := l.turns[0]
		l.turns = l.turns[1:]
		use := l.of[account]
		if use == nil {
			continue
		}
		use.queued = false
		if len(use.waiting) == 0 || use.taken >= l.share() { // it has changed since its turn was queued
			continue
		}
		close(use.waiting[0])
		use.waiting = use.waiting[1:]
		l.taken++
		use.taken++
		l.queue(account, use)
	}
}

func (l *lanes) share() int { return l.most / accountShare }

// queue gives an account a turn if it waits for one.
func (l *lanes) queue(account int64, use *laneUse) {
	if len(use.waiting) > 0 && use.taken < l.share() && !use.queued {
		use.queued = true
		l.turns = append(l.turns, account)
	}
}

func (l *lanes) use(account int64) *laneUse {
	if l.of[account] == nil {
		l.of[account] = &laneUse{}
	}
	return l.of[account]
}

func (l *lanes) forget(account int64, use *laneUse) {
	if use.taken == 0 && len(use.waiting) == 0 {
		delete(l.of, account)
	}
}
