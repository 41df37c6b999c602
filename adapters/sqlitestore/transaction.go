package sqlitestore

import (
	"context"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/ports"
)

// transaction is one of the engine's with what this store's commands have written in it.
type transaction struct {
	*engine.Tx

	store    *Store
	writeSet writeSet
}

// Update implements ports.Store. A read costs so little that hints are of no use.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error, _ ...ports.Reads) error {
	return s.update(ctx, func(q *transaction) error {
		return work(ctx, ports.Tx{
			Resellers: resellers{q},
			Lines:     lines{q},
			Ledger:    ledger{q},
			Keys:      keys{q},
			Sessions:  sessions{q},
		})
	})
}

func (s *Store) update(ctx context.Context, work func(*transaction) error) error {
	return s.db.Update(ctx, func(tx *engine.Tx) error {
		q := &transaction{Tx: tx, store: s, writeSet: s.reused.emptied()}
		tx.OnKeep = q.kept
		return work(q)
	})
}

// kept says what others see of it.
func (q *transaction) kept() {
	s := q.store
	s.reused = q.writeSet
	s.lists.add(q.writeSet.moves)
	for _, r := range q.writeSet.resellers {
		s.resellers.Change(r.ID, r)
	}
	for _, m := range q.writeSet.moves {
		l, _ := q.writeSet.line(m.line)
		s.lines.Change(m.line, l)
	}
}

// View implements ports.Store. See engine.DB.View for when look is run once more.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return s.db.View(ctx, func(tx *engine.Tx) error {
		q := &transaction{Tx: tx, store: s}
		return look(ctx, ports.Snapshot{
			Resellers: resellers{q},
			Lines:     lines{q},
			Ledger:    ledger{q},
			Keys:      keys{q},
			Sessions:  sessions{q},
		})
	})
}

// view runs look on one snapshot, which is taken before.
func (s *Store) view(ctx context.Context, look func(*transaction) error) error {
	return s.db.Snapshot(ctx, func(tx *engine.Tx) error { return look(&transaction{Tx: tx, store: s}) })
}
