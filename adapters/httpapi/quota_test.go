package httpapi

import (
	"fmt"
	"testing"
	"time"

	"resellerd/domain/session"
)

func TestAWindowOfRequests(t *testing.T) {
	now := 7 * time.Hour
	q := newRequestQuota[session.Holder](3, func() time.Duration { return now })
	for _, c := range []struct {
		passes time.Duration // before the request
		of     session.Holder
		left   int
		ends   time.Duration
		over   bool
	}{
		{0, 1, 2, time.Minute, false},
		{20 * time.Second, 1, 1, 40 * time.Second, false},
		{0, 2, 2, time.Minute, false}, // another account
		{30 * time.Second, 1, 0, 10 * time.Second, false},
		{0, 1, 0, 10 * time.Second, true},
		{9 * time.Second, 1, 0, time.Second, true},
		{time.Second, 1, 2, time.Minute, false}, // at the end of the first window
		{0, 2, 1, 20 * time.Second, false},
	} {
		now += c.passes
		if left, ends, over := q.take(c.of); left != c.left || ends != c.ends || over != c.over {
			t.Errorf("account %d at %s: %d left for %s, over %v, want %d, %s, %v", c.of, now, left, ends, over, c.left, c.ends, c.over)
		}
	}
}

func TestWindowsThatEndedAreForgotten(t *testing.T) {
	now := time.Duration(0)
	q := newRequestQuota[session.Holder](3, func() time.Duration { return now })
	for account := range session.Holder(100_000) {
		q.take(account)
		now += time.Second
	}
	if len(q.windows) > 2*leastForgotten {
		t.Errorf("%d windows are kept, of which 60 have not ended", len(q.windows))
	}
	for account := range session.Holder(3 * mostKept) {
		q.take(account)
	}
	if len(q.windows) > mostKept {
		t.Errorf("%d windows are kept, want %d at most", len(q.windows), mostKept)
	}
}

func TestADebtOfBytes(t *testing.T) {
	now := 7 * time.Hour
	q := newByteQuota(1000, func() time.Duration { return now })
	wants := func(client string, want time.Duration) {
		t.Helper()
		if got := q.wait(client); got.Round(time.Millisecond) != want {
			t.Errorf("%s at %s: it waits %s, want %s", client, now, got, want)
		}
	}
	wants("one", 0)
	q.add("one", 9_000)
	wants("one", 0) // ten seconds' worth at once
	q.add("one", 3_000)
	wants("one", 2*time.Second)
	wants("other", 0)
	now += 1500 * time.Millisecond
	wants("one", 500*time.Millisecond)
	now += time.Hour
	q.add("one", 10_000)
	wants("one", 0)
}

func TestDebtsArePaidAndForgotten(t *testing.T) {
	now := time.Duration(0)
	q := newByteQuota(1000, func() time.Duration { return now })
	for i := range 100_000 {
		q.add(fmt.Sprint(i), 1000)
		now += time.Second
	}
	if len(q.debts) > 2*leastForgotten {
		t.Errorf("%d debts are kept, of which one is not paid", len(q.debts))
	}
	for i := range 3 * mostKept {
		q.add(fmt.Sprint("at once", i), 1000)
	}
	if len(q.debts) > mostKept {
		t.Errorf("%d debts are kept, want %d at most", len(q.debts), mostKept)
	}
}

func TestNoLimitIsNone(t *testing.T) {
	if newRequestQuota[session.Holder](0, nil) != nil || newByteQuota(0, nil) != nil {
		t.Error("0 is a limit")
	}
}
