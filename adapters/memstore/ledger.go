package memstore

import (
	"context"
	"fmt"
	"math"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
)

// ledger implements ports.Ledger and, in a view, ports.Statements.
type ledger struct{ *transaction }

// Append implements ports.Ledger.
func (l ledger) Append(_ context.Context, m credit.Movement) error {
	if err := l.open(); err != nil {
		return err
	}
	if _, found := l.movements.get(m.ID); found {
		return fmt.Errorf("append movement %d: it exists already", m.ID)
	}
	if err := l.enter(nil, movementEntries(m)); err != nil {
		return fmt.Errorf("append movement %d: a number of an account is another's: %w", m.ID, err)
	}
	l.movements = l.movements.with(m.ID, storekit.CloneMovement(m))
	return nil
}

// Get implements ports.Ledger.
func (l ledger) Get(_ context.Context, id int64) (credit.Movement, error) {
	return one(l.movements, id, whole)
}

// Statement implements ports.Statements.
func (l ledger) Statement(_ context.Context, reseller, before int64, limit int) (found []credit.Movement, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	for key, h := range l.index.before(number(reseller, before)) {
		if !strings.HasPrefix(key, numbers+ordered(reseller)) || len(found) >= limit {
			break
		}
		m, err := one(l.movements, h.id, whole)
		if err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return found, nil
}

// Totals implements ports.Statements.
func (l ledger) Totals(ctx context.Context) (credit.Totals, error) { return l.totals(), ctx.Err() }

func (r *records) totals() (t credit.Totals) {
	for _, m := range r.movements.all() {
		amount := m.Amount.Decimal()
		if m.Source == credit.Issuance {
			t.Issued = t.Issued.Add(amount)
		}
		switch m.Target {
		case credit.Issuance:
			t.Issued = t.Issued.Sub(amount)
		case credit.Consumption:
			t.Consumed = t.Consumed.Add(amount)
		}
		t.Movements++
		t.Last = m.ID // they come in the order of their ids
	}
	for _, s := range r.resellers.all() {
		t.Balances = t.Balances.Add(s.Credits.Decimal())
	}
	for _, s := range r.lines.all() {
		if s.Origin == line.Imported {
			t.Imported++
		}
	}
	return t
}
