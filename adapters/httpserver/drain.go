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
	// quietTime is how long a connection on which no request is under way may be silent once the process stops. A client
	// that asks again and again has asked by then, and was answered that the connection ends with the answer.
	quietTime = 250 * time.Millisecond
	// lookTime is how long it takes to see what the system has received already.
	lookTime = time.Millisecond
	// drainLook is how often the connections that are left are looked at.
	drainLook = 5 * time.Millisecond
)

// connections are those that are open. Its drain ends them without losing a request: the Shutdown of net/http hangs up
// on a request whose header it has read where it did so after Shutdown began, and closes a connection that it takes for
// idle while a header comes in.
type connections struct {
	count atomic.Int64
	mu    sync.Mutex
	open  map[*connection]struct{}
}

// changed keeps who is open, and what each is at. It is http.Server.ConnState.
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
	case http.StateActive, http.StateIdle: // with each request: nobody is to wait for the others
	}
}

// drain returns when no connection is left, or with the context. No other connection may be opened any more. A request
// whose header was read is answered. What is idle ends when it has been silent for quietTime, or for headerTime where a
// header has begun to come; what was opened and has sent nothing yet has the server's own time for that.
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

// hangUp ends the connections that have been silent for long enough, and returns how many there are.
func (cs *connections) hangUp(began time.Time) int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c := range cs.open {
		c.hangUp(began)
	}
	return len(cs.open)
}

// hangUp has whoever reads from the connection learn that nothing comes any more, and close it. It is not closed here:
// between a look at it and the close a request may come in, be executed, and have nobody to answer to.
func (c *connection) hangUp(began time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.idle {
		return
	}
	patience := quietTime
	if c.heard && !c.multiplex { // by HTTP/2 much is heard that is no request
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

// looksAgain reports whether the connection was hung up, and then leaves time to read what has come before.
func (c *connection) looksAgain() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hungUp {
		return false
	}
	return c.SetReadDeadline(time.Now().Add(lookTime)) == nil
}

// hears keeps when something was read. Where that was in the moment in which the connection was hung up, it goes on.
func (c *connection) hears() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard, c.silent = true, time.Now()
	if c.hungUp {
		c.hungUp = false
		_ = c.SetReadDeadline(c.silent.Add(headerTime))
	}
}
