package httpserver

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// stallTime is how long a client may take nothing of a waiting answer.
	stallTime = 10 * time.Second
	// takenAtOnce is how much is written at a time, by a system call that costs more than making a record of a list: a
	// client that takes less than that in stallTime, beyond what systems buffer, counts as taking nothing. An answer of
	// that length has to be taken within WriteTimeout anyway.
	takenAtOnce = 16 << 10
)

type connectionKey struct{}

// connectionOf returns the connection that a watchedListener has accepted.
func connectionOf(c net.Conn) *connection {
	if t, isTLS := c.(*tls.Conn); isTLS {
		c = t.NetConn()
	}
	return c.(*connection)
}

type watchedListener struct{ net.Listener }

// Accept implements net.Listener.
func (l watchedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &connection{Conn: c}, nil
}

// connection closes itself if an answer waits and no byte of it was taken for stallTime: an unread answer is held in
// memory. A slow reader has until the server's WriteTimeout.
type connection struct {
	net.Conn

	mu         sync.Mutex
	writing    int       // writes to the connection under way
	streams    int       // answers that their handlers are writing to an HTTP/2 stream
	unanswered int       // HTTP/2 requests whose handlers have written nothing yet
	multiplex  bool      // it speaks HTTP/2
	active     bool      // a request is under way; on HTTP/2: a stream is open
	since      time.Time // of waiting, or of the last byte that was taken meanwhile
	watched    bool      // look will be called

	idle   bool      // no request is under way, and one was
	heard  bool      // something was read while idle
	silent time.Time // last read, or begin of the idle time
	hungUp bool      // when the process stopped, since it was silent
}

// waits reports whether an answer waits. The rest of an HTTP/2 answer whose handler has returned waits as long as its
// stream is open.
func (c *connection) waits() bool {
	return c.writing > 0 || c.streams > 0 || c.multiplex && c.active && c.unanswered == 0
}

// change changes the state of the connection.
func (c *connection) change(apply func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waited := c.waits()
	apply()
	if waited || !c.waits() {
		return
	}
	c.since = time.Now()
	if !c.watched {
		c.watched = true
		time.AfterFunc(stallTime, c.look)
	}
}

func (c *connection) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := stallTime - time.Since(c.since)
	switch {
	case !c.waits():
		c.watched = false
	case left > 0:
		time.AfterFunc(left, c.look)
	default:
		_ = c.Close() // a writer gets an error
	}
}

// Write implements net.Conn.
func (c *connection) Write(b []byte) (written int, err error) {
	c.change(func() { c.writing++ })
	defer c.change(func() { c.writing-- })
	for {
		n, err := c.Conn.Write(b[written:min(written+takenAtOnce, len(b))])
		written += n
		if n > 0 {
			c.change(func() { c.since = time.Now() })
		}
		if err != nil || written == len(b) {
			return written, err
		}
	}
}

// streamAnswer notifies its connection when a handler begins to answer on an HTTP/2 stream, and when it has ended. What
// was flushed has left the server: until it writes more, its handler does not wait for the client.
type streamAnswer struct {
	http.ResponseWriter

	connection *connection
	begun      bool
}

// Write implements http.ResponseWriter.
func (a *streamAnswer) Write(b []byte) (int, error) {
	a.begin()
	return a.ResponseWriter.Write(b)
}

func (a *streamAnswer) begin() {
	if a.begun {
		return
	}
	a.begun = true
	a.connection.change(func() {
		a.connection.unanswered--
		a.connection.streams++
	})
}

// Flush implements http.Flusher.
func (a *streamAnswer) Flush() {
	a.begin()
	_ = http.NewResponseController(a.ResponseWriter).Flush() // what fails here fails in the next Write as well
	a.begun = false
	a.connection.change(func() {
		a.connection.unanswered++
		a.connection.streams--
	})
}

func (a *streamAnswer) end() {
	a.begin()
	a.connection.change(func() { a.connection.streams-- })
}

// Unwrap is for http.ResponseController.
func (a *streamAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
