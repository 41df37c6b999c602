package faults

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/domain/journal"
	accounts "resellerd/domain/reseller"
	"resellerd/ports"
)

// brokenStores are stores that each break a promise, in the way that its name says.
var brokenStores = map[string]func(ports.Store) ports.Store{
	"saves a reseller that has changed since it was got": func(s ports.Store) ports.Store { return &apart{Store: s} },
	"loses an update that it has acknowledged":           func(s ports.Store) ports.Store { return &losing{Store: s} },
	"forgets idempotency keys":                           func(s ports.Store) ports.Store { return &forgetful{s} },
	"keeps what it has refused":                          func(s ports.Store) ports.Store { return &keeping{s} },
	"reads in an update what was there a while ago": func(s ports.Store) ports.Store {
		return &stale{Store: s, was: map[int64]accounts.State{}}
	},
}

// brokenJournals are stores whose journals each break a promise, and what is said of it.
var brokenJournals = map[string]struct {
	of   func(ports.Store) ports.Store
	says string
}{
	"loses an entry": {func(s ports.Store) ports.Store {
		return &appending{s, journal.LineDeleted, 0}
	}, "requests that were done"},
	"has an entry twice": {func(s ports.Store) ports.Store {
		return &appending{s, journal.TrialCreated, 2}
	}, "has two entries"},
	"shows an entry after the one that follows it": {func(s ports.Store) ports.Store {
		return &showing{s, func(page []journal.Numbered, head int64) []journal.Numbered {
			return slices.DeleteFunc(page, func(n journal.Numbered) bool { return n.Seq == head-1 && n.Seq%5 == 0 })
		}}
	}, "shows entry"},
	"shows an entry twice": {func(s ports.Store) ports.Store {
		return &showing{s, func(page []journal.Numbered, _ int64) []journal.Numbered {
			if len(page) > 0 && page[0].Seq%5 == 0 {
				page = append(page[:1:1], page...)
			}
			return page
		}}
	}, "shows entry"},
}

// appending appends entries of a type so many times.
type appending struct {
	ports.Store
	of    journal.Type
	times int
}

// Update implements ports.Store.
func (a *appending) Update(ctx context.Context, do work, hints ...ports.Reads) error {
	return a.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		tx.Journal = appended{tx.Journal, a}
		return do(ctx, tx)
	}, hints...)
}

type appended struct {
	ports.Journal
	by *appending
}

// Append implements ports.Journal.
func (j appended) Append(ctx context.Context, e journal.Entry) (err error) {
	times := 1
	if e.Type == j.by.of {
		times = j.by.times
	}
	for range times {
		err = errors.Join(err, j.Journal.Append(ctx, e))
	}
	return err
}

// showing changes what a page of the journal shows.
type showing struct {
	ports.Store
	page func(page []journal.Numbered, head int64) []journal.Numbered
}

// View implements ports.Store.
func (s *showing) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return s.Store.View(ctx, func(ctx context.Context, seen ports.Snapshot) error {
		seen.Journal = shown{seen.Journal, s}
		return look(ctx, seen)
	})
}

type shown struct {
	ports.Events
	by *showing
}

// List implements ports.Events.
func (e shown) List(ctx context.Context, q ports.EventQuery) (ports.EventPage, error) {
	head, err := e.Head(ctx)
	if err != nil {
		return ports.EventPage{}, err
	}
	page, err := e.Events.List(ctx, q)
	page.Entries = e.by.page(page.Entries, head.Seq)
	return page, err
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
