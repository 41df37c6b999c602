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
		"The caller has used up its requests for this minute. Retry after the time in Retry-After."}
	errTooManyInvalid = &refusal{http.StatusTooManyRequests, "too-many-requests",
		"Too many requests with invalid credentials from this address. Retry after the time in Retry-After."}
)

// requestWindow is the length of a window. A window begins with its first request.
const requestWindow = time.Minute

// requestQuota counts requests per caller or address, in this process. An account's owner, each of its API keys and
// each member of its staff has its own window.
type requestQuota[Of comparable] struct {
	most int
	now  func() time.Duration

	mu      sync.Mutex
	windows map[Of]window
	forgets int // number of windows from which on ended ones are removed
}

type window struct {
	ends time.Duration
	made int
}

const (
	// leastForgotten is the number of windows from which on ended ones are removed.
	leastForgotten = 1024
	// mostKept bounds the number of windows, of at most 100 bytes each: beyond it, all are removed.
	mostKept = 1 << 15
	// MostCounted bounds the memory of the two quotas, in bytes: of callers and of invalid credentials.
	MostCounted = 2 * mostKept * 100
)

// newRequestQuota returns nil for 0, which is no limit.
func newRequestQuota[Of comparable](most int, now func() time.Duration) *requestQuota[Of] {
	if most == 0 {
		return nil
	}
	return &requestQuota[Of]{most: most, now: now, windows: map[Of]window{}, forgets: leastForgotten}
}

// take counts a request. It returns the remaining requests of the window, the time until the window ends, and whether
// this request exceeds the limit. Such a request is not counted.
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

// forget removes ended windows when their number reaches forgets.
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

// countRequest counts a request of a known caller, and reports the rest of its quota in the header fields of
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

// countInvalid counts a request with an invalid credential. It returns err, or another refusal if its address sent too
// many.
func (a *api) countInvalid(c *gin.Context, err error) error {
	if a.invalid == nil {
		return err
	}
	if _, ends, over := a.invalid.take(client(a.address(c.Request))); over {
		return fault.After(ends, errTooManyInvalid)
	}
	return err
}
