package memstore

import (
	"context"
	"errors"
	"sync/atomic"

	"resellerd/adapters/storekit"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Update implements ports.Store. It runs work once; while it waits for its turn
// it ends with ctx, and a work that returned nil takes effect in any case.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error, _ ...ports.Reads) error {
	return s.alone(ctx, func(r *records) error {
		tx := &transaction{records: r}
		defer tx.ended.Store(true)
		return work(ctx, tx.ports())
	})
}

// alone runs change on a copy of the records while nobody else changes them, and
// keeps the copy if change succeeds.
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
	kept := changed // a Tx that outlives its Update still points to changed
	s.committed.Store(&kept)
	return nil
}

// transaction is the write side of one Update.
type transaction struct {
	*records
	ended atomic.Bool
}

func (t *transaction) ports() ports.Tx {
	return ports.Tx{
		Resellers: resellers{resellerReader{t.records}, t},
		Lines:     lines{lineReader{t.records}, t},
		Ledger:    ledger{t},
		Keys:      keys{keyReader{t.records}, t},
		Records:   recordWriter{recordReader{t.records}, t},
	}
}

func (t *transaction) open() error {
	if t.ended.Load() {
		return errEnded
	}
	return nil
}

// errEnded refuses a write that would be lost.
var errEnded = errors.New("the update that this transaction belongs to has ended")

// reassign makes key the name of id in place of the name that id had, if any.
func reassign(names tree[string, int64], id int64, had, key string) (tree[string, int64], error) {
	if holder, taken := names.get(key); taken && holder != id {
		return names, profile.ErrUsernameTaken
	}
	return names.without(had).with(key, id), nil
}
