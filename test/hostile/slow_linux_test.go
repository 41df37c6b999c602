package hostile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// slowness is how a client holds its connection.
type slowness int

const (
	silent slowness = iota
	slowHeader
	slowBody
	slowReader
	hangsUp // behind the first byte of an answer, to ask for the next one
)

// TestSlowConnections holds ten thousand connections from two hundred addresses, none of which ever comes to an end.
// What the program closes is opened again. A fifth of the clients takes one byte of a long answer and hangs up.
func TestSlowConnections(t *testing.T) {
	how := []slowness{silent, slowHeader, slowBody, slowReader, hangsUp}
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

// hold keeps a connection open until the program closes it.
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
