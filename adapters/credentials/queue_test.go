package credentials

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// slow returns a hasher of one slot, whose computations take so long and use no core.
func slow(each time.Duration) *Hasher {
	h := NewHasher(Least, 1)
	h.key = func(_, _ []byte, _, _ uint32, _ uint8, length uint32) []byte {
		time.Sleep(each)
		return make([]byte, length)
	}
	return h
}

// compare compares a password as a login does. It returns the time that it took and how long the caller must wait.
func compare(t *testing.T, h *Hasher, caller string) (took, wait time.Duration) {
	asked := time.Now()
	place, wait := h.Queue(caller)
	if wait == 0 {
		defer place.Leave()
		var err error
		_, wait, err = place.Matches(t.Context(), hunter, "")
		expect.Error(t, err, nil)
	}
	return time.Since(asked), wait
}

// wantIdle expects that no call holds or waits for a turn or a slot.
func wantIdle(t *testing.T, h *Hasher) {
	t.Helper()
	time.Sleep(soon) // slots rest
	synctest.Wait()
	expect.Equal(t, len(h.logins.turns)+len(h.commands.turns), 0, "remembered callers without a call")
	expect.Equal(t, len(h.turns)+len(h.slots), 0, "turns and slots in use without a call")
}

// A flood of four times the capacity, from one client and from as many clients as there are comparisons.
func TestAComparisonBeginsSoonOrIsRefusedAtOnce(t *testing.T) {
	const each, rate, seconds = 26 * time.Millisecond, 80, 10
	for _, clients := range []int{1, rate * seconds} {
		t.Run(fmt.Sprint(clients), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := slow(each)
				compare(t, h, "the first, which is measured")
				var mu sync.Mutex
				compared, refused, overtaken := 0, 0, 0
				for i := range rate * seconds {
					go func() {
						took, wait := compare(t, h, fmt.Sprint(i%clients))
						mu.Lock()
						defer mu.Unlock()
						switch {
						case wait == 0 && took <= soon+each:
							compared++
						case wait > 0 && wait <= soon && took == 0:
							refused++
						case wait > 0 && took == soon: // overtaken by later calls of clients with fewer calls in progress
							overtaken++
						default:
							t.Errorf("comparison %d took %s and had to hold off for %s", i, took, wait)
						}
					}()
					time.Sleep(time.Second / rate)
				}
				time.Sleep(3 * time.Second)
				synctest.Wait()
				if least := seconds * int(time.Second/(2*each)); compared < least || overtaken > refused/5 {
					t.Errorf(
						"%d were compared, %d refused at once and %d after a second, want %d compared and at most a fifth as many refused late", compared, refused, overtaken, least)
				}
				wantIdle(t, h)
			})
		})
	}
}

// TestPasswordChangesDoNotDelayLogins, however many: it begins after the command that has the slot. Commands
// wait until their request ends.
func TestPasswordChangesDoNotDelayLogins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := slow(400 * time.Millisecond)
		_, err := h.Hash(t.Context(), "the first, which is measured", hunter)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 1900*time.Millisecond)
		defer cancel()
		var group sync.WaitGroup
		var mu sync.Mutex
		hashed, gaveUp := 0, 0
		for i := range 8 {
			group.Go(func() {
				_, err := h.Hash(ctx, fmt.Sprint(i), hunter)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					hashed++
				case errors.Is(err, ports.ErrUnavailable) && !errors.Is(err, errLate):
					gaveUp++
				default:
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if took, wait := compare(t, h, "client"); took != 800*time.Millisecond || wait != 0 {
			t.Errorf("behind 8 commands of 400 ms a comparison took %s and had to hold off for %s", took, wait)
		}
		group.Wait()
		expect.Equal(t, hashed, 3, "commands that were hashed")
		expect.Equal(t, gaveUp, 5, "commands that ended without a hash")
		wantIdle(t, h)
	})
}

// The start of the comparison shows neither how long the look-up before it took, nor whether there is a hash.
func TestAComparisonBeginsAtAQuantum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := slow(20 * time.Millisecond)
		stored, err := h.Hash(t.Context(), "account", hunter)
		require.NoError(t, err)
		for _, c := range []struct {
			lookUp time.Duration
			hash   string
			want   time.Duration // of all
		}{
			{0, stored, quantum}, {quantum - 1, "", quantum}, {quantum, stored, 2 * quantum},
		} {
			place, _ := h.Queue("client")
			began := time.Now()
			time.Sleep(c.lookUp)
			right, _, err := place.Matches(t.Context(), hunter, c.hash)
			if took := time.Since(began) - 20*time.Millisecond; took != c.want || err != nil || right != (c.hash != "") {
				t.Errorf("after a look-up of %s it began after %s, and found %t, %v; want %s", c.lookUp, took, right, err, c.want)
			}
			place.Leave()
			time.Sleep(time.Second) // the slot rests
		}
		place, _ := h.Queue("client")
		defer place.Leave()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, err = place.Matches(ctx, hunter, stored)
		expect.Error(t, err, ports.ErrUnavailable, "who has gone waits")
	})
}
