package hostile

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"golang.org/x/sys/unix"
)

// withLongLines is attack, with 500 lines of the attacker that take 4 MB.
func withLongLines(t *testing.T, encrypted bool) *attacked {
	t.Helper()
	a := attack(t, false, nil)
	owner := a.As(a.attacker)
	notes := strings.Repeat("\U0001F4FA", 2000)
	api.AtOnce(4, func(int) {
		for range 125 {
			owner.Send(t, "POST", "/lines/test", api.Fields{"notes": notes}).Is(201)
		}
	})
	if encrypted {
		a.encrypt(t)
	}
	a.afresh(t)
	return a
}

// TestUnreadAnswers asks for long pages on many connections and reads none of them.
func TestUnreadAnswers(t *testing.T) {
	a := withLongLines(t, false)
	request := "GET /lines?limit=500 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + a.attacker + "\r\n\r\n"
	dialer := net.Dialer{Control: smallBuffer}
	a.suffers(t, func() {
		api.AtOnce(300, func(int) {
			c, err := dialer.Dial("tcp", a.Address)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			_ = c.SetDeadline(time.Now().Add(patience))
			if _, err = io.WriteString(c, request); err == nil {
				_, err = c.Read(make([]byte, 1)) // it has begun
			}
			if err != nil {
				t.Error("an answer did not begin:", err)
			}
		})
	})
}

// smallBuffer lets the system take as little as it can of what nobody reads.
func smallBuffer(_, _ string, c syscall.RawConn) error {
	var err error
	return cmp.Or(c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 4096) }),
		err)
}

// TestUnreadStreams asks for long pages on many streams of one connection whose client takes none of them.
func TestUnreadStreams(t *testing.T) {
	const streams = 250
	a := withLongLines(t, true)
	a.suffers(t, func() {
		// the certificate is this test's own
		c, err := tls.Dial("tcp", a.Address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(patience))
		if err := a.openStreams(c, streams); err != nil {
			t.Error(err)
		}
	})
}

// openStreams sends so many requests on a connection with a window of 0, and returns
// when each has an answer that began or was refused.
func (a *attacked) openStreams(c net.Conn, streams int) error {
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		return err
	}
	framer := http2.NewFramer(c, c)
	if err := framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
		return err
	}
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	sent := make(chan error, 1)
	go func() {
		for i := range streams {
			block.Reset()
			for _, field := range [][2]string{
				{":method", "GET"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", "/lines?limit=500"},
				{"authorization", "Bearer " + a.attacker},
			} {
				_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}) // a buffer takes all
			}
			err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*i + 1), BlockFragment: block.Bytes(),
				EndStream: true, EndHeaders: true})
			if err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	begun := map[uint32]bool{}
	for len(begun) < streams {
		frame, err := framer.ReadFrame()
		if err != nil {
			return fmt.Errorf("%d of %d answers began: %w", len(begun), streams, err)
		}
		switch frame.(type) {
		case *http2.HeadersFrame, *http2.RSTStreamFrame:
			begun[frame.Header().StreamID] = true
		case *http2.GoAwayFrame:
			return fmt.Errorf("%d of %d answers began before the connection ended: %v", len(begun), streams, frame)
		}
	}
	return <-sent
}
