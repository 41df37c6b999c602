package sqlitestore

import (
	"context"
	"errors"
	"math"

	"github.com/shopspring/decimal"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/ports"
)

// ledger implements ports.Ledger and, in a view, ports.Statements. Triggers keep
// movements from being changed or removed by anyone.
type ledger struct{ *transaction }

// Append implements ports.Ledger.
func (l ledger) Append(ctx context.Context, m credit.Movement) error {
	row, err := rowOfMovement(&m)
	if err != nil {
		return err
	}
	_, err = l.exec(ctx, appendMovement, row[:])
	return err
}

// Get implements ports.Ledger.
func (l ledger) Get(ctx context.Context, id int64) (credit.Movement, error) {
	return one(ctx, l.transaction, getMovement, args{{"id", integer(id)}}, movementOfRow)
}

// Statement implements ports.Statements.
func (l ledger) Statement(ctx context.Context, reseller, before int64, limit int) (found []credit.Movement, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	page := args{{"account", integer(reseller)}, {"before", integer(before)}, {"limit", integer(max(limit, 0))}} // SQLite takes a negative limit for none
	var left ports.LeftOut
	count := 0
	err = l.rows(ctx, listMovements, page, func(r *row) error {
		count++
		left.Next = r.st.ColumnInt64(r.st.ColumnCount() - 1)
		m, err := movementOfRow(r)
		if errors.Is(err, storekit.ErrDamaged) {
			left.Damaged = append(left.Damaged, r.st.ColumnInt64(0))
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
func (l ledger) Totals(ctx context.Context) (credit.Totals, error) {
	var (
		count                                int64
		issued, returned, consumed, balances sum
	)
	err := l.row(ctx, sumMovements, nil, func(r *row) {
		count, issued, returned, consumed = r.integer(), r.sum(), r.sum(), r.sum()
	})
	if err != nil {
		return credit.Totals{}, err
	}
	if err := l.row(ctx, sumBalances, nil, func(r *row) { balances = r.sum() }); err != nil {
		return credit.Totals{}, err
	}
	return credit.Totals{
		Issued:    issued.credits().Sub(returned.credits()),
		Consumed:  consumed.credits(),
		Balances:  balances.credits(),
		Movements: count,
	}, nil
}

// sum is a sum of units, of their upper and lower 32 bits.
type sum struct{ high, low int64 }

func (r *row) sum() sum { return sum{r.part(), r.part()} }

// part reads half of a sum, which is NULL where there is nothing to add.
func (r *row) part() int64 {
	if r.null() {
		return 0
	}
	return r.integer()
}

func (s sum) credits() decimal.Decimal {
	return decimal.New(s.high, 0).Mul(decimal.New(1<<32, 0)).Add(decimal.New(s.low, 0)).Shift(-credit.Scale)
}
