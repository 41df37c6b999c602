package application

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// kernel runs the use cases of all families. What they have in common is applied here, once: the name in traces, the
// instant, authentication and admission, the idempotency key, the limit of free changes, the entry in the journal.
type kernel struct {
	dependencies Dependencies
	policy       Policy
	free         freeChanges
	signedIn     signedIn
}

func newKernel(dependencies Dependencies, policy Policy) *kernel {
	return &kernel{dependencies: dependencies, policy: policy, free: freeChanges{most: policy.FreeChangesPerDay}}
}

// follow notifies the observer, if any, that a use case begins, and returns the context of its work and a function to
// call when it has ended.
func (s *kernel) follow(ctx context.Context, useCase string) (inside context.Context, ended func()) {
	if s.dependencies.Observer == nil {
		return ctx, unfollowed
	}
	return s.dependencies.Observer.UseCase(ctx, useCase)
}

func unfollowed() {}

// reading is what the rules of a query have: one snapshot, the caller and the instant.
type reading struct {
	ports.Snapshot
	actor *reseller.Reseller
	now   time.Time
}

// query is a use case that changes nothing: its rules look over one snapshot on behalf of the caller.
func query[R any](
	ctx context.Context, s *kernel, call Call, name string, rules func(ctx context.Context, in reading) (R, error),
) (found R, err error) {
	ctx, ended := s.follow(ctx, name)
	defer ended()
	now := s.dependencies.Clock()
	err = s.read(ctx, call, now, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) (err error) {
		found, err = rules(ctx, reading{snapshot, actor, now})
		return err
	})
	return found, err
}

// command is a use case that changes something.
type command[R any] struct {
	name  string
	event journal.Type     // what it is in the journal
	reads ports.Reads      // what the rules read besides what every command reads: a hint for the store
	ids   []ports.Sequence // of each the rules need an id
	paid  bool             // it costs credits, so that it is no free change
	// it ends access, service or work: it counts as a free change, and is never refused as one too many
	emergency bool

	// check and slow, if given, come before the transaction. Slow does what may not be done inside of one, such as
	// hashing. Check refuses what the rules would, as far as a snapshot shows, so that a refusal costs no slow work.
	check func(ctx context.Context, in reading) error
	slow  func(ctx context.Context) error

	// rules decide and write. They may run several times. errStale makes the command start over with its check.
	rules func(ctx context.Context, do *work) (R, error)

	// again is a refusal by the store, possibly at the end of the transaction, that makes the command start over as well.
	again *fault.Fault
}

// errStale starts a command over: while it was slow, another request changed what it had checked.
var errStale = errors.New("what was checked has changed meanwhile")

// run runs a command in one transaction on behalf of the caller and records the rendered receipt under the call's key.
// A request that was answered before gets the recorded receipt and has no effect. One that would keep a record which
// another one has just kept, under the same key, is decided once more. A command that stores something without a charge
// counts as a free change of its caller: beyond those of a day the refusal is ErrTooManyFreeChanges, which comes before
// that of a balance.
func run[R any](ctx context.Context, s *kernel, call Call, render Render[R], c command[R]) (Receipt, error) {
	ctx, ended := s.follow(ctx, c.name)
	defer ended()
	return repeated(ctx, s, call, render, c)
}

// repeated is run of a part of a use case.
func repeated[R any](ctx context.Context, s *kernel, call Call, render Render[R], c command[R]) (Receipt, error) {
	for met := false; ; {
		receipt, err := once(ctx, s, call, render, &c)
		stale := errors.Is(err, errStale) || c.again != nil && errors.Is(err, c.again)
		if !stale && (met || !errors.Is(err, record.ErrExists)) {
			return receipt, err
		}
		met = !stale // another request was first, which is seen now
	}
}

func once[R any](ctx context.Context, s *kernel, call Call, render Render[R],
	c *command[R]) (receipt Receipt, err error) {
	do := &work{now: s.dependencies.Clock(), call: call, sequences: c.ids, expiring: s.policy.ExpiringDays}
	recorded, err := c.prepare(ctx, s, do)
	if err != nil {
		return Receipt{}, err
	}
	if recorded != nil {
		return *recorded, nil
	}
	counted := false
	giveBack := func() {
		if counted {
			s.free.giveBack(call.Caller.Holder(), do.now)
		}
		counted = false
	}
	defer func() {
		if err != nil {
			giveBack()
		}
	}()
	reads := c.reads
	reads.Actor, reads.Key = call.Caller.Reseller(), call.Key
	reads.Records = append(reads.Records, call.Caller.records()...)
	err = s.dependencies.Store.Update(ctx, func(ctx context.Context, stored ports.Tx) error {
		giveBack() // of a run before
		actor, recorded, err := s.begin(ctx, doorIn(stored), call, do.now)
		if err != nil {
			return err
		}
		if recorded != nil {
			receipt = *recorded
			return nil
		}
		do.tx, do.actor = stored, actor
		do.lineWas, do.resellerWas, do.entry, do.alerts, do.written = nil, nil, journal.Entry{}, nil, false
		result, err := c.decide(ctx, s, do)
		if err != nil {
			return err
		}
		receipt = render(result)
		if err := s.record(ctx, do, receipt); err != nil || !do.written {
			return err
		}
		counted, err = c.take(s, call.Caller, actor, 1, do.now)
		return err
	}, reads)
	s.signedIn.after(call.Caller, err)
	_ = s.keepUse(ctx, call.Caller, do.now) // the effect, or the refusal, stands
	if err != nil {
		return Receipt{}, err
	}
	return receipt, nil
}

// decide runs the rules, and appends to the journal what they have done.
func (c *command[R]) decide(ctx context.Context, s *kernel, do *work) (result R, err error) {
	result, err = c.rules(ctx, do)
	if errors.Is(err, reseller.ErrCredits) {
		_, spent := c.take(s, do.call.Caller, do.actor, 0, do.now)
		err = cmp.Or(spent, do.overLimit(c.event, err), err)
	}
	if err != nil {
		return result, err
	}
	return result, do.journal(ctx, c.event)
}

// uncounted returns a kernel that counts no free changes.
func (s *kernel) uncounted() *kernel { return &kernel{dependencies: s.dependencies, policy: s.policy} }

// decideOver runs the rules over a transaction whose writes the caller drops.
func (c *command[R]) decideOver(ctx context.Context, s *kernel, stored ports.Tx, call Call, actor *reseller.Reseller,
	now time.Time) (R, error) {
	return c.decide(ctx, s,
		&work{tx: stored, call: call, actor: actor, now: now, sequences: c.ids, ids: [2]int64{1, 1}})
}

// prepare does what comes before the transaction, and returns the receipt of a request that was answered before.
func (c *command[R]) prepare(ctx context.Context, s *kernel, do *work) (recorded *Receipt, err error) {
	if c.check != nil {
		check := func(ctx context.Context, in reading) error {
			if err := c.check(ctx, in); err != nil {
				return err
			}
			_, err := c.take(s, do.call.Caller, in.actor, 0, do.now)
			return err
		}
		if recorded, err = s.precheck(ctx, do.call, do.now, check); err != nil || recorded != nil {
			return recorded, err
		}
	}
	if c.slow != nil {
		if err := c.slow(ctx); err != nil {
			return nil, err
		}
	}
	for i, of := range c.ids {
		if do.ids[i], err = s.dependencies.Store.NextID(ctx, of); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// work is what the rules of a command have. They write by its verbs alone.
type work struct {
	tx        ports.Tx
	actor     *reseller.Reseller
	now       time.Time
	call      Call
	sequences []ports.Sequence
	ids       [2]int64 // of these sequences
	expiring  line.Reminders

	// What becomes of the record that the command is about.
	lineWas     *line.State     // as it was got
	resellerWas *reseller.State // likewise
	entry       journal.Entry
	alerts      []journal.Entry // that balances are low, or have recovered
	written     bool            // something was, possibly the answer alone
}

// id returns the id of a sequence that the command needs one of.
func (do *work) id(of ports.Sequence) int64 { return do.ids[slices.Index(do.sequences, of)] }

// provenance signs for a movement.
func (do *work) provenance(notes profile.Text) credit.Provenance {
	return credit.Provenance{
		ID:      do.id(ports.MovementIDs),
		Actor:   do.call.Caller.Reseller(),
		Request: do.call.Request,
		Notes:   notes.String(),
		At:      do.now,
	}
}

// reseller returns the reseller that the command is about.
func (do *work) reseller(ctx context.Context, id int64) (*reseller.Reseller, error) {
	r, err := do.tx.Resellers.Get(ctx, id)
	if err == nil {
		do.about(r)
	}
	return r, err
}

// about says that the command is about a reseller, as it is before any change.
func (do *work) about(r *reseller.Reseller) {
	was := r.State()
	do.resellerWas = &was
}

func (do *work) insertReseller(ctx context.Context, r *reseller.Reseller) error {
	is := r.State()
	do.written, do.entry = true, do.entry.OfReseller(nil, &is)
	return do.tx.Resellers.Insert(ctx, r)
}

func (do *work) saveReseller(ctx context.Context, r *reseller.Reseller) error {
	do.written = true
	if was := do.resellerWas; was != nil && was.ID == r.ID() {
		is := r.State()
		do.entry = do.entry.OfReseller(was, &is)
	}
	do.alert(r)
	return do.tx.Resellers.Save(ctx, r)
}

// saveChangedReseller saves the reseller that the command is about if it has changed: without a change nothing is
// written.
func (do *work) saveChangedReseller(ctx context.Context, r *reseller.Reseller) error {
	if reflect.DeepEqual(*do.resellerWas, r.State()) {
		return nil
	}
	return do.saveReseller(ctx, r)
}

// line returns the line that the command is about, which the caller may manage: that is any that it sees.
func (do *work) line(ctx context.Context, id int64) (*line.Line, error) {
	l, err := seenLine(ctx, do.tx.Lines, do.actor, id)
	if err != nil {
		return nil, err
	}
	was := l.State()
	do.lineWas = &was
	return l, nil
}

func (do *work) insertLine(ctx context.Context, l *line.Line) error {
	is := l.State()
	do.written, do.entry = true, do.entry.OfLine(nil, &is)
	if err := do.tx.Lines.Insert(ctx, l); err != nil {
		return err
	}
	return setBack(ctx, do.tx, l, do.expiring.DueUnderWay(l))
}

func (do *work) saveLine(ctx context.Context, l *line.Line) error {
	is := l.State()
	do.written, do.entry = true, do.entry.OfLine(do.lineWas, &is)
	return do.tx.Lines.Save(ctx, l)
}

// saveChangedLine saves a line that has changed: without a change nothing is written.
func (do *work) saveChangedLine(ctx context.Context, l *line.Line) error {
	if reflect.DeepEqual(*do.lineWas, l.State()) {
		return nil
	}
	return do.saveLine(ctx, l)
}

// deleteLine deletes the line that the command is about.
func (do *work) deleteLine(ctx context.Context, l *line.Line) error {
	do.written, do.entry = true, do.entry.OfDeletedLine(do.lineWas)
	return do.tx.Lines.Delete(ctx, l.Tombstone(do.actor.ID(), do.now))
}

// post keeps a movement and those of the resellers that it concerns. An admin's
// record is not written for what it issues, and so never becomes a hot one.
func (do *work) post(ctx context.Context, m credit.Movement, resellers ...*reseller.Reseller) error {
	for _, r := range resellers {
		if _, concerned := m.Posting(r.ID()); !concerned {
			continue
		}
		if err := do.saveReseller(ctx, r); err != nil {
			return err
		}
	}
	do.entry.Movement = journal.MovementOf(m)
	return do.tx.Ledger.Append(ctx, m)
}
