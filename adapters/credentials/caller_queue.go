package credentials

import "sync"

// callerQueue lets each caller do slow work one call at a time, so that a frequent caller does not delay others: each
// caller waits for a core only once.
type callerQueue struct {
	mu    sync.Mutex
	turns map[string]*turn // of callers with a call under way
}

// turn is held by the call that could put a value into it.
type turn struct {
	held chan struct{}
	want int // calls that have entered and not left
}

// place is that of a call, from when it enters until it leaves.
type place struct {
	turn  *turn
	leave func() // may be called again
}

// enter counts a call in.
func (q *callerQueue) enter(caller string) *place {
	return q.enterWhere(caller, func(_, _ int) bool { return true })
}

// enterWhere counts a call in if may allows that with those ahead, of the caller and of all.
// Otherwise the place is nil.
func (q *callerQueue) enterWhere(caller string, may func(ofCaller, all int) bool) *place {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.turns[caller]
	if !may(q.ahead(t)) {
		return nil
	}
	if t == nil {
		t = &turn{held: make(chan struct{}, 1)}
		q.turns[caller] = t
	}
	t.want++
	return &place{t, sync.OnceFunc(func() { q.leave(caller, t) })}
}

func (q *callerQueue) leave(caller string, t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.want--; t.want == 0 {
		delete(q.turns, caller)
	}
}

// ahead counts what runs before another call of a caller, nil for one without any. By its turn each other caller has
// had as many turns, and one more.
func (q *callerQueue) ahead(caller *turn) (ofCaller, all int) {
	if caller != nil {
		ofCaller = caller.want
	}
	all = ofCaller
	for _, other := range q.turns {
		if other != caller {
			all += min(other.want, ofCaller+1)
		}
	}
	return ofCaller, all
}
