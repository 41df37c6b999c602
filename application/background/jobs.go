package background

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/bulk"
)

const (
	// jobsEvery is how often jobs are looked for that another process has started.
	jobsEvery = time.Second
	// itemsAtOnce is how many lines of a job are decided before the next job has its turn.
	itemsAtOnce = 32
)

// ordered and dryRuns tell jobs apart: a dry run reads all of its lines in its turn, and changes nothing.
func ordered(j bulk.Job) bool { return !j.DryRun }
func dryRuns(j bulk.Job) bool { return j.DryRun }

// work goes on with all jobs of a sort in turn, one line at a time: to others they are like one more client.
func (r *runner) work(ctx context.Context, lose context.CancelCauseFunc, sort func(bulk.Job) bool) {
	var failing complaint
	for ctx.Err() == nil {
		more, err := r.workOnce(ctx, sort)
		if errors.Is(err, usecase.ErrNotHeld) {
			lose(err)
			return
		}
		failing.about(ctx, r.Log, "a job for many lines could not be gone on with", err)
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-r.Service.JobWorker.Started(): // which also serves as the other's: it looks within a second
		case <-r.After(jobsEvery):
		}
	}
}

// workOnce gives each job its turn, and reports whether more is to be done at once. One that fails does not keep the
// others.
func (r *runner) workOnce(ctx context.Context, sort func(bulk.Job) bool) (more bool, err error) {
	all, err := r.Service.JobWorker.Running(ctx)
	for _, j := range all {
		if !sort(j) || ctx.Err() != nil {
			continue
		}
		worked, failed := r.Service.JobWorker.Work(ctx, r.Process, j, itemsAtOnce)
		for _, odd := range worked.Odd {
			r.Log.Error("an item of a job was refused for what is no refusal", slog.Int64("job", j.ID), slog.Any("error", odd))
		}
		more = more || failed == nil && !worked.Ended
		err = errors.Join(err, failed)
	}
	return more, err
}
