package hostile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"
)

// slowness is how a client delays its connection.
type slowness int

const (
	silent slowness = iota
	slowHeader
	slowBody
	slowReader
	hangsUp // after the first byte of an answer, to request the next one
)

// TestSlowConnections holds ten thousand connections from two hundred addresses. The client never ends one of them, and
// opens those again that the program closes.
func TestSlowConnections(t *testing.T) { attackSlowly(t, silent, slowHeader, slowBody, slowReader) }

// TestHangUps is TestSlowConnections with clients that read one byte of a long answer and hang up, more than a thousand
// times a second. The program drops the rest of the answer.
func TestHangUps(t *testing.T) { attackSlowly(t, silent, slowHeader, slowBody, hangsUp) }

func attackSlowly(t *testing.T, how ...slowness) {
	t.Helper()
	long := campaign(t)
	const connections, addresses = 10_000, 200
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Max < connections+1000 {
		t.Fatalf("%d files may be open, and %d are needed: raise the hard limit (ulimit -Hn; LimitNOFILE of systemd): %v",
			limit.Max, connections+1000, err)
	}
	a := attack(t, map[string]string{"RESELLERD_MAX_CONNECTIONS": "20000"})
	var open, opened atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	end := func() {
		cancel()
		all.Wait()
	}
	defer end()
	var most int64
	a.suffers(t, func() {
		for i := range connections {
			all.Go(func() {
				dialer := from(fmt.Sprintf("127.0.1.%d", 1+i%addresses))
				for ctx.Err() == nil {
					c, err := dialer.DialContext(ctx, "tcp", a.Address)
					if err != nil {
						pause(ctx, time.Second)
						continue
					}
					opened.Add(1)
					open.Add(1)
					a.hold(ctx, c, how[i%len(how)])
					open.Add(-1)
					_ = c.Close()
				}
			})
			if i%500 == 499 { // no system takes all of them at once
				pause(ctx, 250*time.Millisecond)
			}
		}
		for until := time.Now().Add(long); time.Now().Before(until); pause(ctx, 200*time.Millisecond) {
			most = max(most, open.Load())
		}
	})
	end()
	t.Logf("%d connections from %d addresses for %s: up to %d at a time, %d opened in all", connections, addresses, long,
		most, opened.Load())
	if most < connections*95/100 {
		t.Errorf("at most %d connections were open at a time, want %d", most, connections)
	}
	// Once they are gone the memory is for others.
	a.As(a.neighbor).Get(t, "/users/logged")
}

// hold leaves a connection open until the program closes it.
func (a *attacked) hold(ctx context.Context, c net.Conn, how slowness) {
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer stop()
	var begin, rest string
	switch how {
	case silent:
	case slowHeader:
		begin, rest = "GET /lines HTTP/1.1\r\nHost: x\r\nX-Slow: ", "s"
	case slowBody:
		begin, rest = "POST /lines/test HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+a.attacker+
			"\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n", " "
	case slowReader, hangsUp:
		begin = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
	}
	if begin != "" {
		if _, err := io.WriteString(c, begin); err != nil {
			return
		}
	}
	byteByByte := make([]byte, 1)
	for ctx.Err() == nil {
		switch {
		case rest != "":
			if _, err := io.WriteString(c, rest); err != nil {
				return
			}
			_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
		case how == slowReader:
			if _, err := c.Read(byteByByte); err != nil {
				return
			}
			pause(ctx, 2*time.Second) // without a deadline, at which it would hang up by itself
			continue
		case how == hangsUp:
			_, _ = c.Read(byteByByte)
			pause(ctx, 2*time.Second)
			return
		}
		if _, err := c.Read(byteByByte); err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) || how == silent {
				return
			}
		}
	}
}

// TestOneAddressCannotTakeAll opens more connections from one address than the program serves by default. Other clients
// are served.
func TestOneAddressCannotTakeAll(t *testing.T) {
	a := attack(t, nil)
	const many = 1000
	var mu sync.Mutex
	var held []net.Conn
	defer func() {
		for _, c := range held {
			_ = c.Close()
		}
	}()
	served := atomic.Int64{}
	api.AtOnce(50, func(int) {
		dialer := from("127.0.3.1")
		for range many / 50 {
			c, err := dialer.Dial("tcp", a.Address)
			if err != nil {
				continue
			}
			mu.Lock()
			held = append(held, c)
			mu.Unlock()
			_ = c.SetDeadline(time.Now().Add(patience))
			_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
			if r, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
				_ = r.Body.Close()
				served.Add(1)
			}
		}
	})
	api.AtOnce(200, func(i int) {
		c, err := from(fmt.Sprintf("127.0.4.%d", 1+i)).Dial("tcp", a.Address)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("another address is not served: %v", err)
			return
		}
		_ = r.Body.Close()
	})
	if served.Load() > 512 {
		t.Errorf("%d connections of one address were served, want 512 at most", served.Load())
	}
}
