package bootstrap

import "time"

const (
	// clockJump is how far the clock must go from the time that really passed to
	// count as set: a correction by the network's time is far below it.
	clockJump = time.Hour
	// clockPause is how long an operator has to set it right again.
	clockPause = 24 * time.Hour
)

// clockWatch tells whether the clock can be relied on to remove what it says has
// expired. A clock that jumped ahead would have everything removed at once, and an
// hour later, when it is set right, nothing of it could be had back.
type clockWatch struct {
	ahead time.Duration // of the clock before the time that passed, when last seen
	until time.Duration // pause, in the time that passed
}

// seen is told what the clock says now, in the time since any fixed instant, and
// how much time has passed since another one. It returns by how much the clock
// jumped since it was last told, 0 where it did not, and whether it may be relied
// on.
func (w *clockWatch) seen(clock, passed time.Duration) (jumped time.Duration, reliable bool) {
	ahead := clock - passed
	if by := ahead - w.ahead; by.Abs() >= clockJump {
		jumped, w.until = by, passed+clockPause
	}
	w.ahead = ahead
	return jumped, passed >= w.until
}
