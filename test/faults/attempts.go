package faults

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// purpose is what an attempt asked for.
type purpose string

const (
	effect    purpose = "effect"
	readiness purpose = "readiness"
	reading   purpose = "read"
	feeding   purpose = "read of the journal"
)

// attempt is one request that was sent, and how it ended, in the campaign's own
// monotonic time.
type attempt struct {
	service      int
	purpose      purpose
	began, ended time.Duration
	status       int  // 0: no answer
	replayed     bool // the answer is that of an earlier attempt
}

// good reports whether what was asked for was done.
func (a attempt) good(p purpose) bool { return a.purpose == p && a.status/100 == 2 }

// unavailable reports whether the answer was that there is no store now.
func (a attempt) unavailable(p purpose) bool {
	return a.purpose == p && a.status == http.StatusServiceUnavailable
}

// attempts are those of a campaign, in the order in which they ended.
type attempts struct {
	mu  sync.Mutex
	all []attempt
}

func (as *attempts) add(a attempt) {
	as.mu.Lock()
	defer as.mu.Unlock()
	at := len(as.all)
	for at > 0 && as.all[at-1].ended > a.ended {
		at--
	}
	as.all = slices.Insert(as.all, at, a)
}

// since returns those that ended at an instant or later.
func (as *attempts) since(from time.Duration) []attempt {
	as.mu.Lock()
	defer as.mu.Unlock()
	at := len(as.all)
	for at > 0 && as.all[at-1].ended >= from {
		at--
	}
	return slices.Clone(as.all[at:])
}

// first returns when the first of these ended that meets the condition.
func first(all []attempt, meets func(attempt) bool) (at time.Duration, found bool) {
	i := slices.IndexFunc(all, meets)
	if i < 0 {
		return 0, false
	}
	return all[i].ended, true
}

// longestGap returns the longest time between from and to in which no effect was
// acknowledged by any service, and when it began.
func longestGap(all []attempt, from, to time.Duration) (longest, began time.Duration) {
	last := from
	gap := func(at time.Duration) {
		if at-last > longest {
			longest, began = at-last, last
		}
		last = at
	}
	for _, a := range all {
		if a.good(effect) && a.ended > last && a.ended <= to {
			gap(a.ended)
		}
	}
	gap(to)
	return longest, began
}
