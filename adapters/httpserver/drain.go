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
	// quietTime is how long a connection without a running request may be silent after the process begins to stop. A
	// busy client sends a request within this time, and its answer closes the connection.
	quietTime = 250 * time.Millisecond
	// lookTime is the time to read bytes that the system has already received.
	lookTime = time.Millisecond
	// drainLook is the time between two checks of the remaining connections.
	drainLook = 5 * time.Millisecond
)

// connections are the open connections. drain ends them without losing a request. Shutdown of net/http loses requests:
// it hangs up on a request whose header was read after Shutdown began, and closes a connection that it considers idle
// while a header arrives.
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
	case http.StateActive, http.StateIdle: // for each request: without the lock of all connections
	}
}

// drain returns when no connection is left, or when ctx ends. No other connection may be opened in that time. A request
// whose header was read is answered. An idle connection ends after quietTime of silence, or after headerTime if a
// header has begun to arrive. A new connection that has sent nothing has the server's own time limit.
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

// hangUp ends the connections that were silent long enough, and returns the number of connections left.
func (cs *connections) hangUp(began time.Time) int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c := range cs.open {
		c.hangUp(began)
	}
	return len(cs.open)
}

// hangUp makes the reader of the connection see its end, and the reader closes it. hangUp does not close the
// connection: a request may arrive and be executed between the check and the close, and its answer would be lost.
func (c *connection) hangUp(began time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.idle {
		return
	}
	patience := quietTime
	if c.heard && !c.multiplex { // an HTTP/2 connection reads many frames that are not requests
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

// looksAgain reports whether the connection was hung up, and then allows time to read bytes that arrived before.
func (c *connection) looksAgain() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hungUp {
		return false
	}
	return c.SetReadDeadline(time.Now().Add(lookTime)) == nil
}

// hears notes that bytes were read. If the connection was hung up at the same moment, it continues.
func (c *connection) hears() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard, c.silent = true, time.Now()
	if c.hungUp {
		c.hungUp = false
		_ = c.SetReadDeadline(c.silent.Add(headerTime))
	}
}
