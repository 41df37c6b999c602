package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/application/lines"
	"resellerd/domain/bulk"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Worker runs jobs, in one process at a time. No API operation reaches it.
type Worker struct {
	k       *usecase.Kernel
	started <-chan usecase.None // receives a value soon after this process has started a job
}

// Running returns the running jobs.
func (s Worker) Running(ctx context.Context) ([]bulk.Job, error) {
	return usecase.ReadSnapshot(ctx, s.k, func(ctx context.Context, snapshot ports.Snapshot) (all []bulk.Job, err error) {
		for after := ""; ; {
			page, err := ports.BulkJobsRunning.List(ctx, snapshot.Records, record.Query{After: after, Limit: selectedAtOnce})
			all = append(all, page.Items...)
			if after = page.Next; err != nil || after == "" {
				return all, err
			}
		}
	})
}

// WorkResult is the result of Work.
type WorkResult struct {
	Ended            bool    // the job is done, or was stopped
	UnexpectedErrors []error // of items, that are not faults, such as those of damaged records
}

// errMoved reports that a job has progressed since it was read: it was stopped, or another process works on it as well.
var errMoved = errors.New("the job has moved on")

// Work continues a job, for up to limit of its lines, or all of a dry run. The result of a line is stored in the
// transaction of its effect, refusals with the next effect or at the end. So a job whose work is interrupted continues
// where it was.
func (s Worker) Work(ctx context.Context, by string, j bulk.Job, limit int) (worked WorkResult, err error) {
	if j.DryRun {
		return s.count(ctx, by, j)
	}
	for left := limit; left > 0; {
		part, err := s.partLeft(ctx, j.ID)
		if err != nil {
			return worked, err
		}
		if part == nil {
			worked.Ended = true
			return worked, s.endAs(ctx, by, j, func(j bulk.Job, now time.Time) bulk.Job { return j.Ended(bulk.Done, now) })
		}
		did, err := s.workOn(ctx, by, j, *part, left, &worked)
		if errors.Is(err, errMoved) {
			worked.Ended = true // as far as it is known: the next turn checks again
			return worked, nil
		}
		if err != nil {
			return worked, err
		}
		left -= did
	}
	return worked, nil
}

// partLeft returns the first batch of a job with undecided lines, nil without one.
func (s Worker) partLeft(ctx context.Context, job int64) (*bulk.Batch, error) {
	return usecase.ReadSnapshot(ctx, s.k, func(ctx context.Context, snapshot ports.Snapshot) (*bulk.Batch, error) {
		page, err := ports.BulkBatchesUndecided.List(ctx, snapshot.Records, record.Query{Equal: record.Tuple{job}, Limit: 1})
		if err == nil && len(page.Damaged) > 0 {
			err = record.ErrDamaged
		}
		if err != nil || len(page.Items) == 0 {
			return nil, err
		}
		return &page.Items[0], nil
	})
}

// workOn decides up to limit lines of a batch, and returns their number.
func (s Worker) workOn(ctx context.Context, by string, j bulk.Job, part bulk.Batch, limit int,
	worked *WorkResult) (did int, err error) {
	lines, err := part.Lines.IDs()
	if err != nil {
		return 0, err
	}
	lines = lines[part.Decided:]
	lines = lines[:min(limit, len(lines))]
	step := itemStep{by: by, job: j.ID, at: part}
	for _, id := range lines {
		item, err := item(s.k, j.Change, id, j.Created)
		if err != nil {
			return did, err
		}
		_, err = usecase.Run(ctx, s.k, usecase.JobCall(j.By), func(usecase.None) usecase.Receipt { return usecase.Receipt{} },
			step.with(item, id))
		switch code, refused := refusalOf(err); {
		case err == nil:
			step.at, step.refused = step.at.Refuse(step.refused...).Succeed(), nil
		case errors.Is(err, errMoved), errors.Is(err, usecase.ErrNotHeld), !refused:
			return did, err
		default:
			if _, known := errors.AsType[*fault.Fault](err); !known {
				worked.UnexpectedErrors = append(worked.UnexpectedErrors, err)
			}
			step.refused = append(step.refused, bulk.Refusal{Line: id, Code: code})
		}
		did++
	}
	if len(step.refused) == 0 {
		return did, nil
	}
	return did, s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		job, part, err := step.begin(ctx, tx)
		if err != nil {
			return err
		}
		return step.save(ctx, tx, job, part)
	}, ports.Reads{Records: step.records()})
}

// itemStep is a step of a job: it decides one line, and stores with it the refusals since the step before.
type itemStep struct {
	by      string
	job     int64
	at      bulk.Batch // as the step before left it
	refused []bulk.Refusal
}

func (at *itemStep) records() []record.Name {
	return []record.Name{ports.Leases.Named(usecase.BackgroundLease), ports.BulkJobs.Named(at.job),
		ports.BulkBatches.Named(at.at.Key())}
}

// begin returns the job and the batch with the refusals, or errMoved.
func (at *itemStep) begin(ctx context.Context, tx ports.Tx) (j bulk.Job, p bulk.Batch, err error) {
	if err := usecase.CheckLease(ctx, tx, at.by); err != nil {
		return j, p, err
	}
	if j, err = ports.BulkJobs.In(tx.Records).Get(ctx, at.job); err == nil {
		p, err = ports.BulkBatches.In(tx.Records).Get(ctx, at.at.Key())
	}
	if usecase.IsNotFound(err) || err == nil && (j.Status != bulk.Running || p.Decided != at.at.Decided) {
		err = errMoved
	}
	j.Refused += len(at.refused)
	return j, p.Refuse(at.refused...), err
}

func (at *itemStep) save(ctx context.Context, tx ports.Tx, j bulk.Job, p bulk.Batch) error {
	if err := ports.BulkBatches.In(tx.Records).Save(ctx, p); err != nil {
		return err
	}
	return ports.BulkJobs.In(tx.Records).Save(ctx, j)
}

// with makes a command for a line also store, in its transaction, that the line was decided. A line that the job's
// filter no longer selects is refused: another caller may have made the same change.
func (at *itemStep) with(item usecase.Command[usecase.None], id int64) usecase.Command[usecase.None] {
	rules := item.Rules
	item.Reads.Records = append(item.Reads.Records, at.records()...)
	item.Rules = func(ctx context.Context, tx *usecase.Tx) (usecase.None, error) {
		j, p, err := at.begin(ctx, tx.Tx)
		if err == nil && j.Filtered {
			err = stillSelected(ctx, tx, j.Filter, id)
		}
		if err == nil {
			_, err = rules(ctx, tx)
		}
		if err != nil {
			return usecase.None{}, err
		}
		j.Succeeded++
		if m := tx.Entry.Movement; m != nil {
			j.Charged += bulk.Units(m.Amount.Units())
		}
		return usecase.None{}, at.save(ctx, tx.Tx, j, p.Succeed())
	}
	return item
}

// stillSelected returns bulk.ErrNoLongerSelected unless a filter selects a line in its present state.
func stillSelected(ctx context.Context, tx *usecase.Tx, f bulk.Filter, id int64) error {
	l, err := usecase.VisibleLine(ctx, tx.Lines, tx.Actor, id)
	if err != nil {
		return err
	}
	blocked, err := lines.OwnerBlocked(ctx, tx.Resellers, tx.Actor, l.Owner())
	if err == nil && !f.Selects(l, l.Effect(blocked, tx.Now)) {
		err = bulk.ErrNoLongerSelected
	}
	return err
}

// endAs saves the end of a job, unless it has ended before.
func (s Worker) endAs(ctx context.Context, by string, j bulk.Job,
	end func(j bulk.Job, now time.Time) bulk.Job) error {
	now := s.k.Dependencies.Clock()
	call := usecase.JobCall(j.By)
	return s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		if err := usecase.CheckLease(ctx, tx, by); err != nil {
			return err
		}
		is, err := ports.BulkJobs.In(tx.Records).Get(ctx, j.ID)
		if usecase.IsNotFound(err) || err == nil && is.Status != bulk.Running {
			return nil
		}
		if err != nil {
			return err
		}
		account, err := tx.Resellers.Get(ctx, j.By.Account)
		if err != nil {
			return err
		}
		if err := call.Caller.ReadPrincipal(ctx, tx.Records); err != nil {
			return err
		}
		return endJob(ctx, tx, end(is, now), jobEnded(call, account))
	}, ports.Reads{Records: []record.Name{ports.Leases.Named(usecase.BackgroundLease), ports.BulkJobs.Named(j.ID)},
		Actor: j.By.Account})
}

// count does a dry run. It stops a dry run whose starter is no longer admitted.
func (s Worker) count(ctx context.Context, by string, j bulk.Job) (WorkResult, error) {
	var counted dryRunResult
	now := s.k.Dependencies.Clock()
	call := usecase.JobCall(j.By)
	err := s.k.Read(ctx, call, now,
		func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) (err error) {
			counted, err = dryRun(ctx, s.k, usecase.View{Snapshot: snapshot, Actor: actor, Now: now}, call,
				Start{Change: j.Change, Filter: j.Filter}, bulk.MaxLines)
			return err
		})
	_, refused := refusalOf(err)
	if err != nil && !refused {
		return WorkResult{}, err
	}
	return WorkResult{Ended: true}, s.endAs(ctx, by, j, func(j bulk.Job, now time.Time) bulk.Job {
		if err != nil {
			return j.Ended(bulk.Stopped, now)
		}
		return j.WithOutcome(counted.Outcome, now)
	})
}

const (
	// pollInterval is how often the worker looks for jobs of other processes.
	pollInterval = time.Second
	// itemsAtOnce is how many lines of a job are decided before the turn of the next job.
	itemsAtOnce = 32
)

// Run works on all jobs in turn, one line at a time, until ctx ends: to other clients they are like one more client. It
// works either on dry runs, each of which reads all of its lines in its turn, or on the other jobs.
func (s Worker) Run(ctx context.Context, l usecase.Loop, dryRuns bool) {
	var failure usecase.Failure
	for ctx.Err() == nil {
		more, err := s.turn(ctx, &l, dryRuns)
		failure.Report(ctx, &l, "a bulk job could not continue", err)
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.started: // one of the two loops receives it: the other one looks within a second
		case <-l.After(pollInterval):
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
		for _, odd := range worked.UnexpectedErrors {
			l.Log.Error("an item of a bulk job failed with an unexpected error", slog.Int64("job", j.ID), slog.Any("error", odd))
		}
		more = more || failed == nil && !worked.Ended
		err = errors.Join(err, failed)
	}
	return more, err
}
