package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var copyChecks = []Check{
	{"copies-hold-every-record", proves{"C9"}, func(w *harness) {
		s := w.sample()
		w.copyAll(s, 7)
		w.holds(s)
		w.sees(s)
	}},
	{"copies-are-taken-in-one-batch", proves{"C9"}, func(w *harness) {
		s := w.sample()
		importer := w.begin(s.origin, false)
		w.must(importer.Copy(w.ctx, ports.Batch{}), "copy nothing")
		w.must(importer.Copy(w.ctx, s.records), "copy all at once")
		w.must(importer.Finish(w.ctx), "finish")
		w.holds(s)
	}},
	{"copied-records-live-on", proves{"C11"}, func(w *harness) {
		s := w.sample()
		w.copyAll(s, ports.CopyBatch)
		w.liveOn(s)
		w.holds(s)
		w.sees(s)
	}},
	{"copied-names-are-taken", proves{"C9"}, func(w *harness) {
		s := w.sample()
		w.copyAll(s, ports.CopyBatch)
		for i, a := range s.resellers[:3] {
			stranger := w.below(s.records.Resellers[0], a.Username.String())
			w.want(w.try(inserts(stranger)), errTaken, "take the name of copied account "+strconv.Itoa(i))
		}
		for i, l := range s.lines[:3] {
			stranger := newTrial(s.records.Resellers[0], w.id(ports.LineIDs), l.Username.String())
			w.want(w.try(insertsLine(stranger)), errTaken, "take the name of copied line "+strconv.Itoa(i))
		}
		w.holds(s)
	}},
	{"copied-records-stay-with-the-caller", proves{"C10"}, func(w *harness) {
		s := w.sample()
		batch := ports.Batch{Resellers: s.records.Resellers, Lines: s.records.Lines, Tombstones: s.records.Tombstones}
		for _, m := range s.records.Movements {
			m.Postings = slices.Clone(m.Postings)
			batch.Movements = append(batch.Movements, m)
		}
		for _, k := range s.records.Keys {
			k.Request, k.Body = slices.Clone(k.Request), slices.Clone(k.Body)
			batch.Keys = append(batch.Keys, k)
		}
		for _, n := range s.records.Entries {
			batch.Entries = append(batch.Entries, journal.Numbered{Entry: copied(n.Entry), Head: n.Head})
		}
		importer := w.begin(s.origin, false)
		w.must(importer.Copy(w.ctx, batch), "copy")
		for _, m := range batch.Movements {
			m.Postings[0].Seq++
		}
		for _, k := range batch.Keys {
			k.Request[0]++
			k.Body[0]++
		}
		for i := range batch.Entries {
			spoil(&batch.Entries[i].Entry)
		}
		w.holds(s)
		w.records(func(ctx context.Context, r ports.Records) error {
			page, err := r.KeyRecords(ctx, 0, "", len(s.keys))
			for _, k := range page {
				k.Request[0]++
				k.Body[0]++
			}
			return err
		})
		w.holds(s)
	}},
	{"copies-give-new-ids", proves{"C13"}, func(w *harness) {
		origin := ports.Origin{Fingerprint: "first", Next: map[ports.Sequence]int64{}}
		for i, of := range ports.Sequences() {
			origin.Next[of] = 1 + 1_237*int64(i) // in the middle of any block, and one that was never used
		}
		w.begin(unused(""), false)
		for _, of := range ports.Sequences() { // whether it gives ids before it is finished is the store's own affair
			_, _ = w.store.NextID(w.ctx, of)
		}
		w.must(w.begin(origin, true).Finish(w.ctx), "finish")
		for _, of := range ports.Sequences() {
			w.increase(of, origin.Next[of]-1, rounds)
		}
	}},
	{"copies-belong-to-their-service-key", proves{"C12"}, func(w *harness) {
		w.copyNothing(unused("first"))
		w.claims("another", "first")
	}},
	{"copies-without-a-service-key-take-the-first", proves{"C12"}, func(w *harness) {
		w.copyNothing(unused(""))
		w.claims("another", "another")
	}},
	{"unfinished-copies-refuse-service-keys", proves{"C1", "A16"}, func(w *harness) {
		s := w.sample()
		refuses := func(when string) {
			for _, fingerprint := range []string{s.origin.Fingerprint, "another"} {
				_, err := w.store.ClaimKey(w.ctx, fingerprint)
				w.want(err, ports.ErrUnfinishedCopy, "claim a service key "+when)
			}
		}
		w.unfinished(false)
		importer := w.begin(s.origin, false)
		w.unfinished(true)
		refuses("of a copy that has begun")
		w.must(importer.Copy(w.ctx, s.records), "copy")
		w.unfinished(true)
		refuses("of a copy that is complete and not finished")
		w.same(w.origin(), s.origin, "origin") // no claim was recorded either
		w.must(importer.Finish(w.ctx), "finish")
		w.unfinished(false)
		w.claims(s.origin.Fingerprint, s.origin.Fingerprint)
	}},
	{"service-keys-and-copies-exclude-each-other", proves{"C1"}, func(w *harness) {
		for range 5 {
			other := w.another()
			target := other.target()
			errs := AtOnce(2, func(i int) error {
				if i == 0 {
					_, err := target.BeginCopy(w.ctx, unused("copied"), false)
					return err
				}
				_, err := other.store.ClaimKey(w.ctx, "claimed")
				return err
			})
			switch {
			case errs[0] == nil:
				w.want(errs[1], ports.ErrUnfinishedCopy, "claim a service key of a copy")
			case errs[1] == nil:
				w.want(errs[0], ports.ErrNotEmpty, "copy over a store with a service key")
			default:
				w.Fatalf("neither took effect: %v", errs)
			}
		}
	}},
	{"one-of-many-copies-begins", proves{"C6"}, func(w *harness) {
		target, importers := w.target(), make([]ports.Importer, workers)
		errs := AtOnce(workers, func(i int) (err error) {
			importers[i], err = target.BeginCopy(w.ctx, unused(strconv.Itoa(i)), false)
			return err
		})
		w.oneSucceeds(errs, ports.ErrUnfinishedCopy, "begin copies at once")
		for i, err := range errs {
			if err == nil {
				w.must(importers[i].Finish(w.ctx), "finish")
				w.claims("late", strconv.Itoa(i))
			}
		}
	}},
	{"stores-are-never-copied-over", proves{"C3"}, func(w *harness) {
		for how, use := range map[string]func(w *harness){
			"holds an account": func(w *harness) {
				w.update("insert an account", inserts(restored(fullReseller(fixture.Admin(7), 0))))
			},
			"holds a key":              func(w *harness) { w.put(keyRecord(7, "key")) },
			"holds a journal":          func(w *harness) { w.chronicle() },
			"has recorded a key":       func(w *harness) { w.claims("claimed", "claimed") },
			"has given an id of a row": func(w *harness) { w.id(ports.LineIDs) },
			"has given an id":          func(w *harness) { w.id(ports.PlatformIDs) },
			"is a finished copy":       func(w *harness) { w.copyAll(w.sample(), ports.CopyBatch) },
			"is a copy of nothing":     func(w *harness) { w.copyNothing(unused("first")) },
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
			if recorded, err := used.store.ClaimKey(w.ctx, "later"); err != nil || recorded == "copied" {
				w.Errorf("a store that %s has the service key %q, %v", how, recorded, err)
			}
		}
	}},
	{"unfinished-copies-stay-as-they-are", proves{"C4"}, func(w *harness) {
		s := w.sample()
		importer := w.begin(s.origin, false)
		half := s.halves()
		w.must(importer.Copy(w.ctx, half[0]), "copy the first half")
		w.refusesCopy(unused("another"), false, ports.ErrUnfinishedCopy, "begin a copy where there is an unfinished one")
		// Nothing has happened, to who fills the first one neither.
		w.unfinished(true)
		w.same(w.origin(), s.origin, "origin of an unfinished copy")
		w.must(importer.Copy(w.ctx, half[1]), "copy the second half")
		w.must(importer.Finish(w.ctx), "finish")
		w.holds(s)
		w.sees(s)
	}},
	{"copies-are-started-over", proves{"C5"}, func(w *harness) {
		s := w.sample()
		w.must(w.begin(s.origin, true).Copy(w.ctx, s.records), "copy") // restart does nothing to an empty store
		for round := range int64(2) {
			again := unused("")
			again.Next[ports.LineIDs] += 7 * round
			importer := w.begin(again, true)
			w.unfinished(true)
			w.same(w.origin(), again, "origin of a copy that was started over")
			w.sameContents(w.contents(), contents{}, "copy that was started over")
			w.totals(credit.Totals{})
			for _, a := range s.resellers {
				w.listsResellers(population{}, ports.ResellerQuery{Scope: ports.Scope{Reseller: a.ID, Tree: true}, Limit: 5})
				w.listsLines(population{}, ports.LineQuery{Scope: ports.Scope{Reseller: a.ID}, Limit: 5})
				if left := w.statement(a.ID, 0, 5); len(left) > 0 {
					w.Errorf("account %d of a copy that was started over has a statement: %v", a.ID, movementIDs(left))
				}
			}
			w.must(importer.Copy(w.ctx, s.records), "copy the same records again")
		}
		w.copyAllOver(s)
		w.holds(s)
		w.sees(s)
	}},
	{"importers-end-with-their-copy", proves{"C8"}, func(w *harness) {
		s := w.sample()
		half := s.halves()
		first := w.begin(s.origin, false)
		w.must(first.Copy(w.ctx, half[0]), "copy")
		second := w.begin(s.origin, true)
		useless := func(importer ports.Importer, which string) {
			w.want(importer.Copy(w.ctx, half[1]), ports.ErrCopyEnded, which+" copies")
			w.want(importer.Copy(w.ctx, ports.Batch{}), ports.ErrCopyEnded, which+" copies nothing")
			w.want(importer.Finish(w.ctx), ports.ErrCopyEnded, which+" finishes")
		}
		useless(first, "an importer whose copy was started over")
		w.unfinished(true)
		w.must(second.Copy(w.ctx, half[0]), "copy")
		w.must(second.Copy(w.ctx, half[1]), "copy")
		useless(first, "an importer whose copy was started over")
		w.unfinished(true)
		w.must(second.Finish(w.ctx), "finish")
		useless(first, "an importer of another copy")
		useless(second, "an importer whose copy was finished")
		w.unfinished(false)
		w.holds(s)
	}},
	{"views-of-copies-are-snapshots", proves{"A1"}, func(w *harness) {
		s := w.sample()
		half := s.halves()
		importer := w.begin(s.origin, false)
		w.must(importer.Copy(w.ctx, half[0]), "copy")
		var wrote <-chan error
		w.records(func(ctx context.Context, r ports.Records) error {
			before, err := contentsIn(ctx, r)
			if err != nil {
				return err
			}
			// A store whose copies wait for views is right as well.
			wrote = async(func() error { return errors.Join(importer.Copy(w.ctx, half[1]), importer.Finish(w.ctx)) })
			time.Sleep(grace)
			after, err := contentsIn(ctx, r)
			w.sameContents(after, before, "view beside a copy")
			return err
		})
		w.must(outcome(w, wrote, "a copy beside a view"), "a copy beside a view")
		w.holds(s)
	}},
	{"closed-copies-are-unavailable", proves{"C7"}, func(w *harness) {
		s := w.sample()
		importer := w.begin(s.origin, false)
		w.close()
		w.refusesCopy(s.origin, true, ports.ErrUnavailable, "begin a copy after close")
		w.want(importer.Copy(w.ctx, s.records), ports.ErrUnavailable, "copy after close")
		w.want(importer.Finish(w.ctx), ports.ErrUnavailable, "finish after close")
	}},
}

// copyDurabilityChecks are of what must outlive the process.
var copyDurabilityChecks = []Check{
	{"unfinished-copies-survive-reopening", proves{"C2"}, func(w *harness) {
		s := w.sample()
		refused := func() {
			w.reopen()
			w.unfinished(true)
			w.same(w.origin(), s.origin, "origin of an unfinished copy")
			_, err := w.store.ClaimKey(w.ctx, s.origin.Fingerprint)
			w.want(err, ports.ErrUnfinishedCopy, "claim a service key")
			w.refusesCopy(s.origin, false, ports.ErrUnfinishedCopy, "begin a copy where there is an unfinished one")
		}
		w.begin(s.origin, false)
		refused()
		w.must(w.begin(s.origin, true).Copy(w.ctx, s.records), "copy")
		refused()
		w.holds(s)
		w.copyAllOver(s)
		w.holds(s)
	}},
	{"finished-copies-survive-reopening", proves{"C11"}, func(w *harness) {
		s := w.sample()
		w.copyAll(s, 7)
		w.reopen()
		w.unfinished(false)
		w.claims("another", s.origin.Fingerprint)
		w.holds(s)
		w.sees(s)
		w.same(w.origin(), s.origin, "origin of a finished copy")
		for of, next := range s.origin.Next {
			if id := w.id(of); id < next {
				w.Errorf("%s: got id %d, want %d or more", of, id, next)
			}
		}
		w.refusesCopy(s.origin, true, ports.ErrNotEmpty, "copy over a finished copy")
	}},
}

// sample is what a check copies: what a store of its own holds.
type sample struct {
	*harness
	population
	tombstones []line.Tombstone
	book       *book
	keys       []ports.KeyRecord
	journal    *chronicle
	origin     ports.Origin
	records    ports.Batch // all of it, in the order of a copy
}

// another returns a world with a store of its own.
func (w *harness) another() *harness {
	w.Helper()
	other := open(w.T, w.subject)
	other.audited = w.audited
	return other
}

// sample fills another store with records of every kind and returns them.
func (w *harness) sample() *sample {
	w.Helper()
	from := w.another()
	s := &sample{harness: from, population: from.population()}
	for version, i := range []int{4, len(s.resellers) - 1} { // in the middle of the deep tree, and at the end
		s.resellers[i] = fullReseller(restored(s.resellers[i]), version)
		from.saves(s.resellers[i])
	}
	for version, i := range []int{1, len(s.lines) - 2} {
		owner := restored(s.resellers[i*3%len(s.resellers)])
		s.lines[i] = fullLine(newTrial(owner, s.lines[i].ID, "line"), version)
		from.savesLine(s.lines[i])
	}
	gone := s.lines[len(s.lines)-1]
	from.deleteLine(gone.ID)
	s.tombstones = []line.Tombstone{ // one that the store made, and one of a line that was paid for
		tombstoneOf(restoredLine(gone)),
		{Line: 1 << 40, Charge: 1<<40 + 7, Actor: 1 << 40, At: fixture.Time("1999-12-31T23:59:59.999Z")},
	}
	s.lines = s.lines[:len(s.lines)-1]
	s.book = from.book()
	for _, id := range s.book.resellers {
		s.resellers = append(s.resellers, from.reseller(id).State())
	}
	s.keys = keysOfMany()
	from.put(s.keys...)
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

func compareKeys(a, b ports.KeyRecord) int {
	return cmp.Or(cmp.Compare(a.Reseller, b.Reseller), strings.Compare(a.Key, b.Key))
}

func nameOf(k ports.KeyRecord) string { return fmt.Sprintf("%d/%s", k.Reseller, k.Key) }

// keysOfMany returns, without storing them, records of several resellers under keys
// whose order is that of their bytes and of nothing else, expired ones among them.
func keysOfMany() (all []ports.KeyRecord) {
	status := 200
	for _, reseller := range []int64{11, 2, 1} {
		for _, key := range []string{"key", "KEY", "key ", "kéy", "ke\u0301y", "𐐀", "\uffee", "a-b", "a b", "aB", "ab", "1",
			"10", "9", strings.Repeat("k", 255)} {
			r := keyRecord(reseller, key)
			r.Status, r.Expires = status, noon.Add(time.Duration(status-220)*time.Hour)
			r.Body = append(r.Body[:16], key...)
			all = append(all, r)
			status++
		}
	}
	return all
}

// halves returns the records in two parts, both of which are in the order of a
// copy.
func (s *sample) halves() [2]ports.Batch {
	r := s.records
	resellers, lines, keys, entries := len(r.Resellers)-1, len(r.Lines)/2, len(r.Keys)/2, len(r.Entries)/2
	return [2]ports.Batch{
		{Resellers: r.Resellers[:resellers], Lines: r.Lines[:lines], Tombstones: r.Tombstones[:1], Keys: r.Keys[:keys],
			Entries: r.Entries[:entries]},
		{
			Resellers: r.Resellers[resellers:], Lines: r.Lines[lines:], Tombstones: r.Tombstones[1:], Movements: r.Movements,
			Keys:    r.Keys[keys:],
			Entries: r.Entries[entries:],
		},
	}
}

// unused is the origin of a store that holds nothing but a service key, or none.
func unused(fingerprint string) ports.Origin {
	return ports.Origin{Fingerprint: fingerprint, Next: firstIDs()}
}

// firstIDs is what the sequences of a store go on with that was never used.
func firstIDs() map[ports.Sequence]int64 {
	next := map[ports.Sequence]int64{}
	for _, of := range ports.Sequences() {
		next[of] = 1
	}
	return next
}

func (w *harness) begin(origin ports.Origin, restart bool) ports.Importer {
	w.Helper()
	importer, err := w.target().BeginCopy(w.ctx, origin, restart)
	w.must(err, "begin a copy")
	return importer
}

// refusesCopy fails unless no copy can begin, for this reason.
func (w *harness) refusesCopy(origin ports.Origin, restart bool, reason error, doing string) {
	w.Helper()
	_, err := w.target().BeginCopy(w.ctx, origin, restart)
	w.want(err, reason, doing)
}

// copyAll makes the store a finished copy, in batches of that size.
func (w *harness) copyAll(s *sample, size int) {
	w.Helper()
	w.fill(w.begin(s.origin, false), s.records, size)
}

// copyAllOver does so where there is an unfinished copy.
func (w *harness) copyAllOver(s *sample) {
	w.Helper()
	w.fill(w.begin(s.origin, true), s.records, ports.CopyBatch)
}

// copyNothing makes the store a finished copy of one that holds nothing.
func (w *harness) copyNothing(origin ports.Origin) {
	w.Helper()
	w.fill(w.begin(origin, false), ports.Batch{}, 1)
}

func (w *harness) fill(importer ports.Importer, r ports.Batch, size int) {
	w.Helper()
	for some := range slices.Chunk(r.Resellers, size) {
		w.must(importer.Copy(w.ctx, ports.Batch{Resellers: some}), "copy accounts")
	}
	for some := range slices.Chunk(r.Lines, size) {
		w.must(importer.Copy(w.ctx, ports.Batch{Lines: some}), "copy lines")
	}
	for some := range slices.Chunk(r.Tombstones, size) {
		w.must(importer.Copy(w.ctx, ports.Batch{Tombstones: some}), "copy tombstones")
	}
	for some := range slices.Chunk(r.Movements, size) {
		w.must(importer.Copy(w.ctx, ports.Batch{Movements: some}), "copy movements")
	}
	for some := range slices.Chunk(r.Keys, size) {
		w.must(importer.Copy(w.ctx, ports.Batch{Keys: some}), "copy keys")
	}
	for some := range slices.Chunk(r.Entries, size) {
		w.must(importer.Copy(w.ctx, ports.Batch{Entries: some}), "copy entries")
	}
	w.must(importer.Finish(w.ctx), "finish")
}

// liveOn changes records of every kind in a copy of the sample, and the sample
// with them.
func (w *harness) liveOn(s *sample) {
	w.Helper()
	// A reseller gives up its name to another, and both are changed otherwise.
	first, second := &s.resellers[3], &s.resellers[5]
	freed := first.Username
	first.Username, first.Blocked, first.UpdatedAt = fixture.Name("renamed"), true, noon.Add(time.Hour)
	w.saves(*first)
	second.Username, second.Credits = freed, fixture.Units(77)
	w.saves(*second)
	added := w.master(restored(s.resellers[4]), "added.to.a.copy", 0)
	s.resellers = append(s.resellers, added.State())

	// A line moves to the end of the order of expiry, one goes, one comes.
	extended := &s.lines[2]
	extended.ExpiresAt = fixture.Time("2036-03-01T00:00:00Z")
	w.savesLine(*extended)
	gone := s.lines[0]
	w.deleteLine(gone.ID)
	s.tombstones = append(s.tombstones, tombstoneOf(restoredLine(gone)))
	trial := fixture.ChangedLine(newTrial(added, w.id(ports.LineIDs), "new"), func(to *line.State) {
		to.Username = gone.Username
	})
	w.update("insert a line", insertsLine(trial))
	s.lines = append(s.lines[1:], trial.State())

	// A chain goes on.
	b := book{harness: w, tips: s.book.tips, resellers: s.book.resellers}
	payer := s.book.resellers[1]
	b.chain(credit.Activation, credit.Reseller(payer), credit.Consumption, fixture.Units(5_000), 9, payer)
	b.append()
	s.book.movements = append(s.book.movements, b.movements...)
	s.journal.harness = w
	s.journal.append(journal.Entry{Type: journal.LineActivated, At: noon, Account: first.Position,
		Movement: journal.MovementOf(b.movements[0])})

	newer := s.keys[0]
	newer.Status, newer.Body, newer.Expires = 299, []byte("another body"), noon.Add(1_000*time.Hour)
	w.put(newer)
	s.keys[0] = newer
	left := slices.DeleteFunc(slices.Clone(s.keys), func(k ports.KeyRecord) bool { return !k.Expires.After(noon) })
	w.drops(noon, len(s.keys), len(s.keys)-len(left))
	s.keys = left
	s.gather()
}

// gather makes the records of what the sample is made of.
func (s *sample) gather() {
	s.records = ports.Batch{
		Resellers:  mapped(s.resellers, restored),
		Lines:      mapped(s.lines, restoredLine),
		Tombstones: slices.Clone(s.tombstones),
		Movements:  slices.Clone(s.book.movements),
		Keys:       slices.Clone(s.keys),
		Entries:    slices.Clone(s.journal.entries),
	}
	slices.SortFunc(s.records.Tombstones, func(a, b line.Tombstone) int { return cmp.Compare(a.Line, b.Line) })
	slices.SortFunc(s.records.Movements, func(a, b credit.Movement) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(s.records.Keys, compareKeys)
}

// contents is all that a store holds.
type contents struct {
	resellers  []reseller.State
	lines      []line.State
	tombstones []line.Tombstone
	movements  []credit.Movement
	keys       []ports.KeyRecord
	entries    []journal.Numbered
	head       journal.Head
	figures    []ports.DayFigures
}

// contents reads all that the store holds.
func (w *harness) contents() contents {
	w.Helper()
	return recorded(w, contentsIn)
}

func contentsIn(ctx context.Context, r ports.Records) (found contents, err error) {
	resellers, resellersErr := auditedAll(ctx, r.Resellers)
	lines, linesErr := auditedAll(ctx, r.Lines)
	tombstones, tombstonesErr := auditedAll(ctx, r.Tombstones)
	movements, movementsErr := auditedAll(ctx, r.Movements)
	keys, keysErr := exportAll(ctx, r, ports.KeyRecord{}, 500)
	entries, entriesErr := auditedAll(ctx, r.Entries)
	head, headErr := r.Head(ctx)
	figures, figuresErr := figuresAfter(ctx, r, ports.DayFigures{}, 500)
	return contents{mapped(resellers, (*reseller.Reseller).State), mapped(lines, (*line.Line).State), tombstones,
			movements, keys, entries, head, figures},
		errors.Join(resellersErr, linesErr, tombstonesErr, movementsErr, keysErr, entriesErr, headErr, figuresErr)
}

func auditedAll[R any](ctx context.Context,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[R], error)) (all []R, err error) {
	for after := int64(0); ; {
		found, err := page(ctx, after, 500)
		if err != nil || len(found) == 0 {
			return all, err
		}
		for _, f := range found {
			if f.Damage != nil {
				return nil, f.Damage
			}
			if f.ID <= after {
				return nil, fmt.Errorf("record %d is shown after %d", f.ID, after)
			}
			after = f.ID
			all = append(all, f.Record)
		}
	}
}

// exportAll goes through all pages of keys after one.
func exportAll(ctx context.Context, e ports.Records, after ports.KeyRecord,
	limit int) (all []ports.KeyRecord, err error) {
	for {
		page, err := e.KeyRecords(ctx, after.Reseller, after.Key, limit)
		if err != nil || len(page) == 0 {
			return all, err
		}
		if len(page) > limit {
			return nil, fmt.Errorf("a page of %d with limit %d", len(page), limit)
		}
		for _, k := range page {
			if compareKeys(k, after) <= 0 {
				return nil, fmt.Errorf("%s is shown after %s", nameOf(k), nameOf(after))
			}
			after = k
			all = append(all, k)
		}
	}
}

// holds fails unless the store holds the sample and nothing else.
func (w *harness) holds(s *sample) {
	w.Helper()
	w.sameContents(w.contents(), contents{
		mapped(s.records.Resellers, (*reseller.Reseller).State), mapped(s.records.Lines, (*line.Line).State),
		s.records.Tombstones, s.records.Movements,
		s.records.Keys, s.records.Entries, s.journal.head(), s.journal.sums(),
	}, "copy")
}

// sameContents compares record by record: a difference of everything would take
// long to describe.
func (w *harness) sameContents(got, want contents, where string) {
	w.Helper()
	sameRecords(w, got.resellers, want.resellers, func(s reseller.State) string { return strconv.FormatInt(s.ID, 10) },
		"accounts of a "+where)
	sameRecords(w, got.lines, want.lines, func(s line.State) string {
		return strconv.FormatInt(s.ID, 10)
	}, "lines of a "+where)
	sameRecords(w, got.tombstones, want.tombstones, func(t line.Tombstone) string { return strconv.FormatInt(t.Line, 10) },
		"tombstones of a "+where)
	sameRecords(w, got.movements, want.movements, func(m credit.Movement) string { return strconv.FormatInt(m.ID, 10) },
		"movements of a "+where)
	sameRecords(w, got.keys, want.keys, nameOf, "keys of a "+where)
	sameRecords(w, got.entries, want.entries, func(n journal.Numbered) string { return strconv.FormatInt(n.Seq, 10) },
		"entries of a "+where)
	w.same(got.head, want.head, "head of the journal of a "+where)
	w.same(got.figures, want.figures, "figures of a "+where)
}

func sameRecords[R any](w *harness, got, want []R, name func(R) string, where string) {
	w.Helper()
	gotNames, wantNames := mapped(got, name), mapped(want, name)
	if !slices.Equal(gotNames, wantNames) {
		w.Fatalf("%s: got %q, want %q", where, gotNames, wantNames)
	}
	for i := range got {
		if !w.same(got[i], want[i], where) {
			w.Fatalf("%s: nothing more is compared", where)
		}
	}
}

// sees fails unless the copy answers as the sample does, in every way there is.
func (w *harness) sees(s *sample) {
	w.Helper()
	for _, a := range s.resellers {
		w.seesReseller(a)
		w.listsResellers(s.population, ports.ResellerQuery{Scope: ports.Scope{Reseller: a.ID, Tree: true}, Limit: 500})
		w.listsResellers(s.population, ports.ResellerQuery{Master: a.ID, Limit: 7})
		for _, tree := range []bool{false, true} {
			w.listsLines(s.population, ports.LineQuery{Scope: ports.Scope{Reseller: a.ID, Tree: tree}, Limit: 500})
		}
	}
	w.listsResellers(s.population, ports.ResellerQuery{Limit: 7})
	w.listsLines(s.population, ports.LineQuery{Limit: 7})
	w.listsLines(s.population, ports.LineQuery{Username: "a", ExpiresAfter: ptr(noon), Limit: 7})
	for _, l := range s.lines {
		found := w.line(l.ID)
		if found == nil {
			w.Fatalf("line %d is not in the copy", l.ID)
		}
		w.same(found.State(), l, "line in an update")
		w.holdsLineName(l.Username.String(), l.ID)
	}
	w.seesMovements(s.book.movements)
	for _, reseller := range s.book.resellers {
		w.same(w.statement(reseller, 0, 500), s.book.of(reseller), fmt.Sprintf("statement of account %d in a copy", reseller))
	}
	w.seesKeys(s.keys)
	c := chronicle{w, s.journal.entries}
	c.sees()
	for _, scope := range someEventScopes {
		c.lists(ports.EventQuery{Of: scope, Limit: 50})
	}
}

// unfinished fails unless the store is an unfinished copy, or none.
func (w *harness) unfinished(want bool) {
	w.Helper()
	is := recorded(w, func(ctx context.Context, r ports.Records) (bool, error) { return r.Unfinished(ctx) })
	if is != want {
		w.Errorf("an unfinished copy: got %t, want %t", is, want)
	}
}

// origin reads what the store has recorded.
func (w *harness) origin() ports.Origin {
	w.Helper()
	return recorded(w, func(ctx context.Context, r ports.Records) (ports.Origin, error) { return r.Origin(ctx) })
}

// claims fails unless a claim of the service key gets the recorded one.
func (w *harness) claims(fingerprint, recorded string) {
	w.Helper()
	got, err := w.store.ClaimKey(w.ctx, fingerprint)
	w.must(err, "claim key")
	if got != recorded {
		w.Errorf("claim %q: got %q, want %q", fingerprint, got, recorded)
	}
}
