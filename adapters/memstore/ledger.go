package memstore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// entryID is a number in a reseller's chain.
type entryID struct{ reseller, seq int64 }

// compare puts a reseller's newest entry first.
func (a entryID) compare(b entryID) int {
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
	entries := l.entries
	for _, e := range m.Postings {
		id := entryID{e.Reseller, e.Seq}
		if taken, found := entries.get(id); found {
			return fmt.Errorf("append movement %d: number %d of account %d is movement %d", m.ID, e.Seq, e.Reseller, taken)
		}
		entries = entries.with(id, m.ID)
	}
	l.entries, l.movements = entries, l.movements.with(m.ID, apart(m))
	return nil
}

// Get implements ports.Ledger.
func (l ledger) Get(_ context.Context, id int64) (credit.Movement, error) { return l.movement(id) }

func (r *records) movement(id int64) (credit.Movement, error) {
	m, found := r.movements.get(id)
	if !found {
		return credit.Movement{}, fault.ErrNotFound
	}
	return apart(m), nil
}

// apart keeps what is stored apart from what callers hold.
func apart(m credit.Movement) credit.Movement {
	m.Postings = slices.Clone(m.Postings)
	return m
}

type statements struct{ *records }

// Statement implements ports.Statements.
func (s statements) Statement(_ context.Context, reseller, before int64, limit int) ([]credit.Movement, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	var found []credit.Movement
	for e, id := range s.entries.after(entryID{reseller, before}) {
		if e.reseller != reseller || len(found) >= limit {
			break
		}
		m, err := s.movement(id)
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
	for _, a := range s.resellers.all() {
		t.Balances = t.Balances.Add(a.Credits.Decimal())
	}
	return t, ctx.Err()
}

// audit implements part of ports.Records: in memory nothing is damaged but by this program.
type audit struct{ *records }

// Resellers implements ports.Records.
func (a audit) Resellers(_ context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return audited(a.resellers, after, limit, reseller.Restore), nil
}

// Lines implements ports.Records.
func (a audit) Lines(_ context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return audited(a.lines, after, limit, line.Restore), nil
}

// Tombstones implements ports.Records.
func (a audit) Tombstones(_ context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return audited(a.tombstones, after, limit, itself), nil
}

// Movements implements ports.Records.
func (a audit) Movements(_ context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return audited(a.movements, after, limit, whole), nil
}

func audited[S, R any](kept tree[int64, S], after int64, limit int, restore func(S) (R, error)) []ports.Audited[R] {
	var page []ports.Audited[R]
	for id, state := range kept.after(after) {
		if len(page) >= limit {
			break
		}
		record, err := restore(state)
		page = append(page, ports.Audited[R]{ID: id, Record: record, Damage: err})
	}
	return page
}

// ResellersByID implements ports.Records.
func (a audit) ResellersByID(_ context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return lookUp(a.resellers, ids, reseller.Restore), nil
}

// LinesByID implements ports.Records.
func (a audit) LinesByID(_ context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return lookUp(a.lines, ids, line.Restore), nil
}

// TombstonesByLine implements ports.Records.
func (a audit) TombstonesByLine(_ context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return lookUp(a.tombstones, lines, itself), nil
}

// MovementsByID implements ports.Records.
func (a audit) MovementsByID(_ context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return lookUp(a.movements, ids, whole), nil
}

// MovementsByPosting implements ports.Records.
func (a audit) MovementsByPosting(_ context.Context, numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	found := map[ports.PostingID]ports.Audited[credit.Movement]{}
	for _, n := range numbers {
		if id, taken := a.entries.get(entryID{n.Reseller, n.Seq}); taken {
			m, _ := a.movements.get(id) // entered with its numbers
			found[n] = ports.Audited[credit.Movement]{ID: id, Record: apart(m)}
		}
	}
	return found, nil
}

func lookUp[S, R any](kept tree[int64, S], ids []int64, restore func(S) (R, error)) map[int64]ports.Audited[R] {
	found := map[int64]ports.Audited[R]{}
	for _, id := range ids {
		if state, there := kept.get(id); there {
			record, err := restore(state)
			found[id] = ports.Audited[R]{ID: id, Record: record, Damage: err}
		}
	}
	return found
}

func whole(m credit.Movement) (credit.Movement, error) { return apart(m), nil }

func itself(t line.Tombstone) (line.Tombstone, error) { return t, nil }
