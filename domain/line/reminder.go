package line

import (
	"slices"
	"time"
)

// MaxReminderDays is the earliest reminder, in days before the expiry. It is less than the shortest period, so that an
// extension always ends beyond it.
const MaxReminderDays = 14

// Reminders are the numbers of days before the expiry of an official line at which its owner gets a reminder.
type Reminders []int

// opens returns when the reminder for days before an expiry is due.
func opens(expiry time.Time, days int) time.Time {
	return expiry.Add(-time.Duration(days) * 24 * time.Hour)
}

// WindowEnd returns the end of the expiry window for a reminder sent days ahead.
func (Reminders) WindowEnd(days int, now time.Time) time.Time {
	return opens(now, -days).Add(time.Millisecond)
}

// Due reports whether the reminder for days is due at now; 0 is the reminder that the line has expired. Only the
// smallest number that applies sends a reminder. A line that was created after a reminder was due does not get that
// reminder.
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

// underWay is the longest time between the decision of a command and the moment at which other processes see its
// result.
const underWay = time.Minute

// DueOnCreation returns the reminders, as days before the expiry, that are due within a minute after the line is
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

// ReminderCursor is the position up to which reminders for one number of days were sent: a line, in the order of
// expiry.
type ReminderCursor struct {
	Days      int64 // 0: the reminder that a line has expired
	Expiry    time.Time
	Line      int64
	SentUntil time.Time // reminders of lines that expire before it may have been sent earlier; else zero
	// the number of lines that other processes may have seen only when they were due: it changes, so a concurrent step
	// starts over
	LateLine int64
}
