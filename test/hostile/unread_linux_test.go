package hostile

import (
	"cmp"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"

	"golang.org/x/sys/unix"
)

// TestUnreadAnswers requests pages of 4 MB on many connections and reads none of them.
func TestUnreadAnswers(t *testing.T) {
	a := attack(t, nil)
	owner := a.As(a.attacker)
	notes := strings.Repeat("\U0001F4FA", 2000)
	api.AtOnce(4, func(int) {
		for range 125 {
			owner.Send(t, "POST", "/lines/test", api.Fields{"notes": notes}).Is(201)
		}
	})
	a.afresh(t)
	request := "GET /lines?limit=500 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + a.attacker + "\r\n\r\n"
	// The system buffers as little of the unread answers as it can.
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		return cmp.Or(c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 4096)
		}), err)
	}}
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
			expect.Error(t, err, nil, "an answer begins")
		})
	})
}
