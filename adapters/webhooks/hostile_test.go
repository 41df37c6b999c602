package webhooks_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/adapters/webhooks"
	"resellerd/domain/webhook"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// receiver is a receiver of webhooks that handles raw connections.
type receiver struct {
	address     string
	connections atomic.Int32
}

// receiving returns a receiver that calls do with each connection, and then closes it. The end of the test waits for
// all connections, so a connection that stays open fails the test.
func receiving(t *testing.T, do func(conn net.Conn)) *receiver {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &receiver{address: listener.Addr().String()}
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			r.connections.Add(1)
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				do(conn)
			})
		}
	})
	return r
}

// requested reads a request.
func requested(conn net.Conn) (ok bool) {
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	return err == nil
}

// drained waits until the other side closes the connection.
func drained(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// answering returns a handler that answers each request with a text. It then waits until the sender closes the
// connection, unless the answer closes it.
func answering(t *testing.T, text string) *receiver {
	t.Helper()
	return receiving(t, func(conn net.Conn) {
		for requested(conn) {
			if _, err := io.WriteString(conn, text); err != nil || strings.Contains(text, "Connection: close") {
				return
			}
		}
	})
}

// TestHostileAnswers end in time. Only an answer with 2xx is a success.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	const accepted = "HTTP/1.1 200 OK\r\n"
	after := func(text string, then func(net.Conn)) func(net.Conn) {
		return func(conn net.Conn) {
			if requested(conn) {
				if _, err := io.WriteString(conn, text); err == nil {
					then(conn)
				}
			}
		}
	}
	forever := func(text string) func(net.Conn) {
		return func(conn net.Conn) {
			for err := error(nil); err == nil; {
				_, err = io.WriteString(conn, text)
			}
		}
	}
	closed := func(net.Conn) {}
	for name, c := range map[string]struct {
		timeout time.Duration // 0: it ends by itself
		do      func(net.Conn)
		status  int
		want    webhook.Failure
		cause   webhook.Cause // of one that is to speak TLS
	}{
		"nothing is answered":          {briefly, drained, 0, webhook.TimedOut, ""},
		"closed at once":               {0, closed, 0, webhook.ConnectionFailed, ""},
		"endless garbage":              {0, after("", forever("garbage ")), 0, webhook.AnswerInvalid, ""},
		"100 Continue, then an answer": {0, after("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n", drained), 202, "", ""},
		"a redirection": {0, after("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", drained), 302,
			webhook.Redirected, ""},
		"an endless body":             {0, after(accepted+"\r\n", forever("body ")), 200, "", ""},
		"a handshake without answer":  {briefly, drained, 0, webhook.TimedOut, ""},
		"a handshake that is cut":     {0, closed, 0, webhook.TLSFailed, webhook.HandshakeCut},
		"a handshake in plain text":   {0, forever(accepted), 0, webhook.TLSFailed, webhook.NotTLS},
		"a handshake that never ends": {0, forever("\x16\x03\x03\x40\x00"), 0, webhook.TLSFailed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, scheme := receiving(t, c.do), "http://"
			if strings.HasPrefix(name, "a handshake") {
				scheme = "https://"
			}
			answer := sender(t, webhooks.Options{Timeout: c.timeout, BodyTime: briefly}).
				Send(t.Context(), message(scheme+r.address, 1))
			expect.Equal(t, answer.Status, c.status, "%+v", answer)
			expect.Equal(t, answer.Failure, c.want, "%+v", answer)
			expect.Equal(t, answer.Cause, c.cause, "%+v", answer)
		})
	}
}

func TestStatusesAndRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		status int
		after  string
		want   webhook.Failure
		wait   time.Duration
	}{
		{200, "120", "", 0},
		{429, "120", webhook.NotAccepted, 2 * time.Minute},
		{503, "-5", webhook.NotAccepted, 0},
		{503, "99999999999999999999999", webhook.NotAccepted, 24 * time.Hour},
		{503, "Tue, 24 Nov 2026 12:01:30 GMT", webhook.NotAccepted, 90 * time.Second},
	} {
		r := answering(t, "HTTP/1.1 "+strconv.Itoa(1000 + c.status)[1:]+" Said\r\nRetry-After: "+c.after+
			"\r\nContent-Length: 0\r\n\r\n")
		s := sender(t, webhooks.Options{Now: func() time.Time { return now }})
		answer := s.Send(t.Context(), message("http://"+r.address, 1))
		if answer.Status != c.status || answer.Failure != c.want || answer.RetryAfter != c.wait {
			t.Errorf("%d with %q: %+v", c.status, c.after, answer)
		}
	}
}

// TestReceiversWithHTTP2GetHTTP1 over TLS.
func TestReceiversWithHTTP2GetHTTP1(t *testing.T) {
	t.Parallel()
	r := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		expect.Equal(t, r.ProtoMajor, 1, "HTTP's version")
	}))
	r.Config.ErrorLog = log.New(io.Discard, "", 0)
	r.EnableHTTP2 = true
	r.StartTLS()
	defer r.Close()
	known := x509.NewCertPool()
	known.AddCert(r.Certificate())
	for _, c := range []struct {
		roots *x509.CertPool
		url   string
		want  webhook.Failure
		cause webhook.Cause
	}{
		{known, r.URL, "", ""},
		{nil, r.URL, webhook.TLSFailed, webhook.UnknownAuthority},
		{known, strings.Replace(r.URL, "127.0.0.1", "receiver.invalid", 1), webhook.TLSFailed, webhook.WrongName},
	} {
		s := sender(t, webhooks.Options{Roots: c.roots, Resolver: leadTo("127.0.0.1").resolver(t)})
		answer := s.Send(t.Context(), message(c.url, 1))
		expect.Equal(t, answer.Failure, c.want, "%s: %+v", c.url, answer)
		expect.Equal(t, answer.Cause, c.cause, "%s: %+v", c.url, answer)
	}
}

// TestExcerptsOfRefusedAnswers have the beginning of an answer without 2xx. Other answers have no excerpt.
func TestExcerptsOfRefusedAnswers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		answer, want string
	}{
		"accepted":    {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine", ""},
		"refused":     {"HTTP/1.1 401 No\r\nContent-Length: 16\r\n\r\n\"bad signature\"\n", `"bad signature"\n`},
		"of any size": {"HTTP/1.1 500 No\r\nContent-Length: 1048576\r\n\r\n" + long, long[:webhook.MaxExcerpt]},
		"binary":      {"HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x00", `\x1f\x8b\x00`},
	} {
		r := answering(t, c.answer)
		answer := sender(t, webhooks.Options{BodyTime: briefly}).Send(t.Context(), message("http://"+r.address, 1))
		expect.Equal(t, answer.Excerpt, c.want, "%s", name)
	}
}

// TestConnectionsAreUsedAgain if the whole answer was read. A connection that the receiver has closed costs no attempt.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   int32
	}{
		"kept":             {"HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n" + strings.Repeat("x", 64<<10), 1},
		"of a longer body": {"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("x", 1_000_000), 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := answering(t, c.answer)
			s := sender(t, webhooks.Options{BodyTime: briefly})
			for range 3 {
				expect.Equal(t, s.Send(t.Context(), message("http://"+r.address, 1)).Failure, "")
			}
			expect.Equal(t, r.connections.Load(), c.want)
		})
	}
	rude := receiving(t, func(conn net.Conn) { // it closes at the next request, unannounced
		if requested(conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			_, _ = conn.Read(make([]byte, 1))
		}
	})
	s := sender(t, webhooks.Options{})
	for i := range 5 {
		answer := s.Send(t.Context(), message("http://"+rude.address, 1))
		expect.Equal(t, answer.Failure, "", "message %d to one that closes connections unannounced", i)
	}
}

// TestTheEndOfAContextOrASenderEndsItsMessages in flight.
func TestTheEndOfAContextOrASenderEndsItsMessages(t *testing.T) {
	t.Parallel()
	for url, byClose := range map[string]bool{"http://": false, "https://": true} {
		arrived := make(chan struct{}, 1)
		r := receiving(t, func(conn net.Conn) {
			arrived <- struct{}{}
			drained(conn)
		})
		s := sender(t, webhooks.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			<-arrived
			if byClose {
				_ = s.Close()
			} else {
				cancel()
			}
		}()
		expect.Equal(t, s.Send(ctx, message(url+r.address, 1)).Failure == "", false, "%s: it is sent", url)
	}
}
