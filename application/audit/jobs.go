package audit

import (
	"maps"
	"slices"

	"resellerd/domain/bulk"
)

// work is what jobs say of themselves, and what their parts say.
type work struct {
	jobs    map[int64]bulk.Job
	damaged bool // some, or parts of some, which are reported where their kind is audited
	parts   map[int64]counted
}

// counted sums up the parts of a job.
type counted struct{ lines, decided, refused int }

// job checks an order for many lines.
func (a *auditor) job(name string, j *bulk.Job) {
	if _, is := a.resellers.get(j.By.Account); is == missing {
		a.find("%s: account %d, whose it is, is missing", name, j.By.Account)
	}
	if !slices.Contains(bulk.Actions(), j.Action) {
		a.find("%s: its action is none", name)
	}
	if ended := j.Status == bulk.Done || j.Status == bulk.Stopped; !ended && j.Status != bulk.Running ||
		ended == j.Finished.IsZero() {
		a.find("%s: whether it has ended can't be told", name)
	}
	if j.Succeeded < 0 || j.Refused < 0 || j.Charged < 0 || j.Done() > j.Matched || j.Status == bulk.Done &&
		j.Done() != j.Matched {
		a.find("%s: %d of its %d lines succeeded, and %d were refused, which can't be", name, j.Succeeded,
			j.Matched, j.Refused)
	}
	a.work.jobs[j.ID] = *j
}

// part checks some lines of a job.
func (a *auditor) part(name string, p *bulk.Part) {
	results, err := p.Results()
	if err != nil || p.Lines.Len() == 0 {
		a.find("%s: its lines can't be, or what became of them", name)
		a.work.damaged = true
		return
	}
	sum := a.work.parts[p.Job]
	sum.lines, sum.decided, sum.refused = sum.lines+p.Lines.Len(), sum.decided+len(results), sum.refused+len(p.Refused)
	a.work.parts[p.Job] = sum
}

// worked compares jobs with their parts. A dry run has none.
func (a *auditor) worked() {
	if a.work.damaged {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(a.work.parts)) {
		if _, is := a.work.jobs[id]; !is {
			a.find("bulk_part %d.1: there is no such job", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.work.jobs)) {
		j, sum := a.work.jobs[id], a.work.parts[id]
		want := counted{j.Matched, j.Done(), j.Refused}
		if j.DryRun {
			want = counted{}
		}
		if sum != want {
			a.find("bulk_job %d: it is for %d lines, of which %d are decided and %d refused, and its parts tell of %d, %d and %d",
				id, want.lines, want.decided, want.refused, sum.lines, sum.decided, sum.refused)
		}
	}
}
