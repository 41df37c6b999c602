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

// Tx is the transaction of a command. Its rules write with the methods of Tx, which collect the changes for the entry.
type Tx struct {
	ports.Tx
	Actor        *reseller.Reseller
	Now          time.Time
	Call         Call
	sequences    []ports.Sequence
	ids          [2]int64 // of these sequences
	ExpiringDays line.Reminders

	// The record that the command changes.
	LineBefore     *line.State     // as it was read
	ResellerBefore *reseller.State // likewise
	Entry          journal.Entry
	alerts         []journal.Entry // that balances are low, or have recovered
	Written        bool            // something was written, possibly only the answer
}

// ID returns the id of a sequence that the command needs.
func (tx *Tx) ID(of ports.Sequence) int64 { return tx.ids[slices.Index(tx.sequences, of)] }

// Provenance returns the provenance of a movement.
func (tx *Tx) Provenance(notes profile.Text) credit.Provenance {
	return credit.Provenance{
		ID:        tx.ID(ports.MovementIDs),
		Actor:     tx.Call.Caller.Reseller(),
		ActorName: tx.Call.Actor(tx.Actor).Name,
		Request:   tx.Call.Request,
		Notes:     notes.String(),
		At:        tx.Now,
	}
}

// Reseller returns the reseller that the command changes.
func (tx *Tx) Reseller(ctx context.Context, id int64) (*reseller.Reseller, error) {
	r, err := tx.Resellers.Get(ctx, id)
	if err == nil {
		tx.TrackReseller(r)
	}
	return r, err
}

// TrackReseller makes a reseller, in its present state, the one that the command changes.
func (tx *Tx) TrackReseller(r *reseller.Reseller) {
	was := r.State()
	tx.ResellerBefore = &was
}

// InsertReseller inserts the reseller that the command creates.
func (tx *Tx) InsertReseller(ctx context.Context, r *reseller.Reseller) error {
	is := r.State()
	tx.Written, tx.Entry = true, tx.Entry.WithReseller(nil, &is)
	return tx.Resellers.Insert(ctx, r)
}

// SaveReseller saves a reseller, and records the changes of the one that the command changes.
func (tx *Tx) SaveReseller(ctx context.Context, r *reseller.Reseller) error {
	tx.Written = true
	if was := tx.ResellerBefore; was != nil && was.ID == r.ID() {
		is := r.State()
		tx.Entry = tx.Entry.WithReseller(was, &is)
	}
	tx.alert(r)
	return tx.Resellers.Save(ctx, r)
}

// SaveChangedReseller saves the reseller that the command changes, if it has changed: without a change nothing is
// written.
func (tx *Tx) SaveChangedReseller(ctx context.Context, r *reseller.Reseller) error {
	if reflect.DeepEqual(*tx.ResellerBefore, r.State()) {
		return nil
	}
	return tx.SaveReseller(ctx, r)
}

// Line returns the line that the command changes, which the caller may manage: that is any that it sees.
func (tx *Tx) Line(ctx context.Context, id int64) (*line.Line, error) {
	l, err := VisibleLine(ctx, tx.Lines, tx.Actor, id)
	if err != nil {
		return nil, err
	}
	was := l.State()
	tx.LineBefore = &was
	return l, nil
}

// SaveLine saves the line that the command changes.
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

// DeleteLine deletes the line that the command changes.
func (tx *Tx) DeleteLine(ctx context.Context, l *line.Line) error {
	tx.Written, tx.Entry = true, tx.Entry.WithDeletedLine(tx.LineBefore)
	return tx.Lines.Delete(ctx, l.Tombstone(tx.Actor.ID(), tx.Now))
}

// Post stores a movement and its resellers. An admin's record is not written when it issues credits, so that it never
// becomes a contended record.
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

// spends reports whether a movement counts against the limit of its actor: the cost of lines, and credits moved to
// other accounts. Credits that are taken back do not count.
func spends(m credit.Movement) bool { return m.Operation != credit.Reclaim }

// Spend counts a movement against the limit of the acting principal, if it has one, in the movement's transaction. It
// runs before any write: its refusal, *principal.SpendLimitReached, comes before a refusal because of another record.
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

// overLimit returns *principal.SpendLimitReached if an amount that the balance does not cover is over the principal's
// limit as well. This refusal comes first.
func (tx *Tx) overLimit(event journal.Type, err error) error {
	p := tx.Call.Caller.Principal()
	unpaid, is := errors.AsType[*reseller.InsufficientCredits](err)
	if p == nil || !is || event == journal.ResellerReclaimed {
		return nil
	}
	_, over := p.Spend(unpaid.Required, tx.Now)
	return over
}

// AppendEntry appends the entry of the command. A command that changed nothing has no entry, and a command without a
// type has no entry.
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
		if alert.Account.ID == tx.Actor.ID() { // an account does not see requests of its parents
			alert.Request = tx.Call.Request
		}
		if err := tx.Journal.Append(ctx, alert); err != nil {
			return err
		}
	}
	return nil
}

// alert adds the entry of a low-balance alert of a saved reseller, if the alert changed.
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

// Operator names the caller of commands at the machine.
const Operator = "operator"

// AppendOperatorEntry appends a change of a reseller by an operator; was is nil for a new one.
func AppendOperatorEntry(ctx context.Context, tx ports.Tx, event journal.Type, now time.Time, was *reseller.State,
	is *reseller.Reseller) error {
	after := is.State()
	e := journal.Entry{Type: event, At: now, Actor: journal.Actor{Kind: journal.ByOperator, Name: Operator}}
	return tx.Journal.Append(ctx, e.WithReseller(was, &after))
}
