package memstore

import (
	"context"
	"fmt"
	"slices"

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
		if id, taken := a.postings.get(postingID{n.Reseller, n.Seq}); taken {
			m, _ := a.movements.get(id) // entered with its numbers
			found[n] = ports.Audited[credit.Movement]{ID: id, Record: storekit.CloneMovement(m)}
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

// What leads to records.
const (
	namesOfResellers = "names of accounts"
	listsOfResellers = "entries in lists of accounts"
	namesOfLines     = "names of lines"
	listsOfLines     = "entries in lists of lines"
	numbers          = "numbers of movements"
	expiries         = "expiries of keys"
)

// Derived implements ports.Records: whatever is to lead to a record does, and there is
// nothing else that leads anywhere.
func (a audit) Derived(ctx context.Context, report func(finding string)) error {
	d := derivation{report: report, due: map[string]int{}}
	for id, s := range a.resellers.all() {
		d.record = fmt.Sprintf("account %d", id)
		leads(&d, namesOfResellers, a.resellerNames, s.Username.Key(), id)
		for _, list := range resellerListsOf(s.Position) {
			leads(&d, listsOfResellers, a.resellerLists, resellerEntry{list, id}, struct{}{})
		}
	}
	for id, s := range a.lines.all() {
		d.record = fmt.Sprintf("line %d", id)
		leads(&d, namesOfLines, a.lineNames, s.Username.Key(), id)
		for _, entry := range slices.Concat(lineEntriesOf(false, s), lineEntriesOf(true, s)) {
			leads(&d, listsOfLines, a.lineLists, entry, struct{}{})
		}
	}
	for id, m := range a.movements.all() {
		d.record = fmt.Sprintf("movement %d", id)
		for _, e := range m.Postings {
			leads(&d, numbers, a.postings, postingID{e.Reseller, e.Seq}, id)
		}
	}
	for id, k := range a.keys.all() {
		d.record = fmt.Sprintf("idempotency key %q of account %d", id.key, id.reseller)
		leads(&d, expiries, a.expiries, expiry{k.Expires, id}, struct{}{})
	}
	nothingElse(&d, namesOfResellers, a.resellerNames)
	nothingElse(&d, listsOfResellers, a.resellerLists)
	nothingElse(&d, namesOfLines, a.lineNames)
	nothingElse(&d, listsOfLines, a.lineLists)
	nothingElse(&d, numbers, a.postings)
	nothingElse(&d, expiries, a.expiries)
	return storekit.ExamineIndexes(ctx, exporter{records: a.records}, report)
}

// derivation compares what leads to records with the records.
type derivation struct {
	report func(finding string)
	record string         // that is looked at
	due    map[string]int // how many there should be of what leads to records
}

func leads[K any, V comparable](d *derivation, what string, kept tree[K, V], key K, value V) {
	d.due[what]++
	if found, there := kept.get(key); !there || found != value {
		d.report(fmt.Sprintf("%s: it is not among the %s where it belongs", d.record, what))
	}
}

func nothingElse[K, V any](d *derivation, what string, kept tree[K, V]) {
	found := 0
	for range kept.all() {
		found++
	}
	if found != d.due[what] {
		d.report(fmt.Sprintf("memory: there are %d %s, and records make %d", found, what, d.due[what]))
	}
}
