// Package jobs implements bulk jobs, which apply one change to many lines, their dry runs and the worker that runs
// them.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/application/lines"
	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/plan"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Service starts, lists and stops bulk jobs.
type Service struct {
	k        *usecase.Kernel
	started  chan usecase.None
	counting *counting
}

// MostAtOnce is the limit of lines of a dry run that is counted before the answer. A larger dry run is a job.
const MostAtOnce = 5_000

// Start is the command to apply one change to many lines, or to do a dry run of it.
type Start struct {
	bulk.Change
	IDs      []int64 // at most bulk.MaxIDs; nil: the lines that Filter selects
	Filter   bulk.Filter
	DryRun   bool
	Expected bulk.Expected // of all but dry runs: the result of a dry run
}

// Started is the result of Start: an outcome, or a job.
type Started struct {
	Outcome *bulk.Outcome // of a dry run that has ended
	Job     bulk.Job
}

// Start counts the outcome of a request, which completes a dry run. Otherwise it inserts a job, if the outcome is the
// expected one. A job does each item with the rights of its starter, who is admitted again each time. The results
// reflect changes after the start. Refusals: *principal.MissingScope, ErrCounting, bulk.ErrTooManyLines,
// bulk.ErrSelectionChanged, bulk.ErrRunning.
func (s Service) Start(ctx context.Context, call usecase.Call, c Start,
	render usecase.Render[Started]) (usecase.Receipt, error) {
	// The scope depends on the body.
	if err := s.k.Authentication().Permit(ctx, call.Caller, c.Action.RequiredScope()); err != nil {
		return usecase.Receipt{}, err
	}
	if c.IDs == nil {
		leave, err := s.counting.enter(ctx, call.Caller.Reseller())
		if err != nil {
			return usecase.Receipt{}, err
		}
		defer leave()
	}
	var counted dryRunResult
	receipt, err := usecase.Run(ctx, s.k, call, render, usecase.Command[Started]{
		Name: "start bulk",
		IDs:  []ports.Sequence{ports.BulkJobs.Sequence()},
		Check: func(ctx context.Context, in usecase.View) (err error) {
			counted, err = s.checked(ctx, in, call, c)
			return err
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Started, error) {
			j := bulk.Job{
				ID: tx.ID(ports.BulkJobs.Sequence()), By: tx.Starter(c.Action), Change: c.Change, Filter: c.Filter,
				Filtered: c.IDs == nil,
				DryRun:   c.DryRun, Status: bulk.Running, Matched: counted.Matched, Created: tx.Now,
			}
			return Started{Job: j}, insertJob(ctx, tx, j, counted.lines)
		},
	})
	switch {
	case errors.Is(err, errCounted):
		return render(Started{Outcome: &counted.Outcome}), nil
	case err == nil:
		select { // wakes the worker of this process
		case s.started <- usecase.None{}:
		default:
		}
	}
	return receipt, err
}

// errCounted ends a dry run after its count: nothing of it is stored.
var errCounted = errors.New("a dry run is counted, and needs no job")

// checked counts the outcome of a request, before the transaction that inserts a job. It returns errCounted if the
// count is the whole result.
func (s Service) checked(ctx context.Context, in usecase.View, call usecase.Call, c Start) (dryRunResult, error) {
	if c.DryRun {
		counted, err := dryRun(ctx, s.k, in, call, c, MostAtOnce)
		if err == nil && counted.whole {
			err = errCounted
		}
		return counted, err
	}
	running, err := ports.BulkJobsRunning.List(ctx, in.Records, record.Query{Equal: record.Tuple{in.Actor.ID()}, Limit: 1})
	if err == nil && len(running.Items)+len(running.Damaged) > 0 {
		err = bulk.ErrRunning // without a useless count
	}
	if err != nil {
		return dryRunResult{}, err
	}
	counted, err := dryRun(ctx, s.k, in, call, c, bulk.MaxLines)
	if err == nil {
		err = counted.CheckExpected(c.Expected)
	}
	return counted, err
}

// insertJob stores a job with its lines. A dry run selects them again.
func insertJob(ctx context.Context, tx *usecase.Tx, j bulk.Job, lines []int64) error {
	if j.DryRun {
		lines = nil
	}
	tx.Written = true
	if err := ports.BulkJobs.In(tx.Records).Insert(ctx, j); err != nil {
		return err
	}
	parts := ports.BulkBatches.In(tx.Records)
	for _, p := range bulk.SplitIntoBatches(j.ID, lines) {
		if err := parts.Insert(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// item returns the command of a job for one line. asOf is the start of the job, zero for a dry run.
func item(s *usecase.Kernel, o bulk.Change, id int64, asOf time.Time) (usecase.Command[usecase.None], error) {
	switch o.Action {
	case bulk.Extend:
		c := lines.Extend{ID: id, Price: plan.Request{Plan: o.Plan}, AsOf: asOf}
		if o.Price != "" {
			credits, err := credit.Parse(o.Price)
			if err != nil {
				return usecase.Command[usecase.None]{}, err
			}
			c.Price.Credits = &credits
		}
		return without(lines.ExtendCommand(s, c)), nil
	case bulk.Suspend:
		return without(lines.SuspendCommand(s, lines.Suspend{ID: id, Reason: profile.RestoreText(o.Reason)})), nil
	case bulk.Resume:
		return without(lines.ResumeCommand(s, id)), nil
	case bulk.Delete:
		return without(lines.DeleteCommand(id)), nil
	case bulk.Details:
		d, err := o.Description()
		return without(lines.DescribeCommand(s, id, d)), err
	}
	return usecase.Command[usecase.None]{}, fmt.Errorf("unknown action %q", o.Action)
}

func without[R any](c usecase.Command[R]) usecase.Command[usecase.None] {
	return usecase.Command[usecase.None]{Name: c.Name, Event: c.Event, Reads: c.Reads, IDs: c.IDs, Paid: c.Paid,
		Emergency: c.Emergency,
		Rules: func(ctx context.Context, tx *usecase.Tx) (usecase.None, error) {
			_, err := c.Rules(ctx, tx)
			return usecase.None{}, err
		}}
}

// refusalOf returns the code of an item's refusal, false if the item may succeed later. An error that is not a fault,
// such as that of a damaged record, refuses the item as well: the other items go on.
func refusalOf(err error) (code string, refused bool) {
	if errors.Is(err, usecase.ErrUnavailable) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return "", false
	}
	if known, is := errors.AsType[*fault.Fault](err); is {
		return known.Code(), true
	}
	return "internal-error", true
}

// eachSelected calls pass for each line that a filter selects for the caller, in the order of their ids.
func eachSelected(ctx context.Context, in usecase.View, f bulk.Filter, pass func(l *line.Line) error) error {
	q := ports.LineQuery{
		Trial: f.Trial.Wanted(), Suspended: f.Suspended.Wanted(), Username: f.Username, ExternalID: f.ExternalID,
		Limit:        selectedAtOnce,
		ExpiresAfter: unlessZero(f.ExpiresAfter), ExpiresBefore: unlessZero(f.ExpiresBefore),
	}
	var visible bool
	var err error
	if q.Scope, visible, err = usecase.Scope(ctx, in.Resellers, in.Actor, unlessZero(f.Owner),
		unlessZero(f.Tree)); err != nil || !visible {
		return err
	}
	blocks, err := in.Resellers.AnySuspending(ctx)
	if err != nil {
		return err
	}
	for {
		page, err := in.Lines.List(ctx, q)
		if err != nil {
			return err
		}
		blocked, err := lines.OwnersBlocked(ctx, in.Resellers, blocks, page.Lines)
		if err != nil {
			return err
		}
		for _, l := range page.Lines {
			if !f.Selects(l, l.Effect(blocked(l.Owner()), in.Now)) {
				continue
			}
			if err := pass(l); err != nil {
				return err
			}
		}
		if page.Next == nil {
			return nil
		}
		q.After = *page.Next
	}
}

// selectedAtOnce is how many lines are read at a time.
const selectedAtOnce = usecase.MostHeld

func unlessZero[V comparable](v V) *V {
	if v == *new(V) {
		return nil
	}
	return &v
}

// Get returns one of the account's jobs, or fault.ErrNotFound.
func (s Service) Get(ctx context.Context, call usecase.Call, id int64) (bulk.Job, error) {
	return usecase.Query(ctx, s.k, call, "read job", func(ctx context.Context, in usecase.View) (bulk.Job, error) {
		return ownJob(ctx, in.Records, in.Actor.ID(), id)
	})
}

func ownJob(ctx context.Context, records record.Reader, account, id int64) (bulk.Job, error) {
	j, err := ports.BulkJobs.From(records).Get(ctx, id)
	if err == nil && j.By.Account != account {
		return bulk.Job{}, fault.ErrNotFound
	}
	return j, err
}

// List selects the account's jobs.
type List struct {
	After *usecase.Cursor // next_cursor of the page before, nil: from the newest on
	Limit int
}

// Cursor parses a cursor of this list, or returns ErrBadCursor.
func (c List) Cursor(text string) (usecase.Cursor, error) { return usecase.NewestJobs.Parse(text) }

// PageAfter returns the query for up to limit of the same items, after a cursor.
func (c List) PageAfter(after *usecase.Cursor, limit int) List {
	c.After, c.Limit = after, limit
	return c
}

// List returns a page of the account's jobs, the newest first.
func (s Service) List(ctx context.Context, call usecase.Call, c List) (usecase.Page[bulk.Job], error) {
	return usecase.Query(ctx, s.k, call, "list jobs",
		func(ctx context.Context, in usecase.View) (usecase.Page[bulk.Job], error) {
			after := func(j bulk.Job) usecase.Cursor { return usecase.NewestJobs.NumberCursor(j.ID) }
			q := record.Query{Equal: record.Tuple{in.Actor.ID()}, Descending: true, Limit: c.Limit + 1}
			if at := c.After.Position(); at.ID != 0 {
				q.To = at.ID
			}
			found, err := ports.BulkJobsByAccount.List(ctx, in.Records, q)
			page := usecase.Page[bulk.Job]{Items: found.Items, Damaged: found.Damaged, After: after}
			if len(page.Items) > c.Limit {
				page.Items = page.Items[:c.Limit]
				page.Next = new(after(page.Items[c.Limit-1]))
			}
			return page, err
		})
}

// ListResults selects the results of the lines of one of the account's jobs.
type ListResults struct {
	Job   int64
	After *usecase.Cursor // of the page before, nil: from the first line on
}

// PageAfter returns the query for up to limit of the same items, after a cursor.
func (c ListResults) PageAfter(after *usecase.Cursor, _ int) ListResults {
	c.After = after
	return c
}

// Result is the result of a line of a job.
type Result struct {
	bulk.Result

	LineName string // the line's present name, or its last, "" if it is not known
}

// Results returns a page of the results of a job's decided lines, in the order of their ids. There is no cursor within
// a page. The refusal is fault.ErrNotFound.
func (s Service) Results(ctx context.Context, call usecase.Call, c ListResults) (usecase.Page[Result], error) {
	return usecase.Query(ctx, s.k, call, "read results",
		func(ctx context.Context, in usecase.View) (found usecase.Page[Result], err error) {
			if _, err := ownJob(ctx, in.Records, in.Actor.ID(), c.Job); err != nil {
				return found, err
			}
			page, err := ports.BulkBatchesByJob.List(ctx, in.Records,
				record.Query{Equal: record.Tuple{c.Job}, From: c.After.Position().ID + 1, Limit: partsAtOnce})
			if err == nil && len(page.Damaged) > 0 {
				err = record.ErrDamaged // a batch that was left out would look as if it had no lines
			}
			if err != nil {
				return found, err
			}
			for _, p := range page.Items {
				results, err := p.Results()
				if err != nil {
					return found, err
				}
				for _, r := range results {
					found.Items = append(found.Items, Result{Result: r})
				}
				if !p.Complete() {
					return found, nameResults(ctx, in, found.Items)
				}
			}
			if page.Next != "" {
				found.Next = new(usecase.ResultsByPart.NumberCursor(page.Items[len(page.Items)-1].Number))
			}
			return found, nameResults(ctx, in, found.Items)
		})
}

// nameResults adds the names of lines to results. A line that the job did not find may be a line that the actor does
// not see: its present name is not read.
func nameResults(ctx context.Context, in usecase.View, results []Result) error {
	var lines []int64
	for _, r := range results {
		if r.Code != fault.ErrNotFound.Code() {
			lines = append(lines, r.Line)
		}
	}
	names, err := usecase.LineNames(ctx, in, lines)
	if err != nil {
		return err
	}
	for i := range results {
		r := &results[i]
		name, there := names[r.Line]
		if r.LineName = name; there {
			continue
		}
		if r.LineName, err = usecase.LastLineName(ctx, in, r.Line); err != nil {
			return err
		}
	}
	return nil
}

// partsAtOnce is how many batches are read at a time: at most some 2,000 lines, since there is no cursor within a page.
const partsAtOnce = 2

// Stop ends one of the account's jobs: its undecided lines stay undecided, and finished changes stay. Every caller that
// may read jobs may stop them. A repetition changes nothing, and neither does a stop of a job that has ended. The
// refusal is fault.ErrNotFound.
func (s Service) Stop(ctx context.Context, call usecase.Call, id int64,
	render usecase.Render[bulk.Job]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[bulk.Job]{
		Name:      "stop job",
		Emergency: true,
		Reads:     ports.Reads{Records: []record.Name{ports.BulkJobs.Named(id)}},
		Rules: func(ctx context.Context, tx *usecase.Tx) (bulk.Job, error) {
			j, err := ownJob(ctx, tx.Records, tx.Actor.ID(), id)
			if err != nil || j.Status != bulk.Running {
				return j, err
			}
			j, tx.Written = j.Ended(bulk.Stopped, tx.Now), true
			return j, endJob(ctx, tx.Tx, j, jobEnded(call, tx.Actor))
		},
	})
}

// endJob saves a job that has ended, and appends the entry of the actor that ends it, but not for dry runs.
func endJob(ctx context.Context, tx ports.Tx, j bulk.Job, e journal.Entry) error {
	if err := ports.BulkJobs.In(tx.Records).Save(ctx, j); err != nil || j.DryRun {
		return err
	}
	e.Type, e.At = journal.BulkFinished, j.Finished
	return tx.Journal.Append(ctx, e.WithJob(j.ID, string(j.Action), string(j.Status), j.Matched, j.Succeeded, j.Refused))
}

// jobEnded returns the entry of a caller for the end of a job.
func jobEnded(c usecase.Call, account *reseller.Reseller) journal.Entry {
	return journal.Entry{Account: account.Position(), Request: c.Request, Actor: c.Actor(account)}
}

// StopAll ends all jobs of a store that was restored from a backup, and returns their number. They may have been
// stopped after the backup, or staff may have done their changes by hand.
func (s Service) StopAll(ctx context.Context) (stopped int, err error) {
	running, err := Worker{k: s.k}.Running(ctx)
	if err != nil {
		return 0, err
	}
	for _, j := range running {
		now := s.k.Dependencies.Clock()
		err := s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			account, err := tx.Resellers.Get(ctx, j.By.Account)
			if err != nil {
				return err
			}
			return endJob(ctx, tx, j.Ended(bulk.Stopped, now),
				journal.Entry{Account: account.Position(), Actor: journal.Actor{Kind: journal.BySystem}})
		})
		if err != nil {
			return stopped, err
		}
		stopped++
	}
	return stopped, nil
}

// Forget removes jobs that ended long ago, each with its batches, until limit records are removed or none is left. It
// returns the number of removed records, at most limit.
func (s Service) Forget(ctx context.Context, limit int) (removed int, err error) {
	for removed < limit {
		n, err := s.forgetJob(ctx)
		if err != nil || n == 0 {
			return removed, err
		}
		removed += n
	}
	return limit, nil
}

// forgetJob removes the job that ended first, if that is long ago, as a whole: an audit finds all batches of a job, or
// none.
func (s Service) forgetJob(ctx context.Context) (removed int, err error) {
	before := s.k.Dependencies.Clock().Add(-bulk.JobRetention)
	var jobs []int64
	var parts []string
	err = s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		old, err := ports.BulkJobsByEnd.List(ctx, snapshot.Records, record.Query{To: before, Limit: 1})
		if jobs = old.Damaged; err != nil || len(old.Items) == 0 {
			return err
		}
		jobs = append(jobs, old.Items[0].ID)
		page, err := ports.BulkBatchesByJob.List(ctx, snapshot.Records,
			record.Query{Equal: record.Tuple{old.Items[0].ID}, Limit: bulk.MaxBatches + 1})
		parts = page.Damaged
		for _, p := range page.Items {
			parts = append(parts, p.Key())
		}
		return err
	})
	if err != nil || len(jobs) == 0 {
		return 0, err
	}
	return len(jobs) + len(parts), s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		for _, key := range parts {
			if err := ports.BulkBatches.In(tx.Records).Delete(ctx, key); err != nil && !usecase.IsNotFound(err) {
				return err
			}
		}
		for _, id := range jobs {
			if err := ports.BulkJobs.In(tx.Records).Delete(ctx, id); err != nil && !usecase.IsNotFound(err) {
				return err
			}
		}
		return nil
	})
}

// New returns the use cases of this feature.
func New(k *usecase.Kernel) (Service, Worker) {
	started := make(chan usecase.None, 1)
	counting := &counting{turns: make(chan usecase.None, countedAtOnce), accounts: map[int64]bool{}}
	return Service{k, started, counting}, Worker{k, started}
}
