package sqlitestore

import (
	"context"
	"database/sql"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// View implements ports.Store. The snapshot is taken at the first read.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return s.view(ctx, func(q *transaction) error {
		return look(ctx, ports.Snapshot{
			Resellers: resellers{q},
			Lines:     lines{q},
			Ledger:    ledger{q},
			Keys:      keys{q},
		})
	})
}

func (s *Store) view(ctx context.Context, look func(*transaction) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return storekit.Unavailable("begin a view", err)
	}
	bound := make([]*sql.Stmt, len(s.queries)) // once for the view: the transaction keeps each until it ends
	q := &transaction{prepared: func(ctx context.Context, n *statement) *sql.Stmt {
		if bound[n.number] == nil {
			bound[n.number] = tx.StmtContext(ctx, s.queries[n.number])
		}
		return bound[n.number]
	}}
	defer func() {
		q.End(false)
		_ = tx.Rollback() // nothing was written: there is nothing to lose
	}()
	err = look(q)
	if q.lost != nil {
		return q.lost
	}
	return err
}
