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
)

var (
	errTooManyRequests = &refusal{http.StatusTooManyRequests, "too-many-requests", "Too many requests", "The account has made as many requests as it may in a minute. RateLimit says when it may go on."}
	errTooManyDead     = &refusal{http.StatusTooManyRequests, "too-many-requests", "Too many requests", "As many requests by tokens or sessions that are good no more came from this address as may in a minute. Retry-After says when another one is looked at."}
	errTooManyBytes    = &refusal{http.StatusTooManyRequests, "too-many-bytes", "Too many bytes", "More bytes of requests than may be in a time came from this address. Retry-After says when it may go on."}
)

// overQuota is a refusal with the time to wait.
type overQuota struct {
	*refusal
	wait time.Duration
}

// Unwrap makes it match its refusal.
func (e *overQuota) Unwrap() error { return e.refusal }

// requestWindow is the time in which an account may make so many requests, from the first of them on, and a client
// address so many by credentials that are dead.
const requestWindow = time.Minute

// requestQuota counts requests by whose they are, in this process.
type requestQuota[Of comparable] struct {
	most int
	now  func() time.Duration

	mu      sync.Mutex
	windows map[Of]window
	forgets int // how many windows there are when those that ended are forgotten
}

type window struct {
	ends time.Duration
	made int
}

const (
	// leastForgotten is how many windows, or debts, are kept before those that ended are looked for.
	leastForgotten = 1024
	// mostKept bounds how many windows, or debts, are kept, of 100 bytes each at most: then all are forgotten.
	mostKept = 1 << 15
	// MostCounted is how many bytes of memory the quotas take, at most: of accounts, of dead credentials, of bytes.
	MostCounted = 3 * mostKept * 100
)

// newRequestQuota returns nil for 0, which is no limit.
func newRequestQuota[Of comparable](most int, now func() time.Duration) *requestQuota[Of] {
	if most == 0 {
		return nil
	}
	return &requestQuota[Of]{most: most, now: now, windows: map[Of]window{}, forgets: leastForgotten}
}

// take counts a request, and returns how many are left in its window, how long that lasts, and whether this one was one
// too many, which does not count.
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

// forget removes from what is kept what is over, once there is as much as forgets says, and returns when to do so again.
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

// countRequest has a request of a known account count, and says in the header fields of
// draft-ietf-httpapi-ratelimit-headers what is left.
func (a *api) countRequest(c *gin.Context, account int64) error {
	if a.requests == nil {
		return nil
	}
	left, ends, over := a.requests.take(account)
	c.Header("RateLimit-Policy", fmt.Sprintf(`"account";q=%d;w=%d`, a.requests.most, int(requestWindow.Seconds())))
	c.Header("RateLimit", fmt.Sprintf(`"account";r=%d;t=%d`, left, int(math.Ceil(ends.Seconds()))))
	if over {
		return &overQuota{errTooManyRequests, ends}
	}
	return nil
}

// countDead has a request by a dead credential count, and returns what refuses it: err, as long as there were not too
// many from its address.
func (a *api) countDead(c *gin.Context, err error) error {
	if a.dead == nil {
		return err
	}
	if _, ends, over := a.dead.take(client(a.address(c.Request))); over {
		return &overQuota{errTooManyDead, ends}
	}
	return err
}

const (
	// byteBurst is how long an address may have sent nothing for what it then may send at once.
	byteBurst = 10 * time.Second
	// mostUnread is what the server reads, and throws away, of a body that nobody asked for.
	mostUnread = 256 << 10
)

// byteQuota counts the bytes of requests by client address, in this process: each address has what it sent as a debt,
// which goes down steadily. A request is let in where there is less than byteBurst of it left to go down; how long its
// body is, only the end of it tells.
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

// wait returns how long an address has to wait with its next request, 0 where it may send one.
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

// countBytes counts what a request is made of: its line and header fields as HTTP/1 has them, and its body. One that is
// refused counts nothing, and the rest of it is not waited for. A health check is let in and counts nothing, unless it
// has a body, which no probe sends.
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
		a.fail(c, &overQuota{errTooManyBytes, wait})
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
	c.Request = r.WithContext(r.Context()) // a copy: the server goes by the body in its own
	c.Request.Body = body
	c.Next()
	if c.Writer.Size() > serverBuffer || r.Header.Get("Expect") != "" {
		body.unknown()
	} else {
		body.rest()
	}
}

// serverBuffer is how much of an answer the server keeps back until it ends, or there is more: then it throws away what
// is left of the body and sends.
const serverBuffer = 2 << 10

// countedBody is a body that does not say how long it is.
type countedBody struct {
	io.ReadCloser
	count func(n int)
	begun bool
	ended bool // there is no more to read
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(n)
	b.begun, b.ended = true, b.ended || err != nil
	return n, err
}

// rest reads and counts what nobody asked for, and the server would read and throw away before it answers.
func (b *countedBody) rest() {
	if !b.begun {
		_, _ = io.CopyN(io.Discard, b, mostUnread)
	}
	b.unknown()
}

// unknown has what is left of the body, and can't be read here, count as the most that the server reads of it: behind a
// long answer, which was sent already; where it is longer than anybody reads; where the client waits for leave to send.
func (b *countedBody) unknown() {
	if !b.ended {
		b.count(mostUnread)
	}
}
