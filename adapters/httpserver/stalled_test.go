package httpserver

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"resellerd/test/expect"
)

// serving runs a server of the service's own making with another handler.
func serving(t *testing.T, c *Certificate, handler http.HandlerFunc) *pipes {
	t.Helper()
	s := pipedServer(Options{Connections: 1, Certificate: c, Log: slog.New(slog.DiscardHandler)})
	s.with(t, handler)
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return s.pipes
}

// TestAnUnreadAnswerEndsItsConnection reads none, some, or all of a long answer.
func TestAnUnreadAnswerEndsItsConnection(t *testing.T) {
	const size = 1 << 20
	for _, c := range []struct {
		name  string
		takes int           // at a time
		every time.Duration // 0: never
		ends  time.Duration // with an error, 0: without
	}{
		{"nothing", 0, 0, stallTime},
		{"a little in time", takenAtOnce, 9 * time.Second, 30 * time.Second}, // WriteTimeout
		{"all", size, time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				type end struct {
					after time.Duration
					err   error
				}
				ended := make(chan end, 1)
				p := serving(t, nil, func(w http.ResponseWriter, _ *http.Request) {
					begin := time.Now()
					_, err := io.WriteString(w, strings.Repeat("x", size))
					ended <- end{time.Since(begin), err}
				})
				client := p.dial()
				defer client.Close()
				_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				must(t, err)
				left := make(chan struct{})
				go func() {
					for c.every > 0 {
						select {
						case <-left:
							return
						case <-time.After(c.every):
						}
						if _, err := io.CopyN(io.Discard, client, int64(c.takes)); err != nil {
							return
						}
					}
				}()
				if got := <-ended; (got.err != nil) != (c.ends > 0) || c.ends > 0 &&
					(got.after < c.ends || got.after > c.ends+time.Second) {
					t.Errorf("the answer ended after %v with %v, want after %v", got.after, got.err, c.ends)
				}
				client.Close()
				close(left)
			})
		})
	}
}

// multiplexed is a client of HTTP/2 that sends and sees frames.
type multiplexed struct {
	*http2.Framer

	begin  time.Time
	ended  chan struct{} // closed at the end of the connection
	closed time.Duration // when that was
}

// multiplex connects with an initial window of 0.
func multiplex(t *testing.T, p *pipes, settings func(*http2.SettingsFrame)) *multiplexed {
	t.Helper()
	c := tls.Client(p.dial(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}) // a pipe in this process
	t.Cleanup(func() { _ = c.Close() })
	_, err := io.WriteString(c, http2.ClientPreface)
	must(t, err)
	m := &multiplexed{Framer: http2.NewFramer(c, c), ended: make(chan struct{})}
	must(t, m.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
	m.begin = time.Now()
	go func() {
		defer close(m.ended)
		for {
			frame, err := m.ReadFrame()
			switch f := frame.(type) {
			case nil:
				m.closed = time.Since(m.begin)
				expect.Equal(t, err != nil, true, "no frame has an error")
				return
			case *http2.SettingsFrame:
				if settings != nil && !f.IsAck() {
					settings(f)
				}
			}
		}
	}()
	return m
}

func (m *multiplexed) ask(t *testing.T, stream uint32, path string) {
	t.Helper()
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", path}} {
		must(t, encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
	}
	err := m.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndStream: true,
		EndHeaders: true})
	must(t, err)
}

// TestUnreadStreamsEndTheirConnection opens streams whose client takes nothing.
func TestUnreadStreamsEndTheirConnection(t *testing.T) {
	encrypted := selfSigned(t)
	handler := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow", "/begun":
			if r.URL.Path == "/begun" {
				w.(http.Flusher).Flush()
			}
			select {
			case <-time.After(25 * time.Second):
			case <-r.Context().Done():
			}
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", 100<<10))
		case "/short":
			_, _ = io.WriteString(w, "short")
		}
	}
	const idle = 60 * time.Second // of a connection that nobody uses
	for _, c := range []struct {
		name  string
		paths []string
		ends  time.Duration
	}{
		{"a long answer", []string{"/long"}, stallTime},
		{"a short answer", []string{"/short"}, stallTime},
		{"an answer that has begun and makes more", []string{"/begun"}, 25*time.Second + idle},
		{"a long answer beside one that has begun", []string{"/begun", "/long"}, stallTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := serving(t, encrypted, handler)
				streams := uint32(0)
				m := multiplex(t, p, func(f *http2.SettingsFrame) { streams, _ = f.Value(http2.SettingMaxConcurrentStreams) })
				for i, path := range c.paths {
					m.ask(t, uint32(2*i+1), path)
				}
				<-m.ended
				after := m.closed >= c.ends && m.closed <= c.ends+time.Second
				expect.Equal(t, after, true, "the connection ended after %v: %v", m.closed, c.ends)
				expect.Equal(t, streams, maxStreams, "streams that are allowed")
			})
		})
	}
}
