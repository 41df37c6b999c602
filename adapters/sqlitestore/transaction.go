package sqlitestore

import (
	"context"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/ports"
)

// transaction is one of the engine's, of this store.
type transaction struct {
	*engine.Tx

	store *Store
}

// Update implements ports.Store. Reads are so cheap that hints are ignored.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error, _ ...ports.Reads) error {
	return s.db.Update(ctx, func(tx *engine.Tx) error {
		q := &transaction{tx, s}
		return work(ctx, q.ports())
	})
}

func (q *transaction) ports() ports.Tx {
	return ports.Tx{Resellers: resellers{q}, Lines: lines{q}, Ledger: ledger{q}, Keys: keys{q}, Journal: entries{q},
		Records: records{q}}
}

func (s *Store) update(ctx context.Context, work func(*transaction) error) error {
	return s.db.Update(ctx, func(tx *engine.Tx) error {
		return work(&transaction{tx, s})
	})
}

// View implements ports.Store. See engine.DB.View for when look is run once more.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return s.db.View(ctx, func(tx *engine.Tx) error {
		q := &transaction{tx, s}
		return look(ctx, ports.Snapshot{Resellers: resellers{q}, Lines: lines{q}, Ledger: ledger{q}, Keys: keys{q},
			Journal: events{q}, Records: records{q}})
	})
}

// view runs look on one snapshot, taken first.
func (s *Store) view(ctx context.Context, look func(*transaction) error) error {
	return s.db.Snapshot(ctx, func(tx *engine.Tx) error { return look(&transaction{tx, s}) })
}
