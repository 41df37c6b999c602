package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Mark is how far it was looked for lines to be told of: up to a line, in the order of their expiry.
type Mark struct {
	Expires time.Time
	Line    int64
}

func (m Mark) compare(other Mark) int {
	return cmp.Or(m.Expires.Compare(other.Expires), cmp.Compare(m.Line, other.Line))
}

// telling is what a line's owner is told at most once.
type telling struct {
	line    *Line
	expires time.Time
	days    int // 0: that it has expired
}

// farAhead is by how much a clock was ahead that counts as wrong: what it passed is looked at once more.
const farAhead = time.Hour

// opens is when a line is to be told of, so many days before its expiry.
func opens(expires time.Time, days int) time.Time { return expires.Add(-time.Duration(days) * day) }

// applies says why a line is not to be told of so many days before its expiry, "" where it is.
func (w *World) applies(l *Line, days int, now time.Time) (not string) {
	fewer := func(other int) bool { return other < days && !now.Before(opens(l.Expires, other)) }
	return firstOf(
		days > 0 && l.Trial, "it is a trial",
		!l.CreatedAt.Before(opens(l.Expires, days)), "it came to be later",
		fewer(0) || slices.ContainsFunc(w.ExpiringDays, fewer), "fewer days apply",
	)
}

// Expiries are when lines expire, as somebody has listed them.
func (w *World) Expiries() map[*Line]Mark {
	all := map[*Line]Mark{}
	for _, l := range w.Lines {
		if !l.Deleted {
			all[l] = Mark{l.Expires, l.ID}
		}
	}
	return all
}

// Remindable reports whether there is something to be done about lines that expire in so many days by now, or have
// expired for 0.
func (w *World) Remindable(days int, now time.Time) bool {
	from, begun := w.reminded[days]
	ends := now.Add(time.Duration(days) * day)
	return !begun || from.farBeyond(ends) ||
		slices.ContainsFunc(w.between(from, Mark{ends, math.MaxInt64}), func(l *Line) bool { return days == 0 || !l.Trial })
}

// farBeyond reports whether only a clock that was far ahead can have come so far.
func (m Mark) farBeyond(ends time.Time) bool {
	return m.Expires.After(ends.Add(farAhead + time.Millisecond))
}

// Remind tells owners of lines, as they were listed, that these expire in so many days, or have expired for 0: of those
// from where it was looked last up to a mark. At first, and after a clock that was far ahead, the mark is only set.
// Remind returns what is wrong with the mark, "" for nothing.
func (w *World) Remind(days int, listed map[*Line]Mark, to Mark, now time.Time) (wrong string) {
	if w.reminded == nil {
		w.reminded, w.told, w.untold = map[int]Mark{}, map[telling]bool{}, map[telling]string{}
	}
	from, begun := w.reminded[days]
	ends := now.Add(time.Duration(days) * day)
	w.reminded[days] = to
	anew := Mark{ends, math.MaxInt64}
	switch {
	case !begun && to != anew, begun && from.farBeyond(ends) && to != anew:
		return fmt.Sprintf("the mark %+v", anew)
	case !begun:
		for _, l := range w.between(from, to) {
			w.untold[telling{l, l.Expires, days}] = "no reminders were sent before"
		}
	case to == anew && to.compare(from) < 0:
		w.RemindedAnew++
		for _, l := range w.between(to, from) {
			delete(w.untold, telling{l, l.Expires, days})
		}
	case to.compare(from) < 0 || to.Expires.After(ends):
		return fmt.Sprintf("a mark after %+v, up to %s", from, iso(ends))
	default:
		w.remind(days, listed, w.between(from, to), now)
	}
	return ""
}

func (w *World) remind(days int, listed map[*Line]Mark, all []*Line, now time.Time) {
	for _, l := range all {
		of := telling{l, l.Expires, days}
		switch not := w.applies(l, days, now); {
		case w.told[of]: // by a clock that was ahead
		case listed[l] != (Mark{l.Expires, l.ID}):
			w.skipped(of, "it was changed at the same moment", l.UpdatedAt)
		case not != "":
			w.untold[of] = not
		default:
			w.told[of] = true
			w.happened(byItself("line.expired", Moment{Now: now}).ofExpiry(l, days))
		}
	}
}

// between are the lines that are there after a mark, up to another one, in their order.
func (w *World) between(after, upTo Mark) (all []*Line) {
	for _, l := range w.Lines {
		at := Mark{l.Expires, l.ID}
		if !l.Deleted && at.compare(after) > 0 && at.compare(upTo) <= 0 {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b *Line) int { return Mark{a.Expires, a.ID}.compare(Mark{b.Expires, b.ID}) })
	return all
}

func (e *Event) ofExpiry(l *Line, days int) *Event {
	e.Account, e.Line, e.Version = l.Owner, l, l.Version
	e.Data = map[string]any{"expDate": iso(l.Expires), "username": l.Name}
	if days > 0 {
		e.Type, e.Data["days"] = "line.expiring", days
	}
	return e
}

// passes notes of a line that is to end at another time which reminders have passed that time already: those of a clock
// that was ahead, by no more than clocks may differ.
func (w *World) passes(l *Line, now time.Time) {
	for days, to := range w.reminded {
		if (Mark{l.Expires, l.ID}).compare(to) <= 0 {
			w.skipped(telling{l, l.Expires, days}, "a clock that was ahead had it passed before", now)
		}
	}
}

// skipped notes why a line that changed at an instant is not told of.
func (w *World) skipped(of telling, why string, changed time.Time) {
	if opens(of.expires, of.days).Sub(changed) <= w.ClocksDiffer {
		w.untold[of] = why
	}
}

// Untold are lines whose owners should have been told by now and were not, with what of, once somebody has looked for
// all.
func (w *World) Untold(now time.Time) (untold []string) {
	for _, l := range w.Lines {
		for _, days := range append([]int{0}, w.ExpiringDays...) {
			of := telling{l, l.Expires, days}
			if !l.Deleted && !w.told[of] && w.untold[of] == "" && !now.Before(opens(l.Expires, days)) &&
				(days == 0 || !l.Trial) {
				untold = append(untold, fmt.Sprintf("line %d, %d days before %s", l.ID, days, iso(l.Expires)))
			}
		}
	}
	return untold
}
