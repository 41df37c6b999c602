package model

import (
	"fmt"
	"slices"
	"time"
)

// reminder is sent to a line's owner at most once.
type reminder struct {
	line    *Line
	expires time.Time
	days    int // 0: that it has expired
}

// opens is the time of a line's reminder, so many days before its expiry.
func opens(expires time.Time, days int) time.Time { return expires.Add(-time.Duration(days) * day) }

// BeginReminders notes that reminders of so many days are sent from now on.
func (w *World) BeginReminders(days int, now time.Time) {
	if w.reminded == nil {
		w.reminding, w.reminded = map[int]time.Time{}, map[reminder]bool{}
	}
	if w.reminding[days].IsZero() {
		w.reminding[days] = now
	}
}

// Remind sends the reminder of a line, so many days before its expiry, or 0 for an expired line. It returns why this
// reminder must not be sent, "" for a correct one.
func (w *World) Remind(id int64, days int, now time.Time) (wrong string) {
	i := slices.IndexFunc(w.Lines, func(l *Line) bool { return l.ID == id && !l.Deleted })
	if i < 0 {
		return fmt.Sprintf("no reminder of line %d, which is gone", id)
	}
	l := w.Lines[i]
	of := reminder{l, l.Expires, days}
	if w.reminded[of] || now.Before(opens(l.Expires, days)) || days > 0 && l.Trial {
		return fmt.Sprintf("one reminder of line %d, %d days before %s", id, days, iso(l.Expires))
	}
	w.reminded[of] = true
	e := byItself("line.expired", Moment{Now: now})
	e.Account, e.Line, e.Version = l.Owner, l, l.Version
	e.Data = map[string]any{"expDate": iso(l.Expires), "username": l.Name}
	if days > 0 {
		e.Type, e.Data["days"] = "line.expiring", days
	}
	w.happened(e)
	return ""
}

// MissedReminders returns the reminders that should have been sent by now and were not, once a process with a right
// clock has looked at all lines. A line needs the reminder with the fewest days that is due, or one with fewer days
// from a clock that was ahead. It leaves out a line whose expiry was set, or whose reminders began, too late to be
// sure.
func (w *World) MissedReminders(now time.Time) (missed []string) {
	all := slices.Sorted(slices.Values(append([]int{0}, w.ExpiringDays...)))
	for _, l := range w.Lines {
		fewest := slices.IndexFunc(all, func(days int) bool { return !now.Before(opens(l.Expires, days)) })
		if fewest < 0 || l.Deleted || l.Trial && all[fewest] > 0 {
			continue
		}
		reminded := slices.ContainsFunc(all[:fewest+1], func(days int) bool {
			return w.reminded[reminder{l, l.Expires, days}]
		})
		began, since := opens(l.Expires, all[fewest]), w.reminding[all[fewest]]
		if !reminded && !since.IsZero() && began.After(since) && began.Sub(l.Dated) > w.ClocksDiffer {
			missed = append(missed, fmt.Sprintf("line %d, %d days before %s", l.ID, all[fewest], iso(l.Expires)))
		}
	}
	return missed
}
