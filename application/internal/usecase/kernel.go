// Package usecase runs the commands and queries of every feature. It implements their common steps: the name in traces,
// the instant, admission of the caller, the idempotency key, the limit of free changes, the entry in the journal.
package usecase

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Kernel runs the use cases of every feature.
type Kernel struct {
	Dependencies Dependencies
	Policy       Policy
	FreeChanges  freeChanges
	Sessions     SessionCache
}

// New returns a kernel.
func New(dependencies Dependencies, policy Policy) *Kernel {
	return &Kernel{Dependencies: dependencies, Policy: policy, FreeChanges: freeChanges{most: policy.FreeChangesPerDay}}
}

// Observe notifies the observer, if any, that a use case begins. It returns the context of its work and a function to
// call at its end.
func (s *Kernel) Observe(ctx context.Context, useCase string) (inside context.Context, ended func()) {
	if s.Dependencies.Observer == nil {
		return ctx, func() {}
	}
	return s.Dependencies.Observer.UseCase(ctx, useCase)
}

// View is the data for the rules of a query: one snapshot, the caller and the instant.
type View struct {
	ports.Snapshot
	Actor *reseller.Reseller
	Now   time.Time
}

// Query runs a use case that changes nothing: its rules look over one snapshot for the caller.
func Query[R any](
	ctx context.Context, s *Kernel, call Call, name string, rules func(ctx context.Context, in View) (R, error),
) (found R, err error) {
	ctx, ended := s.Observe(ctx, name)
	defer ended()
	now := s.Dependencies.Clock()
	err = s.Read(ctx, call, now, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) (err error) {
		found, err = rules(ctx, View{snapshot, actor, now})
		return err
	})
	return found, err
}

// Command is a use case that changes something.
type Command[R any] struct {
	Name  string
	Event journal.Type     // of its entry in the journal
	Reads ports.Reads      // besides the reads of every command: a hint for the store
	IDs   []ports.Sequence // the rules need an id of each
	Paid  bool             // it costs credits, so it is not a free change
	// It ends access, service or work. It counts as a free change, and the limit never refuses it.
	Emergency bool

	// Check and Slow, if given, run before the transaction. Slow does work that a transaction must not do, such as
	// hashing. Check refuses what the rules would refuse, as far as a snapshot shows, so that a refused command does no
	// slow work.
	Check func(ctx context.Context, in View) error
	Slow  func(ctx context.Context) error

	// Rules decide and write. They may run several times. With StartOver the command starts again, with its check.
	Rules func(ctx context.Context, tx *Tx) (R, error)

	// RetryOn are refusals by the store, possibly at the end of the transaction, after which the command starts again
	// as well.
	RetryOn []error
}

// StartOver restarts a command: another request has changed what the command had read.
type StartOver struct {
	first error // the refusal of a record that another request wrote first
}

// Error implements error.
func (StartOver) Error() string { return "another request has changed what the command had read" }

// Run runs a command in one transaction for the caller and records the rendered receipt under the call's key. A request
// that was answered before gets the recorded receipt and has no effect. A command that stores something without a
// charge counts as a free change of its caller. Over the daily limit the refusal is ErrTooManyFreeChanges, which comes
// before that of a balance.
func Run[R any](ctx context.Context, s *Kernel, call Call, render Render[R], c Command[R]) (Receipt, error) {
	ctx, ended := s.Observe(ctx, c.Name)
	defer ended()
	return RunPart(ctx, s, call, render, c)
}

// RunPart is Run for a part of a use case, which has no name in traces. If another request wrote a record first, such
// as the receipt under the same key, the command starts again once: it then reads that record.
func RunPart[R any](ctx context.Context, s *Kernel, call Call, render Render[R], c Command[R]) (Receipt, error) {
	for first := false; ; {
		r := run[R]{k: s, c: &c, render: render, begun: Tx{Now: s.Dependencies.Clock(), Call: call, sequences: c.IDs,
			ExpiringDays: s.Policy.ExpiringDays}}
		receipt, err := r.once(ctx)
		over, is := errors.AsType[StartOver](err)
		if !is || first && over.first != nil {
			return receipt, cmp.Or(over.first, err)
		}
		first = over.first != nil
	}
}

// run is one run of a command.
type run[R any] struct {
	k      *Kernel
	c      *Command[R]
	render Render[R]
	begun  Tx // state at the beginning of each attempt of the transaction

	// Of the last attempt:
	result  R
	receipt *Receipt // nil: rendered after the commit
	counted bool     // as a free change
}

func (r *run[R]) once(ctx context.Context) (Receipt, error) {
	call := r.begun.Call
	recorded, err := r.c.prepare(ctx, r.k, &r.begun)
	if err != nil {
		return Receipt{}, err
	}
	if recorded != nil {
		return *recorded, nil
	}
	reads := r.c.Reads
	reads.Actor, reads.Key = call.Caller.Reseller(), call.Key
	reads.Records = append(reads.Records, call.Caller.records()...)
	err = r.k.Dependencies.Store.Update(ctx, r.attempt, reads)
	if err != nil {
		r.uncount()
	}
	r.k.Sessions.After(call.Caller, err)
	_ = r.k.SaveUse(ctx, call.Caller, r.begun.Now) // the effect, or the refusal, counts with or without it
	switch {
	case err != nil:
		return Receipt{}, r.c.startOver(err)
	case r.receipt == nil:
		return r.render(r.result), nil
	}
	return *r.receipt, nil
}

// startOver returns StartOver for the refusals by the store after which the command starts again.
func (c *Command[R]) startOver(err error) error {
	switch {
	case slices.ContainsFunc(c.RetryOn, func(refusal error) bool { return errors.Is(err, refusal) }):
		return StartOver{}
	case errors.Is(err, record.ErrExists):
		return StartOver{first: err}
	}
	return err
}

// attempt decides in a transaction. It renders the receipt only if a key stores it.
func (r *run[R]) attempt(ctx context.Context, stored ports.Tx) (err error) {
	r.uncount() // of an earlier attempt
	tx := r.begun
	tx.Tx = stored
	tx.Actor, r.receipt, err = r.k.begin(ctx, AdmissionIn(stored), tx.Call, tx.Now)
	if err != nil || r.receipt != nil {
		return err
	}
	if r.result, err = r.c.decide(ctx, r.k, &tx); err != nil {
		return err
	}
	if tx.Call.Key != "" {
		receipt := r.render(r.result)
		r.receipt = &receipt
		if err := r.k.storeAnswer(ctx, &tx, receipt); err != nil {
			return err
		}
	}
	if tx.Written {
		r.counted, err = r.c.take(r.k, tx.Call.Caller, tx.Actor, 1, tx.Now)
	}
	return err
}

func (r *run[R]) uncount() {
	if r.counted {
		r.k.FreeChanges.uncount(r.begun.Call.Caller.Holder(), r.begun.Now)
	}
	r.counted = false
}

// decide runs the rules, and appends their entry to the journal.
func (c *Command[R]) decide(ctx context.Context, s *Kernel, tx *Tx) (result R, err error) {
	result, err = c.Rules(ctx, tx)
	if errors.Is(err, reseller.ErrCredits) {
		_, spent := c.take(s, tx.Call.Caller, tx.Actor, 0, tx.Now)
		err = cmp.Or(spent, tx.overLimit(c.Event, err), err)
	}
	if err != nil {
		return result, err
	}
	return result, tx.AppendEntry(ctx, c.Event)
}

// DecideOver runs the rules over a transaction whose writes the caller drops. It counts no free change.
func (c *Command[R]) DecideOver(ctx context.Context, stored ports.Tx, call Call, actor *reseller.Reseller,
	now time.Time) (R, error) {
	return c.decide(ctx, uncounted,
		&Tx{Tx: stored, Call: call, Actor: actor, Now: now, sequences: c.IDs, ids: [2]int64{1, 1}})
}

var uncounted = new(Kernel) // without a limit

// prepare runs the steps before the transaction, and returns the receipt of a request that was answered before.
func (c *Command[R]) prepare(ctx context.Context, s *Kernel, tx *Tx) (recorded *Receipt, err error) {
	if c.Check != nil {
		check := func(ctx context.Context, in View) error {
			if err := c.Check(ctx, in); err != nil {
				return err
			}
			_, err := c.take(s, tx.Call.Caller, in.Actor, 0, tx.Now)
			return err
		}
		if recorded, err = s.Precheck(ctx, tx.Call, tx.Now, check); err != nil || recorded != nil {
			return recorded, err
		}
	}
	if c.Slow != nil {
		if err := c.Slow(ctx); err != nil {
			return nil, err
		}
	}
	for i, of := range c.IDs {
		if tx.ids[i], err = s.Dependencies.Store.NextID(ctx, of); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
