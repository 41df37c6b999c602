// Package bulk implements bulk jobs: one operation, such as an extension, on many lines. A job selects its lines when
// it starts, and stores the result of each. So an interrupted job continues with the next line, and does each line
// once.
//
// A dry run decides each line by the rules of the operation for one line, and changes nothing. A job can name the dry
// run's outcome: if the outcome is different when the job starts, nothing is done. A line that the filter no longer
// selects at its turn is refused. For each line the job has the rights that its starter has at that moment, and counts
// against the same limits. A sign-out does not stop it. After a revocation, a block or a new password its remaining
// lines are refused. An account has one job at a time. A store that was restored from a backup starts with its jobs
// stopped.
package bulk

import (
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
)

const (
	// MaxIDs is how many lines a request may name one by one.
	MaxIDs = 500
	// MaxLines is how many lines a filter may select for one job.
	MaxLines = 1_000_000
	// JobRetention is how long a job is stored after its end.
	JobRetention = 30 * 24 * time.Hour
)

// The reasons for which jobs, or their items, are refused.
var (
	ErrRunning = fault.New(fault.Conflict, "job-running",
		"A job of this account is under way: wait until it is done, or stop it.")
	ErrSelectionChanged = fault.New(fault.Conflict, "selection-changed",
		"The result of the job would differ from the expected one: request a dry run again.")
	ErrTooManyLines     = fault.New(fault.Invalid, "too-many-lines", "A job is for at most 1,000,000 lines: select fewer.")
	ErrNoLongerSelected = fault.New(fault.Conflict, "no-longer-selected",
		"The line has changed since the job started, and the filter no longer selects it.")
)

// Action is what a job does to each of its lines. The set is closed.
type Action string

// The actions.
const (
	Extend  Action = "extend"
	Suspend Action = "suspend"
	Resume  Action = "resume"
	Delete  Action = "delete"
	Details Action = "details"
)

// Actions returns every action.
func Actions() []Action { return []Action{Extend, Suspend, Resume, Delete, Details} }

// RequiredScope returns the scope that the same action on a single line needs, too.
func (a Action) RequiredScope() principal.Scope {
	switch a {
	case Extend:
		return principal.LinesSpend
	case Delete:
		return principal.LinesDelete
	case Suspend, Resume, Details:
	}
	return principal.LinesWrite
}

// Change is the change of each line.
type Change struct {
	Action  Action
	Price   string   // of Extend, as credit.Parse reads it, "" if Plan alone names the price
	Plan    int64    // of Extend, 0 if Price alone names the price
	Reason  string   // of Suspend, may be empty
	Details []Detail // of Details, one or more
}

// Condition is a three-state filter: any, yes, no.
type Condition int

// The conditions.
const (
	Any Condition = iota
	Yes
	No
)

// ConditionOf returns the condition of a filter's member, nil for any.
func ConditionOf(is *bool) Condition {
	switch {
	case is == nil:
		return Any
	case *is:
		return Yes
	}
	return No
}

// Wanted returns the argument of ConditionOf.
func (c Condition) Wanted() *bool {
	if c == Any {
		return nil
	}
	return new(c == Yes)
}

// allows reports whether the condition selects a value.
func (c Condition) allows(is bool) bool { return c == Any || (c == Yes) == is }

// Filter selects lines by their fields. The zero value of a field is no condition.
type Filter struct {
	Owner         int64
	Tree          int64 // owned by this reseller or an account below it
	Running       Condition
	Effect        line.Effect
	Suspended     Condition // themselves
	Trial         Condition
	ExpiresAfter  time.Time // at this instant or later
	ExpiresBefore time.Time // before this instant
	Username      string    // as profile.UsernamePrefix returned it
	ExternalID    string
	Search        string // as profile.Search has it
}

// Selects reports whether a line with this effect meets every condition.
func (f Filter) Selects(l *line.Line, effect line.Effect) bool {
	s := l.Shown()
	owner := l.Owner()
	return (f.Owner == 0 || owner.ID == f.Owner) &&
		(f.Tree == 0 || owner.ID == f.Tree || owner.Under(f.Tree)) &&
		f.Running.allows(effect == line.Running) &&
		(f.Effect == "" || effect == f.Effect) &&
		f.Suspended.allows(s.Suspended) &&
		f.Trial.allows(s.Trial) &&
		(f.ExpiresAfter.IsZero() || !s.ExpiresAt.Before(f.ExpiresAfter)) &&
		(f.ExpiresBefore.IsZero() || s.ExpiresAt.Before(f.ExpiresBefore)) &&
		(f.Username == "" || s.Username.StartsWith(f.Username)) &&
		(f.ExternalID == "" || s.ExternalID.String() == f.ExternalID) &&
		(f.Search == "" || s.MatchesSearch(profile.RestoreSearch(f.Search)))
}

// Starter identifies the starter of a job. For each line the job has the rights that the starter has at that moment.
type Starter struct {
	Account   int64
	Principal int64               // an API key, or a member of the staff; 0: the account itself
	Scope     principal.Scope     // the scope that the job needs, if a principal started it
	Token     reseller.Generation // of the account's token, unless a principal or a session started it
	Session   bool                // the starter had a session; a sign-out does not stop the job, a new password does
	Password  session.Mark        // of the password of that session
	Request   string              // id of the request
	Address   string              // of the client
	Networks  []principal.Network // the address alone, if a principal started it
}

// Status is the status of a job. The set is closed.
type Status string

// The statuses.
const (
	Running Status = "running"
	Done    Status = "done"
	Stopped Status = "stopped" // by its account, before all lines were decided
)

// Job is a bulk job and its progress. It is a value: a change is made to a copy.
type Job struct {
	ID int64
	By Starter
	Change
	Filter    Filter
	Filtered  bool // a filter selected the lines, and each must still match it; otherwise the request named them
	DryRun    bool // nothing is changed, only counted
	Status    Status
	Matched   int // number of selected lines
	Succeeded int
	Refused   int
	Charged   Units // by its movements; of a dry run the amount that they would have
	Created   time.Time
	Finished  time.Time // the zero value: not finished

	// Of a finished dry run.
	RefusalsExpected []Count        // by code
	BalancesAfter    []BalanceAfter // of the accounts that would pay, in the order of their ids
}

// Units is an amount in ten-thousandths of a credit.
type Units = principal.Units

// Done returns how many lines were decided.
func (j Job) Done() int { return j.Succeeded + j.Refused }

// Ended returns the job after its end.
func (j Job) Ended(as Status, now time.Time) Job {
	j.Status, j.Finished = as, now
	return j
}

// Count is the number of items that were refused for one reason.
type Count struct {
	Code  string
	Times int
}

// BalanceAfter is the balance that an account would have after the job.
type BalanceAfter struct {
	Account int64
	Balance Units
}

// Outcome is the result that a job would have, in the order of the lines' ids, if nothing changed.
type Outcome struct {
	Matched       int
	Succeeded     int
	Total         Units // of all charges
	Refused       []Count
	BalancesAfter []BalanceAfter
}

// WithOutcome returns a finished dry run with its outcome.
func (j Job) WithOutcome(o Outcome, now time.Time) Job {
	j.Matched, j.Succeeded, j.Refused, j.Charged = o.Matched, o.Succeeded, o.Matched-o.Succeeded, o.Total
	j.RefusalsExpected, j.BalancesAfter = o.Refused, o.BalancesAfter
	return j.Ended(Done, now)
}

// Outcome returns the outcome of a finished dry run.
func (j Job) Outcome() Outcome {
	return Outcome{Matched: j.Matched, Succeeded: j.Succeeded, Total: j.Charged, Refused: j.RefusalsExpected,
		BalancesAfter: j.BalancesAfter}
}

// Expected is the dry run's result that the caller confirms.
type Expected struct {
	Count int
	Total Units
}

// CheckExpected returns ErrSelectionChanged unless the outcome is the expected one.
func (o Outcome) CheckExpected(e Expected) error {
	if o.Succeeded != e.Count || o.Total != e.Total {
		return ErrSelectionChanged
	}
	return nil
}
