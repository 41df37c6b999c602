package loginlimit

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/expect"
	"resellerd/test/require"
)

const (
	limit  = 10
	window = time.Minute
	name   = "anna"
	home   = "192.0.2.1"
)

// clock returns the time of the synctest bubble, which does not advance until all goroutines wait.
func clock() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// attempt makes an attempt that must not wait, and ends it with this result.
func attempt(t *testing.T, l *Limiter, name, address string, failed bool) {
	t.Helper()
	done, wait, err := l.Attempt(t.Context(), name, address)
	expect.Error(t, err, nil, "%s from %s", name, address)
	expect.Equal(t, wait, 0, "%s from %s: the wait", name, address)
	done(failed)
}

func held(t *testing.T, l *Limiter, name string, want time.Duration) {
	t.Helper()
	done, wait, err := l.Attempt(t.Context(), name, home)
	if err != nil || wait != want || done != nil {
		t.Fatalf("%s: got wait %v, error %v, want to be held off for %v", name, wait, err, want)
	}
}

func TestFailuresInTheWindowAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(limit, window, clock)
		for range limit {
			attempt(t, l, name, home, false) // which neither counts nor clears anything
			attempt(t, l, name, home, true)
			time.Sleep(time.Second)
		}
		held(t, l, name, window-limit*time.Second)
		attempt(t, l, "bert", home, true) // other pairs notice nothing
		attempt(t, l, name, "192.0.2.2", true)
		time.Sleep(window - limit*time.Second - time.Millisecond)
		held(t, l, name, time.Millisecond)
		time.Sleep(time.Millisecond)
		attempt(t, l, name, home, true) // the first failure has left the window
		held(t, l, name, time.Second)
	})
}

// TestLimitIsExactUnderConcurrency has many clients at once over several windows. No pair exceeds the limit in any
// window, no attempt waits longer than a window, every attempt ends, and the limiter is empty in the end.
func TestLimitIsExactUnderConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(limit, window, clock)
		var mu sync.Mutex
		failures := map[string][]time.Time{}
		var clients sync.WaitGroup
		for client := range 60 {
			random := rand.New(rand.NewPCG(7, uint64(client)))
			clients.Go(func() {
				for range 40 {
					who := fmt.Sprint("user", random.IntN(3))
					done, wait, err := l.Attempt(t.Context(), who, home)
					switch {
					case err != nil:
						t.Error(err)
					case wait < 0 || wait > window:
						t.Errorf("held for %v", wait)
					case wait > 0:
						time.Sleep(time.Duration(random.Int64N(int64(wait))))
					default:
						time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
						failed := random.IntN(4) > 0
						mu.Lock()
						if failed {
							failures[who] = append(failures[who], clock())
						}
						done(failed)
						mu.Unlock()
					}
				}
			})
		}
		clients.Wait()
		for who, at := range failures {
			for i := limit; i < len(at); i++ {
				if apart := at[i].Sub(at[i-limit]); apart < window {
					t.Errorf("%s: %d failures within %v", who, limit+1, apart)
				}
			}
		}
		time.Sleep(window)
		attempt(t, l, "someone", home, false)
		expect.Equal(t, len(l.pairs), 0, "pairs that are left")
		expect.Equal(t, l.idle.Len(), 0, "idle pairs that are left")
	})
}

// TestOverTheBoundThePairIdleLongestIsForgotten also checks that a pair with an attempt in progress remains.
func TestOverTheBoundThePairIdleLongestIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(2, window, clock)
		attempt(t, l, "user0", home, true)
		attempt(t, l, "user0", home, true)
		l.most = 3*l.size + 1
		attempt(t, l, "busy", home, true)
		busy, _, err := l.Attempt(t.Context(), "busy", home)
		require.NoError(t, err)
		for i := 1; i < 4; i++ {
			attempt(t, l, fmt.Sprint("user", i), home, true)
			attempt(t, l, fmt.Sprint("user", i), home, true)
		}
		expect.Equal(t, len(l.pairs), 1+3, "remaining pairs, the busy one included")
		for i := 3; i > 0; i-- {
			held(t, l, fmt.Sprint("user", i), window)
		}
		attempt(t, l, "user0", home, false) // forgotten, and its failures with it
		busy(true)
		held(t, l, "busy", window)
	})
}

func TestAClockSetBackDelaysNoLoginBeyondTheWindow(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := New(1, window, func() time.Time { return now })
	attempt(t, l, name, home, true)
	now = now.Add(-time.Hour)
	held(t, l, name, window)
	now = now.Add(window)
	attempt(t, l, name, home, true)
}
