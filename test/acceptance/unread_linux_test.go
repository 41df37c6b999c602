package acceptance

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"golang.org/x/sys/unix"
)

// mostMemory is what the program may take under an attack.
const mostMemory = 256 << 20

// attacked is a server whose lines are as long as they may be, and who asks for them.
type attacked struct {
	*server
	scheme   string
	attacker string // token of who owns the long lines
	neighbor string // token of somebody else
}

// newAttacked returns a server with 500 lines of one account that take 4 MB. A server with TLS speaks HTTP/2 as well.
func newAttacked(t *testing.T, encrypted bool) attacked {
	t.Helper()
	srv := startServer(t, sqlite, nil)
	admin := srv.Admin(t)
	owner, other := admin.Reseller(t, "0"), admin.Reseller(t, "0")
	notes := strings.Repeat("\U0001F4FA", 2000)
	api.AtOnce(4, func(int) {
		for range 125 {
			owner.Send(t, "POST", "/lines/test", fields{"notes": notes}).Is(201)
		}
	})
	for range 60 {
		other.Trial(t)
	}
	a := attacked{srv, "http", owner.Token, other.Token}
	if encrypted {
		srv.stop(t)
		certificate, key, _ := newCertificate(t)
		srv.env = changed(srv.env, map[string]string{"RESELLERD_TLS_CERT": certificate, "RESELLERD_TLS_KEY": key})
		srv.start(t)
		a.scheme = "https"
	} else {
		srv.restart(t) // its peak of memory begins anew
	}
	return a
}

// peak returns the most memory that the process had resident until now.
func (p *process) peak(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no VmHWM in %s", text)
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// neighbours ask as the other account, some at a time, until each has asked so often
// and the channel is closed. It returns how long they waited, in order.
func (a attacked) neighbours(t *testing.T, times int, until <-chan struct{}) []time.Duration {
	t.Helper()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the certificate is this test's own
	}}
	defer client.CloseIdleConnections()
	ask := func(method, path string) error {
		r, err := http.NewRequest(method, a.scheme+"://"+a.Address+path, nil)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+a.neighbor)
		response, err := client.Do(r)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return err
		}
		if response.StatusCode >= 300 {
			return fmt.Errorf("status %d", response.StatusCode)
		}
		return nil
	}
	requests := []struct{ method, path string }{{"GET", "/lines"}, {"GET", "/users/logged"}, {"POST", "/lines/test"}, {"GET", "/lines?status=1&limit=10"}}
	var all sync.WaitGroup
	var mu sync.Mutex
	var waits []time.Duration
	for i := range 4 {
		all.Go(func() {
			for n := 0; ; n++ {
				if n >= times {
					select {
					case <-until:
						return
					default:
					}
				}
				request := requests[(i+n)%len(requests)]
				begin := time.Now()
				err := ask(request.method, request.path)
				mu.Lock()
				waits = append(waits, time.Since(begin))
				mu.Unlock()
				if err != nil {
					t.Errorf("another account is disturbed: %s %s: %v", request.method, request.path, err)
				}
			}
		})
	}
	all.Wait()
	slices.Sort(waits)
	return waits
}

// suffers runs an attack, which returns once all its answers have begun, beside
// another account, and reports what both cost.
func (a attacked) suffers(t *testing.T, attack func()) {
	t.Helper()
	ended := make(chan struct{})
	close(ended)
	const times = 200
	before, quiet := a.peak(t), a.neighbours(t, times, ended)
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		attack()
	}()
	busy := a.neighbours(t, times, begun)
	after := a.peak(t)
	at := func(waits []time.Duration, percent int) time.Duration { return waits[(len(waits)-1)*percent/100] }
	t.Logf("resident memory: %d MB, at most %d MB; others, without and with the attack: median %v and %v, p99 %v and %v, of %d and %d requests",
		before>>20, after>>20, at(quiet, 50), at(busy, 50), at(quiet, 99), at(busy, 99), len(quiet), len(busy))
	if after > mostMemory {
		t.Errorf("the process took %d MB, want at most %d MB", after>>20, mostMemory>>20)
	}
}

// TestUnreadAnswers asks for long pages on many connections and reads none of them.
func TestUnreadAnswers(t *testing.T) {
	a := newAttacked(t, false)
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
	return cmp.Or(c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 4096) }), err)
}

// TestUnreadStreams asks for long pages on many streams of one connection whose client takes none of them.
func TestUnreadStreams(t *testing.T) {
	const streams = 250
	a := newAttacked(t, true)
	a.suffers(t, func() {
		c, err := tls.Dial("tcp", a.Address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}) // the certificate is this test's own
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
func (a attacked) openStreams(c net.Conn, streams int) error {
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
				{":method", "GET"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", "/lines?limit=500"}, {"authorization", "Bearer " + a.attacker},
			} {
				_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}) // a buffer takes all
			}
			err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*i + 1), BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true})
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
