package memstore

import (
	"context"
	"fmt"
	"slices"
)

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
func (a audit) Derived(_ context.Context, report func(finding string)) error {
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
			leads(&d, numbers, a.entries, entryID{e.Reseller, e.Seq}, id)
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
	nothingElse(&d, numbers, a.entries)
	nothingElse(&d, expiries, a.expiries)
	return nil
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
