package background

import (
	"context"
	"log/slog"
	"time"

	"resellerd/application"
)

// forgotten is the most records that are removed at a time.
const forgotten = 500

// Forget removes expired idempotency records, sessions that are over, and old jobs, with each tick, a few at a time,
// until ctx ends. It pauses while the clock is unreliable. Answers do not depend on it.
func Forget(ctx context.Context, service *application.Service, ticks <-chan time.Time, clock Clock, log *slog.Logger) {
	expired := []struct {
		name   string
		forget func(ctx context.Context, limit int) (int, error)
	}{
		{"idempotency keys", service.IdempotencyKeys.ForgetExpired},
		{"sessions", service.Access.ForgetSessions},
		{"jobs", service.Jobs.Forget},
	}
	shown, passed := clock()
	watch := clockWatch{ahead: shown - passed}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		jumped, reliable := watch.seen(clock())
		if jumped != 0 {
			log.Warn(
				"the clock jumped: no expired records are removed for now, in case it is set right",
				slog.String("by", jumped.String()), slog.String("for", clockPause.String()))
		}
		for _, e := range expired {
			for removed := forgotten; reliable && removed == forgotten && ctx.Err() == nil; {
				var err error
				if removed, err = e.forget(ctx, forgotten); err != nil && ctx.Err() == nil {
					log.Warn("expired "+e.name+" could not be removed", slog.Any("error", err))
				}
			}
		}
	}
}

// Clock returns the time that the clock shows, since any fixed instant, and the time that has really passed, since
// another one.
type Clock func() (shown, passed time.Duration)

const (
	// clockJump is the least difference between the clock and the passed time that counts as a setting of the clock. A
	// correction by network time is far smaller.
	clockJump = time.Hour
	// clockPause is how long an operator has to set the clock right again.
	clockPause = 24 * time.Hour
)

// clockWatch decides whether the clock is reliable enough to remove expired records. A clock that jumped ahead, even
// for an hour, would remove all records for good.
type clockWatch struct {
	ahead time.Duration // difference of the clock and the passed time, when last seen
	until time.Duration // end of the pause, in passed time
}

// seen takes the values of a clock. It returns the jump of the clock since the last call, 0 without one, and whether
// the clock is reliable.
func (w *clockWatch) seen(shown, passed time.Duration) (jumped time.Duration, reliable bool) {
	ahead := shown - passed
	if by := ahead - w.ahead; by.Abs() >= clockJump {
		jumped, w.until = by, passed+clockPause
	}
	w.ahead = ahead
	return jumped, passed >= w.until
}
