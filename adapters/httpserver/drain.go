package httpserver

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// quietTime is how long a connection without a request under way may be silent once the process stops. A busy
	// client has sent a request by then, and was told to close the connection with its answer.
	quietTime = 250 * time.Millisecond
	// lookTime is how long it takes to read what the system has received already.
	lookTime = time.Millisecond
	// drainLook is how often the remaining connections are checked.
	drainLook = 5 * time.Millisecond
)

// connections are the open ones. Its drain ends them without losing a request: the Shutdown of net/http hangs up on a
// request whose header it has read after Shutdown began, and closes a connection that it takes for idle while a header
// arrives.
type connections struct {
	count atomic.Int64
	mu    sync.Mutex
	open  map[*connection]struct{}
}

// changed tracks the open connections and their states. It is http.Server.ConnState.
func (cs *connections) changed(conn net.Conn, state http.ConnState) {
	c := connectionOf(conn)
	c.change(func() {
		c.active = state == http.StateActive
		if c.idle = state == http.StateIdle; c.idle {
			c.heard, c.silent = false, time.Now()
		}
	})
	switch state {
	case http.StateNew:
		cs.count.Add(1)
		cs.mu.Lock()
		defer cs.mu.Unlock()
		cs.open[c] = struct{}{}
	case http.StateClosed, http.StateHijacked:
		cs.count.Add(-1)
		cs.mu.Lock()
		defer cs.mu.Unlock()
		delete(cs.open, c)
	case http.StateActive, http.StateIdle: // with each request: without waiting for the lock of all
	}
}

// drain returns when no connection is left, or with the context. No other connection may be opened any more. A request
// whose header was read is answered. An idle connection ends when it has been silent for quietTime, or for headerTime
// if a header has begun to arrive; a new one that has sent nothing yet has the server's own time for that.
func (cs *connections) drain(ctx context.Context) {
	began := time.Now()
	look := time.NewTicker(drainLook)
	defer look.Stop()
	for cs.hangUp(began) > 0 {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// hangUp ends the connections that have been silent for long enough, and returns how many are left.
func (cs *connections) hangUp(began time.Time) int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c := range cs.open {
		c.hangUp(began)
	}
	return len(cs.open)
}

// hangUp makes the reader of the connection see its end, and close it. It is not closed here: between the check and the
// close a request may arrive and be executed, and its answer would be lost.
func (c *connection) hangUp(began time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.idle {
		return
	}
	patience := quietTime
	if c.heard && !c.multiplex { // in HTTP/2 much is read that is no request
		patience = headerTime
	}
	since := c.silent
	if since.Before(began) {
		since = began
	}
	if time.Since(since) >= patience {
		c.hungUp = true
		_ = c.SetReadDeadline(time.Now())
	}
}

// Read implements net.Conn.
func (c *connection) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n == 0 && err != nil && c.looksAgain() {
		n, err = c.Conn.Read(b)
	}
	if n > 0 {
		c.hears()
	}
	return n, err
}

// looksAgain reports whether the connection was hung up, and then allows time to read what arrived before.
func (c *connection) looksAgain() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hungUp {
		return false
	}
	return c.SetReadDeadline(time.Now().Add(lookTime)) == nil
}

// hears notes that something was read. If that was just when the connection was hung up, it goes on.
func (c *connection) hears() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard, c.silent = true, time.Now()
	if c.hungUp {
		c.hungUp = false
		_ = c.SetReadDeadline(c.silent.Add(headerTime))
	}
}
