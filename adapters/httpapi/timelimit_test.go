package httpapi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
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
