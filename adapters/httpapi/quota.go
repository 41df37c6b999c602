package httpapi

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/domain/fault"
)

var (
	errTooManyRequests = &refusal{http.StatusTooManyRequests, "too-many-requests",
		"The caller has made as many requests as it may in a minute. RateLimit says when it may go on."}
	errTooManyDead = &refusal{http.StatusTooManyRequests, "too-many-requests",
		"As many requests by tokens, keys or sessions that are good no more came from this address as may in a minute. Retry-After says when another one is looked at."}
)

// requestWindow is the time in which a caller may make so many requests, from the first of them on, and a client
// address so many by dead credentials.
const requestWindow = time.Minute

// requestQuota counts requests per caller or address, in this process. An account's owner, and each of its keys and
// staff, is a caller with a window of its own.
type requestQuota[Of comparable] struct {
	most int
	now  func() time.Duration

	mu      sync.Mutex
	windows map[Of]window
	forgets int // how many windows there are when ended ones are removed
}

type window struct {
	ends time.Duration
	made int
}

const (
	// leastForgotten is how many windows are kept before ended ones are removed.
	leastForgotten = 1024
	// mostKept bounds how many windows are kept, of 100 bytes each at most: beyond that all are removed.
	mostKept = 1 << 15
	// MostCounted is how many bytes of memory the quotas take, at most: of callers and of dead credentials.
	MostCounted = 2 * mostKept * 100
)

// newRequestQuota returns nil for 0, which is no limit.
func newRequestQuota[Of comparable](most int, now func() time.Duration) *requestQuota[Of] {
	if most == 0 {
		return nil
	}
	return &requestQuota[Of]{most: most, now: now, windows: map[Of]window{}, forgets: leastForgotten}
}

// take counts a request, and returns how many are left in its window, how long that lasts, and whether this one was too
// many; then it does not count.
func (q *requestQuota[Of]) take(of Of) (left int, ends time.Duration, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	w, known := q.windows[of]
	if !known || w.ends <= now {
		w = window{ends: now + requestWindow}
	}
	if over = w.made == q.most; !over {
		w.made++
	}
	q.windows[of] = w
	q.forget(now)
	return q.most - w.made, w.ends - now, over
}

// forget removes the windows that have ended, once there are as many as forgets says.
func (q *requestQuota[Of]) forget(now time.Duration) {
	if len(q.windows) < q.forgets {
		return
	}
	maps.DeleteFunc(q.windows, func(_ Of, w window) bool { return w.ends <= now })
	if len(q.windows) >= mostKept {
		clear(q.windows)
	}
	q.forgets = min(max(leastForgotten, 2*len(q.windows)), mostKept)
}

// countRequest counts a request of a known caller, and reports what is left in the header fields of
// draft-ietf-httpapi-ratelimit-headers.
func (a *api) countRequest(c *gin.Context) {
	if a.requests == nil {
		return
	}
	left, ends, over := a.requests.take(caller(c).Holder())
	c.Header("RateLimit-Policy", fmt.Sprintf(`"account";q=%d;w=%d`, a.requests.most, int(requestWindow.Seconds())))
	c.Header("RateLimit", fmt.Sprintf(`"account";r=%d;t=%d`, left, int(math.Ceil(ends.Seconds()))))
	if over {
		a.fail(c, fault.After(ends, errTooManyRequests))
	}
}

// countDead counts a request by a dead credential, and returns its refusal: err, unless there were too many from its
// address.
func (a *api) countDead(c *gin.Context, err error) error {
	if a.dead == nil {
		return err
	}
	if _, ends, over := a.dead.take(client(a.address(c.Request))); over {
		return fault.After(ends, errTooManyDead)
	}
	return err
}
