package httpserver

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// stallTime is how long a client may read nothing of a waiting answer.
	stallTime = 10 * time.Second
	// takenAtOnce is the number of bytes per write, a system call that costs more than making a record of a list. A
	// client that reads less than that in stallTime, beyond the buffers of the systems, counts as reading nothing. An
	// answer of that length has to be read within WriteTimeout anyway.
	takenAtOnce = 16 << 10
)

type connectionKey struct{}

// connectionOf returns the connection that a watchedListener accepted.
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

// connection closes itself if an answer waits and the client reads no byte of it for stallTime, because an unread
// answer stays in memory. A slow reader has until the server's WriteTimeout.
type connection struct {
	net.Conn

	mu         sync.Mutex
	writing    int       // running writes to the connection
	streams    int       // answers that their handlers are writing to an HTTP/2 stream
	unanswered int       // HTTP/2 requests whose handlers have written nothing yet
	multiplex  bool      // HTTP/2
	active     bool      // a request is running; on HTTP/2: a stream is open
	since      time.Time // begin of the wait, or the last byte that the client read
	watched    bool      // look will be called

	idle   bool      // no request is running, and at least one has ended
	heard  bool      // bytes were read while idle
	silent time.Time // last read, or begin of idle
	hungUp bool      // the drain ended it because it was silent
}

// waits reports whether an answer waits for the client. The rest of an HTTP/2 answer whose handler has returned waits
// as long as its stream is open.
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

// streamAnswer notifies its connection when a handler begins to answer on an HTTP/2 stream, and when the handler has
// ended. Flushed bytes have left the server: until the handler writes more, it does not wait for the client.
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
	_ = http.NewResponseController(a.ResponseWriter).Flush() // the next Write returns the error
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
