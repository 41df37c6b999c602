package sqlitestore

import (
	"context"
	"fmt"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// audit implements ports.Audit.
type audit struct{ *session }

// Accounts implements ports.Audit.
func (a audit) Accounts(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Account], error) {
	return audited(ctx, a, auditAccounts, accountOfRow, after, limit)
}

// Lines implements ports.Audit.
func (a audit) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return audited(ctx, a, auditLines, lineOfRow, after, limit)
}

// Movements implements ports.Audit.
func (a audit) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return audited(ctx, a, auditMovements, soleMovementOfRow, after, limit)
}

// Entry implements ports.Audit.
func (a audit) Entry(ctx context.Context, account, seq int64) (ports.Audited[credit.Movement], error) {
	return a.one(ctx, auditEntry, account, seq)
}

// Movement implements ports.Audit.
func (a audit) Movement(ctx context.Context, id int64) (ports.Audited[credit.Movement], error) {
	return a.one(ctx, auditMovement, id)
}

func (a audit) one(ctx context.Context, n statement, args ...any) (ports.Audited[credit.Movement], error) {
	found, err := audited(ctx, a, n, soleMovementOfRow, args...)
	switch {
	case err != nil:
		return ports.Audited[credit.Movement]{}, err
	case len(found) == 0:
		return ports.Audited[credit.Movement]{}, fault.ErrNotFound
	}
	return found[0], nil
}

// soleMovementOfRow reads a movement that alone has its numbers.
func soleMovementOfRow(scan scan) (credit.Movement, error) {
	var shared bool
	m, err := movementOfRow(scan, read(&shared, truthOf))
	if err == nil && shared {
		err = fmt.Errorf("%w: another movement has the same number of the same account", errCorrupt)
	}
	return m, err
}

// audited reads rows that start with an id, damaged ones too.
func audited[R any](ctx context.Context, a audit, n statement, convert func(scan) (R, error), args ...any) (found []ports.Audited[R], err error) {
	err = a.rows(ctx, n, args, func(scan scan) error {
		var r ports.Audited[R]
		if err := scan(plain(&r.ID)); err != nil {
			return err
		}
		if record, damage := convert(scan); damage != nil {
			r.Damage = damage
		} else {
			r.Record = record
		}
		found = append(found, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
