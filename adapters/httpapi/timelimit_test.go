package httpapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"
)

// TestATimeLimitIsADeadline compares a limit with what package context makes, whether somebody waits for it or not.
func TestATimeLimitIsADeadline(t *testing.T) {
	for _, c := range []struct {
		name    string
		waits   bool
		derived bool // it is waited for by a context that is made of it
		ends    func(request context.CancelFunc)
		want    error
	}{
		{"nothing ends, nobody waits", false, false, func(context.CancelFunc) {}, nil},
		{"nothing ends", true, false, func(context.CancelFunc) {}, nil},
		{"the time is over, nobody waits", false, false, func(context.CancelFunc) { time.Sleep(requestTimeout) }, context.DeadlineExceeded},
		{"the time is over", true, false, func(context.CancelFunc) { time.Sleep(requestTimeout) }, context.DeadlineExceeded},
		{"the time of a context made of it is over", true, true, func(context.CancelFunc) { time.Sleep(requestTimeout) }, context.DeadlineExceeded},
		{"the request ends, nobody waits", false, false, func(end context.CancelFunc) { end() }, context.Canceled},
		{"the request ends", true, false, func(end context.CancelFunc) { end() }, context.Canceled},
		{"the request ends a context made of it", true, true, func(end context.CancelFunc) { end() }, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				request, end := context.WithCancel(context.Background())
				defer end()
				limit := &timeLimit{Context: request, ends: time.Now().Add(requestTimeout)}
				defer limit.cancel()
				if deadline, has := limit.Deadline(); !has || !deadline.Equal(limit.ends) {
					t.Errorf("got the deadline %v, %v, want %v", deadline, has, limit.ends)
				}
				var seen context.Context = limit
				if c.derived {
					within, cancel := context.WithCancel(limit)
					defer cancel()
					seen = within
				}
				var done <-chan struct{}
				if c.waits {
					done = seen.Done()
				}
				c.ends(end)
				synctest.Wait()
				if got := seen.Err(); !errors.Is(got, c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
				if got := context.Cause(seen); !errors.Is(got, c.want) {
					t.Errorf("got the cause %v, want %v", got, c.want)
				}
				select {
				case <-done:
					if c.want == nil {
						t.Error("it is done before its end")
					}
				default:
					if c.waits && c.want != nil {
						t.Error("it is not done after its end")
					}
				}
			})
		})
	}
}

// TestALongOperationOutlivesTheDeadlinesOfTheServer has two operations take longer than the server reads and writes. The
// one that may take minutes is answered, and what its client still sends is read, so that the connection goes on.
func TestALongOperationOutlivesTheDeadlinesOfTheServer(t *testing.T) {
	const deadline = 50 * time.Millisecond
	gin.SetMode(gin.ReleaseMode)
	engine, a := gin.New(), &api{}
	for path, l := range map[string]limits{"/long": proofs, "/ordinary": ordinary} {
		engine.GET(path, a.handle(l, func(_ context.Context, c *gin.Context) error {
			time.Sleep(4 * deadline)
			ok(c, "done")
			return nil
		}))
	}
	server := httptest.NewUnstartedServer(engine)
	server.Config.ReadTimeout, server.Config.WriteTimeout = deadline, deadline
	server.Start()
	defer server.Close()
	ask := func(path string) (*http.Response, error) {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n")
		time.Sleep(2 * deadline)
		_, _ = io.WriteString(c, "late")
		return http.ReadResponse(bufio.NewReader(c), nil)
	}
	if answer, err := ask("/long"); err != nil || answer.StatusCode != http.StatusOK || answer.Close {
		t.Errorf("a long operation: %+v, %v", answer, err)
	}
	if answer, err := ask("/ordinary"); err == nil {
		t.Errorf("the deadlines of the server are none: %+v", answer)
	}
}

// TestATimeLimitEndsWithASoonerOne is within a deadline of the request's own.
func TestATimeLimitEndsWithASoonerOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		request, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		limit := &timeLimit{Context: request, ends: time.Now().Add(requestTimeout)}
		defer limit.cancel()
		if deadline, _ := limit.Deadline(); time.Until(deadline) != time.Second {
			t.Errorf("it ends in %v, want %v", time.Until(deadline), time.Second)
		}
		<-limit.Done()
		if got := limit.Err(); !errors.Is(got, context.DeadlineExceeded) {
			t.Errorf("got %v", got)
		}
	})
}
