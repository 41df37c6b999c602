package httpserver

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"resellerd/test/certificate"
	"resellerd/test/expect"
)

// TestAnUnreadAnswerEndsItsConnection reads none, some, or all of a long answer.
func TestAnUnreadAnswerEndsItsConnection(t *testing.T) {
	const size = 1 << 20
	for _, c := range []struct {
		name  string
		takes int64         // at a time
		every time.Duration // 0: never
		ends  time.Duration // with an error, 0: without
	}{
		{"nothing", 0, 0, stallTime},
		{"a little in time", takenAtOnce, 9 * time.Second, 30 * time.Second}, // WriteTimeout
		{"all", size, time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inABubble(t, many, func(t *testing.T, s served) {
				type end struct {
					after time.Duration
					err   error
				}
				ended := make(chan end, 1)
				s.with(t, func(w http.ResponseWriter, _ *http.Request) {
					begin := time.Now()
					_, err := io.WriteString(w, strings.Repeat("x", size))
					ended <- end{time.Since(begin), err}
				})
				client := s.dial()
				_, err := io.WriteString(client, get+"\r\n")
				must(t, err)
				go func() {
					for c.every > 0 && err == nil {
						time.Sleep(c.every)
						_, err = io.CopyN(io.Discard, client, c.takes)
					}
				}()
				if got := <-ended; (got.err != nil) != (c.ends > 0) || c.ends > 0 &&
					(got.after < c.ends || got.after > c.ends+time.Second) {
					t.Errorf("the answer ended after %v with %v, want after %v", got.after, got.err, c.ends)
				}
				client.Close()
				time.Sleep(c.every) // until the reader has seen it
			})
		})
	}
}

// TestUnreadStreamsEndTheirConnection opens streams of HTTP/2 whose client reads nothing.
func TestUnreadStreamsEndTheirConnection(t *testing.T) {
	pair, err := tls.X509KeyPair(certificate.New(t, 1))
	must(t, err)
	encrypted := Options{Connections: 1, Certificate: &Certificate{pair: &pair}}
	const idle = 60 * time.Second // of an unused connection
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
			inABubble(t, encrypted, func(t *testing.T, s served) {
				s.with(t, func(w http.ResponseWriter, r *http.Request) {
					switch r.URL.Path {
					case "/begun":
						w.(http.Flusher).Flush()
						select {
						case <-time.After(25 * time.Second):
						case <-r.Context().Done():
						}
					case "/long":
						_, _ = io.WriteString(w, strings.Repeat("x", 100<<10))
					case "/short":
						_, _ = io.WriteString(w, "short")
					}
				})
				client := tls.Client(s.dial(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}) // a pipe
				defer client.Close()
				_, err := io.WriteString(client, http2.ClientPreface)
				must(t, err)
				frames := http2.NewFramer(client, client)
				must(t, frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
				began := time.Now()
				var block bytes.Buffer
				encoder := hpack.NewEncoder(&block)
				for i, path := range c.paths {
					block.Reset()
					for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"},
						{":path", path}} {
						must(t, encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
					}
					must(t, frames.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*i + 1), BlockFragment: block.Bytes(),
						EndStream: true, EndHeaders: true}))
				}
				for err == nil {
					_, err = frames.ReadFrame()
				}
				ended := time.Since(began)
				expect.Equal(t, ended >= c.ends && ended <= c.ends+time.Second, true, "the connection ended after %v: %v",
					ended, c.ends)
			})
		})
	}
}
