package memstore

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
)

// postingID is a number in a reseller's chain.
type postingID struct{ reseller, seq int64 }

// compare puts a reseller's newest posting first.
func (a postingID) compare(b postingID) int {
	return cmp.Or(cmp.Compare(a.reseller, b.reseller), cmp.Compare(b.seq, a.seq))
}

type ledger struct{ *transaction }

// Append implements ports.Ledger.
func (l ledger) Append(_ context.Context, m credit.Movement) error {
	if err := l.open(); err != nil {
		return err
	}
	if _, found := l.movements.get(m.ID); found {
		return fmt.Errorf("append movement %d: it is there already", m.ID)
	}
	entries := l.postings
	for _, e := range m.Postings {
		id := postingID{e.Reseller, e.Seq}
		if taken, found := entries.get(id); found {
			return fmt.Errorf("append movement %d: number %d of account %d is movement %d", m.ID, e.Seq, e.Reseller, taken)
		}
		entries = entries.with(id, m.ID)
	}
	l.postings, l.movements = entries, l.movements.with(m.ID, storekit.CloneMovement(m))
	return nil
}

// Get implements ports.Ledger.
func (l ledger) Get(_ context.Context, id int64) (credit.Movement, error) {
	return one(l.movements, id, whole)
}

type statements struct{ *records }

// Statement implements ports.Statements.
func (s statements) Statement(_ context.Context, reseller, before int64, limit int) ([]credit.Movement, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	var found []credit.Movement
	for e, id := range s.postings.after(postingID{reseller, before}) {
		if e.reseller != reseller || len(found) >= limit {
			break
		}
		m, err := one(s.movements, id, whole)
		if err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return found, nil
}

// Totals implements ports.Statements.
func (s statements) Totals(ctx context.Context) (credit.Totals, error) {
	var t credit.Totals
	for _, m := range s.movements.all() {
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
	}
	for _, r := range s.resellers.all() {
		t.Balances = t.Balances.Add(r.Credits.Decimal())
	}
	return t, ctx.Err()
}
