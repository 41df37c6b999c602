package webhooks

import (
	"context"
	"testing"
	"testing/synctest"

	"resellerd/test/expect"
)

// Accounts request more lanes than their shares: the account that requests its first lane comes before those that have
// some.
func TestAccountsTakeTurnsForLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, entered := newLanes(2*accountShare), map[int64]int{}
		ctx, cancel := context.WithCancel(t.Context())
		ask := func(ctx context.Context, account int64, times int) {
			for range times {
				go func() {
					if l.enter(ctx, account) == nil {
						entered[account]++
					}
				}()
				synctest.Wait()
			}
		}
		leave := func(account int64) {
			l.leave(account)
			synctest.Wait()
		}
		ask(t.Context(), 1, 4)
		expect.Equal(t, entered[1], 2, "of 4 attempts there are under way, as of an eighth of the lanes,")
		for account := int64(2); account <= accountShare; account++ {
			ask(t.Context(), account, 2)
			expect.Equal(t, entered[account], 2, "of account %d there are under way", account)
		}
		ask(ctx, 9, 1)
		cancel()
		synctest.Wait()
		ask(t.Context(), 10, 1)
		expect.Equal(t, entered[9]+entered[10], 0, "while all lanes are taken more are under way")
		leave(1)
		expect.Equal(t, [2]int{entered[1], entered[10]}, [2]int{2, 1}, "a lane goes to the account that waits for its first")
		leave(2)
		expect.Equal(t, entered[1], 3, "the next lane goes to the one that has waited")
		leave(3)
		leave(1)
		expect.Equal(t, entered[1], 4, "once it has left a lane it gets another one")
		expect.Equal(t, l.taken, 2*accountShare-1, "lanes are taken")

		l, entered = newLanes(accountShare), map[int64]int{}
		ask(t.Context(), 1, 2)
		leave(1)
		expect.Equal(t, entered[1], 2, "with one lane for each account, the last attempt that waits enters")

		more := true
		for more {
			more = l.add(11)
		}
		expect.Equal(t, l.taken, 2*accountShare, "attempts that were under way already count beyond the lanes, up to")
	})
}

func TestSlowAttemptMovesToTheSlowLanes(t *testing.T) {
	d := &dispatcher{sends: newLanes(accountShare), slow: newLanes(accountShare)}
	w := &worker{dispatcher: d, subscriber: &subscriber{}}
	expect.Error(t, d.sends.enter(t.Context(), 7), nil)
	expect.Equal(t, w.changeLanes(w.changeLanes(d.sends, 7), 7) == d.slow, true, "the attempt has a slow lane")
	expect.Elements(t, []int{d.sends.taken, d.slow.taken}, []int{0, 1}, "taken lanes")
}
