package httpserver

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/expect"
)

// TestAStopAnswersRequestsThatItReads sends requests while the program stops, on connections that were opened before.
func TestAStopAnswersRequestsThatItReads(t *testing.T) {
	const answered = true
	for _, c := range []struct {
		name  string
		used  bool          // a request was answered before the stop
		begun string        // sent before the stop
		wait  time.Duration // until the rest, from the stop on
		rest  string
		want  bool
		ends  time.Duration // the stop
	}{
		{"a request on a connection that was used", true, "", 200 * time.Millisecond, get + "\r\n", answered,
			200 * time.Millisecond},
		{"a first header that has begun", false, get, 4 * time.Second, "\r\n", answered, 4 * time.Second},
		{"nothing", false, "", 6 * time.Second, get + "\r\n", !answered, 5 * time.Second},
		{"nothing after an answer", true, "", 300 * time.Millisecond, get + "\r\n", !answered, quietTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			inABubble(t, many, func(t *testing.T, s served) {
				s.with(t, func(http.ResponseWriter, *http.Request) {})
				conn := s.dial()
				defer conn.Close()
				answers := bufio.NewReader(conn)
				if c.used {
					_, _ = io.WriteString(conn, get+"\r\n")
					_, err := http.ReadResponse(answers, nil)
					must(t, err)
				}
				var sent sync.WaitGroup
				defer sent.Wait()
				sent.Go(func() {
					_, _ = io.WriteString(conn, c.begun)
					time.Sleep(c.wait)
					_, _ = io.WriteString(conn, c.rest)
				})
				synctest.Wait()
				began := time.Now()
				stopped := make(chan error)
				go func() { stopped <- s.Stop(t.Context()) }()
				answer, err := http.ReadResponse(answers, nil)
				expect.Equal(t, err == nil, c.want, "it answers %v, %v", answer, err)
				if err == nil && (answer.StatusCode != http.StatusOK || !answer.Close) {
					t.Errorf("the answer has status %d and leaves the connection open: %t", answer.StatusCode, !answer.Close)
				}
				expect.Error(t, <-stopped, nil, "the stop")
				took := time.Since(began)
				inTime := took >= c.ends && took <= c.ends+50*time.Millisecond
				expect.Equal(t, inTime, true, "the stop takes %s, of %s", took, c.ends)
			})
		})
	}
}

// TestAHungUpConnectionAnswersARequestThatArrived at the moment of the hang-up.
func TestAHungUpConnectionAnswersARequestThatArrived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer here.Close()
		c := &connection{Conn: there, idle: true, silent: time.Now()}
		time.Sleep(quietTime)
		c.hangUp(time.Now().Add(-quietTime))
		go func() { _, _ = io.WriteString(here, "GET") }()
		synctest.Wait()
		text := make([]byte, 10)
		if n, err := c.Read(text); string(text[:n]) != "GET" || err != nil {
			t.Fatalf("it reads %q, %v", text[:n], err)
		}
	})
}
