package bootstrap

import (
	"testing"
	"time"
)

func TestAClockThatJumpedIsNotReliedOnForADay(t *testing.T) {
	const hour, minute = time.Hour, time.Minute
	const start = 500_000 * hour // what the clock says at first
	w := clockWatch{ahead: start}
	for _, c := range []struct {
		passed, ahead time.Duration
		jumped        time.Duration
		reliable      bool
	}{
		{1 * minute, 0, 0, true},
		{2 * minute, hour - 1, 0, true},               // corrected by less than an hour
		{3 * minute, 2 * (hour - 1), 0, true},         // and again
		{4 * minute, 0, -2 * (hour - 1), false},       // set back
		{5 * minute, 8760 * hour, 8760 * hour, false}, // a year ahead
		{6 * minute, 8760 * hour, 0, false},
		{24*hour + 5*minute - 1, 8760 * hour, 0, false},
		{24*hour + 5*minute, 8760 * hour, 0, true}, // nobody has set it back: it is believed
		{24*hour + 6*minute, 0, -8760 * hour, false},
		{48*hour + 6*minute, 0, 0, true},
	} {
		jumped, reliable := w.seen(start+c.passed+c.ahead, c.passed)
		if jumped != c.jumped || reliable != c.reliable {
			t.Errorf("after %v, %v ahead: jumped by %v, reliable %v, want %v, %v", c.passed, c.ahead, jumped, reliable, c.jumped, c.reliable)
		}
	}
}
