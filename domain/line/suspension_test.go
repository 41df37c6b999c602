package line_test

import (
	"testing"
	"time"

	"resellerd/domain/line"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestFirstEffectThatAppliesCounts(t *testing.T) {
	ends := noon.Add(runs)
	for _, c := range []struct {
		suspended, ownerBlocked bool
		at                      time.Time
		want                    line.Effect
	}{
		{false, false, ends.Add(-time.Millisecond), line.Running},
		{false, false, ends, line.Expired},
		{false, false, ends.Add(time.Hour), line.Expired},
		{false, true, ends.Add(-time.Millisecond), line.OwnerBlocked},
		{false, true, ends, line.OwnerBlocked},
		{true, false, ends.Add(-time.Millisecond), line.Suspended},
		{true, false, ends, line.Suspended},
		{true, true, ends.Add(-time.Millisecond), line.Suspended},
		{true, true, ends, line.Suspended},
	} {
		l := trial(t, ownerWith(t, "0"))
		if c.suspended {
			l.Suspend(fixture.Text(""), noon)
		}
		got := l.Effect(c.ownerBlocked, c.at)
		expect.Equal(t, got, c.want,
			"suspended %t, owner blocked %t, %s to its expiry", c.suspended, c.ownerBlocked, ends.Sub(c.at))
		expect.Equal(t, got.Enabled(), !c.suspended && !c.ownerBlocked, "%s is enabled", got)
	}
}

// A suspension changes nothing else, and a change without an effect has no date.
func TestSuspendAndResume(t *testing.T) {
	l := trial(t, ownerWith(t, "0"))
	was := l.State()
	suspend := func(reason string) func(now time.Time) {
		return func(now time.Time) { l.Suspend(fixture.Text(reason), now) }
	}
	hour := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
	for _, c := range []struct {
		do      func(now time.Time)
		at      time.Time
		want    line.Suspension
		updated time.Time
		version int64
	}{
		{l.Resume, hour(1), line.Suspension{}, was.UpdatedAt, 1},
		{suspend("unpaid"), hour(2), line.Suspension{Suspended: true, Reason: fixture.Text("unpaid")}, hour(2), 2},
		{suspend("unpaid"), hour(3), line.Suspension{Suspended: true, Reason: fixture.Text("unpaid")}, hour(2), 2},
		{suspend(""), hour(4), line.Suspension{Suspended: true}, hour(4), 3},
		// after its expiry
		{suspend("shared"), hour(5), line.Suspension{Suspended: true, Reason: fixture.Text("shared")}, hour(5), 4},
		{l.Resume, hour(6), line.Suspension{}, hour(6), 5},
		{l.Resume, hour(7), line.Suspension{}, hour(6), 5},
	} {
		c.do(c.at)
		want := was
		want.Suspension, want.UpdatedAt, want.Version = c.want, c.updated, c.version
		wantLine(t, l, want)
	}
}
