package lines

import (
	"context"
	"math"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/line"
	"resellerd/ports"
)

// requeueReminders moves the cursors of reminders back to a new line that other processes may see only when its
// reminder is due. A cursor may have passed the line, or be about to by what its process saw before, which then looks
// again.
func requeueReminders(ctx context.Context, tx ports.Tx, l *line.Line, days []int) error {
	reminders := ports.Reminders.In(tx.Records)
	for _, n := range days {
		at, err := reminders.Get(ctx, int64(n))
		if usecase.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		if !at.Expiry.Before(l.ExpiresAt()) {
			at.Told = usecase.Later(at.Told, at.Expiry)
			at.Expiry, at.Line = l.ExpiresAt().Add(-time.Millisecond), math.MaxInt64
		}
		at.Late++
		if err := reminders.Save(ctx, at); err != nil {
			return err
		}
	}
	return nil
}
