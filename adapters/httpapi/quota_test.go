package httpapi

import (
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
			t.Errorf("account %d at %s: %d left for %s, over %v, want %d, %s, %v", c.of, now, left, ends, over, c.left,
				c.ends, c.over)
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

func TestNoLimitIsNone(t *testing.T) {
	if newRequestQuota[session.Holder](0, nil) != nil {
		t.Error("0 is a limit")
	}
}
