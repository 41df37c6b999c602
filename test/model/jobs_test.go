package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"resellerd/application"
	"resellerd/application/jobs"
	"resellerd/domain/bulk"
)

// runningJob returns the job of an account that runs, nil if none does.
func (m *machine) runningJob(of *Reseller) *Job {
	if i := slices.IndexFunc(m.jobs, func(j *Job) bool { return j.Of == of && j.Ended == "" }); i >= 0 {
		return m.jobs[i]
	}
	return nil
}

func (m *machine) anyJob(t *rapid.T) *Job {
	if len(m.jobs) == 0 {
		t.Skip("no job yet")
	}
	return rapid.SampledFrom(m.jobs).Draw(t, "job")
}

// drawnJob returns an order with what it does to a line.
func (m *machine) drawnJob(t *rapid.T, by *Reseller) (jobs.Start, *Job) {
	j := &Job{Of: by, Action: string(rapid.SampledFrom(bulk.Actions()).Draw(t, "action")),
		Selected: func(*Line) bool { return true }}
	c := jobs.Start{Order: bulk.Order{Action: bulk.Action(j.Action)}}
	switch c.Action {
	case bulk.Extend:
		p, price := anyPrice(t)
		c.Price, j.Cost = p.Credits().String(), p.Credits().Decimal()
		j.Do = func(l *Line, at Moment) (string, func()) {
			refusal, _, do := m.Extend(by, l, price, at)
			return refusal, do
		}
	case bulk.Suspend:
		c.Reason = rapid.SampledFrom(reasons).Draw(t, "reason")
		j.Do = func(l *Line, at Moment) (string, func()) { return m.Suspend(by, l, c.Reason, at) }
	case bulk.Resume:
		j.Do = func(l *Line, at Moment) (string, func()) { return m.Resume(by, l, at) }
	case bulk.Delete:
		j.Do = func(l *Line, at Moment) (string, func()) { return m.Delete(by, l, at) }
	case bulk.Details:
		notes := fmt.Sprintf("by job %d", len(m.jobs))
		c.Details = []bulk.Detail{{Name: "notes", Value: notes}}
		j.Do = func(l *Line, at Moment) (string, func()) {
			return m.Describe(by, l, LineDetails{Description: Description{Notes: &notes}}, at)
		}
	}
	if rapid.Bool().Draw(t, "named") {
		for _, l := range m.Lines {
			if len(c.IDs) < bulk.MaxIDs && rapid.IntRange(0, 2).Draw(t, "of them") == 0 {
				c.IDs, j.Lines = append(c.IDs, l.ID), append(j.Lines, l)
			}
		}
		if len(c.IDs) == 0 {
			t.Skip("no lines to name")
		}
		slices.SortFunc(j.Lines, byID)
		return c, j
	}
	suspended := rapid.SampledFrom([]bulk.Condition{bulk.Any, bulk.Yes, bulk.No}).Draw(t, "suspended")
	c.Filter.Suspended = suspended
	j.Selected = func(l *Line) bool { return suspended == bulk.Any || l.Suspended == (suspended == bulk.Yes) }
	for _, l := range m.Lines {
		if by.SeesLine(l) && j.Selected(l) {
			j.Lines = append(j.Lines, l)
		}
	}
	slices.SortFunc(j.Lines, byID)
	return c, j
}

func byID(a, b *Line) int { return cmp.Compare(a.ID, b.ID) }

// startJob has an account order something by its token, as a dry run has counted it, or as it has not.
func (m *machine) startJob(t *rapid.T) {
	by := m.anyReseller(t, "actor")
	c, j := m.drawnJob(t, by)
	token := m.tokens[by]
	m.names++
	j.Started = Moment{Now: m.now, Request: fmt.Sprintf("request-%d", m.names), Address: client}
	call := application.Call{Caller: token, Request: j.Started.Request, Address: client}
	j.Revoked = func() bool { return m.tokens[by] != token }
	var got jobs.Started
	dry := c
	dry.DryRun = true
	_, err := m.service.Jobs.Start(t.Context(), call, dry, shown(&got))
	if !outcome(t, "dry run", err, firstOf(by.Frozen(), "account-blocked")) {
		return
	}
	o := *got.Outcome
	if o.Matched != len(j.Lines) || !o.Total.Amount().Decimal().Equal(j.Cost.Mul(decimal.NewFromInt(int64(o.Succeeded)))) {
		t.Fatalf("a dry run counts %+v, and the model says %d lines at %s", o, len(j.Lines), j.Cost)
	}
	c.Expected = bulk.Expected{Count: o.Succeeded, Total: o.Total}
	unexpected := rapid.IntRange(0, 5).Draw(t, "expects otherwise") == 0
	if unexpected {
		c.Expected.Count++
	}
	_, err = m.service.Jobs.Start(t.Context(), call, c, shown(&got))
	if !outcome(t, "start job", err, firstOf(m.runningJob(by) != nil, "job-running", unexpected, "selection-changed")) {
		return
	}
	j.ID = got.Job.ID
	m.jobs = append(m.jobs, j)
	if rapid.Bool().Draw(t, "at once") { // what was counted is what is done
		m.holds(t)
		for j.Ended == "" {
			m.goOn(t, j, m.holder, rapid.IntRange(1, 9).Draw(t, "lines"))
		}
		if len(j.Codes)-j.Refused() != o.Succeeded {
			t.Fatalf("a dry run counted %+v, and the job has refused %q", o, j.Codes)
		}
	}
}

// holds has a process hold the lease.
func (m *machine) holds(t *rapid.T) {
	for m.holder == "" {
		m.takeLease(t)
	}
}

// workOnJobs goes on with a job.
func (m *machine) workOnJobs(t *rapid.T) {
	by, held := m.works(t)
	j := m.anyJob(t)
	if held != nil && j.Ended == "" {
		if _, err := m.work(t, j, by, 1); !errors.Is(err, held) {
			t.Fatalf("a process without the lease works on a job: %v", err)
		}
		return
	}
	m.goOn(t, j, m.holder, rapid.IntRange(1, 5).Draw(t, "lines"))
}

func (m *machine) work(t *rapid.T, j *Job, by string, lines int) (jobs.Worked, error) {
	is, err := m.service.Jobs.Get(t.Context(), application.Call{Caller: m.tokens[j.Of]}, j.ID)
	if j.Of.Frozen() { // who may not see it; what works on it does
		all, listErr := m.service.JobWorker.Running(t.Context())
		err = listErr
		for _, other := range all {
			if other.ID == j.ID {
				is = other
			}
		}
	}
	check(t, err)
	return m.service.JobWorker.Work(t.Context(), by, is, lines)
}

func (m *machine) goOn(t *rapid.T, j *Job, by string, lines int) {
	if j.Ended != "" || by == "" {
		return
	}
	worked, err := m.work(t, j, by, lines)
	check(t, err)
	for range lines {
		if len(j.Codes) == len(j.Lines) {
			break
		}
		m.Next(j, m.now)
		lines--
	}
	if lines > 0 {
		m.Next(j, m.now)
	}
	if worked.Ended != (j.Ended != "") || len(worked.Odd) > 0 {
		t.Fatalf("job %d has ended: %t, and the model says %q; %v", j.ID, worked.Ended, j.Ended, worked.Odd)
	}
	m.readsJob(t, j)
}

// stopJob has an account stop one of its jobs, or one of another's.
func (m *machine) stopJob(t *rapid.T) {
	j, by := m.anyJob(t), m.anyReseller(t, "actor")
	if rapid.Bool().Draw(t, "its own") {
		by = j.Of
	}
	a := m.ask(t, by)
	var got bulk.Job
	if !m.effect(t, "stop job", a, firstOf(by.Frozen(), "account-blocked", by != j.Of, "not-found"),
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Jobs.Stop(ctx, call, j.ID, shown(&got))
		}) {
		return
	}
	if j.Ended == "" {
		m.EndJob(j, "stopped", by, a.at)
	}
	m.readsJob(t, j)
}

// readsJob compares a job, and what became of its lines, as its account sees them.
func (m *machine) readsJob(t *rapid.T, j *Job) {
	call := application.Call{Caller: m.tokens[j.Of]}
	got, err := m.service.Jobs.Get(t.Context(), call, j.ID)
	if !outcome(t, "read job", err, firstOf(j.Of.Frozen(), "account-blocked")) {
		return
	}
	status := firstOf(j.Ended != "", j.Ended, true, "running")
	if string(got.Status) != status || got.Matched != len(j.Lines) || got.Done() != len(j.Codes) ||
		got.Refused != j.Refused() || !got.Charged.Amount().Decimal().Equal(j.Charged) {
		t.Fatalf("job %d is %+v, and the model says %s, %q, %s charged", j.ID, got, status, j.Codes, j.Charged)
	}
	results, err := m.service.Jobs.Results(t.Context(), call, jobs.ListResults{Job: j.ID})
	check(t, err)
	var codes []string
	for i, r := range results.Items {
		if codes = append(codes, r.Code); i < len(j.Lines) && r.Line != j.Lines[i].ID {
			t.Fatalf("result %d of job %d is of line %d, want %d", i, j.ID, r.Line, j.Lines[i].ID)
		}
	}
	if !slices.Equal(codes, j.Codes) {
		t.Fatalf("the results of job %d are %q, and the model says %q", j.ID, codes, j.Codes)
	}
}

// TestRandomJobs has them do the same to many lines, again and again.
func TestRandomJobs(t *testing.T) {
	histories(t, func(m *machine) map[string]func(*rapid.T) {
		all, actions := m.actions(), map[string]func(*rapid.T){}
		for _, name := range []string{
			"createReseller", "addCredits", "blockReseller", "revokeToken", "createTrial", "activateLine", "extendLine",
			"suspendLine", "deleteLine", "wait", "listEvents",
			"takeLease", "startBulk", "stopJob", "work", "",
		} {
			actions[name] = all[name]
		}
		for _, name := range []string{"startBulk", "work", "activateLine", "createTrial"} { // most of all
			for i := range 3 {
				actions[fmt.Sprint(name, i)] = all[name]
			}
		}
		return actions
	}, (*machine).people)
}
