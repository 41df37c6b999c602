package jobs

import (
	"maps"
	"slices"

	"resellerd/application/internal/auditing"
	"resellerd/domain/bulk"
	"resellerd/ports"
	"resellerd/ports/record"
)

// auditor compares jobs with their batches.
type auditor struct {
	auditing.Audit

	jobs       map[int64]bulk.Job
	parts      map[int64]counted
	incomplete bool // a record can't be read
}

// counted is the sum of the batches of a job.
type counted struct{ lines, decided, refused int }

// Audit audits jobs and their batches.
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
		a.Find("%s: its action is unknown", name)
	}
	if ended := j.Status == bulk.Done || j.Status == bulk.Stopped; !ended && j.Status != bulk.Running ||
		ended == j.Finished.IsZero() {
		a.Find("%s: its status and its end do not agree", name)
	}
	if j.Succeeded < 0 || j.Refused < 0 || j.Charged < 0 || j.Done() > j.Matched || j.Status == bulk.Done &&
		j.Done() != j.Matched {
		a.Find("%s: %d of its %d lines succeeded, and %d were refused, which is impossible", name, j.Succeeded,
			j.Matched, j.Refused)
	}
	a.jobs[j.ID] = *j
}

func (a *auditor) part(name string, p *bulk.Batch) {
	results, err := p.Results()
	if err != nil || p.Lines.Len() == 0 {
		a.Find("%s: its lines or their results are impossible", name)
		a.incomplete = true
		return
	}
	sum := a.parts[p.Job]
	sum.lines, sum.decided, sum.refused = sum.lines+p.Lines.Len(), sum.decided+len(results), sum.refused+len(p.Refused)
	a.parts[p.Job] = sum
}

// compare compares jobs with their batches. A dry run has no batches.
func (a *auditor) compare() {
	if a.incomplete {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(a.parts)) {
		if _, is := a.jobs[id]; !is {
			a.Find("bulk_part %d.1: its job is missing", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.jobs)) {
		j, sum := a.jobs[id], a.parts[id]
		want := counted{j.Matched, j.Done(), j.Refused}
		if j.DryRun {
			want = counted{}
		}
		if sum != want {
			a.Find("bulk_job %d: it is for %d lines, of which %d are decided and %d refused, and its batches have %d, %d and %d",
				id, want.lines, want.decided, want.refused, sum.lines, sum.decided, sum.refused)
		}
	}
}
