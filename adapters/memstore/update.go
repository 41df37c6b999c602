package memstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// Update implements ports.Store. It runs work once. While it waits for its turn, the end of ctx ends it. After work has
// returned nil, the update takes effect in any case.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error, _ ...ports.Reads) error {
	return s.alone(ctx, func(r *records) error {
		t := &transaction{records: r}
		defer t.ended.Store(true)
		return work(ctx, t.ports())
	})
}

// View implements ports.Store.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, snapshot ports.Snapshot) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	t := &transaction{records: s.committed.Load()}
	t.ended.Store(true) // it writes nothing
	return look(ctx, ports.Snapshot{Resellers: resellers{t}, Lines: lines{t}, Ledger: ledger{t}, Keys: keys{t},
		Journal: events{t}, Records: kinds{t}})
}

// alone runs change on a copy of the records, one at a time. If change succeeds, the copy replaces the records.
func (s *Store) alone(ctx context.Context, change func(*records) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	select {
	case s.writer <- struct{}{}:
	case <-ctx.Done():
		return storekit.Unavailable("wait for the writer", ctx.Err())
	}
	defer func() { <-s.writer }()
	changed := *s.committed.Load()
	if err := change(&changed); err != nil {
		return err
	}
	stored := changed // a Tx that outlives its Update still points to changed
	s.committed.Store(&stored)
	s.appended.Raise()
	return nil
}

// transaction is one Update, or one View.
type transaction struct {
	*records

	ended atomic.Bool
}

func (t *transaction) ports() ports.Tx {
	return ports.Tx{Resellers: resellers{t}, Lines: lines{t}, Ledger: ledger{t}, Keys: keys{t}, Journal: entries{t},
		Records: kinds{t}}
}

func (t *transaction) open() error {
	if t.ended.Load() {
		return errEnded
	}
	return nil
}

// insert adds a record and its index entries. The id must be new.
func insert[S any](t *transaction, in *tree[int64, S], id int64, state S, entries func(S) []entry) error {
	if _, found := in.get(id); found {
		return fmt.Errorf("insert %d: it exists already", id)
	}
	return put(t, in, id, state, nil, entries(state))
}

// save replaces a record, and its entries in the index.
func save[S any](t *transaction, in *tree[int64, S], id int64, state S, entries func(S) []entry) error {
	old, found := in.get(id)
	if !found {
		return fault.ErrNotFound
	}
	return put(t, in, id, state, entries(old), entries(state))
}

// put stores a record under a key, and replaces its index entries.
func put[K cmp.Ordered, S any](t *transaction, in *tree[K, S], key K, state S, had, has []entry) error {
	if err := t.open(); err != nil {
		return err
	}
	err := t.enter(had, has)
	if err == nil {
		*in = in.with(key, state)
	}
	return err
}

// errEnded refuses a write that would be lost.
var errEnded = errors.New("the update that this transaction belongs to has ended")
