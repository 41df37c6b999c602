package credentials

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

func TestACallerWaitsOnlyForItsOwnCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := callerQueue{turns: map[string]*turn{}}
		take := func(caller string) func() {
			t.Helper()
			p := all.enter(caller)
			require.NoError(t, acquire(t.Context(), p.turn.held, nil))
			return func() { <-p.turn.held; p.leave() }
		}
		first := take("busy")
		taken := 0
		for range 5 {
			go func() {
				defer take("busy")()
				taken++
			}()
		}
		synctest.Wait()
		expect.Equal(t, taken, 0, "requests of one caller that went on beside its first")
		take("other")() // must not wait: otherwise the test would hang

		first()
		synctest.Wait()
		expect.Equal(t, taken, 5, "turns of those that waited")
		expect.Equal(t, len(all.turns), 0, "remembered callers without a call")
	})
}

// Ahead of a call are the calls of other callers that run before it: one for each turn of its own caller, including the
// next turn.
func TestCallsAheadAreCounted(t *testing.T) {
	all := callerQueue{turns: map[string]*turn{}}
	for caller, calls := range map[string]int{"one": 1, "three": 3, "many": 100} {
		for range calls {
			all.enter(caller)
		}
	}
	for caller, want := range map[string][2]int{"none": {0, 3}, "one": {1, 1 + 2 + 2}, "three": {3, 3 + 1 + 4},
		"many": {100, 100 + 1 + 3}} {
		var got [2]int
		p := all.enterWhere(caller, func(own, all int) bool { got = [2]int{own, all}; return false })
		if got != want || p != nil {
			t.Errorf("ahead of %s are %v, its own and all, want %v", caller, got, want)
		}
	}
	p := all.enter("none")
	p.leave()
	p.leave()
	expect.Equal(t, all.turns["none"], nil, "a caller that has left")
}

// Both operations of the hasher wait for other calls of the same caller, and return the turn in every case.
func TestAHasherServesEachCallerOneCallAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(Least, 3)
		for range 3 {
			h.slots <- struct{}{} // someone else computes
		}
		ctx, cancel := context.WithCancel(t.Context())
		var waiting atomic.Int32
		for _, caller := range []string{"busy", "busy", "other"} {
			for _, call := range []func() error{
				func() error { _, err := h.Hash(ctx, caller, hunter); return err },
				func() error { _, err := h.Matches(ctx, caller, hunter, ""); return err },
			} {
				waiting.Add(1)
				go func() {
					expect.Error(t, call(), ports.ErrUnavailable)
					waiting.Add(-1)
				}()
				synctest.Wait()
			}
		}
		for caller, want := range map[string]int{"busy": 4, "other": 2} {
			if own := h.commands.turns[caller]; own == nil || len(own.held) != 1 || own.want != want {
				t.Errorf("calls of %s wait as %+v, want %d, one of them before the others", caller, own, want)
			}
		}
		cancel()
		synctest.Wait()
		expect.Equal(t, waiting.Load(), 0, "calls that continue without a caller")
		expect.Equal(t, len(h.commands.turns), 0, "remembered callers without a call")
	})
}
