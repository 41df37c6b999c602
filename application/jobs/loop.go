package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"resellerd/application/internal/usecase"
)

const (
	// lookEvery is how often the worker looks for jobs that another process has started.
	lookEvery = time.Second
	// itemsAtOnce is how many lines of a job are decided before the next job has its turn.
	itemsAtOnce = 32
)

// Run works on all jobs in turn, one line at a time, until ctx ends: to others they are like one more client. It works
// either on dry runs, each of which reads all of its lines in its turn, or on the other jobs.
func (s Worker) Run(ctx context.Context, l usecase.Loop, dryRuns bool) {
	var failure usecase.Failure
	for ctx.Err() == nil {
		more, err := s.turn(ctx, &l, dryRuns)
		failure.Report(ctx, &l, "a job for many lines could not be gone on with", err)
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.started: // one of the two loops receives it: the other one looks within a second
		case <-l.After(lookEvery):
		}
	}
}

// turn works on each job once, and reports whether any has lines left. A job that fails does not stop the others.
func (s Worker) turn(ctx context.Context, l *usecase.Loop, dryRuns bool) (more bool, err error) {
	all, err := s.Running(ctx)
	for _, j := range all {
		if j.DryRun != dryRuns || ctx.Err() != nil {
			continue
		}
		worked, failed := s.Work(ctx, l.Process, j, itemsAtOnce)
		for _, odd := range worked.Odd {
			l.Log.Error("an item of a job was refused for what is no refusal", slog.Int64("job", j.ID), slog.Any("error", odd))
		}
		more = more || failed == nil && !worked.Ended
		err = errors.Join(err, failed)
	}
	return more, err
}
