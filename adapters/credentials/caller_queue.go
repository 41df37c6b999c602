package credentials

import "sync"

// callerQueue runs the slow work of each caller one call at a time, so that a frequent caller does not delay others.
// Each caller waits for a core only once.
type callerQueue struct {
	mu    sync.Mutex
	turns map[string]*turn // of callers with a call in progress
}

// turn belongs to the call that could put a value into it.
type turn struct {
	held chan struct{}
	want int // calls that have entered and not left
}

// place is the position of a call in the queue while the call waits.
type place struct {
	turn  *turn
	leave func() // may be called again
}

// enter adds a call.
func (q *callerQueue) enter(caller string) *place {
	return q.enterWhere(caller, func(_, _ int) bool { return true })
}

// enterWhere adds a call if may accepts the number of calls ahead: of the caller, and of all callers. Otherwise the
// place is nil.
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

// ahead counts the calls that run before another call of a caller; a nil turn is a caller without calls. Until that
// call runs, each other caller gets at most one turn more than this caller has calls.
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
