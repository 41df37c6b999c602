package sqlitestore

import (
	"context"

	"resellerd/domain/credit"
)

// ledger implements ports.Ledger. Triggers keep movements from being changed or
// removed by anyone.
type ledger struct{ *session }

// Append implements ports.Ledger.
func (l ledger) Append(ctx context.Context, m credit.Movement) error {
	_, err := l.exec(ctx, appendMovement, rowOfMovement(m)...)
	return err
}

// Get implements ports.Ledger.
func (l ledger) Get(ctx context.Context, id int64) (credit.Movement, error) {
	return movementOfRow(l.scanner(ctx, getMovement, id))
}
