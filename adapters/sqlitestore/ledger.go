package sqlitestore

import (
	"context"
	"errors"
	"math"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/ports"
)

// ledger implements ports.Ledger and, in a view, ports.Statements. Triggers prevent changes and removals of movements.
type ledger struct{ *transaction }

// Append implements ports.Ledger.
func (l ledger) Append(ctx context.Context, m credit.Movement) error {
	row, err := rows.OfMovement(&m, new(rows.Room))
	if err != nil {
		return err
	}
	if _, err = l.Exec(ctx, appendMovement, row); err == nil {
		l.moved = m.ID
	}
	return err
}

// Get implements ports.Ledger.
func (l ledger) Get(ctx context.Context, id int64) (credit.Movement, error) {
	return engine.One(ctx, l.Tx, getMovement, engine.Args{engine.Integer("id", id)}, rows.Movement)
}

// Statement implements ports.Statements.
func (l ledger) Statement(ctx context.Context, reseller, before int64, limit int) (found []credit.Movement, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	// SQLite takes a negative limit for none
	page := engine.Args{engine.Integer("account", reseller), engine.Integer("before", before),
		engine.Integer("limit", max(limit, 0))}
	var left ports.IncompletePage
	count := 0
	err = l.Rows(ctx, listMovements, page, func(r *engine.Row) error {
		count++
		left.Next = r.Last()
		m, err := rows.Movement(r)
		if errors.Is(err, storekit.ErrDamaged) {
			left.Damaged = append(left.Damaged, r.First())
			return nil
		}
		found = append(found, m)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case len(left.Damaged) == 0:
		return found, nil
	case count < limit || left.Next <= 1:
		left.Next = 0
	}
	return found, &left
}

// Totals implements ports.Statements.
func (l ledger) Totals(ctx context.Context) (credit.Totals, error) { return rows.Totals(ctx, l.Tx) }
