package usecase

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"resellerd/domain/lease"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Leases assigns background work to one process. No API operation reaches it.
type Leases struct{ k *Kernel }

// Leases returns the use cases of leases.
func (s *Kernel) Leases() Leases { return Leases{s} }

// BackgroundLease is the name of the lease of background work.
const BackgroundLease = "background"

// ErrNotHeld reports that another process holds the lease. Nothing was changed.
var ErrNotHeld = errors.New("another process does the background work")

func readLease(ctx context.Context, records record.Reader) (lease.Lease, error) {
	l, err := ports.Leases.From(records).Get(ctx, BackgroundLease)
	if IsNotFound(err) {
		return lease.Lease{Name: BackgroundLease}, nil
	}
	return l, err
}

// Get returns the lease of background work.
func (s Leases) Get(ctx context.Context) (lease.Lease, error) {
	return ReadSnapshot(ctx, s.k, func(ctx context.Context, snapshot ports.Snapshot) (lease.Lease, error) {
		return readLease(ctx, snapshot.Records)
	})
}

// Change saves the result of change, if it changed the lease, and returns it.
func (s Leases) Change(ctx context.Context, change func(lease.Lease) (lease.Lease, bool)) (l lease.Lease,
	err error) {
	err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		leases := ports.Leases.In(tx.Records)
		was, err := leases.Get(ctx, BackgroundLease)
		absent := IsNotFound(err)
		if absent {
			was, err = lease.Lease{Name: BackgroundLease}, nil
		}
		if err != nil {
			return err
		}
		is, changed := change(was)
		switch l = is; {
		case !changed:
			return nil
		case absent:
			return leases.Insert(ctx, is)
		}
		return leases.Save(ctx, is)
	}, ports.Reads{Records: []record.Name{ports.Leases.Named(BackgroundLease)}})
	return l, err
}

// CheckLease returns ErrNotHeld unless a process holds the lease. A process that lost it a moment ago may pass. Its
// successor has saved the same record, or will.
func CheckLease(ctx context.Context, tx ports.Tx, by string) error {
	l, err := readLease(ctx, tx.Records)
	if err == nil && l.Holder != by {
		err = ErrNotHeld
	}
	return err
}

// Loop has the parts that the loops of background work share.
type Loop struct {
	Process string // a name that no other process has
	After   func(d time.Duration) <-chan time.Time
	Passed  func() time.Duration // since any fixed instant, by a clock that can't be set
	Log     *slog.Logger
	EndAll  context.CancelCauseFunc // ends all loops, with ErrNotHeld if another process has the lease
}

// Sleep waits, and returns false if ctx has ended.
func (l *Loop) Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-l.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// Failure is the state of one kind of failure: it is logged once, until a success.
type Failure struct{ logged bool }

// Report handles the result of a step. ErrNotHeld ends all loops.
func (f *Failure) Report(ctx context.Context, l *Loop, message string, err error, details ...any) {
	if errors.Is(err, ErrNotHeld) {
		l.EndAll(err)
	}
	if err != nil && !f.logged && ctx.Err() == nil {
		l.Log.Warn(message, append(details, slog.Any("error", err))...)
	}
	f.logged = err != nil
}
