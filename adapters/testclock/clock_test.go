package testclock_test

import (
	"testing"
	"time"

	"resellerd/adapters/testclock"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestAClockGoesOnAndForward(t *testing.T) {
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

	to := func(at time.Time) func(time.Time) time.Time { return func(time.Time) time.Time { return at } }
	for _, at := range []time.Time{fixture.Noon, fixture.Noon.Add(36 * time.Hour), fixture.Noon.Add(36 * time.Hour)} {
		if got, err := clock.Forward(to(at)); err != nil || !got.Equal(at) {
			t.Errorf("set to %s it shows %s, %v", at, got, err)
		}
		wants(at)
	}
	for at, want := range map[time.Time]error{
		fixture.Noon.Add(36*time.Hour - time.Millisecond): testclock.ErrBackward,
		fixture.Noon.AddDate(0, 0, 100*365+1):             testclock.ErrTooFar,
	} {
		_, err := clock.Forward(to(at))
		expect.Error(t, err, want, "to %s", at)
		wants(fixture.Noon.Add(36 * time.Hour))
	}
	system.Advance(time.Second)
	wants(fixture.Noon.Add(36*time.Hour + time.Second))
}
