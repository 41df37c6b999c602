package jobs

import (
	"maps"
	"slices"

	"resellerd/application/internal/auditing"
	"resellerd/domain/bulk"
	"resellerd/ports"
	"resellerd/ports/record"
)

// auditor holds what jobs say of themselves against what their parts say.
type auditor struct {
	auditing.Audit

	jobs       map[int64]bulk.Job
	parts      map[int64]counted
	incomplete bool // some can't be read
}

// counted sums up the parts of a job.
type counted struct{ lines, decided, refused int }

// Audit audits jobs and their parts.
func Audit(in auditing.Audit) auditing.Checks {
	a := &auditor{Audit: in, jobs: map[int64]bulk.Job{}, parts: map[int64]counted{}}
	unread := func(int64) { a.incomplete = true }
	return auditing.Checks{
		Kinds: map[*record.Kind]auditing.Check{
			ports.BulkJobs.Kind:    auditing.Of(func(j *bulk.Job) int64 { return j.By.Account }, a.job, unread),
			ports.BulkBatches.Kind: auditing.Of(nil, a.part, unread),
		},
		After: a.compare,
	}
}

func (a *auditor) job(name string, j *bulk.Job) {
	if !slices.Contains(bulk.Actions(), j.Action) {
		a.Find("%s: its action is none", name)
	}
	if ended := j.Status == bulk.Done || j.Status == bulk.Stopped; !ended && j.Status != bulk.Running ||
		ended == j.Finished.IsZero() {
		a.Find("%s: whether it has ended can't be told", name)
	}
	if j.Succeeded < 0 || j.Refused < 0 || j.Charged < 0 || j.Done() > j.Matched || j.Status == bulk.Done &&
		j.Done() != j.Matched {
		a.Find("%s: %d of its %d lines succeeded, and %d were refused, which can't be", name, j.Succeeded,
			j.Matched, j.Refused)
	}
	a.jobs[j.ID] = *j
}

func (a *auditor) part(name string, p *bulk.Batch) {
	results, err := p.Results()
	if err != nil || p.Lines.Len() == 0 {
		a.Find("%s: its lines can't be, or what became of them", name)
		a.incomplete = true
		return
	}
	sum := a.parts[p.Job]
	sum.lines, sum.decided, sum.refused = sum.lines+p.Lines.Len(), sum.decided+len(results), sum.refused+len(p.Refused)
	a.parts[p.Job] = sum
}

// compare compares jobs with their parts. A dry run has none.
func (a *auditor) compare() {
	if a.incomplete {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(a.parts)) {
		if _, is := a.jobs[id]; !is {
			a.Find("bulk_part %d.1: there is no such job", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.jobs)) {
		j, sum := a.jobs[id], a.parts[id]
		want := counted{j.Matched, j.Done(), j.Refused}
		if j.DryRun {
			want = counted{}
		}
		if sum != want {
			a.Find("bulk_job %d: it is for %d lines, of which %d are decided and %d refused, and its parts tell of %d, %d and %d",
				id, want.lines, want.decided, want.refused, sum.lines, sum.decided, sum.refused)
		}
	}
}
