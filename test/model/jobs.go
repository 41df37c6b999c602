package model

import (
	"time"

	"github.com/shopspring/decimal"
)

// Job is the same for many lines. It acts as who started it, by its token.
type Job struct {
	ID       int64
	Action   string
	Of       *Reseller
	Lines    []*Line
	Codes    []string // why each of those that are decided was refused, "" where it was not
	Charged  decimal.Decimal
	Ended    string // done or stopped, "" while it runs
	Revoked  func() bool
	Selected func(l *Line) bool // by its filter, still
	Do       func(l *Line, at Moment) (refusal string, effect func())
	Cost     decimal.Decimal // of each
	Started  Moment
}

// Refused is how many of the lines that are decided were refused.
func (j *Job) Refused() (n int) {
	for _, code := range j.Codes {
		if code != "" {
			n++
		}
	}
	return n
}

// Next decides the next line of a job, if there is one, and otherwise ends it.
func (w *World) Next(j *Job, now time.Time) {
	at := j.Started
	at.Now = now
	if len(j.Codes) == len(j.Lines) {
		w.EndJob(j, "done", j.Of, at)
		return
	}
	l := j.Lines[len(j.Codes)]
	refusal, do := j.Do(l, at)
	refusal = firstOf(j.Revoked(), "invalid-token", j.Of.Frozen(), "account-blocked", !j.Of.SeesLine(l), "not-found",
		!j.Selected(l), "no-longer-selected", true, refusal)
	if j.Codes = append(j.Codes, refusal); refusal == "" {
		j.Charged = j.Charged.Add(j.Cost)
		do()
	}
}

// EndJob ends a job.
func (w *World) EndJob(j *Job, as string, by *Reseller, at Moment) {
	j.Ended = as
	e := did(by, "bulk.finished", at)
	e.Account, e.Changes = j.Of, map[string]any{}
	e.Data = map[string]any{
		"job": j.ID, "action": j.Action, "status": as, "matched": int64(len(j.Lines)),
		"succeeded": int64(len(j.Codes) - j.Refused()), "refused": int64(j.Refused()),
	}
	w.happened(e)
}
