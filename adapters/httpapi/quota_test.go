package httpapi

import (
	"testing"
	"time"

	"resellerd/domain/session"
	"resellerd/test/expect"
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
		{9 * time.Second, 1, 0, time.Second, true},
		{time.Second, 1, 2, time.Minute, false}, // at the end of the first window
	} {
		now += c.passes
		left, ends, over := q.take(c.of)
		expect.Equal(t, left, c.left, "account %d at %s: left", c.of, now)
		expect.Equal(t, ends, c.ends, "account %d at %s: it ends after", c.of, now)
		expect.Equal(t, over, c.over, "account %d at %s: over", c.of, now)
	}
}

func TestWindowsThatEndedAreForgotten(t *testing.T) {
	now := time.Duration(0)
	q := newRequestQuota[session.Holder](3, func() time.Duration { return now })
	for account := range session.Holder(20_000) {
		q.take(account)
		now += time.Second
	}
	expect.Equal(t, len(q.windows) <= 2*leastForgotten, true, "%d windows, of which 60 have not ended", len(q.windows))
	for account := range session.Holder(3 * mostKept) {
		q.take(account)
	}
	expect.Equal(t, len(q.windows) <= mostKept, true, "%d windows, at most %d", len(q.windows), mostKept)
}
