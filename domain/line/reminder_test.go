package line_test

import (
	"slices"
	"testing"
	"time"

	"resellerd/domain/line"
	"resellerd/test/expect"
	"resellerd/test/require"
)

const day = 24 * time.Hour

// expiring is a line that was created long before it expires, at noon.
func expiring(t testing.TB, changes ...func(*line.State)) *line.Line {
	s := line.State{ID: 70, PlatformID: 700, Charge: 5, ExpiresAt: noon, CreatedAt: noon.Add(-30 * day)}
	s.Owner.ID = 7
	for _, change := range changes {
		change(&s)
	}
	l, err := line.Restore(s)
	require.NoError(t, err)
	return l
}

func born(before time.Duration) func(*line.State) {
	return func(s *line.State) { s.CreatedAt = noon.Add(-before) }
}

func asTrial(s *line.State) { s.Trial, s.PlatformID, s.Charge = true, 0, 0 }

func TestSmallestNumberOfDaysSendsTheReminder(t *testing.T) {
	const ms = time.Millisecond
	of := func(days ...int) line.Reminders { return days }
	for _, c := range []struct {
		situation string
		line      *line.Line
		days      line.Reminders
		now       time.Duration // before it expires
		due       []int         // of these numbers, and of 0
	}{
		{"long before", expiring(t), of(7, 3, 1), 7*day + ms, nil},
		{"seven days before", expiring(t), of(7, 3, 1), 7 * day, of(7)},
		{"six days before", expiring(t), of(7, 3, 1), 6 * day, of(7)},
		{"right before the next", expiring(t), of(7, 3, 1), 3*day + ms, of(7)},
		{"three days before", expiring(t), of(7, 3, 1), 3 * day, of(3)},
		{"a day before", expiring(t), of(7, 3, 1), day, of(1)},
		{"right before it expires", expiring(t), of(7, 3, 1), ms, of(1)},
		{"as it expires", expiring(t), of(7, 3, 1), 0, of(0)},
		{"years later", expiring(t), of(7, 3, 1), -1000 * day, of(0)},
		{"in any order of the days", expiring(t), of(1, 7, 3), 2 * day, of(3)},
		{"without any days", expiring(t), nil, day, nil},
		{"without any days, as it expires", expiring(t), nil, 0, of(0)},

		{"a trial, before", expiring(t, asTrial), of(7, 3, 1), day, nil},
		{"a trial, as it expires", expiring(t, asTrial), of(7, 3, 1), 0, of(0)},

		{"born right before a window", expiring(t, born(3*day+ms)), of(7, 3, 1), 3 * day, of(3)},
		{"born as a window opens", expiring(t, born(3*day)), of(7, 3, 1), 3 * day, nil},
		{"born in a window", expiring(t, born(3*day-ms)), of(7, 3, 1), 2 * day, nil},
		{"born in a window, at the next", expiring(t, born(2*day)), of(7, 3, 1), day, of(1)},
		{"born in the last window", expiring(t, born(day)), of(7, 3, 1), ms, nil},
		{"born in the last window, as it expires", expiring(t, born(day)), of(7, 3, 1), 0, of(0)},
		{"born as it expires", expiring(t, born(0)), of(7, 3, 1), 0, nil},
		{"born expired", expiring(t, born(-day)), of(7, 3, 1), -2 * day, nil},
	} {
		var due []int
		for _, days := range append([]int{0}, c.days...) {
			if c.days.Due(c.line, days, noon.Add(-c.now)) {
				due = append(due, days)
			}
		}
		slices.Sort(due)
		expect.Elements(t, due, c.due, "%s: due are", c.situation)
	}
}

// A line whose reminder is due expires before WindowEnd, and the last one is due to the millisecond.
func TestWindowEndIncludesTheLastDueLine(t *testing.T) {
	var all line.Reminders
	for days, want := range map[int]time.Duration{0: 0, 1: day, 14: 14 * day} {
		if got := all.WindowEnd(days, noon); !got.Equal(noon.Add(want + time.Millisecond)) {
			t.Errorf("%d days before: until %s, want a millisecond after %s", days, got, noon.Add(want))
		}
	}
	all = line.Reminders{14, 5}
	for _, days := range []int{0, 5, 14} {
		for off, want := range map[time.Duration]bool{-time.Millisecond: true, 0: false} {
			l := expiring(t, func(s *line.State) { s.ExpiresAt = all.WindowEnd(days, noon).Add(off) })
			expect.Equal(t, all.Due(l, days, noon), want,
				"%d days before: a line that expires at the end of what is looked at, %v from it, is due", days, off)
		}
	}
}
