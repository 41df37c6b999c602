package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/jobs"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	_ "resellerd/test/rapidflags"
	"resellerd/test/require"
)

// crowd is a service with a master, a reseller below it, and lines of both.
type crowd struct {
	*kit.Harness
	master, below application.Caller
	lines         []int64 // official, of both in turn
}

func newCrowd(t *testing.T, lines int, masters, belows string) *crowd {
	t.Helper()
	c := &crowd{Harness: kit.New(t, application.Policy{})}
	_, c.master = c.Create(c.Admin, "master", "1000", true)
	_, c.below = c.Create(c.Admin, "other", "0", true)
	_, c.below = c.Create(c.master, "below", "500", false)
	for i := range lines {
		by := c.master
		if i%2 == 1 {
			by = c.below
		}
		l, err := c.Activate(by, c.Activation(c.Trial(by).ID(), fmt.Sprint("line", i), "1"))
		require.NoError(t, err)
		c.lines = append(c.lines, l.ID())
	}
	c.leave(c.below, belows)
	c.leave(c.master, masters)
	return c
}

// leave takes credits back from an account until it has this many.
func (c *crowd) leave(of application.Caller, credits string) {
	c.T.Helper()
	has, want := fixture.Credits(c.Balance(of.Reseller())), fixture.Credits(credits)
	more, ok := has.Minus(want)
	if !ok {
		c.T.Fatalf("it has %s, and is to have %s", has, want)
	}
	if more.IsZero() {
		return
	}
	require.NoError(c.T, kit.ErrorOf(c.Credits.Reclaim(c.T.Context(), kit.Call(c.Admin),
		resellers.Move{ID: of.Reseller(), Credits: more}, kit.Shown)))
}

func extension(price string) bulk.Change { return bulk.Change{Action: bulk.Extend, Price: price} }

// dry returns the outcome of a dry run.
func (c *crowd) dry(by application.Caller, order jobs.Start) bulk.Outcome {
	c.T.Helper()
	order.DryRun = true
	var found jobs.Started
	require.NoError(c.T, kit.ErrorOf(c.Jobs.Start(c.T.Context(), kit.Call(by), order, kit.Into(&found))))
	if found.Outcome == nil {
		c.T.Fatalf("a dry run is job %d", found.Job.ID)
	}
	return *found.Outcome
}

// start starts a job that is to do what a dry run has counted.
func (c *crowd) start(by application.Caller, order jobs.Start) bulk.Job {
	c.T.Helper()
	o := c.dry(by, order)
	j, err := c.order(by, order, bulk.Expected{Count: o.Succeeded, Total: o.Total})
	require.NoError(c.T, err)
	return j
}

func (c *crowd) order(by application.Caller, order jobs.Start, expected bulk.Expected) (bulk.Job, error) {
	c.T.Helper()
	order.Expected = expected
	var found jobs.Started
	_, err := c.Jobs.Start(c.T.Context(), kit.Call(by), order, kit.Into(&found))
	return found.Job, err
}

// work continues all jobs, by this many lines each.
func (c *crowd) work(limit int) {
	c.T.Helper()
	all, err := c.JobWorker.Running(c.T.Context())
	require.NoError(c.T, err)
	for _, j := range all {
		worked, err := c.JobWorker.Work(c.T.Context(), "this", j, limit)
		require.NoError(c.T, err)
		expect.Elements(c.T, worked.UnexpectedErrors, nil, "what is odd of job %d", j.ID)
	}
}

// done works on a job until it has ended, and returns it.
func (c *crowd) done(by application.Caller, j bulk.Job) bulk.Job {
	c.T.Helper()
	for range 1_000 {
		found, err := c.Jobs.Get(c.T.Context(), kit.Call(by), j.ID)
		require.NoError(c.T, err)
		if found.Status != bulk.Running {
			return found
		}
		c.work(7)
	}
	c.T.Fatalf("job %d does not end", j.ID)
	return j
}

// results returns the code of each refused line, "" for the others, in order.
func (c *crowd) results(by application.Caller, j bulk.Job) (ids []int64, codes []string) {
	c.T.Helper()
	for order := (jobs.ListResults{Job: j.ID}); ; {
		page, err := c.Jobs.Results(c.T.Context(), kit.Call(by), order)
		require.NoError(c.T, err)
		for _, r := range page.Items {
			ids, codes = append(ids, r.Line), append(codes, r.Code)
			expect.Equal(c.T, r.LineName == "" && r.Code != "not-found", false, "line %d (%s) has no name", r.Line, r.Code)
		}
		if order.After = page.Next; page.Next == nil {
			return ids, codes
		}
	}
}

func counted(codes []string) map[string]int {
	all := map[string]int{}
	for _, code := range codes {
		if code != "" {
			all[code]++
		}
	}
	return all
}

// Whatever lines there are: the job does what the dry run has counted, to the last credit, and the journal records it.
func TestAJobDoesWhatTheDryRunCounted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		balance := rapid.SampledFrom([]string{"0", "0.5", "3", "7.5", "400"})
		c := newCrowd(t, rapid.IntRange(1, 12).Draw(rt, "lines"), balance.Draw(rt, "of the master"),
			balance.Draw(rt, "of the one below"))
		for range rapid.IntRange(0, 3).Draw(rt, "trials") {
			c.lines = append(c.lines, c.Trial(c.below).ID())
		}
		for _, id := range c.lines {
			switch rapid.IntRange(0, 4).Draw(rt, "fate") {
			case 0:
				c.ChangeLine(id, func(s *line.State) { s.ExpiresAt, s.MonthDay = c.Now.AddDate(9, 11, 0), 0 })
			case 1:
				c.ChangeLine(id, func(s *line.State) { s.Suspended = true })
			}
		}
		if rapid.Bool().Draw(rt, "blocked") {
			require.NoError(t, kit.ErrorOf(c.Resellers.Block(t.Context(), kit.Call(c.Admin),
				resellers.Block{ID: c.below.Reseller(), Terms: reseller.Terms{Suspends: true}}, kit.Shown)))
		}
		order := jobs.Start{Change: rapid.SampledFrom([]bulk.Change{
			extension("1"), extension("5"), {Action: bulk.Suspend, Reason: "why"}, {Action: bulk.Resume}, {Action: bulk.Delete},
			{Action: bulk.Details,
				Details: []bulk.Detail{{Name: "notes", Value: "seen"}, {Name: "metadata"}, {Name: "metadata.plan", Value: "gold"}}},
		}).Draw(rt, "order")}
		switch rapid.IntRange(0, 3).Draw(rt, "selection") {
		case 0:
			order.IDs = append(slices.Clone(c.lines[:1+len(c.lines)/2]), 999_999)
		case 1:
			order.Filter.Running = rapid.SampledFrom([]bulk.Condition{bulk.Yes, bulk.No}).Draw(rt, "running")
		case 2:
			order.Filter.Owner = c.below.Reseller()
		case 3:
			order.Filter.Trial = rapid.SampledFrom([]bulk.Condition{bulk.Any, bulk.Yes, bulk.No}).Draw(rt, "trial")
		}
		by := rapid.SampledFrom([]application.Caller{c.master, c.Admin}).Draw(rt, "by")

		before := map[int64]string{}
		for _, id := range []int64{c.master.Reseller(), c.below.Reseller()} {
			before[id] = c.Balance(id)
		}
		o := c.dry(by, order)
		expect.Equal(rt, c.Balance(c.master.Reseller()), before[c.master.Reseller()], "after a dry run the master has")
		var j bulk.Job
		told := c.Appended(func() { j = c.done(by, c.start(by, order)) })
		ids, codes := c.results(by, j)
		refused := counted(codes)
		if j.Status != bulk.Done || j.Matched != o.Matched || j.Succeeded != o.Succeeded ||
			j.Refused != o.Matched-o.Succeeded || j.Charged != o.Total || len(ids) != o.Matched {
			rt.Fatalf("the dry run counted %+v, and the job is %+v with %d results", o, j, len(ids))
		}
		for _, r := range o.Refused {
			expect.Equal(rt, refused[r.Code], r.Times, "as often as the dry run said the results have %s", r.Code)
			delete(refused, r.Code)
		}
		if len(refused) > 0 || !slices.IsSorted(ids) {
			rt.Fatalf("the results have %v of %v besides", refused, ids)
		}
		for _, l := range o.BalancesAfter {
			before[l.Account] = l.Balance.Amount().String()
		}
		for id, want := range before {
			expect.Equal(rt, c.Balance(id), want, "after what the dry run said account %d has", id)
		}
		last := told[len(told)-1]
		if last.Type != journal.BulkFinished || last.Datum(journal.Job) != j.ID ||
			last.Datum(journal.Succeeded) != int64(j.Succeeded) || last.Account.ID != by.Reseller() {
			rt.Fatalf("the last entry is %+v", last.Entry)
		}
		changed := len(told) - 1
		// A line that is in the wanted state already is not changed.
		if order.Action == bulk.Extend && changed != j.Succeeded || changed > j.Succeeded {
			rt.Fatalf("%d entries record %d changes", changed, j.Succeeded)
		}
	})
}

// Each line is charged once if a job is interrupted at any step.
func TestAJobThatIsInterruptedChargesOnce(t *testing.T) {
	for after := range 40 {
		c := newCrowd(t, 9, "3", "400")
		order := jobs.Start{Change: extension("1")}
		o := c.dry(c.master, order)
		j := c.start(c.master, order)
		left := after // updates before the store is gone
		dying := c.On(&kit.Store{Store: c.Dependencies.Store, AroundUpdate: func(call func() error) error {
			if left < 0 {
				return ports.ErrUnavailable
			}
			err := call()
			if left--; left < 0 {
				return errors.Join(ports.ErrUnavailable, err)
			}
			return err
		}}, application.Policy{TrialDuration: time.Hour})
		_, err := dying.JobWorker.Work(t.Context(), "this", j, 100)
		if left >= 0 && err != nil || left < 0 && err == nil {
			t.Fatalf("after %d updates: %v", after, err)
		}
		if j = c.done(c.master, j); j.Succeeded != o.Succeeded || j.Charged != o.Total || j.Done() != 9 {
			t.Fatalf("after %d updates: %+v, the dry run counted %+v", after, j, o)
		}
		expect.Equal(t, c.Balance(c.master.Reseller()), "0", "after %d updates the master has", after)
		if left >= 0 {
			return
		}
	}
	t.Error("the job does not end")
}

func TestTwoProcessesAtOneJobDoEachItemOnce(t *testing.T) {
	c := newCrowd(t, 60, "400", "100")
	j := c.start(c.master, jobs.Start{Change: extension("1")})
	second := application.New(c.Dependencies, application.Policy{TrialDuration: time.Hour})
	both := make(chan error, 2)
	for _, s := range []*application.Service{c.Service, second} {
		go func() {
			var err error
			for range 200 {
				var all []bulk.Job
				if all, err = s.JobWorker.Running(t.Context()); err != nil || len(all) == 0 {
					break
				}
				if _, err = s.JobWorker.Work(t.Context(), "this", all[0], 3); err != nil {
					break
				}
			}
			both <- err
		}()
	}
	require.NoError(t, errors.Join(<-both, <-both))
	j = c.done(c.master, j)
	expect.Equal(t, fmt.Sprint(j.Succeeded, " for ", j.Charged.Amount()), "60 for 60", "of 60 lines")
	charges := map[int64]int{}
	for _, m := range c.Recorded().Movements {
		if m.Operation == credit.Extension {
			charges[m.Line]++
		}
	}
	for _, id := range c.lines {
		expect.Equal(t, charges[id], 1, "line %d was charged", id)
	}
}

func TestRefusalsOfJobs(t *testing.T) {
	c := newCrowd(t, 4, "100", "100")
	order := jobs.Start{Change: extension("1")}
	for _, wrong := range []bulk.Expected{{}, {Count: 4}, {Count: 3, Total: 40_000}, {Count: 4, Total: 40_001}} {
		expect.Error(t, kit.ErrorOf(c.order(c.master, order, wrong)), bulk.ErrSelectionChanged)
	}
	expect.Equal(t, c.Balance(c.master.Reseller()), "100", "jobs that were refused left")
	j := c.start(c.master, order)
	expect.Error(t, kit.ErrorOf(c.order(c.master, order, bulk.Expected{Count: 4, Total: 40_000})), bulk.ErrRunning)
	for _, other := range []application.Caller{c.below, c.Admin} {
		expect.Error(t, kit.ErrorOf(c.Jobs.Get(t.Context(), kit.Call(other), j.ID)), fault.ErrNotFound)
		expect.Error(t, kit.ErrorOf(c.Jobs.Results(t.Context(), kit.Call(other), jobs.ListResults{Job: j.ID})),
			fault.ErrNotFound)
		expect.Error(t, kit.ErrorOf(c.Jobs.Stop(t.Context(), kit.Call(other), j.ID, kit.Shown)), fault.ErrNotFound)
	}
	c.done(c.master, j)
	c.start(c.master, order) // once the first is done

	_, reads := c.NewKey(c.below, principal.LinesRead, principal.LinesWrite)
	_, err := c.order(reads, order, bulk.Expected{})
	if _, is := errors.AsType[*principal.MissingScope](err); !is {
		t.Errorf("without lines:spend: %v", err)
	}
}

func TestJobOfAStarterThatIsNoLongerAdmitted(t *testing.T) {
	byToken := func(c *crowd) application.Caller { return c.master }
	byKey := func(c *crowd) application.Caller {
		_, by := c.NewKey(c.master, principal.LinesSpend)
		return by
	}
	for name, end := range map[string]struct {
		by   func(c *crowd) application.Caller
		do   func(c *crowd) error
		code string
	}{
		"revoked": {byToken, func(c *crowd) error {
			return kit.ErrorOf(c.Access.RevokeToken(c.T.Context(), kit.Call(c.master), kit.Shown))
		}, "invalid-token"},
		"a key without the scope": {byKey, func(c *crowd) error {
			change := principal.Change{Scopes: []principal.Scope{principal.LinesRead}}
			return kit.ErrorOf(c.Principals.Update(c.T.Context(), kit.Call(c.master),
				access.UpdatePrincipal{ID: 1, Kind: principal.Key, Change: change}, kit.Shown))
		}, "insufficient-scope"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrowd(t, 10, "100", "100")
			j := c.start(end.by(c), jobs.Start{Change: extension("1")})
			c.work(3)
			require.NoError(t, end.do(c))
			for range 10 { // more than it takes
				c.work(3)
			}
			require.NoError(t, kit.ErrorOf(c.Resellers.Unblock(t.Context(), kit.Call(c.Admin), c.master.Reseller(), kit.Shown)))
			r, err := memberOf(c, c.master.Reseller())
			require.NoError(t, err)
			owner := c.CallerOf(c.Keyring.Issue(ports.Token{Reseller: r.ID(), Generation: r.Token()}))
			if j, err = c.Jobs.Get(t.Context(), kit.Call(owner), j.ID); err != nil || j.Status != bulk.Done ||
				j.Succeeded != 3 ||
				j.Refused != 7 || j.Charged.Amount().String() != "3" {
				t.Errorf("got %+v, %v", j, err)
			}
			_, codes := c.results(owner, j)
			expect.DeepEqual(t, counted(codes), map[string]int{end.code: 7}, "the results")
			expect.Equal(t, c.Balance(c.master.Reseller()), "98", "the master has") // another account pays for one of the three
		})
	}
}

func TestAKeysJobStaysWithinItsLimit(t *testing.T) {
	c := newCrowd(t, 10, "100", "100")
	id, key := c.NewKey(c.master, principal.LinesRead, principal.LinesSpend)
	require.NoError(t, kit.ErrorOf(c.Principals.Update(t.Context(), kit.Call(c.master),
		access.UpdatePrincipal{ID: id, Kind: principal.Key,
			Change: principal.Change{Limit: new(principal.Units(40_000))}}, kit.Shown)))
	require.NoError(t, kit.ErrorOf(c.Lines.PreviewExtension(t.Context(), kit.Call(key),
		lines.Extend{ID: c.lines[0], Price: fixture.Request("5")})))
	order := jobs.Start{Change: extension("1")}
	o := c.dry(key, order)
	if o.Succeeded != 4 || len(o.Refused) != 1 || o.Refused[0] != (bulk.Count{Code: "spend-limit-reached", Times: 6}) {
		t.Fatalf("with a limit of 4 credits a dry run counts %+v", o)
	}
	var j bulk.Job
	told := c.Appended(func() { j = c.done(key, c.start(key, order)) })
	expect.Equal(t, j.Succeeded, 4, "with a limit of 4 credits it extends")
	expect.Equal(t, j.Charged.Amount().String(), "4", "with a limit of 4 credits it costs")
	for _, n := range told {
		expect.Equal(t, n.Actor.Kind, journal.ByKey, "%s was done by", n.Type)
		expect.Equal(t, n.Actor.Principal, id, "%s was done by key", n.Type)
	}
}

func TestALineThatIsNoLongerSelectedIsLeftAlone(t *testing.T) {
	c := newCrowd(t, 6, "100", "100")
	soon := c.Now.AddDate(0, 2, 0)
	j := c.start(c.master, jobs.Start{Change: extension("1"), Filter: bulk.Filter{ExpiresBefore: soon}})
	require.NoError(t, kit.ErrorOf(c.Lines.Extend(t.Context(), kit.Call(c.below),
		lines.Extend{ID: c.lines[3], Price: fixture.Request("3")}, kit.Shown)))
	require.NoError(t, kit.ErrorOf(c.Lines.Delete(t.Context(), kit.Call(c.below), c.lines[5], kit.Shown)))
	j = c.done(c.master, j)
	expect.Equal(t, [2]int{j.Succeeded, j.Refused}, [2]int{4, 2}, "of six lines, one renewed and one deleted in between")
	_, codes := c.results(c.master, j)
	expect.DeepEqual(t, counted(codes), map[string]int{"no-longer-selected": 1, "not-found": 1}, "the results")

	// Another account learns no name of these lines.
	_, other := c.Create(c.Admin, "third", "10", false)
	j = c.done(other, c.start(other, jobs.Start{Change: extension("1"), IDs: c.lines[4:]}))
	for _, r := range kit.Must(c.Jobs.Results(t.Context(), kit.Call(other), jobs.ListResults{Job: j.ID})).Items {
		expect.Equal(t, r.Code+r.LineName, "not-found", "line %d of others", r.Line)
	}
}

func TestAJobIsStopped(t *testing.T) {
	c := newCrowd(t, 6, "100", "100")
	j := c.start(c.master, jobs.Start{Change: extension("1")})
	c.work(2)
	var stopped bulk.Job
	told := c.Appended(func() {
		for range 2 { // which may be repeated
			require.NoError(t, kit.ErrorOf(c.Jobs.Stop(t.Context(), kit.Call(c.master), j.ID, kit.Into(&stopped))))
		}
		require.NoError(t, kit.ErrorOf(c.JobWorker.Work(t.Context(), "this", j, 100)))
	})
	if stopped.Status != bulk.Stopped || stopped.Succeeded != 2 || len(told) != 1 ||
		told[0].Type != journal.BulkFinished || told[0].Datum(journal.Status) != "stopped" {
		t.Errorf("it is %+v, with %d entries", stopped, len(told))
	}
	ids, _ := c.results(c.master, j)
	expect.Equal(t, len(ids), 2, "results")
}

func TestADryRunOfManyLinesIsAJob(t *testing.T) {
	c := newCrowd(t, 2, "1", "0")
	master, err := memberOf(c, c.master.Reseller())
	require.NoError(t, err)
	c.fill(master, jobs.MostAtOnce)
	var found jobs.Started
	start := func() {
		require.NoError(t, kit.ErrorOf(c.Jobs.Start(t.Context(), kit.Call(c.master),
			jobs.Start{Change: extension("0.5"), DryRun: true}, kit.Into(&found))))
	}
	start()
	if found.Outcome != nil || found.Job.Matched != jobs.MostAtOnce+2 {
		t.Fatalf("got %+v", found)
	}
	told := c.Appended(func() { found.Job = c.done(c.master, found.Job) })
	o := found.Job.Outcome()
	if o.Matched != jobs.MostAtOnce+2 || o.Succeeded != 1 || o.Total != 5_000 || len(told) != 0 ||
		c.Balance(c.master.Reseller()) != "1" {
		t.Errorf("it counted %+v, with %d entries", o, len(told))
	}
	expect.Elements(t, o.BalancesAfter, []bulk.BalanceAfter{{Account: c.master.Reseller(), Balance: 5_000}}, "it leaves")

	start()
	require.NoError(t, kit.ErrorOf(c.Resellers.Block(t.Context(), kit.Call(c.Admin),
		resellers.Block{ID: c.master.Reseller()}, kit.Shown)))
	c.work(1)
	require.NoError(t, kit.ErrorOf(c.Resellers.Unblock(t.Context(), kit.Call(c.Admin), c.master.Reseller(), kit.Shown)))
	expect.Equal(t, c.done(c.master, found.Job).Status, bulk.Stopped, "one of a blocked account")
}

// fill adds trials directly to the store.
func (c *crowd) fill(owner *reseller.Reseller, lines int) {
	c.T.Helper()
	for lines > 0 {
		n := min(lines, 1_000)
		require.NoError(c.T, c.Dependencies.Store.Update(c.T.Context(), func(ctx context.Context, tx ports.Tx) error {
			for i := range n {
				id := int64(1_000 + lines - i)
				l, err := line.NewTrial(owner, line.Trial{
					ID: id, Username: fixture.Name(fmt.Sprint("trial", id)), Duration: time.Hour,
				}, 0, c.Now)
				if err != nil {
					return err
				}
				if err := tx.Lines.Insert(ctx, l); err != nil {
					return err
				}
			}
			return nil
		}))
		lines -= n
	}
}

func memberOf(c *crowd, id int64) (r *reseller.Reseller, err error) {
	err = c.Dependencies.Store.View(c.T.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		r, err = s.Resellers.Get(ctx, id)
		return err
	})
	return r, err
}

func TestOldJobsAreForgotten(t *testing.T) {
	c := newCrowd(t, 3, "100", "100")
	j := c.done(c.master, c.start(c.master, jobs.Start{Change: bulk.Change{Action: bulk.Suspend}}))
	running := c.start(c.master, jobs.Start{Change: bulk.Change{Action: bulk.Resume}})
	c.Now = c.Now.Add(bulk.JobRetention)
	expect.Equal(t, kit.Must(c.Jobs.Forget(t.Context(), 10)), 0, "at the very end of its time it removes")
	c.Now = c.Now.Add(time.Millisecond)
	expect.Equal(t, kit.Must(c.Jobs.Forget(t.Context(), 10)), 2, "after its time it removes")
	expect.Error(t, kit.ErrorOf(c.Jobs.Get(t.Context(), kit.Call(c.master), j.ID)), fault.ErrNotFound)
	expect.Equal(t, kit.Must(c.Jobs.Forget(t.Context(), 10)), 0, "beside one that is under way it removes")
	if page, err := c.Jobs.List(t.Context(), kit.Call(c.master), jobs.List{Limit: 10}); err != nil ||
		len(page.Items) != 1 || page.Items[0].ID != running.ID {
		t.Errorf("the list has %+v, %v", page.Items, err)
	}
}

// The starter may stop the job, whatever number of free changes is left.
func TestABulkJobIsOneFreeChange(t *testing.T) {
	c, ctx := newCrowd(t, 4, "100", "100"), t.Context()
	c.Service = application.New(c.Dependencies, application.Policy{FreeChangesPerDay: 2})
	order := jobs.Start{
		Change: bulk.Change{Action: bulk.Details, Details: []bulk.Detail{{Name: "notes", Value: "seen"}}}}
	expect.Equal(t, c.done(c.master, c.start(c.master, order)).Succeeded, 4, "lines are done")
	running := c.start(c.master, order)
	expect.Error(t, kit.ErrorOf(c.Lines.CreateTrial(ctx, kit.Call(c.master), line.Description{}, kit.Shown)),
		application.ErrTooManyFreeChanges)
	require.NoError(t, kit.ErrorOf(c.Jobs.Stop(ctx, kit.Call(c.master), running.ID, kit.Shown)))
	o := c.dry(c.master, order) // a dry run changes nothing
	_, err := c.order(c.master, order, bulk.Expected{Count: o.Succeeded, Total: o.Total})
	expect.Error(t, err, application.ErrTooManyFreeChanges)
}
