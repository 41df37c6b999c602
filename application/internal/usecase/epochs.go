package usecase

import (
	"context"
	"errors"
	"sort"

	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// errCursorUnknown refuses a cursor whose numbers may be assigned again.
var errCursorUnknown = fault.New(fault.Gone, "cursor-unknown",
	"The store was restored from a backup after this cursor was returned, and the journal began a new epoch.")

// CursorUnknown refuses a cursor of another epoch than the one in force.
type CursorUnknown struct {
	Restart string // cursor right before the first entry of the epoch in force
}

// Error implements error.
func (*CursorUnknown) Error() string { return errCursorUnknown.Error() }

// Unwrap makes it match its fault.
func (*CursorUnknown) Unwrap() error { return errCursorUnknown }

// Members implements fault.Detailed.
func (e *CursorUnknown) Members() []fault.Member {
	return []fault.Member{{Name: "restart", Value: e.Restart}}
}

// EventCursor is a position in the journal: right after an entry in the order of the query. The following entries have
// larger numbers or, from the newest on, smaller ones.
type EventCursor struct {
	Epoch journal.Epoch // in force when the cursor was returned
	Seq   int64
}

// EventCursorPrefix is the beginning of cursors of the journal.
const EventCursorPrefix = "events "

// EventOrder is the order of entries while an epoch is in force.
func EventOrder(epoch journal.Epoch) Order { return Order{Name: EventCursorPrefix + string(epoch)} }

// String returns the cursor in the form for callers.
func (c EventCursor) String() string { return EventOrder(c.Epoch).NumberCursor(c.Seq).String() }

// FirstOfEpoch returns the number of the first entry of the epoch in force, by a binary search: epochs follow one
// another.
func FirstOfEpoch(ctx context.Context, events ports.Events, head journal.Head) (first int64, err error) {
	before := sort.Search(int(head.Seq), func(after int) bool {
		page := ports.EventPage{Next: int64(after)}
		for more := true; more && err == nil && len(page.Entries) == 0; more = page.Next != 0 { // past damaged entries
			page, err = events.List(ctx, ports.EventQuery{After: page.Next, Limit: 1})
		}
		return err != nil || len(page.Entries) == 0 || page.Entries[0].Epoch == head.Epoch
	})
	return int64(before) + 1, err
}

// Epochs begins the journal, and begins a new epoch after a restore. No API operation reaches it.
type Epochs struct{ k *Kernel }

// Epochs returns the use cases of the journal's epochs.
func (s *Kernel) Epochs() Epochs { return Epochs{s} }

// Current returns the epoch of the journal that is in force, "" before it has begun.
func (s Epochs) Current(ctx context.Context) (epoch journal.Epoch, err error) {
	err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) (err error) {
		epoch, err = tx.Journal.Epoch(ctx)
		return err
	})
	return epoch, err
}

// Begin begins the journal of a new store. It may be called at each start.
func (s Epochs) Begin(ctx context.Context) error {
	epoch, err := s.Current(ctx)
	if err != nil || epoch != "" {
		return err
	}
	// unless another process has begun it
	if err := s.beginEpoch(ctx, "", journal.Entry{Type: journal.Began}); !errors.Is(err, ports.ErrEpoch) {
		return err
	}
	return nil
}

// BeginRestored begins a new epoch in a store that was restored from a backup.
func (s Epochs) BeginRestored(ctx context.Context) error {
	epoch, err := s.Current(ctx)
	if err != nil {
		return err
	}
	return s.beginEpoch(ctx, epoch,
		journal.Entry{Type: journal.Restored,
			Data: []journal.Datum{{Name: journal.PreviousEpoch, Value: journal.Text(string(epoch))}}})
}

func (s Epochs) beginEpoch(ctx context.Context, from journal.Epoch, e journal.Entry) error {
	random := s.k.Dependencies.Generator.Generation()
	epoch := journal.EpochOf([4]byte(random[:]))
	e.At, e.Actor = s.k.Dependencies.Clock(), journal.Actor{Kind: journal.BySystem}
	return s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		return tx.Journal.Begin(ctx, from, epoch, e)
	})
}

// ServiceKeyReplaced appends the entry that the operator replaced the service key.
func (s Epochs) ServiceKeyReplaced(ctx context.Context) error {
	e := journal.Entry{Type: journal.KeyReplaced, At: s.k.Dependencies.Clock(),
		Actor: journal.Actor{Kind: journal.ByOperator, Name: Operator}}
	return s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		return tx.Journal.Append(ctx, e)
	})
}
