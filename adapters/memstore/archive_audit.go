package memstore

import (
	"context"
	"fmt"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

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
	for id, state := range kept.from(after + 1) {
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
func (a audit) MovementsByPosting(_ context.Context,
	numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	found := map[ports.PostingID]ports.Audited[credit.Movement]{}
	for _, n := range numbers {
		if h, taken := a.index.get(number(n.Reseller, n.Seq)); taken {
			m, _ := a.movements.get(h.id) // entered with its numbers
			found[n] = ports.Audited[credit.Movement]{ID: h.id, Record: storekit.CloneMovement(m)}
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

func whole(m credit.Movement) (credit.Movement, error) { return storekit.CloneMovement(m), nil }

func itself(t line.Tombstone) (line.Tombstone, error) { return t, nil }

// Derived implements ports.Records: the index leads to each record by all of its entries, and has no others.
func (a audit) Derived(_ context.Context, report func(finding string)) error {
	due := 0
	lead := func(entries []entry, format string, names ...any) {
		due += len(entries)
		for _, e := range entries {
			if found, there := a.index.get(e.key); !there || found != e.holder {
				report(fmt.Sprintf(format, names...) + ": the index does not lead to it where it belongs")
			}
		}
	}
	for id, s := range a.resellers.all() {
		lead(resellerEntries(s), "account %d", id)
	}
	for id, s := range a.lines.all() {
		lead(lineEntries(s), "line %d", id)
	}
	for id, m := range a.movements.all() {
		lead(movementEntries(m), "movement %d", id)
	}
	for _, k := range a.keys.all() {
		lead(keyEntries(k), "idempotency key %q of account %d", k.Key, k.Reseller)
	}
	for seq, n := range a.journal.all() {
		lead(eventEntries(&n), "entry %d of the journal", seq)
	}
	for _, of := range ports.Kinds() {
		for name, payload := range a.ofKinds.from(kindName(of, "")) {
			key, is := strings.CutPrefix(name, kindName(of, ""))
			if !is {
				break
			}
			if kept, err := of.Examine(payload); err == nil { // else the record itself is reported
				lead(kindEntries(kept), "%s", of.Show(key))
			}
		}
	}
	found := 0
	for range a.index.all() {
		found++
	}
	if found != due {
		report(fmt.Sprintf("memory: the index has %d entries, and records make %d", found, due))
	}
	return nil
}
