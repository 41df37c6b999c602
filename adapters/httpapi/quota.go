package httpapi

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

var (
	errTooManyRequests = &refusal{http.StatusTooManyRequests, "too-many-requests", "Too many requests", "The account has made as many requests as it may in a minute. RateLimit says when it may go on."}
	errTooManyBytes    = &refusal{http.StatusTooManyRequests, "too-many-bytes", "Too many bytes", "More bytes of requests than may be in a time came from this address. Retry-After says when it may go on."}
)

// overQuota is a refusal with the time to wait.
type overQuota struct {
	*refusal
	wait time.Duration
}

// Unwrap makes it match its refusal.
func (e *overQuota) Unwrap() error { return e.refusal }

// requestWindow is the time in which an account may make so many requests, from the first of them on.
const requestWindow = time.Minute

// requestQuota counts the requests of accounts, in this process.
type requestQuota struct {
	most int
	now  func() time.Duration

	mu      sync.Mutex
	windows map[int64]window
	forgets int // how many windows there are when those that ended are forgotten
}

type window struct {
	ends time.Duration
	made int
}

// leastForgotten is how many windows, or debts, are kept before those that ended are looked for.
const leastForgotten = 1024

// newRequestQuota returns nil for 0, which is no limit.
func newRequestQuota(most int, now func() time.Duration) *requestQuota {
	if most == 0 {
		return nil
	}
	return &requestQuota{most: most, now: now, windows: map[int64]window{}, forgets: leastForgotten}
}

// take counts a request of the account, and returns how many are left in its window, how long that lasts, and whether
// this one was one too many, which does not count.
func (q *requestQuota) take(account int64) (left int, ends time.Duration, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	w, known := q.windows[account]
	if !known || w.ends <= now {
		w = window{ends: now + requestWindow}
	}
	if over = w.made == q.most; !over {
		w.made++
	}
	q.windows[account] = w
	if len(q.windows) >= q.forgets {
		for account, w := range q.windows {
			if w.ends <= now {
				delete(q.windows, account)
			}
		}
		q.forgets = max(leastForgotten, 2*len(q.windows))
	}
	return q.most - w.made, w.ends - now, over
}

// count has a request of a known account count, and says in the header fields of draft-ietf-httpapi-ratelimit-headers
// what is left.
func (q *requestQuota) count(c *gin.Context, account int64) error {
	if q == nil {
		return nil
	}
	left, ends, over := q.take(account)
	c.Header("RateLimit-Policy", fmt.Sprintf(`"account";q=%d;w=%d`, q.most, int(requestWindow.Seconds())))
	c.Header("RateLimit", fmt.Sprintf(`"account";r=%d;t=%d`, left, int(math.Ceil(ends.Seconds()))))
	if over {
		return &overQuota{errTooManyRequests, ends}
	}
	return nil
}

const (
	// byteBurst is how long an address may have sent nothing for what it then may send at once.
	byteBurst = 10 * time.Second
	// mostUnread is what the server reads, and throws away, of a body that nobody asked for.
	mostUnread = 256 << 10
	// mostDebts bounds how many addresses are remembered, of some 100 bytes each.
	mostDebts = 1 << 17
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
	if len(q.debts) < q.forgets {
		return
	}
	for client, paid := range q.debts {
		if paid <= now {
			delete(q.debts, client)
		}
	}
	if len(q.debts) >= mostDebts {
		clear(q.debts)
	}
	q.forgets = min(max(leastForgotten, 2*len(q.debts)), mostDebts)
}

// countBytes counts what a request is made of: its line and header fields as HTTP/1 has them, and its body. One that is
// refused counts nothing, and the rest of it is not waited for. A health check is let in and counts nothing, unless it
// has a body, which no probe sends.
func (a *api) countBytes(c *gin.Context) {
	r := c.Request
	probe := c.FullPath() == "/healthz" || c.FullPath() == "/readyz"
	if a.bytes == nil || probe && r.ContentLength == 0 {
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
