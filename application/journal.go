package application

import (
	"context"
	"errors"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Epochs begin the journal. They are not reachable over the API.
type Epochs struct{ *kernel }

// epochs returns this family.
func (s *kernel) epochs() Epochs { return Epochs{s} }

// journal appends what the command has done. One that has changed nothing has no entry, nor has one without a type.
func (do *work) journal(ctx context.Context, event journal.Type) error {
	if !do.written || event == (journal.Type{}) {
		return nil
	}
	e := do.entry
	e.Type, e.At, e.Request, e.Actor = event, do.now, do.call.Request, do.call.by(do.actor)
	if err := do.tx.Journal.Append(ctx, e); err != nil {
		return err
	}
	for _, alert := range do.alerts {
		alert.At, alert.Actor = do.now, journal.Actor{Kind: journal.BySystem}
		if alert.Account.ID == do.actor.ID() { // no account sees the request of another one above it
			alert.Request = do.call.Request
		}
		if err := do.tx.Journal.Append(ctx, alert); err != nil {
			return err
		}
	}
	return nil
}

// alert tells of the balance of a reseller that is saved, if its alert says so.
func (do *work) alert(r *reseller.Reseller) {
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
	do.alerts = append(do.alerts, e.OfBalance(&is))
}

// by is who does what is called for.
func (c Call) by(actor *reseller.Reseller) journal.Actor {
	by := journal.Actor{Account: actor.ID(), Kind: journal.ByToken, Name: actor.State().Username.String(),
		Address: c.Address}
	if c.Caller.session != nil || c.Caller.job != nil && c.Caller.job.Session {
		by.Kind = journal.BySession
	}
	if p := c.Caller.principal(); p != nil {
		by.Kind, by.Principal, by.Name = journal.ByKey, p.ID, p.Name
		if p.Kind == principal.Staff {
			by.Kind = journal.ByStaff
		}
	}
	return by
}

// operated appends what an operator has done to a reseller; was is nil if it is new.
func operated(ctx context.Context, tx ports.Tx, event journal.Type, now time.Time, was *reseller.State,
	is *reseller.Reseller) error {
	after := is.State()
	e := journal.Entry{Type: event, At: now, Actor: journal.Actor{Kind: journal.ByOperator, Name: operator}}
	return tx.Journal.Append(ctx, e.OfReseller(was, &after))
}

// Epoch returns the epoch of the journal that is in force, "" before it has begun.
func (s Epochs) Epoch(ctx context.Context) (epoch journal.Epoch, err error) {
	err = s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) (err error) {
		epoch, err = tx.Journal.Epoch(ctx)
		return err
	})
	return epoch, err
}

// BeginJournal begins the journal of a new store. It may be called at each start.
func (s Epochs) BeginJournal(ctx context.Context) error {
	epoch, err := s.Epoch(ctx)
	if err != nil || epoch != "" {
		return err
	}
	// which another process has begun
	if err := s.beginEpoch(ctx, "", journal.Entry{Type: journal.Began}); !errors.Is(err, ports.ErrEpoch) {
		return err
	}
	return nil
}

// RestoredJournal begins another epoch in a store that was restored from a backup.
func (s Epochs) RestoredJournal(ctx context.Context) error {
	epoch, err := s.Epoch(ctx)
	if err != nil {
		return err
	}
	return s.beginEpoch(ctx, epoch,
		journal.Entry{Type: journal.Restored,
			Data: []journal.Datum{{Name: journal.PreviousEpoch, Value: journal.Text(string(epoch))}}})
}

func (s Epochs) beginEpoch(ctx context.Context, from journal.Epoch, e journal.Entry) error {
	random := s.dependencies.Generator.Generation()
	epoch := journal.EpochOf([4]byte(random[:]))
	e.At, e.Actor = s.dependencies.Clock(), journal.Actor{Kind: journal.BySystem}
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		return tx.Journal.Begin(ctx, from, epoch, e)
	})
}

// ServiceKeyReplaced appends that everything is sealed under another service key.
func (s Epochs) ServiceKeyReplaced(ctx context.Context) error {
	e := journal.Entry{Type: journal.KeyReplaced, At: s.dependencies.Clock(),
		Actor: journal.Actor{Kind: journal.ByOperator, Name: operator}}
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		return tx.Journal.Append(ctx, e)
	})
}
