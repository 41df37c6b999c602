package application

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Jobs do the same to many lines.
type Jobs struct {
	*kernel
	started  chan none
	counting *counting
}

// MostAtOnce is how many lines a dry run counts before it answers. One for more is a job as well.
const MostAtOnce = 5_000

// StartBulk is the command to do the same to many lines, or to find out what that would do.
type StartBulk struct {
	bulk.Order
	IDs      []int64 // at most bulk.MaxIDs; nil: those that Filter selects
	Filter   bulk.Filter
	DryRun   bool
	Expected bulk.Expected // of all but dry runs: what one has shown
}

// Bulk is what a StartBulk has led to: an outcome, or a job.
type Bulk struct {
	Outcome *bulk.Outcome // of a dry run that has ended
	Job     bulk.Job
}

// StartBulk counts what an order would do, which is all for a dry run. Otherwise it makes a job of it, if that is what
// was expected. A job does each item as its starter, who is admitted anew each time, and what changes after the start
// shows in the results. Refusals: *principal.MissingScope, ErrCounting, bulk.ErrTooManyLines, bulk.ErrSelectionChanged,
// bulk.ErrRunning.
func (s Jobs) StartBulk(ctx context.Context, call Call, c StartBulk, render Render[Bulk]) (Receipt, error) {
	if err := s.authentication().Permit(ctx, call.Caller, c.Action.Needs()); err != nil { // which is known with the body alone
		return Receipt{}, err
	}
	if c.IDs == nil {
		leave, err := s.counting.enter(ctx, call.Caller.Reseller())
		if err != nil {
			return Receipt{}, err
		}
		defer leave()
	}
	var counted rehearsed
	receipt, err := run(ctx, s.kernel, call, render, command[Bulk]{
		name: "start bulk",
		ids:  []ports.Sequence{ports.BulkJobs.Sequence()},
		check: func(ctx context.Context, in reading) (err error) {
			counted, err = s.checked(ctx, in, call, c)
			return err
		},
		rules: func(ctx context.Context, do *work) (Bulk, error) {
			j := bulk.Job{
				ID: do.id(ports.BulkJobs.Sequence()), By: do.starter(c.Action), Order: c.Order, Filter: c.Filter,
				Filtered: c.IDs == nil,
				DryRun:   c.DryRun, Status: bulk.Running, Matched: counted.Matched, Created: do.now,
			}
			return Bulk{Job: j}, do.insertJob(ctx, j, counted.lines)
		},
	})
	switch {
	case errors.Is(err, errCounted):
		return render(Bulk{Outcome: &counted.Outcome}), nil
	case err == nil:
		select { // notifies the worker of this process
		case s.started <- none{}:
		default:
		}
	}
	return receipt, err
}

// errCounted says that a dry run has ended with its count: nothing is kept of it.
var errCounted = errors.New("a dry run is counted, and needs no job")

// checked counts what an order would do, before the transaction that makes a job of it. It returns errCounted if that
// is all.
func (s Jobs) checked(ctx context.Context, in reading, call Call, c StartBulk) (rehearsed, error) {
	if c.DryRun {
		counted, err := s.rehearse(ctx, in, call, c, MostAtOnce)
		if err == nil && counted.whole {
			err = errCounted
		}
		return counted, err
	}
	running, err := ports.BulkJobsRunning.List(ctx, in.Records, record.Query{Equal: record.Tuple{in.actor.ID()}, Limit: 1})
	if err == nil && len(running.Items)+len(running.Damaged) > 0 {
		err = bulk.ErrRunning // without a count in vain
	}
	if err != nil {
		return rehearsed{}, err
	}
	counted, err := s.rehearse(ctx, in, call, c, bulk.MaxLines)
	if err == nil {
		err = counted.Meets(c.Expected)
	}
	return counted, err
}

// insertJob keeps a job with its lines. A dry run finds them anew.
func (do *work) insertJob(ctx context.Context, j bulk.Job, lines []int64) error {
	if j.DryRun {
		lines = nil
	}
	do.written = true
	if err := ports.BulkJobs.In(do.tx.Records).Insert(ctx, j); err != nil {
		return err
	}
	parts := ports.BulkParts.In(do.tx.Records)
	for _, p := range bulk.Parts(j.ID, lines) {
		if err := parts.Insert(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// starter is the caller of a command, as a job acts for it.
func (do *work) starter(action bulk.Action) bulk.Starter {
	c := do.call.Caller
	by := bulk.Starter{Account: do.actor.ID(), Request: do.call.Request, Address: do.call.Address}
	if c.acting != nil {
		by.Principal, by.Scope, by.Networks = c.acting.id, action.Needs(), []principal.Network{c.acting.network}
	}
	switch {
	case c.session != nil:
		by.Session, by.Password = true, c.session.found.Load().Password
	case c.acting == nil:
		by.Token = c.token
	}
	return by
}

// callOf is the call of each item of a job.
func callOf(by bulk.Starter) Call {
	c := Caller{reseller: by.Account, token: by.Token, job: &by}
	if by.Principal != 0 {
		c.acting = &acting{id: by.Principal, scope: by.Scope, from: by.Address}
		for _, n := range by.Networks {
			c.acting.network = n
		}
	}
	return Call{Caller: c, Request: by.Request, Address: by.Address}
}

// item makes the command of an order for one line.
func (s *kernel) item(o bulk.Order, id int64) (command[none], error) {
	switch o.Action {
	case bulk.Extend:
		price, err := credit.ParsePrice(o.Price)
		return without(s.extending(ExtendLine{ID: id, Price: price})), err
	case bulk.Suspend:
		return without(s.suspending(SuspendLine{ID: id, Reason: profile.RestoreText(o.Reason)})), nil
	case bulk.Resume:
		return without(s.resuming(id)), nil
	case bulk.Delete:
		return without(deleting(id)), nil
	case bulk.Details:
		d, err := o.Description()
		return without(s.describing(id, d)), err
	}
	return command[none]{}, fmt.Errorf("unknown action %q", o.Action)
}

// none is the result of a command whose result nobody wants.
type none = struct{}

func without[R any](c command[R]) command[none] {
	return command[none]{name: c.name, event: c.event, reads: c.reads, ids: c.ids, paid: c.paid, emergency: c.emergency,
		rules: func(ctx context.Context, do *work) (none, error) {
			_, err := c.rules(ctx, do)
			return none{}, err
		}}
}

// refusalOf returns the code of what refuses an item, false if it may succeed later. An error that is none of the
// domain, such as that of a damaged record, refuses the item as well: the others go on.
func refusalOf(err error) (code string, refused bool) {
	if errors.Is(err, ErrUnavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "", false
	}
	if known, is := errors.AsType[*fault.Fault](err); is {
		return known.Code(), true
	}
	return "internal-error", true
}

// eachSelected passes each line that a filter selects for the caller, in the order of their ids.
func eachSelected(ctx context.Context, in reading, f bulk.Filter, pass func(l *line.Line) error) error {
	q := ports.LineQuery{
		Trial: f.Trial.Is(), Suspended: f.Suspended.Is(), Username: f.Username, ExternalID: f.ExternalID,
		Limit:        selectedAtOnce,
		ExpiresAfter: unlessZero(f.ExpiresAfter), ExpiresBefore: unlessZero(f.ExpiresBefore),
	}
	var visible bool
	var err error
	if q.Scope, visible, err = scope(ctx, in.Resellers, in.actor, idUnlessZero(f.Owner),
		idUnlessZero(f.Tree)); err != nil || !visible {
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
		blocked, err := ownersBlocked(ctx, in.Resellers, blocks, page.Lines)
		if err != nil {
			return err
		}
		for _, l := range page.Lines {
			if !f.Selects(l, l.Effect(blocked(l.Owner()), in.now)) {
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
const selectedAtOnce = MostHeld

func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func idUnlessZero(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// Job returns one of the account's jobs, or fault.ErrNotFound.
func (s Jobs) Job(ctx context.Context, call Call, id int64) (bulk.Job, error) {
	return query(ctx, s.kernel, call, "read job", func(ctx context.Context, in reading) (bulk.Job, error) {
		return ownJob(ctx, in.Records, in.actor.ID(), id)
	})
}

func ownJob(ctx context.Context, records record.Reader, account, id int64) (bulk.Job, error) {
	j, err := ports.BulkJobs.From(records).Get(ctx, id)
	if err == nil && j.By.Account != account {
		return bulk.Job{}, fault.ErrNotFound
	}
	return j, err
}

// ListJobs asks for the account's jobs.
type ListJobs struct {
	After *string // next_cursor of the page before, nil: from the newest on
	Limit int
}

// Refused returns ErrBadCursor if After is no cursor of this list, as the use case does.
func (c ListJobs) Refused() error {
	_, err := NewestJobs.after(c.After)
	return err
}

// Part returns the query for up to limit of the same items, after a cursor.
func (c ListJobs) Part(after *string, limit int) ListJobs {
	c.After, c.Limit = after, limit
	return c
}

// ListJobs returns a page of the account's jobs, the newest first.
func (s Jobs) ListJobs(ctx context.Context, call Call, c ListJobs) (Page[bulk.Job], error) {
	at, err := NewestJobs.after(c.After)
	if err != nil {
		return Page[bulk.Job]{}, err
	}
	return query(ctx, s.kernel, call, "list jobs", func(ctx context.Context, in reading) (Page[bulk.Job], error) {
		after := func(j bulk.Job) string { return NewestJobs.numbered(j.ID) }
		q := record.Query{Equal: record.Tuple{in.actor.ID()}, Descending: true, Limit: c.Limit + 1}
		if at.ID != 0 {
			q.To = at.ID
		}
		found, err := ports.BulkJobsByAccount.List(ctx, in.Records, q)
		page := Page[bulk.Job]{Items: found.Items, Damaged: found.Damaged, After: after}
		if len(page.Items) > c.Limit {
			page.Items = page.Items[:c.Limit]
			page.Next = after(page.Items[c.Limit-1])
		}
		return page, err
	})
}

// ListResults asks what became of the lines of one of the account's jobs.
type ListResults struct {
	Job   int64
	After *string // next_cursor of the page before, nil: from the first line on
}

// Refused returns ErrBadCursor if After is no cursor of this list, as the use case does.
func (c ListResults) Refused() error {
	_, err := ResultsByPart.after(c.After)
	return err
}

// Part returns the query for up to limit of the same items, after a cursor.
func (c ListResults) Part(after *string, _ int) ListResults {
	c.After = after
	return c
}

// JobResults returns a page of what became of the lines of a job, as far as they are decided, in the order of their
// ids. There is no cursor within a page. The refusal is fault.ErrNotFound.
func (s Jobs) JobResults(ctx context.Context, call Call, c ListResults) (Page[bulk.Result], error) {
	at, err := ResultsByPart.after(c.After)
	if err != nil {
		return Page[bulk.Result]{}, err
	}
	return query(ctx, s.kernel, call, "read results",
		func(ctx context.Context, in reading) (found Page[bulk.Result], err error) {
			if _, err := ownJob(ctx, in.Records, in.actor.ID(), c.Job); err != nil {
				return found, err
			}
			page, err := ports.BulkPartsByJob.List(ctx, in.Records,
				record.Query{Equal: record.Tuple{c.Job}, From: at.ID + 1, Limit: partsAtOnce})
			if err == nil && len(page.Damaged) > 0 {
				err = record.ErrDamaged // a part that was left out would look as if it had no lines
			}
			if err != nil {
				return found, err
			}
			for _, p := range page.Items {
				results, err := p.Results()
				if err != nil {
					return found, err
				}
				if found.Items = append(found.Items, results...); !p.Complete() {
					return found, nil
				}
			}
			if page.Next != "" {
				found.Next = ResultsByPart.numbered(page.Items[len(page.Items)-1].Number)
			}
			return found, nil
		})
}

// partsAtOnce is how many parts are read at a time: at most some 2,000 lines, since there is no cursor within a page.
const partsAtOnce = 2

// StopJob ends one of the account's jobs: of the lines that are not decided, none will be. What was done stays. Whoever
// may read jobs may stop them. It may be repeated, and changes nothing of a job that has ended. The refusal is
// fault.ErrNotFound.
func (s Jobs) StopJob(ctx context.Context, call Call, id int64, render Render[bulk.Job]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, command[bulk.Job]{
		name:      "stop job",
		emergency: true,
		reads:     ports.Reads{Records: []record.Name{ports.BulkJobs.Named(id)}},
		rules: func(ctx context.Context, do *work) (bulk.Job, error) {
			j, err := ownJob(ctx, do.tx.Records, do.actor.ID(), id)
			if err != nil || j.Status != bulk.Running {
				return j, err
			}
			j, do.written = j.Ended(bulk.Stopped, do.now), true
			return j, endJob(ctx, do.tx, j, call.jobEnded(do.actor))
		},
	})
}

// endJob saves a job that has ended, and tells of it by an entry of who ends it, but not of dry runs.
func endJob(ctx context.Context, tx ports.Tx, j bulk.Job, e journal.Entry) error {
	if err := ports.BulkJobs.In(tx.Records).Save(ctx, j); err != nil || j.DryRun {
		return err
	}
	e.Type, e.At = journal.BulkFinished, j.Finished
	return tx.Journal.Append(ctx, e.OfJob(j.ID, string(j.Action), string(j.Status), j.Matched, j.Succeeded, j.Refused))
}

// jobEnded is the entry of a caller that a job has ended.
func (c Call) jobEnded(account *reseller.Reseller) journal.Entry {
	return journal.Entry{Account: account.Position(), Request: c.Request, Actor: c.by(account)}
}

// StopJobs ends all jobs of a store that was restored from a backup, and returns how many: they may have been stopped
// after it, or what they do may have been done by hand.
func (s Jobs) StopJobs(ctx context.Context) (stopped int, err error) {
	running, err := s.running(ctx)
	if err != nil {
		return 0, err
	}
	for _, j := range running {
		now := s.dependencies.Clock()
		err := s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
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

// ForgetJobs removes jobs that ended long ago, each with its parts, until limit records are removed or none is left. It
// returns how many it removed, at most limit.
func (s Jobs) ForgetJobs(ctx context.Context, limit int) (removed int, err error) {
	for removed < limit {
		n, err := s.forgetJob(ctx)
		if err != nil || n == 0 {
			return removed, err
		}
		removed += n
	}
	return limit, nil
}

// forgetJob removes the job that ended first, if that is long ago, as a whole: an audit finds all parts of a job, or
// none.
func (s Jobs) forgetJob(ctx context.Context) (removed int, err error) {
	before := s.dependencies.Clock().Add(-bulk.Kept)
	var jobs []int64
	var parts []string
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		old, err := ports.BulkJobsByEnd.List(ctx, snapshot.Records, record.Query{To: before, Limit: 1})
		if jobs = old.Damaged; err != nil || len(old.Items) == 0 {
			return err
		}
		jobs = append(jobs, old.Items[0].ID)
		page, err := ports.BulkPartsByJob.List(ctx, snapshot.Records,
			record.Query{Equal: record.Tuple{old.Items[0].ID}, Limit: bulk.MostParts + 1})
		parts = page.Damaged
		for _, p := range page.Items {
			parts = append(parts, p.Key())
		}
		return err
	})
	if err != nil || len(jobs) == 0 {
		return 0, err
	}
	return len(jobs) + len(parts), s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		for _, key := range parts {
			if err := ports.BulkParts.In(tx.Records).Delete(ctx, key); err != nil && !isNotFound(err) {
				return err
			}
		}
		for _, id := range jobs {
			if err := ports.BulkJobs.In(tx.Records).Delete(ctx, id); err != nil && !isNotFound(err) {
				return err
			}
		}
		return nil
	})
}

// newJobs returns the families of this feature.
func newJobs(k *kernel) (Jobs, Worker) {
	started := make(chan none, 1)
	counting := &counting{turns: make(chan none, countedAtOnce), accounts: map[int64]bool{}}
	return Jobs{k, started, counting}, Worker{k, started}
}

// ErrCounting refuses an order while another one of its account is being counted.
var ErrCounting = fault.New(fault.Exhausted, "count-running",
	"Another order of this account for many lines is being counted: ask again once it is.")

const (
	// countedAtOnce is how many orders of all accounts are counted at a time by this process. The others wait.
	countedAtOnce = 2
	// MostSelected is how many bytes of memory the lines of these orders take, at most: 16 KiB each, as in pages.
	MostSelected = countedAtOnce * selectedAtOnce * 16 << 10
)

// counting bounds what a request can cost that has up to a million lines read.
type counting struct {
	turns chan none // holds a value for each that is counted

	mu       sync.Mutex
	accounts map[int64]bool // that count, or wait for their turn
}

// enter waits for an account's turn. Refusals: ErrCounting, and ErrUnavailable if ctx ends first.
func (c *counting) enter(ctx context.Context, account int64) (leave func(), err error) {
	if !c.mark(account) {
		return nil, fault.After(time.Second, ErrCounting)
	}
	select {
	case c.turns <- none{}:
		return func() {
			<-c.turns
			c.unmark(account)
		}, nil
	case <-ctx.Done():
		c.unmark(account)
		return nil, ErrUnavailable
	}
}

func (c *counting) mark(account int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.accounts[account] {
		return false
	}
	c.accounts[account] = true
	return true
}

func (c *counting) unmark(account int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.accounts, account)
}
