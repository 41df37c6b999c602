package model

import (
	"fmt"
	"slices"
	"time"
)

// telling is what a line's owner is told at most once.
type telling struct {
	line    *Line
	expires time.Time
	days    int // 0: that it has expired
}

// opens is when a line is to be told of, so many days before its expiry.
func opens(expires time.Time, days int) time.Time { return expires.Add(-time.Duration(days) * day) }

// BeginReminders notes that owners of lines are told from now on that these expire in so many days.
func (w *World) BeginReminders(days int, now time.Time) {
	if w.told == nil {
		w.reminding, w.told = map[int]time.Time{}, map[telling]bool{}
	}
	if w.reminding[days].IsZero() {
		w.reminding[days] = now
	}
}

// Remind tells the owner of a line that it expires in so many days, or has expired for 0. It returns what is wrong with
// that, "" for nothing.
func (w *World) Remind(id int64, days int, now time.Time) (wrong string) {
	i := slices.IndexFunc(w.Lines, func(l *Line) bool { return l.ID == id && !l.Deleted })
	if i < 0 {
		return fmt.Sprintf("no reminder of line %d, which is gone", id)
	}
	l := w.Lines[i]
	of := telling{l, l.Expires, days}
	if w.told[of] || now.Before(opens(l.Expires, days)) || days > 0 && l.Trial {
		return fmt.Sprintf("one reminder of line %d, %d days before %s", id, days, iso(l.Expires))
	}
	w.told[of] = true
	e := byItself("line.expired", Moment{Now: now})
	e.Account, e.Line, e.Version = l.Owner, l, l.Version
	e.Data = map[string]any{"expDate": iso(l.Expires), "username": l.Name}
	if days > 0 {
		e.Type, e.Data["days"] = "line.expiring", days
	}
	w.happened(e)
	return ""
}

// Untold are lines whose owners should have been told by now and were not, once a clock that is right has had all
// looked for: of the fewest days that have begun, or of fewer by a clock that was ahead. It leaves out a line whose
// expiry was set, or whose reminders began, too late to be sure.
func (w *World) Untold(now time.Time) (untold []string) {
	all := slices.Sorted(slices.Values(append([]int{0}, w.ExpiringDays...)))
	for _, l := range w.Lines {
		fewest := slices.IndexFunc(all, func(days int) bool { return !now.Before(opens(l.Expires, days)) })
		if fewest < 0 || l.Deleted || l.Trial && all[fewest] > 0 {
			continue
		}
		told := slices.ContainsFunc(all[:fewest+1], func(days int) bool { return w.told[telling{l, l.Expires, days}] })
		began, since := opens(l.Expires, all[fewest]), w.reminding[all[fewest]]
		if !told && !since.IsZero() && began.After(since) && began.Sub(l.Dated) > w.ClocksDiffer {
			untold = append(untold, fmt.Sprintf("line %d, %d days before %s", l.ID, all[fewest], iso(l.Expires)))
		}
	}
	return untold
}
