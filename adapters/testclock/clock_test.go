package testclock_test

import (
	"errors"
	"testing"
	"time"

	"resellerd/adapters/testclock"
	"resellerd/test/given"
)

func TestAClockGoesOnAndForward(t *testing.T) {
	system := given.NewClock(given.Noon)
	clock := testclock.New(system.Now, given.Noon.Add(-40*24*time.Hour))
	wants := func(want time.Time) {
		t.Helper()
		if got := clock.Now(); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("it shows %s, want %s", got, want)
		}
	}
	wants(given.Noon.Add(-40 * 24 * time.Hour))
	system.Advance(time.Minute)
	wants(given.Noon.Add(time.Minute - 40*24*time.Hour))

	to := func(at time.Time) func(time.Time) time.Time { return func(time.Time) time.Time { return at } }
	for _, at := range []time.Time{given.Noon, given.Noon.Add(36 * time.Hour), given.Noon.Add(36 * time.Hour)} {
		if got, err := clock.Forward(to(at)); err != nil || !got.Equal(at) {
			t.Errorf("set to %s it shows %s, %v", at, got, err)
		}
		wants(at)
	}
	for at, want := range map[time.Time]error{
		given.Noon.Add(36*time.Hour - time.Millisecond): testclock.ErrBackward,
		given.Noon.AddDate(0, 0, 100*365+1):             testclock.ErrTooFar,
		{}:                                              testclock.ErrBackward,
	} {
		if _, err := clock.Forward(to(at)); !errors.Is(err, want) {
			t.Errorf("to %s: %v, want %v", at, err, want)
		}
		wants(given.Noon.Add(36 * time.Hour))
	}
	if got, err := clock.Forward(func(now time.Time) time.Time { return now.Add(time.Hour) }); err != nil || !got.Equal(given.Noon.Add(37*time.Hour)) {
		t.Errorf("an hour on it shows %s, %v", got, err)
	}
	system.Advance(time.Second)
	wants(given.Noon.Add(37*time.Hour + time.Second))
}
