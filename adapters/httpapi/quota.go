package httpapi

import (
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/domain/fault"
)

var (
	errTooManyRequests = &refusal{http.StatusTooManyRequests, "too-many-requests", "The caller has made as many requests as it may in a minute. RateLimit says when it may go on."}
	errTooManyDead     = &refusal{http.StatusTooManyRequests, "too-many-requests", "As many requests by tokens, keys or sessions that are good no more came from this address as may in a minute. Retry-After says when another one is looked at."}
	errTooManyBytes    = &refusal{http.StatusTooManyRequests, "too-many-bytes", "More bytes of requests than may be in a time came from this address. Retry-After says when it may go on."}
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
	// leastForgotten is how many windows, or debts, are kept before ended ones are removed.
	leastForgotten = 1024
	// mostKept bounds how many windows, or debts, are kept, of 100 bytes each at most: beyond that all are removed.
	mostKept = 1 << 15
	// MostCounted is how many bytes of memory the quotas take, at most: of callers, of dead credentials, of bytes.
	MostCounted = 3 * mostKept * 100
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
	q.forgets = forget(q.windows, q.forgets, func(w window) bool { return w.ends <= now })
	return q.most - w.made, w.ends - now, over
}

// forget removes what is over, once there are as many as forgets says, and returns the number for the next time.
func forget[Of comparable, T any](kept map[Of]T, forgets int, over func(T) bool) int {
	if len(kept) < forgets {
		return forgets
	}
	maps.DeleteFunc(kept, func(_ Of, one T) bool { return over(one) })
	if len(kept) >= mostKept {
		clear(kept)
	}
	return min(max(leastForgotten, 2*len(kept)), mostKept)
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

const (
	// byteBurst is the time whose bytes an address may send at once.
	byteBurst = 10 * time.Second
	// mostUnread is how much the server reads and discards of an unread body.
	mostUnread = 256 << 10
)

// byteQuota counts the bytes of requests by client address, in this process: what an address sent is a debt, which is
// paid off steadily. A request is admitted if less than byteBurst of it is left; the length of its body is known only
// at its end.
type byteQuota struct {
	rate int // bytes a second
	now  func() time.Duration

	mu      sync.Mutex
	debts   map[string]time.Duration // when each is paid off
	forgets int
}

// newByteQuota returns nil for 0, which is no limit.
func newByteQuota(rate int, now func() time.Duration) *byteQuota {
	if rate == 0 {
		return nil
	}
	return &byteQuota{rate: rate, now: now, debts: map[string]time.Duration{}, forgets: leastForgotten}
}

// wait returns how long an address has to wait with its next request, 0 if it may send one.
func (q *byteQuota) wait(client string) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	return max(0, q.debts[client]-q.now()-byteBurst)
}

func (q *byteQuota) add(client string, bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	q.debts[client] = max(q.debts[client], now) + time.Duration(float64(bytes)/float64(q.rate)*float64(time.Second))
	q.forgets = forget(q.debts, q.forgets, func(paid time.Duration) bool { return paid <= now })
}

// countBytes counts a request's line and header fields as in HTTP/1, and its body. A refused one counts nothing, and
// its rest is not awaited. A health check is admitted and counts nothing, unless it has a body, which no probe sends.
func (a *api) countBytes(c *gin.Context) {
	r := c.Request
	if a.bytes == nil || probes[c.FullPath()] && r.ContentLength == 0 {
		return
	}
	from := client(a.address(r))
	if from == "" {
		return
	}
	if wait := a.bytes.wait(from); wait > 0 {
		c.Header("Connection", "close")
		a.fail(c, fault.After(wait, errTooManyBytes))
		return
	}
	bytes := len(r.Method) + len(r.RequestURI) + len(r.Host) + len("  HTTP/1.1\r\nHost: \r\n\r\n")
	for name, values := range r.Header {
		for _, value := range values {
			bytes += len(name) + len(value) + len(": \r\n")
		}
	}
	if r.ContentLength > 0 {
		bytes += int(min(r.ContentLength, mostUnread))
	}
	a.bytes.add(from, bytes)
	if r.ContentLength >= 0 {
		return
	}
	body := &countedBody{ReadCloser: r.Body, count: func(n int) { a.bytes.add(from, n) }}
	c.Request = r.WithContext(r.Context()) // a copy: the server uses the body in its own
	c.Request.Body = body
	c.Next()
	if c.Writer.Size() > serverBuffer || r.Header.Get("Expect") != "" {
		body.unknown()
	} else {
		body.rest()
	}
}

// serverBuffer is how much of an answer the server buffers: beyond that it discards the rest of the body and sends.
const serverBuffer = 2 << 10

// countedBody is a body that does not say how long it is.
type countedBody struct {
	io.ReadCloser
	count func(n int)
	begun bool
	ended bool // it was read to its end
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(n)
	b.begun, b.ended = true, b.ended || err != nil
	return n, err
}

// rest reads and counts the unread rest, which the server would read and discard before it answers.
func (b *countedBody) rest() {
	if !b.begun {
		_, _ = io.CopyN(io.Discard, b, mostUnread)
	}
	b.unknown()
}

// unknown counts a rest of the body that can't be read here as the most that the server reads of it: after a long
// answer, which was sent already; if it is longer than that; if the client waits for 100 Continue.
func (b *countedBody) unknown() {
	if !b.ended {
		b.count(mostUnread)
	}
}
