package usecase

import (
	"errors"
	"testing"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/session"
	"resellerd/test/require"
)

func TestFreeChangesOfADay(t *testing.T) {
	noon := time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)
	f := freeChanges{most: 2}
	for _, c := range []struct {
		situation string
		after     time.Duration // noon
		by        session.Holder
		changes   int
		wait      time.Duration // 0: it is allowed
	}{
		{"the first", 0, 1, 1, 0},
		{"the last", time.Hour, 1, 1, 0},
		{"one more", time.Hour, 1, 1, 11 * time.Hour},
		{"a check", time.Hour, 1, 0, 11 * time.Hour},
		{"another caller", time.Hour, 2, 1, 0},
		{"the end of the day", 12*time.Hour - time.Millisecond, 1, 1, time.Millisecond},
		{"midnight", 12 * time.Hour, 1, 1, 0},
		{"the last of the day", 13 * time.Hour, 1, 1, 0},
		{"one more of the day", 14 * time.Hour, 1, 1, 22 * time.Hour},
		{"the next day, by a clock that is ahead", 40 * time.Hour, 1, 1, 0},
		{"a clock that is set right", 13 * time.Hour, 1, 1, 0},
	} {
		err := f.take(c.by, c.changes, false, noon.Add(c.after))
		var spent *fault.Later
		if errors.As(err, &spent); (spent == nil) != (c.wait == 0) || spent != nil && spent.Wait != c.wait {
			t.Errorf("%s: got %v, want a wait of %s", c.situation, err, c.wait)
		}
	}
	today := noon.Add(14 * time.Hour)
	require.NoError(t, f.take(1, 1, false, today))
	f.uncount(1, noon) // which was counted on a day before
	if err := f.take(1, 0, false, today); err == nil {
		t.Error("what was taken yesterday is given back today")
	}
	f.uncount(1, today)
	if err := f.take(1, 0, false, today); err != nil {
		t.Error(err)
	}
}
