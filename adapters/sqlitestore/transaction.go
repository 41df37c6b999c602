package sqlitestore

import (
	"context"
	"errors"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
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

// reseller returns the state of a reseller in the present transaction.
func (q *transaction) reseller(ctx context.Context, id int64) (*reseller.State, error) {
	if s, known := q.store.resellers.Get(q.Tx, id); known {
		return s, nil
	}
	r, err := engine.One(ctx, q.Tx, rows.GetReseller, engine.Args{engine.Integer("id", id)}, rows.Reseller)
	if err != nil {
		return nil, err
	}
	s := r.State()
	q.store.resellers.Keep(q.Tx, id, &s)
	return &s, nil
}

// blocked reports whether a reseller is blocked itself. It also works for a record that is damaged elsewhere.
func (q *transaction) blocked(ctx context.Context, id int64) (bool, error) {
	s, err := q.reseller(ctx, id)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return false, nil
	case errors.Is(err, storekit.ErrDamaged):
		blocked, err := resellers{q}.Blocked(ctx, []int64{id})
		return len(blocked) > 0, err
	}
	return err == nil && s.Blocked, err
}

// line returns a line of the present transaction.
func (q *transaction) line(ctx context.Context, id int64) (*line.Line, error) {
	s, err := q.recorded(ctx, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(*s) // which shares nothing with it
}

// recorded returns the state of a line in the present transaction.
func (q *transaction) recorded(ctx context.Context, id int64) (*line.State, error) {
	s, known := q.store.lines.Get(q.Tx, id)
	switch {
	case known && s == nil:
		return nil, fault.ErrNotFound
	case known:
		return s, nil
	}
	l, err := engine.One(ctx, q.Tx, rows.GetLine, engine.Args{engine.Integer("id", id)}, rows.Line)
	if err != nil {
		return nil, err
	}
	read := l.State()
	q.store.lines.Keep(q.Tx, id, &read)
	return &read, nil
}
