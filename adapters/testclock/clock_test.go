package testclock_test

import (
	"testing"
	"time"

	"resellerd/adapters/testclock"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestAClockRunsAndCanBeSetForward(t *testing.T) {
	system := fixture.NewClock(fixture.Noon)
	clock := testclock.New(system.Now, fixture.Noon.Add(-40*24*time.Hour))
	wants := func(want time.Time) {
		t.Helper()
		if got := clock.Now(); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("it shows %s, want %s", got, want)
		}
	}
	system.Advance(time.Minute)
	wants(fixture.Noon.Add(time.Minute - 40*24*time.Hour))

	later := fixture.Noon.Add(36 * time.Hour)
	for _, c := range []struct {
		at   time.Time
		want error
	}{{later, nil}, {later.Add(-time.Millisecond), testclock.ErrBackward},
		{fixture.Noon.AddDate(0, 0, 100*365+1), testclock.ErrTooFar}} {
		_, err := clock.Forward(func(time.Time) time.Time { return c.at })
		expect.Error(t, err, c.want, "to %s", c.at)
		wants(later)
	}
	system.Advance(time.Second)
	wants(later.Add(time.Second))
}
