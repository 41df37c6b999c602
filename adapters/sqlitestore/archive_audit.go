package sqlitestore

import (
	"context"
	"fmt"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// audit implements part of ports.Records.
type audit struct{ *transaction }

// Resellers implements ports.Records.
func (a audit) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return audited(ctx, a, auditResellers, resellerOfRow, args{{"after", after}, {"limit", limit}})
}

// Lines implements ports.Records.
func (a audit) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return audited(ctx, a, auditLines, lineOfRow, args{{"after", after}, {"limit", limit}})
}

// Tombstones implements ports.Records.
func (a audit) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return audited(ctx, a, auditTombstones, tombstoneOfRow, args{{"after", after}, {"limit", limit}})
}

// Movements implements ports.Records.
func (a audit) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return audited(ctx, a, auditMovements, soleMovementOfRow, args{{"after", after}, {"limit", limit}})
}

// ResellersByID implements ports.Records.
func (a audit) ResellersByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return lookUp(ctx, a, getReseller, resellerOfRow, ids, ofID)
}

// LinesByID implements ports.Records.
func (a audit) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return lookUp(ctx, a, getLine, lineOfRow, ids, ofID)
}

// TombstonesByLine implements ports.Records.
func (a audit) TombstonesByLine(ctx context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return lookUp(ctx, a, auditTombstone, tombstoneOfRow, lines, ofID)
}

// MovementsByID implements ports.Records.
func (a audit) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return lookUp(ctx, a, auditMovement, soleMovementOfRow, ids, ofID)
}

// MovementsByPosting implements ports.Records.
func (a audit) MovementsByPosting(ctx context.Context, numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	return lookUp(ctx, a, auditPosting, soleMovementOfRow, numbers, func(n ports.PostingID) args { return args{{"account", n.Reseller}, {"seq", n.Seq}} })
}

// Derived implements ports.Records: the entries of lists are those that records
// make. Names need no examination, for each stands in its record alone.
func (a audit) Derived(ctx context.Context, report func(finding string)) error {
	var record, list int64
	for _, question := range []struct {
		statement *statement
		read      func(*row)
		finding   func() string
	}{
		{unlistedResellers, func(r *row) { record = r.integer() }, func() string {
			return fmt.Sprintf("account %d: a list that it belongs to does not show it", record)
		}},
		{strayResellers, func(r *row) { record, list = r.integer(), r.integer() }, func() string {
			return fmt.Sprintf("account %d: list %d, which it does not belong to, shows it", record, list)
		}},
		{unlistedLines, func(r *row) { record = r.integer() }, func() string {
			return fmt.Sprintf("line %d: a list that it belongs to does not show it, or not where it expires", record)
		}},
		{strayLines, func(r *row) { record, list = r.integer(), r.integer() }, func() string {
			return fmt.Sprintf("line %d: list %d, which it does not belong to, shows it", record, list)
		}},
		{strayLinesByExpiry, func(r *row) { record, list = r.integer(), r.integer() }, func() string {
			return fmt.Sprintf("line %d: list %d shows it where it does not belong", record, list)
		}},
	} {
		var findings []string // who is told may ask the store
		err := a.rows(ctx, question.statement, nil, func(r *row) error {
			question.read(r)
			findings = append(findings, question.finding())
			return r.err
		})
		if err != nil {
			return err
		}
		for _, finding := range findings {
			report(finding)
		}
	}
	return nil
}

func ofID(id int64) args { return args{{"id", id}} }

// lookUp runs a statement for each key: there is no network to cross.
func lookUp[K comparable, R any](
	ctx context.Context, a audit, n *statement, convert func(*row) (R, error), keys []K, argsOf func(K) args,
) (map[K]ports.Audited[R], error) {
	found := make(map[K]ports.Audited[R], len(keys))
	for _, key := range keys {
		records, err := audited(ctx, a, n, convert, argsOf(key))
		if err != nil {
			return nil, err
		}
		if len(records) > 0 {
			found[key] = records[0]
		}
	}
	return found, nil
}

// soleMovementOfRow reads a movement that alone has its numbers.
func soleMovementOfRow(r *row) (credit.Movement, error) {
	m, err := movementOfRow(r)
	if err == nil && r.integer() != 0 {
		err = fmt.Errorf("%w: another movement has the same number of the same account", storekit.ErrDamaged)
	}
	return m, err
}

// audited reads rows that start with an id, damaged ones too.
func audited[R any](ctx context.Context, a audit, n *statement, convert func(*row) (R, error), args args) (found []ports.Audited[R], err error) {
	err = a.rows(ctx, n, args, func(r *row) error {
		examined := ports.Audited[R]{ID: r.integer()}
		if r.err != nil {
			return r.err
		}
		if record, damage := convert(r.again()); damage != nil {
			examined.Damage = damage
		} else {
			examined.Record = record
		}
		found = append(found, examined)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
