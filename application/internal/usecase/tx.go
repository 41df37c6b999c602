package usecase

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Tx is the transaction of a command. Its rules write by the methods of Tx, which find out what the entry says.
type Tx struct {
	ports.Tx
	Actor        *reseller.Reseller
	Now          time.Time
	Call         Call
	sequences    []ports.Sequence
	ids          [2]int64 // of these sequences
	ExpiringDays line.Reminders

	// The change of the record that the command is about.
	LineBefore     *line.State     // as it was got
	ResellerBefore *reseller.State // likewise
	Entry          journal.Entry
	alerts         []journal.Entry // that balances are low, or have recovered
	Written        bool            // something was, possibly the answer alone
}

// ID returns the id of a sequence that the command needs one of.
func (tx *Tx) ID(of ports.Sequence) int64 { return tx.ids[slices.Index(tx.sequences, of)] }

// Provenance signs for a movement.
func (tx *Tx) Provenance(notes profile.Text) credit.Provenance {
	return credit.Provenance{
		ID:      tx.ID(ports.MovementIDs),
		Actor:   tx.Call.Caller.Reseller(),
		Request: tx.Call.Request,
		Notes:   notes.String(),
		At:      tx.Now,
	}
}

// Reseller returns the reseller that the command is about.
func (tx *Tx) Reseller(ctx context.Context, id int64) (*reseller.Reseller, error) {
	r, err := tx.Resellers.Get(ctx, id)
	if err == nil {
		tx.TrackReseller(r)
	}
	return r, err
}

// TrackReseller says that the command is about a reseller, as it is before any change.
func (tx *Tx) TrackReseller(r *reseller.Reseller) {
	was := r.State()
	tx.ResellerBefore = &was
}

// InsertReseller inserts the reseller that the command is about.
func (tx *Tx) InsertReseller(ctx context.Context, r *reseller.Reseller) error {
	is := r.State()
	tx.Written, tx.Entry = true, tx.Entry.WithReseller(nil, &is)
	return tx.Resellers.Insert(ctx, r)
}

// SaveReseller saves a reseller, and notes what changed of the one that the command is about.
func (tx *Tx) SaveReseller(ctx context.Context, r *reseller.Reseller) error {
	tx.Written = true
	if was := tx.ResellerBefore; was != nil && was.ID == r.ID() {
		is := r.State()
		tx.Entry = tx.Entry.WithReseller(was, &is)
	}
	tx.alert(r)
	return tx.Resellers.Save(ctx, r)
}

// SaveChangedReseller saves the reseller that the command is about if it has changed: without a change nothing is
// written.
func (tx *Tx) SaveChangedReseller(ctx context.Context, r *reseller.Reseller) error {
	if reflect.DeepEqual(*tx.ResellerBefore, r.State()) {
		return nil
	}
	return tx.SaveReseller(ctx, r)
}

// Line returns the line that the command is about, which the caller may manage: that is any that it sees.
func (tx *Tx) Line(ctx context.Context, id int64) (*line.Line, error) {
	l, err := VisibleLine(ctx, tx.Lines, tx.Actor, id)
	if err != nil {
		return nil, err
	}
	was := l.State()
	tx.LineBefore = &was
	return l, nil
}

// SaveLine saves the line that the command is about.
func (tx *Tx) SaveLine(ctx context.Context, l *line.Line) error {
	is := l.State()
	tx.Written, tx.Entry = true, tx.Entry.WithLine(tx.LineBefore, &is)
	return tx.Lines.Save(ctx, l)
}

// SaveChangedLine saves a line that has changed: without a change nothing is written.
func (tx *Tx) SaveChangedLine(ctx context.Context, l *line.Line) error {
	if reflect.DeepEqual(*tx.LineBefore, l.State()) {
		return nil
	}
	return tx.SaveLine(ctx, l)
}

// DeleteLine deletes the line that the command is about.
func (tx *Tx) DeleteLine(ctx context.Context, l *line.Line) error {
	tx.Written, tx.Entry = true, tx.Entry.WithDeletedLine(tx.LineBefore)
	return tx.Lines.Delete(ctx, l.Tombstone(tx.Actor.ID(), tx.Now))
}

// Post stores a movement and those of the resellers that it concerns. An admin's record is not written for what it
// issues, so that it never becomes a contended one.
func (tx *Tx) Post(ctx context.Context, m credit.Movement, resellers ...*reseller.Reseller) error {
	for _, r := range resellers {
		if _, concerned := m.Posting(r.ID()); !concerned {
			continue
		}
		if err := tx.SaveReseller(ctx, r); err != nil {
			return err
		}
	}
	tx.Entry.Movement = journal.MovementOf(m)
	return tx.Ledger.Append(ctx, m)
}

// spends reports whether a movement counts against the limit of who makes it: what lines cost, and credits that are
// given away. Those that are taken back do not.
func spends(m credit.Movement) bool { return m.Operation != credit.Reclaim }

// Spend counts a movement against the limit of the principal that makes it, if it has one, in the movement's
// transaction. It comes before anything is written: the refusal, *principal.SpendLimitReached, comes before that of
// what another record has.
func (tx *Tx) Spend(ctx context.Context, m credit.Movement) error {
	p := tx.Call.Caller.Principal()
	if p == nil || p.Limit == 0 || !spends(m) {
		return nil
	}
	spent, err := p.Spend(m.Amount, tx.Now)
	if err != nil {
		return err
	}
	tx.Call.Caller.acting.found.Store(&spent)
	return ports.Principals.In(tx.Records).Save(ctx, spent)
}

// overLimit returns *principal.SpendLimitReached if what the balance does not cover is over the principal's limit as
// well, which is told first.
func (tx *Tx) overLimit(event journal.Type, err error) error {
	p := tx.Call.Caller.Principal()
	unpaid, is := errors.AsType[*reseller.InsufficientCredits](err)
	if p == nil || !is || event == journal.ResellerReclaimed {
		return nil
	}
	_, over := p.Spend(unpaid.Required, tx.Now)
	return over
}

// AppendEntry appends what the command has done. One that has changed nothing has no entry, nor has one without a type.
func (tx *Tx) AppendEntry(ctx context.Context, event journal.Type) error {
	if !tx.Written || event == (journal.Type{}) {
		return nil
	}
	e := tx.Entry
	e.Type, e.At, e.Request, e.Actor = event, tx.Now, tx.Call.Request, tx.Call.Actor(tx.Actor)
	if err := tx.Journal.Append(ctx, e); err != nil {
		return err
	}
	for _, alert := range tx.alerts {
		alert.At, alert.Actor = tx.Now, journal.Actor{Kind: journal.BySystem}
		if alert.Account.ID == tx.Actor.ID() { // no account sees the request of another one above it
			alert.Request = tx.Call.Request
		}
		if err := tx.Journal.Append(ctx, alert); err != nil {
			return err
		}
	}
	return nil
}

// alert tells of the balance of a reseller that is saved, if its alert says so.
func (tx *Tx) alert(r *reseller.Reseller) {
	var e journal.Entry
	switch r.AlertChange() {
	case reseller.Unchanged:
		return
	case reseller.Low:
		e.Type = journal.BalanceLow
	case reseller.Recovered:
		e.Type = journal.BalanceRecovered
	}
	is := r.State()
	tx.alerts = append(tx.alerts, e.WithBalance(&is))
}

// Operator names the caller of what is done at the machine.
const Operator = "operator"

// AppendOperatorEntry appends what an operator has done to a reseller; was is nil if it is new.
func AppendOperatorEntry(ctx context.Context, tx ports.Tx, event journal.Type, now time.Time, was *reseller.State,
	is *reseller.Reseller) error {
	after := is.State()
	e := journal.Entry{Type: event, At: now, Actor: journal.Actor{Kind: journal.ByOperator, Name: Operator}}
	return tx.Journal.Append(ctx, e.WithReseller(was, &after))
}
