package line

import (
	"slices"
	"time"
)

// MaxReminderDays is how many days before its expiry a line is told of at the earliest: less than the shortest period,
// so that an extension always ends beyond.
const MaxReminderDays = 14

// Reminders are how many days before the expiry of an official line its owner is told.
type Reminders []int

// opens returns when a line that expires at an instant is to be told of, so many days before.
func opens(expiry time.Time, days int) time.Time {
	return expiry.Add(-time.Duration(days) * 24 * time.Hour)
}

// WindowEnd returns before which instant lines expire that are to be told of now, so many days before.
func (Reminders) WindowEnd(days int, now time.Time) time.Time {
	return opens(now, -days).Add(time.Millisecond)
}

// Due reports whether the line is to be told of at now, so many days before its expiry, or that it has expired for 0.
// It is told of by the smallest number alone that applies. A line that came to be later than that is not.
func (all Reminders) Due(l *Line, days int, now time.Time) bool {
	at := opens(l.s.ExpiresAt, days)
	smaller := func(other int) bool { return other < days && !now.Before(opens(l.s.ExpiresAt, other)) }
	switch {
	case now.Before(at), !l.s.CreatedAt.Before(at):
		return false
	case days == 0:
		return true
	}
	return !l.s.Trial && !smaller(0) && !slices.ContainsFunc(all, smaller)
}

// underWay is how long it may take from an instant at which a command is decided until others see what it made.
const underWay = time.Minute

// DueOnCreation returns the reminders, as days before the expiry, that come due within a minute after the line is
// created. Other processes may not see the line yet at that time.
func (all Reminders) DueOnCreation(l *Line) (days []int) {
	for _, n := range append([]int{0}, all...) {
		at := opens(l.s.ExpiresAt, n)
		if (n == 0 || !l.s.Trial) && l.s.CreatedAt.Before(at) && !l.s.CreatedAt.Add(underWay).Before(at) {
			days = append(days, n)
		}
	}
	return days
}

// ReminderCursor is the position up to which reminders of so many days were sent: a line, in the order of expiry.
type ReminderCursor struct {
	Days      int64 // 0: that they have expired
	Expiry    time.Time
	Line      int64
	SentUntil time.Time // reminders of lines that expire until then may have been sent before it was set back, else zero
	// how many lines others may have seen only when they were due: a step that looked before one starts over
	LateLine int64
}
