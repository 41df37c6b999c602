package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/expect"
	"resellerd/test/require"
)

// pipes is a listener without a network, so that a test has its own time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns after the server has accepted the connection.
func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

// served is a server in the time of a test.
type served struct {
	*Server
	*pipes
	log *bytes.Buffer // to be read after the end
}

// inABubble runs test in a bubble of synctest and stops the server after it.
func inABubble(t *testing.T, o Options, test func(t *testing.T, s served)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		s := served{New(o), newPipes(), &log}
		s.listener = s.pipes
		test(t, s)
		if s.Ready() == nil {
			expect.Error(t, s.Stop(t.Context()), nil, "the stop")
		}
	})
}

// with begins to serve with a handler.
func (s served) with(t *testing.T, handler http.HandlerFunc) {
	s.Serve(handler, func(err error) { t.Errorf("serving ended: %v", err) })
}

var many = Options{Connections: 10}

const get = "GET / HTTP/1.1\r\nHost: x\r\n"

// status reads an answer and returns its status, 0 if there is none.
func status(conn net.Conn) int {
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return response.StatusCode
}

// TestAStopGivesRunningRequestsTwentySeconds, then cuts them off. The end is orderly in both cases, and nothing
// continues after it.
func TestAStopGivesRunningRequestsTwentySeconds(t *testing.T) {
	for name, c := range map[string]struct {
		handle func(served, *http.Request)
		begin  string
		takes  time.Duration
		cause  error
	}{
		"a request of 19 seconds": {func(served, *http.Request) { time.Sleep(19 * time.Second) },
			get + "\r\n", 19 * time.Second, nil},
		"a wait that hears of the stop": {func(s served, _ *http.Request) { <-s.Draining().Done() }, get + "\r\n", 0, nil},
		"a read that waits, with a body that does not come": {func(_ served, r *http.Request) { <-r.Context().Done() },
			get + "Content-Length: 5\r\n\r\n", 20 * time.Second, ErrStopping},
	} {
		t.Run(name, func(t *testing.T) {
			inABubble(t, many, func(t *testing.T, s served) {
				started, left := make(chan struct{}), make(chan error, 1)
				s.with(t, func(w http.ResponseWriter, r *http.Request) {
					close(started)
					_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // the drain alone may end it
					c.handle(s, r)
					left <- context.Cause(r.Context())
				})
				conn := s.dial()
				defer conn.Close()
				_, err := io.WriteString(conn, c.begin)
				must(t, err)
				go func() { _, _ = io.Copy(io.Discard, conn) }()
				<-started
				asked := time.Now()
				expect.Error(t, s.Stop(t.Context()), nil, "the stop")
				expect.Equal(t, time.Since(asked).Truncate(time.Second), c.takes, "the end, with its drain, took")
				expect.Error(t, <-left, c.cause, "the request ended because of")
				synctest.Wait()
				expect.Equal(t, strings.Contains(s.log.String(), "level=WARN"), c.cause != nil, "the log is %s", s.log)
			})
		})
	}
}

// TestASlowClientIsDisconnected begins a request and continues with a byte a second.
func TestASlowClientIsDisconnected(t *testing.T) {
	reads := func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }
	for _, c := range []struct {
		name, begin, byte string
		closed            time.Duration
	}{
		{"headers", "GET / HTTP/1.1\r\nX: ", "x", 5 * time.Second},
		{"a body", get + "Content-Length: 1000\r\n\r\n", "x", 10 * time.Second},
		{"nothing after an answer", get + "\r\n", "", 60 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			inABubble(t, many, func(t *testing.T, s served) {
				s.with(t, reads)
				conn := s.dial()
				began := time.Now()
				go func() {
					for text := c.begin; ; text = c.byte {
						if _, err := io.WriteString(conn, text); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				}()
				_ = conn.SetReadDeadline(began.Add(time.Hour))
				_, err := io.Copy(io.Discard, conn)
				expect.Error(t, err, nil)
				// A body that was not read to its end delays the close by half a second.
				expect.Equal(t, time.Since(began).Truncate(time.Second), c.closed, "the connection was closed after")
				_ = conn.Close()
				time.Sleep(time.Second)
			})
		})
	}
}

func TestConnectionsWithoutCredentialEndWhenConnectionsAreScarce(t *testing.T) {
	inABubble(t, Options{Connections: 12}, func(t *testing.T, s served) {
		s.with(t, func(http.ResponseWriter, *http.Request) {})
		ask := func(headers string) (closed bool) {
			t.Helper()
			c := s.dial()
			t.Cleanup(func() { _ = c.Close() })
			go func() { _, _ = io.WriteString(c, get+headers+"\r\n") }()
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			must(t, err)
			return answer.Close
		}
		for i, want := range []bool{false, false, false, true, true} { // the client leaves them open
			expect.Equal(t, ask(""), want, "connection %d of 12: it ends with its answer", i+1)
		}
		for _, credential := range []string{"Authorization: Bearer x\r\n", "Cookie: x=y\r\n"} {
			expect.Equal(t, ask(credential), false, "%q: it ends with its answer", credential)
		}
	})
}

// TestAnUnreadBodyDoesNotLoseTheAnswer if the client closes the connection after it, as nginx does by default.
func TestAnUnreadBodyDoesNotLoseTheAnswer(t *testing.T) {
	for _, c := range []struct {
		name    string
		sent    int
		closes  bool // by the answer
		arrives bool
	}{
		{"closed by the client", 1_900_000, false, true},
		{"more than any operation takes", 4_000_000, false, false},
		{"from a client of which no more is read", 1_900_000, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			inABubble(t, Options{Connections: 10}, func(t *testing.T, s served) {
				s.with(t, func(w http.ResponseWriter, _ *http.Request) {
					if c.closes {
						w.Header().Set("Connection", "close")
					}
					w.WriteHeader(http.StatusUnauthorized)
				})
				conn := s.dial()
				defer conn.Close()
				_, err := fmt.Fprintf(conn, "%sConnection: close\r\nContent-Length: %d\r\n\r\n%s", get, c.sent, strings.Repeat("x", c.sent))
				arrived := err == nil && status(conn) == http.StatusUnauthorized
				expect.Equal(t, arrived, c.arrives, "the answer arrives, error %v", err)
			})
		})
	}
}

// must ends a test whose setup fails.
func must(t testing.TB, err error) {
	t.Helper()
	require.NoError(t, err)
}
