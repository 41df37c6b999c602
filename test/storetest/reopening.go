package storetest

import (
	"fmt"
	"slices"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
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
	chain := w.chain()
	root, deepest := chain[0], chain[len(chain)-1]
	inserted := w.below(chain[len(chain)-2], "inserted")
	saved := w.trial(root, "saved")
	insertedLine, deleted := newTrial(deepest, w.id(ports.LineIDs), "inserted"), w.trial(deepest, "deleted")
	imported := fixture.Imported(root, w.id(ports.LineIDs)).State()
	w.update("insert an imported line", insertsLine(restoredLine(imported)))
	keys := [2]ports.KeyRecord{keyRecord(root.ID(), "key"), newerKey(keyRecord(root.ID(), "key"))}

	s := &sample{harness: w, tombstones: []line.Tombstone{fullTombstone(deleted)}, journal: w.chronicle(),
		book: &book{resellers: mapped(chain[:3], (*reseller.Reseller).ID)}}
	unchanged := mapped(chain[:len(chain)-1], (*reseller.Reseller).State)
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
			w.must(w.bury(s.tombstones[0]), "delete a line")
			s.book.movements = w.movements(root, chain[1], chain[2], deleted.ID())
			storeAll(w, s.book.movements, appends)
			s.journal.append(fullEntries(s.book.movements)...)
		} else {
			w.saves(b)
			w.savesLine(m)
		}
		w.saves(a)
		w.savesLine(l)
		w.put(k, another)
		s.population = population{append(slices.Clone(unchanged), a, b), []line.State{l, m, imported}}
		s.keys = []ports.KeyRecord{another, k}
		w.reopen()
		w.sees(s)
		w.want(w.try(renames(root.ID(), b.Username.String())), errTaken, "take a name that was taken before")
		w.want(w.try(renamesLine(saved.ID(), b.Username.String())), errTaken, "take a line's name that was taken before")
	}
	for _, k := range keys { // of which the other one expires later
		w.drops(k.Expires, 10, 1)
	}
}
