package usecase

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Loop is what the loops of background work have in common.
type Loop struct {
	Process string // a name that no other process has
	After   func(d time.Duration) <-chan time.Time
	Passed  func() time.Duration // since any fixed instant, by a clock that nobody sets
	Log     *slog.Logger
	Lose    context.CancelCauseFunc // ends all loops, with ErrNotHeld if another process has the lease
}

// Sleep waits, and returns whether ctx has not ended.
func (l *Loop) Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-l.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// Failure is the state of one kind of failure: it is logged once, until a success.
type Failure struct{ logged bool }

// Report takes the result of a step. ErrNotHeld ends all loops.
func (f *Failure) Report(ctx context.Context, l *Loop, message string, err error, details ...any) {
	if errors.Is(err, ErrNotHeld) {
		l.Lose(err)
	}
	if err != nil && !f.logged && ctx.Err() == nil {
		l.Log.Warn(message, append(details, slog.Any("error", err))...)
	}
	f.logged = err != nil
}
