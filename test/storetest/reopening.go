package storetest

import (
	"context"
	"fmt"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// fieldDurabilityChecks are of every field of every record that updates write, once the store was opened again.
var fieldDurabilityChecks = []Check{{"every-field-survives-reopening", proves{"S1", "U1"}, (*harness).keepsEveryField}}

// archiveDurabilityChecks are of what an archive shows once the store was opened again.
var archiveDurabilityChecks = []Check{{"archives-show-every-field-after-reopening", proves{"A5", "A8"},
	(*harness).keepsEveryField}}

// keepsEveryField fails unless a store that is opened again shows records of every kind as they were written, in every
// way that there is to read them: those that were inserted, and those that were changed since, before the store was
// opened again and after.
func (w *harness) keepsEveryField() {
	w.Helper()
	chain := w.chain()
	root, deepest := chain[0], chain[len(chain)-1]
	inserted := w.below(chain[len(chain)-2], "inserted")
	saved := w.trial(root, "saved")
	insertedLine, deleted := newTrial(deepest, w.id(ports.LineIDs), "inserted"), w.trial(deepest, "deleted")
	imported := fixture.Imported(root, w.id(ports.LineIDs)).State()
	w.update("insert an imported line", insertsLine(restoredLine(imported)))
	keys := [2]ports.KeyRecord{keyRecord(root.ID(), "key"), newerKey(keyRecord(root.ID(), "key"))}

	all := everything{tombstone: fullTombstone(deleted), journal: w.chronicle()}
	for _, a := range chain[:len(chain)-1] {
		all.resellers = append(all.resellers, a.State())
	}
	unchanged := len(all.resellers)
	for version := range 2 {
		// Of two records of a kind one was inserted whole, and one is saved over another that was inserted.
		a, b := fullReseller(deepest, 1-version), fullReseller(inserted, version)
		l, m := fullLine(saved, 1-version), fullLine(insertedLine, version)
		b.Username = fixture.Name(fmt.Sprintf("ÄRGER.%d", version))
		m.Username = b.Username
		k, another := keys[version], keys[1-version]
		another.Key = "another key"
		if version == 0 {
			w.update("insert an account and a line", inTurn(inserts(restored(b)), insertsLine(restoredLine(m))))
			w.put(keys[1])
			w.must(w.bury(all.tombstone), "delete a line")
			all.movements = w.movements(root, chain[1], chain[2], all.tombstone.Line)
			storeAll(w, all.movements, appends)
			all.journal.append(fullEntries(all.movements)...)
		} else {
			w.saves(b)
			w.savesLine(m)
		}
		w.saves(a)
		w.savesLine(l)
		w.put(k, another)
		all.resellers = append(all.resellers[:unchanged], a, b)
		all.lines = []line.State{l, m, imported}
		all.keys = []ports.KeyRecord{another, k}
		w.reopen()
		w.seesEverything(all)
		w.want(w.try(renames(root.ID(), b.Username.String())), errTaken, "take a name that was taken before")
		w.want(w.try(renamesLine(saved.ID(), b.Username.String())), errTaken, "take a line's name that was taken before")
	}
	for _, k := range keys { // of which the other one expires later
		w.drops(k.Expires, 10, 1)
	}
}

// everything is records of every kind, in the order of their ids.
type everything struct {
	population
	tombstone line.Tombstone
	movements []credit.Movement
	keys      []ports.KeyRecord
	journal   *chronicle
}

// seesEverything fails unless the store has these records and no others.
func (w *harness) seesEverything(all everything) {
	w.Helper()
	var ids, blocked []int64
	for _, s := range all.resellers {
		if ids = append(ids, s.ID); s.Blocked {
			blocked = append(blocked, s.ID)
		}
		w.seesReseller(s)
		w.listsResellers(all.population, ports.ResellerQuery{Scope: ports.Scope{Reseller: s.ID, Tree: true}, Limit: 3})
		w.listsResellers(all.population,
			ports.ResellerQuery{Master: s.ID, Username: string([]rune(s.Username.Key())[:1]), Limit: 3})
		w.listsLines(all.population, ports.LineQuery{Scope: ports.Scope{Reseller: s.ID, Tree: true}, Limit: 1})
	}
	w.blocks(ids, blocked)
	for _, s := range all.lines {
		w.seesLine(s)
		w.holdsLineName(s.Username.String(), s.ID)
		w.listsLines(all.population, ports.LineQuery{Trial: &s.Trial, ExpiresAfter: &s.ExpiresAt, Limit: 10})
	}
	w.seesMovements(all.movements)
	totals := totalsOf(all.movements, all.resellers)
	totals.Imported = 1
	w.totals(totals)
	w.seesKeys(all.keys)
	all.journal.sees()
	if w.line(all.tombstone.Line) != nil {
		w.Errorf("line %d is still there", all.tombstone.Line)
	}
	if w.audited {
		w.records(func(ctx context.Context, r ports.Records) error {
			return audits(ctx, w, r.Tombstones, r.TombstonesByLine, itself[line.Tombstone], all.tombstone.Line, all.tombstone)
		})
		w.sameContents(w.contents(), contents{
			all.resellers, all.lines, []line.Tombstone{all.tombstone}, all.movements, all.keys, all.journal.entries,
			all.journal.head(), all.journal.sums(),
		}, "store opened again")
		w.derivesNothing("after the store was opened again")
	}
}
