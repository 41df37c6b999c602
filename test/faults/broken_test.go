package faults

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	accounts "resellerd/domain/reseller"
	"resellerd/ports"
)

// brokenStores are stores that each break a promise, in the way that its name says.
var brokenStores = map[string]func(ports.Store) ports.Store{
	"saves a reseller that has changed since it was got": func(s ports.Store) ports.Store { return &apart{Store: s} },
	"loses an update that it has acknowledged":           func(s ports.Store) ports.Store { return &losing{Store: s} },
	"forgets idempotency keys":                           func(s ports.Store) ports.Store { return &forgetful{s} },
	"keeps what it has refused":                          func(s ports.Store) ports.Store { return &keeping{s} },
	"reads in an update what was there a while ago":      func(s ports.Store) ports.Store { return &stale{Store: s, was: map[int64]accounts.State{}} },
}

type work = func(ctx context.Context, tx ports.Tx) error

// apart lets others come between what an update reads of a balance and what it writes.
type apart struct{ ports.Store }

// Update implements ports.Store.
func (a *apart) Update(ctx context.Context, do work, hints ...ports.Reads) error {
	seen := map[int64]accounts.State{}
	err := a.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		tx.Resellers = gotten{tx.Resellers, func(r *accounts.Reseller) (*accounts.Reseller, error) {
			seen[r.ID()] = r.State()
			return r, nil
		}}
		_ = do(ctx, tx) // which says what it reads
		return errThrownAway
	}, hints...)
	if !errors.Is(err, errThrownAway) {
		return err
	}
	time.Sleep(5 * time.Millisecond)
	return a.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		tx.Resellers = gotten{tx.Resellers, func(r *accounts.Reseller) (*accounts.Reseller, error) {
			now := r.State()
			if was, found := seen[r.ID()]; found {
				now.Credits = was.Credits // the place in the ledger is that of now, or the ledger would refuse the movement
			}
			return accounts.Restore(now)
		}}
		return do(ctx, tx)
	}, hints...)
}

// gotten changes what is got.
type gotten struct {
	ports.Resellers
	change func(*accounts.Reseller) (*accounts.Reseller, error)
}

// Get implements ports.Resellers.
func (g gotten) Get(ctx context.Context, id int64) (*accounts.Reseller, error) {
	r, err := g.Resellers.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return g.change(r)
}

// losing undoes one update in thirty, and says that it is done.
type losing struct {
	ports.Store
	n atomic.Int64
}

var errLost = errors.New("lost")

// Update implements ports.Store.
func (l *losing) Update(ctx context.Context, do work, hints ...ports.Reads) error {
	if l.n.Add(1)%30 != 0 {
		return l.Store.Update(ctx, do, hints...)
	}
	err := l.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		if err := do(ctx, tx); err != nil {
			return err
		}
		return errLost
	}, hints...)
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

// forgetful keeps no idempotency record.
type forgetful struct{ ports.Store }

type noKeys struct{ ports.Keys }

// Put implements ports.Keys.
func (noKeys) Put(context.Context, ports.KeyRecord) error { return nil }

// Update implements ports.Store.
func (f *forgetful) Update(ctx context.Context, do work, hints ...ports.Reads) error {
	return f.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		tx.Keys = noKeys{tx.Keys}
		return do(ctx, tx)
	}, hints...)
}

// keeping undoes nothing where a run of a work counts for nothing.
type keeping struct{ ports.Store }

// Update implements ports.Store.
func (k *keeping) Update(ctx context.Context, do work, hints ...ports.Reads) error {
	var refused error
	err := k.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		refused = do(ctx, tx)
		return nil
	}, hints...)
	return errors.Join(err, refused)
}

// stale keeps what it has read of a reseller for a while.
type stale struct {
	ports.Store
	mu  sync.Mutex
	was map[int64]accounts.State
	n   int
}

// Update implements ports.Store.
func (s *stale) Update(ctx context.Context, do work, hints ...ports.Reads) error {
	return s.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		tx.Resellers = gotten{tx.Resellers, func(r *accounts.Reseller) (*accounts.Reseller, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.n++; s.n%5 != 0 {
				s.was[r.ID()] = r.State()
				return r, nil
			}
			now := r.State()
			if was, found := s.was[r.ID()]; found {
				now.Credits = was.Credits // see apart
			}
			return accounts.Restore(now)
		}}
		return do(ctx, tx)
	}, hints...)
}
