package background

import (
	"context"
	"log/slog"
	"time"

	"resellerd/application"
)

// forgotten is how many records are removed at a time.
const forgotten = 500

// Forget removes expired idempotency records, sessions that are over, and old jobs, with each tick, a few at a time,
// until ctx ends, and as long as the clock can be relied on. Answers do not depend on it.
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
				"the clock jumped: expired idempotency keys, sessions and jobs are kept, so that none is lost if it is set right",
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

// Clock returns what the clock shows, as the time since any fixed instant, and the time that has passed since another
// one.
type Clock func() (shown, passed time.Duration)

const (
	// clockJump is how far the clock must go from the time that really passed to
	// count as set: a correction by the network's time is far below it.
	clockJump = time.Hour
	// clockPause is how long an operator has to set it right again.
	clockPause = 24 * time.Hour
)

// clockWatch decides whether the clock can be relied on to remove what has expired. A clock that jumped ahead, if only
// for an hour, would have everything removed, irrecoverably.
type clockWatch struct {
	ahead time.Duration // of the clock before the time that passed, when last seen
	until time.Duration // pause, in the time that passed
}

// seen takes what a clock returns. It returns by how much the clock jumped since the last call, 0 if it did not, and
// whether it may be relied on.
func (w *clockWatch) seen(shown, passed time.Duration) (jumped time.Duration, reliable bool) {
	ahead := shown - passed
	if by := ahead - w.ahead; by.Abs() >= clockJump {
		jumped, w.until = by, passed+clockPause
	}
	w.ahead = ahead
	return jumped, passed >= w.until
}
