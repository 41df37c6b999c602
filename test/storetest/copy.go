package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/fixture"
)

var copyChecks = []Check{
	{"copied-records-live-on", proves{"C9", "C10", "C11", "C14", "C15"}, func(w *harness) {
		s := w.sample()
		w.storesKinds()
		w.each(func(of *record.Kind) {
			for _, r := range either(of.Copied(), several(of, manyOfKind)) {
				w.update("delete a record", deletesRecord(of, r.Key))
			}
		})
		importer := w.begin(s.origin, false)
		w.each(func(of *record.Kind) { w.hasRecords(of, nil, "records of a copy that has begun") })
		w.must(importer.Copy(w.ctx, ports.Batch{}), "copy nothing")
		w.fill(importer, s.records, 7)
		spoilBatch(s.records) // it is the caller's
		w.sees(s)
		w.records(func(ctx context.Context, r ports.Records) error {
			page, err := r.KeyRecords(ctx, 0, "", len(s.keys))
			spoilBatch(ports.Batch{Keys: page})
			return err
		})
		w.holds(s)
		w.liveOn(s)
		top := s.records.Resellers[0]
		for i, a := range s.resellers[:3] {
			w.want(w.try(inserts(w.below(top, a.Username.String()))), errTaken, "take the name of a copied account")
			l := newTrial(top, w.id(ports.LineIDs), s.lines[i].Username.String())
			w.want(w.try(insertsLine(l)), errTaken, "take the name of a copied line")
		}
		w.sees(s)
	}},
	{"one-of-many-copies-begins", proves{"C1", "C6"}, func(w *harness) {
		for round := range 4 {
			other := w.another()
			target, importers := other.target(), make([]ports.Importer, workers)
			claimed := error(ports.ErrUnfinishedCopy)
			errs := AtOnce(workers, func(i int) (err error) {
				if i == 1 && round%2 == 0 {
					_, claimed = other.store.ClaimKey(w.ctx, "claimed")
					return ports.ErrUnfinishedCopy
				}
				importers[i], err = target.BeginCopy(w.ctx, unused(strconv.Itoa(i)), false)
				return err
			})
			if claimed == nil {
				w.want(errs[0], ports.ErrNotEmpty, "copy over a store with a service key")
				continue
			}
			w.want(claimed, ports.ErrUnfinishedCopy, "claim a service key of a copy")
			w.oneSucceeds(errs, ports.ErrUnfinishedCopy, "begin copies at once")
			if i := slices.Index(errs, nil); i >= 0 {
				w.must(importers[i].Finish(w.ctx), "finish")
				other.claims("late", strconv.Itoa(i))
			}
		}
	}},
	{"stores-are-never-copied-over", proves{"C3"}, func(w *harness) {
		for how, use := range map[string]func(w *harness){
			"has an account": func(w *harness) { w.admin("root") },
			"has a key":      func(w *harness) { w.put(keyRecord(7, "key")) },
			"has a record of a kind": func(w *harness) {
				w.update("insert a record", insertsRecord(Samples.Kind, several(Samples.Kind, 1)[0]))
			},
			"has a journal":        func(w *harness) { w.chronicle() },
			"has recorded a key":   func(w *harness) { w.claims("claimed", "claimed") },
			"has assigned an id":   func(w *harness) { w.id(ports.PlatformIDs) },
			"is a finished copy":   func(w *harness) { w.copyAll(w.sample(), ports.CopyBatch) },
			"is a copy of nothing": func(w *harness) { w.copyNothing(unused("first")) },
		} {
			used := w.another()
			use(used)
			before, origin := used.contents(), used.origin()
			for _, restart := range []bool{false, true} {
				used.refusesCopy(unused("copied"), restart, ports.ErrNotEmpty,
					fmt.Sprintf("copy over a store that %s, restart %t", how, restart))
			}
			used.unfinished(false)
			w.sameContents(used.contents(), before, "store that "+how)
			w.same(used.origin(), origin, "origin of a store that "+how)
		}
	}},
	{"copies-are-unfinished-until-their-end", proves{"A16", "C1", "C4", "C8", "C12", "C13"}, func(w *harness) {
		s := w.sample()
		first := s.records
		second := ports.Batch{Movements: first.Movements, Entries: first.Entries[10:]}
		first.Movements, first.Entries = nil, first.Entries[:10]
		refuses := func() {
			w.unfinished(true)
			w.refusesCopy(unused("another"), false, ports.ErrUnfinishedCopy, "begin a copy where there is an unfinished one")
			for _, fingerprint := range []string{s.origin.Fingerprint, "another"} {
				_, err := w.store.ClaimKey(w.ctx, fingerprint)
				w.want(err, ports.ErrUnfinishedCopy, "claim a service key of an unfinished copy")
			}
			w.same(w.origin(), s.origin, "origin of an unfinished copy")
		}
		useless := func(importer ports.Importer, which string) {
			w.want(importer.Copy(w.ctx, second), ports.ErrCopyEnded, which+" copies")
			w.want(importer.Copy(w.ctx, ports.Batch{}), ports.ErrCopyEnded, which+" copies nothing")
			w.want(importer.Finish(w.ctx), ports.ErrCopyEnded, which+" finishes")
		}
		w.unfinished(false)
		old := w.begin(s.origin, false)
		refuses()
		w.must(old.Copy(w.ctx, first), "copy a part")
		importer := w.begin(s.origin, true)
		useless(old, "an importer whose copy was started over")
		w.must(importer.Copy(w.ctx, first), "copy a part")
		refuses() // and its importer goes on
		w.must(importer.Copy(w.ctx, second), "copy the rest")
		useless(old, "an importer whose copy was started over")
		refuses()
		w.must(importer.Finish(w.ctx), "finish")
		useless(importer, "an importer whose copy was finished")
		w.unfinished(false)
		w.holds(s)
		w.claims("another", s.origin.Fingerprint)
		for _, of := range ports.Sequences() {
			w.increase(of, s.origin.Next[of]-1, rounds)
		}
		unclaimed := w.another()
		unclaimed.copyNothing(unused(""))
		unclaimed.claims("another", "another")
	}},
	{"copies-are-started-over", proves{"C5"}, func(w *harness) {
		s := w.sample()
		w.must(w.begin(s.origin, true).Copy(w.ctx, s.records), "copy") // restart does nothing to an empty store
		again := unused("")
		again.Next[ports.LineIDs] += 7
		importer := w.begin(again, true)
		w.same(w.origin(), again, "origin of a copy that was started over")
		w.sameContents(w.contents(), contents{}, "copy that was started over")
		w.totals(credit.Totals{})
		for _, a := range s.resellers {
			w.listsResellers(population{}, ports.ResellerQuery{Scope: ports.Scope{Reseller: a.ID, Tree: true}, Limit: 5})
			w.listsLines(population{}, ports.LineQuery{Scope: ports.Scope{Reseller: a.ID}, Limit: 5})
			w.same(w.statement(a.ID, 0, 5), []credit.Movement{}, "statement of a copy that was started over")
		}
		w.must(importer.Copy(w.ctx, s.records), "copy the same records again")
		w.fill(w.begin(s.origin, true), s.records, ports.CopyBatch)
		w.sees(s)
	}},
	{"closed-copies-are-unavailable", proves{"C7"}, func(w *harness) {
		importer := w.begin(unused(""), false)
		w.close()
		w.refusesCopy(unused(""), true, ports.ErrUnavailable, "begin a copy after close")
		w.want(importer.Copy(w.ctx, ports.Batch{}), ports.ErrUnavailable, "copy after close")
		w.want(importer.Finish(w.ctx), ports.ErrUnavailable, "finish after close")
	}},
}

// copyDurabilityChecks check the records of copies that must outlive the process.
var copyDurabilityChecks = []Check{
	{"copies-survive-reopening", proves{"C2", "C11"}, func(w *harness) {
		s := w.sample()
		w.must(w.begin(s.origin, false).Copy(w.ctx, s.records), "copy")
		w.reopen()
		w.unfinished(true)
		w.same(w.origin(), s.origin, "origin of an unfinished copy")
		_, err := w.store.ClaimKey(w.ctx, s.origin.Fingerprint)
		w.want(err, ports.ErrUnfinishedCopy, "claim a service key")
		w.refusesCopy(s.origin, false, ports.ErrUnfinishedCopy, "begin a copy where there is an unfinished one")
		w.holds(s)
		w.fill(w.begin(s.origin, true), s.records, 7)
		w.reopen()
		w.unfinished(false)
		w.sees(s)
		w.claims("another", s.origin.Fingerprint)
		w.same(w.origin(), s.origin, "origin of a finished copy")
		for of, next := range s.origin.Next {
			w.increase(of, next-1, 1)
		}
		w.refusesCopy(s.origin, true, ports.ErrNotEmpty, "copy over a finished copy")
	}},
}

// sample is the content of a store that a check copies.
type sample struct {
	*harness
	population
	tombstones []line.Tombstone
	book       *book
	keys       []ports.KeyRecord
	kinds      []ports.KindRecord
	journal    *chronicle
	origin     ports.Origin
	records    ports.Batch // all of it, in the order of a copy
}

// another returns a world with a store of its own.
func (w *harness) another() *harness {
	other := open(w.T, w.subject)
	other.audited = w.audited
	return other
}

// sample fills another store with records of every kind and returns them.
func (w *harness) sample() *sample {
	from := w.another()
	s := &sample{harness: from, population: from.population()}
	for version, i := range []int{4, len(s.resellers) - 1} { // in the middle of the deep tree, and at the end
		s.resellers[i] = fullReseller(restored(s.resellers[i]), version)
		from.saves(s.resellers[i])
	}
	left := len(s.lines) - 5
	for version, i := range []int{1, left - 1} {
		owner := restored(s.resellers[i*3%len(s.resellers)])
		s.lines[i] = fullLine(newTrial(owner, s.lines[i].ID, "line"), version)
		from.savesLine(s.lines[i])
	}
	s.tombstones = mapped(s.lines[left:], func(l line.State) line.Tombstone { return tombstoneOf(restoredLine(l)) })
	s.tombstones[1] = fullTombstone(restoredLine(s.lines[left+1]))
	for _, t := range s.tombstones {
		w.must(from.bury(t), "delete a line")
	}
	s.lines = s.lines[:left]
	s.book = from.book()
	for _, id := range s.book.resellers {
		s.resellers = append(s.resellers, from.reseller(id).State())
	}
	s.keys = keysOfMany()
	from.put(s.keys...)
	for _, of := range ports.Kinds() {
		for _, r := range either(of.Copied(), several(of, kindsInSample)) {
			from.update("insert a record", insertsRecord(of, r))
			s.kinds = append(s.kinds, ports.KindRecord{Kind: of, Stored: r})
		}
	}
	s.journal = from.history()
	named := s.book.movements[:6]
	s.journal.append(fullEntries(named)...)
	s.journal.append(mapped(s.book.movements[len(named):], func(m credit.Movement) journal.Entry {
		return journal.Entry{Type: journal.ResellerCredited, At: m.At, Account: s.resellers[0].Position,
			Movement: journal.MovementOf(m)}
	})...)
	s.origin = ports.Origin{Fingerprint: "of the source's \"key\"", EarlierKeys: "of the \"key\" before",
		Next: map[ports.Sequence]int64{}}
	from.claims(s.origin.Fingerprint, s.origin.Fingerprint)
	for i, of := range ports.Sequences() {
		s.origin.Next[of] = from.id(of) + 71*int64(i+1)
	}
	s.gather()
	return s
}

// kindsInSample is how many records of each kind that is copied a sample has.
const kindsInSample = 3

func compareKeys(a, b ports.KeyRecord) int {
	return cmp.Or(cmp.Compare(a.Reseller, b.Reseller), strings.Compare(a.Key, b.Key))
}

// keysOfMany returns, without storing them, records of several resellers under keys that sort by their bytes alone.
// Some have expired.
func keysOfMany() (all []ports.KeyRecord) {
	status := 200
	for _, reseller := range []int64{11, 2, 1} {
		for _, key := range []string{"key", "KEY", "key ", "ke\u0301y", "𐐀", "\uffee", "a-b", "aB", "ab", "1", "10", "9",
			strings.Repeat("k", 255)} {
			r := keyRecord(reseller, key)
			r.Status, r.Expires = status, noon.Add(time.Duration(status-220)*time.Hour)
			r.Body = append(r.Body[:16], key...)
			all = append(all, r)
			status++
		}
	}
	return all
}

// unused is the origin of a store without any record, with or without a service key.
func unused(fingerprint string) ports.Origin {
	return ports.Origin{Fingerprint: fingerprint, Next: firstIDs()}
}

// firstIDs has the next ids of the sequences in a store that was never used.
func firstIDs() map[ports.Sequence]int64 {
	next := map[ports.Sequence]int64{}
	for _, of := range ports.Sequences() {
		next[of] = 1
	}
	return next
}

func (w *harness) begin(origin ports.Origin, restart bool) ports.Importer {
	importer, err := w.target().BeginCopy(w.ctx, origin, restart)
	w.must(err, "begin a copy")
	return importer
}

// refusesCopy fails unless no copy can begin, for this reason.
func (w *harness) refusesCopy(origin ports.Origin, restart bool, reason error, doing string) {
	_, err := w.target().BeginCopy(w.ctx, origin, restart)
	w.want(err, reason, doing)
}

// copyAll makes the store a finished copy, in batches of that size.
func (w *harness) copyAll(s *sample, size int) {
	w.fill(w.begin(s.origin, false), s.records, size)
}

// copyNothing makes the store a finished copy of an empty one.
func (w *harness) copyNothing(origin ports.Origin) {
	w.must(w.begin(origin, false).Finish(w.ctx), "finish")
}

// fill copies records, one kind after the other in batches of that size, and finishes the copy.
func (w *harness) fill(importer ports.Importer, all ports.Batch, size int) {
	for i := range reflect.TypeFor[ports.Batch]().NumField() {
		of := reflect.ValueOf(all).Field(i)
		for from := 0; from < of.Len(); from += size {
			var some ports.Batch
			reflect.ValueOf(&some).Elem().Field(i).Set(of.Slice(from, min(from+size, of.Len())))
			w.must(importer.Copy(w.ctx, some), "copy a batch")
		}
	}
	w.must(importer.Finish(w.ctx), "finish")
}

// liveOn changes records of every kind in a copy of the sample, and the sample
// with them.
func (w *harness) liveOn(s *sample) {
	// A reseller releases its name to another, and both have other changes.
	first, second := &s.resellers[3], &s.resellers[5]
	freed := first.Username
	first.Username, first.Blocked, first.UpdatedAt = fixture.Name("renamed"), true, noon.Add(time.Hour)
	w.saves(*first)
	second.Username, second.Credits = freed, fixture.Units(77)
	w.saves(*second)
	added := w.master(restored(s.resellers[4]), "added.to.a.copy", 0)
	s.resellers = append(s.resellers, added.State())

	// A line moves to the end of the order of expiry, one goes, one comes.
	s.lines[2].ExpiresAt = fixture.Time("2036-03-01T00:00:00Z")
	w.savesLine(s.lines[2])
	gone := s.lines[0]
	w.deleteLine(gone.ID)
	s.tombstones = append(s.tombstones, tombstoneOf(restoredLine(gone)))
	s.lines = append(s.lines[1:], w.trial(added, gone.Username.String()).State())

	// A chain goes on.
	b := book{harness: w, tips: s.book.tips, actor: s.book.resellers[0]}
	payer := s.book.resellers[1]
	b.chain(credit.Activation, credit.Reseller(payer), credit.Consumption, fixture.Units(5_000), 9, payer)
	b.append()
	s.book.movements = append(s.book.movements, b.movements...)
	s.journal.harness = w
	s.journal.append(journal.Entry{Type: journal.LineActivated, At: noon, Account: first.Position,
		Movement: journal.MovementOf(b.movements[0])})

	s.keys[0] = newerKey(s.keys[0])
	w.put(s.keys[0])
	left := slices.DeleteFunc(slices.Clone(s.keys), func(k ports.KeyRecord) bool { return !k.Expires.After(noon) })
	w.drops(noon, len(s.keys), len(s.keys)-len(left))
	s.keys = left
	s.gather()
}

// gather makes the records of the sample. They share nothing with it.
func (s *sample) gather() {
	all := s.holding()
	for i := range all.Movements {
		all.Movements[i].Postings = slices.Clone(all.Movements[i].Postings)
	}
	for i, k := range all.Keys {
		all.Keys[i].Request, all.Keys[i].Body = slices.Clone(k.Request), slices.Clone(k.Body)
	}
	for i, n := range all.Entries {
		all.Entries[i].Entry = copied(n.Entry)
	}
	s.records = ports.Batch{
		Resellers: mapped(all.Resellers, restored), Lines: mapped(all.Lines, restoredLine), Tombstones: all.Tombstones,
		Movements: all.Movements, Keys: all.Keys, Kinds: slices.Clone(s.kinds), Entries: all.Entries,
	}
}

// spoilBatch changes whatever the records may share with others.
func spoilBatch(batch ports.Batch) {
	for _, m := range batch.Movements {
		for i := range m.Postings {
			m.Postings[i].Seq++
		}
	}
	for _, k := range batch.Keys {
		k.Request[0]++
		k.Body[0]++
	}
	for i := range batch.Entries {
		spoil(&batch.Entries[i].Entry)
	}
}

// holding returns the contents of a store that has the sample and nothing else.
func (s *sample) holding() contents {
	all := contents{
		slices.Clone(s.resellers), slices.Clone(s.lines), slices.Clone(s.tombstones), slices.Clone(s.book.movements),
		slices.Clone(s.keys), map[string][]record.Stored{}, slices.Clone(s.journal.entries), s.journal.head(),
		s.journal.sums(),
	}
	slices.SortFunc(all.Resellers, inOrderOf(idOf))
	slices.SortFunc(all.Lines, inOrderOf(idOfLine))
	slices.SortFunc(all.Tombstones, inOrderOf(idOfTombstone))
	slices.SortFunc(all.Movements, inOrderOf(idOfMovement))
	slices.SortFunc(all.Keys, compareKeys)
	for _, k := range s.kinds {
		all.Kinds[k.Kind.Name()] = append(all.Kinds[k.Kind.Name()], k.Stored)
	}
	for _, of := range all.Kinds {
		slices.SortFunc(of, func(a, b record.Stored) int { return strings.Compare(a.Key, b.Key) })
	}
	return all
}

func inOrderOf[R any](id func(R) int64) func(a, b R) int {
	return func(a, b R) int { return cmp.Compare(id(a), id(b)) }
}

// contents has all records of a store, except those of kinds that are not copied.
type contents struct {
	Resellers  []reseller.State
	Lines      []line.State
	Tombstones []line.Tombstone
	Movements  []credit.Movement
	Keys       []ports.KeyRecord
	Kinds      map[string][]record.Stored
	Entries    []journal.Numbered
	Head       journal.Head
	Figures    []ports.DayFigures
}

// contents reads all records of the store.
func (w *harness) contents() contents {
	return recorded(w, contentsIn)
}

func contentsIn(ctx context.Context, r ports.Records) (all contents, err error) {
	resellers, resellersErr := auditedAll(ctx, r.Resellers)
	lines, linesErr := auditedAll(ctx, r.Lines)
	all.Resellers, all.Lines = mapped(resellers, (*reseller.Reseller).State), mapped(lines, (*line.Line).State)
	all.Kinds = map[string][]record.Stored{}
	errs := [8]error{0: errors.Join(resellersErr, linesErr)}
	all.Tombstones, errs[1] = auditedAll(ctx, r.Tombstones)
	all.Movements, errs[2] = auditedAll(ctx, r.Movements)
	all.Keys, errs[3] = readAll(ports.KeyRecord{}, 500, compareKeys,
		func(after ports.KeyRecord, limit int) ([]ports.KeyRecord, error) {
			return r.KeyRecords(ctx, after.Reseller, after.Key, limit)
		})
	all.Entries, errs[4] = auditedAll(ctx, r.Entries)
	all.Head, errs[5] = r.Head(ctx)
	all.Figures, errs[6] = readAll(ports.DayFigures{}, 500, compareFigures,
		func(after ports.DayFigures, limit int) ([]ports.DayFigures, error) {
			return r.Figures(ctx, after.Account, after.Day, limit)
		})
	for _, of := range ports.Kinds() {
		found, err := readAll(record.Found{}, 500, func(a, b record.Found) int { return strings.Compare(a.Key, b.Key) },
			func(after record.Found, limit int) ([]record.Found, error) {
				return r.OfKind(ctx, of, after.Key, limit)
			})
		errs[7] = errors.Join(errs[7], err)
		for _, f := range either(of.Copied(), found) {
			stored, damage := of.Examine(f.Payload)
			all.Kinds[of.Name()] = append(all.Kinds[of.Name()], stored)
			errs[7] = errors.Join(errs[7], f.Damage, damage)
		}
	}
	return all, errors.Join(errs[:]...)
}

// holds fails unless the store has the sample and nothing else.
func (w *harness) holds(s *sample) {
	w.sameContents(w.contents(), s.holding(), "copy")
}

// sameContents compares record by record: a difference of everything would take
// long to describe.
func (w *harness) sameContents(got, want contents, where string) {
	for i := range reflect.TypeFor[contents]().NumField() {
		is, wanted := reflect.ValueOf(got).Field(i), reflect.ValueOf(want).Field(i)
		of := reflect.TypeFor[contents]().Field(i).Name + " of a " + where
		if is.Kind() != reflect.Slice {
			w.same(is.Interface(), wanted.Interface(), of)
			continue
		}
		if is.Len() != wanted.Len() {
			w.Fatalf("%s: got %d, want %d", of, is.Len(), wanted.Len())
		}
		for n := range is.Len() {
			if !w.same(is.Index(n).Interface(), wanted.Index(n).Interface(), of) {
				w.Fatalf("%s: nothing more is compared", of)
			}
		}
	}
}

// sees fails unless the store answers as one that has the sample and nothing else, in every way there is.
func (w *harness) sees(s *sample) {
	blocked, suspending := map[int64]bool{}, map[int64]bool{}
	totals := totalsOf(s.book.movements, s.resellers)
	for _, a := range s.resellers {
		blocked[a.ID], suspending[a.ID] = a.Blocked, a.Blocked && a.Block.Suspends
		w.seesReseller(a)
		for _, tree := range []bool{false, true} {
			scope := ports.Scope{Reseller: a.ID, Tree: tree}
			w.listsResellers(s.population, ports.ResellerQuery{Scope: scope, Limit: 500})
			w.listsLines(s.population, ports.LineQuery{Scope: scope, Limit: 500})
		}
	}
	w.blocks(mapped(s.resellers, idOf), blocked, suspending)
	for _, l := range s.lines {
		w.seesLine(l)
		w.holdsLineName(l.Username.String(), l.ID)
		totals.Imported += either[int64](l.Origin == line.Imported, 1)
	}
	w.listsResellers(s.population, ports.ResellerQuery{Limit: 7})
	for _, q := range []ports.LineQuery{{}, {Username: "a", ExpiresAfter: ptr(noon)}, {Trial: ptr(true)}} {
		q.Limit = 7
		w.listsLines(s.population, q)
	}
	w.seesMovements(s.book.movements)
	for _, reseller := range s.book.resellers {
		w.same(w.statement(reseller, 0, 500), s.book.of(reseller), fmt.Sprintf("statement of account %d", reseller))
	}
	w.totals(totals)
	w.seesKeys(s.keys)
	c := chronicle{w, s.journal.entries}
	c.sees()
	c.figures()
	for _, scope := range someEventScopes {
		c.lists(ports.EventQuery{Of: scope, Limit: 50})
	}
	for _, t := range s.tombstones {
		w.same(w.line(t.Line) == nil, true, fmt.Sprintf("line %d is gone", t.Line))
	}
	kinds := map[*record.Kind][]record.Stored{}
	for _, k := range s.kinds {
		kinds[k.Kind] = append(kinds[k.Kind], k.Stored)
	}
	for of, want := range kinds {
		w.hasRecords(of, want, "records of the kind "+of.Name())
	}
	if w.audited {
		w.holds(s)
		w.derivesNothing("of all records")
	}
}

// unfinished fails unless the store is an unfinished copy, or none.
func (w *harness) unfinished(want bool) {
	is := recorded(w, func(ctx context.Context, r ports.Records) (bool, error) { return r.Unfinished(ctx) })
	if is != want {
		w.Errorf("an unfinished copy: got %t, want %t", is, want)
	}
}

// origin reads what the store has recorded.
func (w *harness) origin() ports.Origin {
	return recorded(w, func(ctx context.Context, r ports.Records) (ports.Origin, error) { return r.Origin(ctx) })
}

// claims fails unless a claim of the service key gets the recorded one.
func (w *harness) claims(fingerprint, recorded string) {
	got, err := w.store.ClaimKey(w.ctx, fingerprint)
	w.must(err, "claim key")
	if got != recorded {
		w.Errorf("claim %q: got %q, want %q", fingerprint, got, recorded)
	}
}
