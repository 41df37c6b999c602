package rows

import (
	"context"

	"github.com/shopspring/decimal"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/domain/credit"
)

// Totals sums the stored movements and balances, and counts imported lines by their index.
func Totals(ctx context.Context, q *engine.Tx) (credit.Totals, error) {
	var (
		count, last                          int64
		issued, returned, consumed, balances sum
	)
	err := q.Row(ctx, sumMovements, nil, func(r *engine.Row) {
		count, last, issued, returned, consumed = r.Integer(), r.Integer(), sumOf(r), sumOf(r), sumOf(r)
	})
	if err != nil {
		return credit.Totals{}, err
	}
	if err := q.Row(ctx, sumBalances, nil, func(r *engine.Row) { balances = sumOf(r) }); err != nil {
		return credit.Totals{}, err
	}
	var imported int64
	if err := q.Row(ctx, countImported, nil, func(r *engine.Row) { imported = r.Integer() }); err != nil {
		return credit.Totals{}, err
	}
	return credit.Totals{
		Issued:    issued.credits().Sub(returned.credits()),
		Consumed:  consumed.credits(),
		Balances:  balances.credits(),
		Movements: count,
		Last:      last,
		Imported:  imported,
	}, nil
}

// sum is a sum of units, split into its upper and lower 32 bits.
type sum struct{ high, low int64 }

func sumOf(r *engine.Row) sum { return sum{partOf(r), partOf(r)} }

// partOf reads half of a sum, which is NULL if there is nothing to add.
func partOf(r *engine.Row) int64 {
	if r.Null() {
		return 0
	}
	return r.Integer()
}

func (s sum) credits() decimal.Decimal {
	return decimal.New(s.high, 0).Mul(decimal.New(1<<32, 0)).Add(decimal.New(s.low, 0)).Shift(-credit.Scale)
}
