package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// archiveChecks check that an archive shows the records that a store's updates have written. The store's checks among
// them also read as an auditor does.
var archiveChecks = slices.Concat([]Check{
	{"deleted-lines-leave-tombstones", proves{"A8"}, func(w *harness) {
		root := w.admin("root")
		trial, official, stays := w.trial(root, "trial"), w.trial(root, "official"), w.trial(root, "stays")
		want := []line.Tombstone{{Line: trial.ID(), Actor: 7, At: noon}, fullTombstone(official)}
		for _, t := range want {
			w.must(w.bury(t), "delete a line")
		}
		for _, t := range []line.Tombstone{{Line: unknownID, Actor: root.ID(), At: noon}, fullTombstone(trial)} {
			w.want(w.bury(t), fault.ErrNotFound, "delete a line that does not exist")
		}
		w.want(w.try(inTurn(deletes(stays.ID()), refuses)), errRefused, "delete a line in an update that fails")
		w.same(w.contents().Tombstones, want, "tombstones of deletions, some refused")
	}},
	{"archives-are-of-one-snapshot", proves{"A1", "A2"}, func(w *harness) {
		c := w.prepare()
		before := recorded(w, c.audit)
		h := w.hold(c.write)
		var first, second observation
		looked := async(func() error {
			return w.archive().ViewRecords(w.ctx, func(ctx context.Context, r ports.Records) (err error) {
				if first, err = c.audit(ctx, r); err != nil {
					return err
				}
				// A store whose updates wait for views is right as well.
				h.release()
				time.Sleep(grace)
				second, err = c.audit(ctx, r)
				return err
			})
		})
		w.must(outcome(w, looked, "a look at records beside an open update"), "view records")
		h.end(w)
		w.same(first, before, "the records beside an open update")
		w.same(second, before, "the same records once more in one view")
		if gocmp.Equal(recorded(w, c.audit), before, same) {
			w.Errorf("later records show nothing of an update")
		}
	}},
	{"archives-end", proves{"A3", "A4"}, func(w *harness) {
		look := func(context.Context, ports.Records) error { return errRefused }
		w.want(w.archive().ViewRecords(w.ctx, look), errRefused, "view records")
		w.close()
		w.want(w.archive().ViewRecords(w.ctx, look), ports.ErrUnavailable, "view records after close")
	}},
	{"archives-show-all", proves{"A5", "A6", "A7", "A9", "A10", "A11", "A17", "A18", "A19", "A20", "A21"},
		func(w *harness) {
			w.sameContents(w.contents(), contents{}, "store without records")
			w.derivesNothing("of nothing")
			s := w.sample() // of another store
			s.holds(s)
			got := s.contents()
			for i := range got.Entries {
				spoil(&got.Entries[i].Entry)
			}
			s.holds(s)
			s.pages()
			s.finds()
			s.derivesNothing("of records of every kind")
			s.liveOn(s)
			s.derivesNothing("after changes of every kind")
		}},
	{"exports-report-the-origin", proves{"A13", "A14"}, func(w *harness) {
		w.same(w.origin().Fingerprint, "", "fingerprint of the origin of a new store")
		for range 70 { // past the end of any block of ids
			for _, of := range ports.Sequences() {
				if last, origin := w.id(of), w.origin(); origin.Next[of] <= last {
					w.Errorf("%s: next is %d, and %d was assigned", of, origin.Next[of], last)
				}
			}
		}
		w.claims("first", "first") // nothing was claimed before
		w.same(w.origin().Fingerprint, "first", "fingerprint of the origin")
	}},
}, auditedToo(map[string]Check{
	"accounts-survive-unchanged":  {Name: "archives-show-accounts-unchanged", Promises: proves{"A5"}},
	"lines-survive-unchanged":     {Name: "archives-show-lines-unchanged", Promises: proves{"A5"}},
	"movements-survive-unchanged": {Name: "archives-show-movements-unchanged", Promises: proves{"A5", "A6"}},
	"totals-are-sums":             {Name: "archives-show-sums", Promises: proves{"A12"}},
}))

// auditedToo returns checks of a store under other names. Each of them proves a promise of an archive by reading as an
// auditor does.
func auditedToo(as map[string]Check) (checks []Check) {
	for _, c := range slices.Concat(recordChecks, ledgerChecks) {
		if other, is := as[c.Name]; is {
			other.prove = c.prove
			checks = append(checks, other)
		}
	}
	return checks
}

// pages fails unless an archive shows the sample page by page.
func (s *sample) pages() {
	all := s.holding()
	s.harness.records(func(ctx context.Context, r ports.Records) error {
		errs := []error{
			pagesOfIDs(ctx, s.harness, "accounts", r.Resellers, mapped(all.Resellers, idOf)),
			pagesOfIDs(ctx, s.harness, "lines", r.Lines, mapped(all.Lines, idOfLine)),
			pagesOfIDs(ctx, s.harness, "tombstones", r.Tombstones, mapped(all.Tombstones, idOfTombstone)),
			pagesOfIDs(ctx, s.harness, "movements", r.Movements, movementIDs(all.Movements)),
			pagesOfIDs(ctx, s.harness, "entries", r.Entries, mapped(all.Entries, seqOf)),
		}
		last := all.Keys[3]
		errs = append(errs, inPages(s.harness, "keys", all.Keys, []ports.KeyRecord{{Reseller: 1 << 40},
			{Reseller: all.Keys[0].Reseller, Key: "\U0010ffff"}, {Reseller: last.Reseller, Key: last.Key + " "}}, compareKeys,
			func(after ports.KeyRecord, limit int) ([]ports.KeyRecord, error) {
				return r.KeyRecords(ctx, after.Reseller, after.Key, limit)
			}))
		between := all.Figures[len(all.Figures)/2]
		between.Day = between.Day.Add(-time.Millisecond)
		errs = append(errs, inPages(s.harness, "figures", all.Figures, []ports.DayFigures{between, {Account: unknownID}},
			compareFigures, func(after ports.DayFigures, limit int) ([]ports.DayFigures, error) {
				return r.Figures(ctx, after.Account, after.Day, limit)
			}))
		for _, of := range ports.Kinds() {
			want := mapped(all.Kinds[of.Name()], func(s record.Stored) string { return s.Key })
			if len(want) == 0 { // it is not copied
				continue
			}
			errs = append(errs, inPages(s.harness, "records of the kind "+of.Name(), want, []string{want[0] + "0"},
				strings.Compare, func(after string, limit int) (keys []string, err error) {
					page, err := r.OfKind(ctx, of, after, limit)
					for _, f := range page {
						keys, err = append(keys, f.Key), errors.Join(err, f.Damage)
					}
					return keys, err
				}))
		}
		return errors.Join(errs...)
	})
}

// finds fails unless an archive finds the records of the sample that are named.
func (s *sample) finds() {
	all := s.holding()
	postings := map[ports.PostingID]ports.Audited[any]{}
	for _, m := range all.Movements {
		for _, e := range m.Postings {
			postings[ports.PostingID{Reseller: e.Reseller, Seq: e.Seq}] = ports.Audited[any]{ID: m.ID, Record: m}
		}
	}
	payer := s.book.resellers[1]
	absent := []ports.PostingID{{Reseller: payer}, {Reseller: payer, Seq: -1}}
	for _, id := range manyIDs() {
		absent = append(absent, ports.PostingID{Reseller: payer, Seq: id})
	}
	w := s.harness
	w.records(func(ctx context.Context, r ports.Records) error {
		gone := all.Tombstones[0].Line
		return errors.Join(
			finds(w, "accounts by id", byID(all.Resellers, idOf), manyIDs(0, -1), states(ctx, r.ResellersByID)),
			finds(w, "lines by id", byID(all.Lines, idOfLine), manyIDs(0, -1, gone), states(ctx, r.LinesByID)),
			finds(w, "tombstones by line", byID(all.Tombstones, idOfTombstone), manyIDs(0, -1, gone-1),
				states(ctx, r.TombstonesByLine)),
			finds(w, "movements by id", byID(all.Movements, idOfMovement), manyIDs(0, -1), states(ctx, r.MovementsByID)),
			finds(w, "movements by number", postings, absent, states(ctx, r.MovementsByPosting)),
		)
	})
}

// audit reads what an archive shows of the change in every way that it has.
func (c *change) audit(ctx context.Context, r ports.Records) (o observation, err error) {
	all, err := contentsIn(ctx, r)
	p := c.movement.Postings[0]
	o = observation{"contents": all}
	return o, errors.Join(err,
		o.note("accounts")(states(ctx, r.ResellersByID)([]int64{c.added.ID(), c.savedWas.ID()})),
		o.note("lines")(states(ctx, r.LinesByID)([]int64{c.addedLine.ID(), c.savedLine.ID(), c.deletedLine.ID()})),
		o.note("tombstones")(r.TombstonesByLine(ctx, []int64{c.deletedLine.ID()})),
		o.note("movements")(r.MovementsByID(ctx, []int64{c.movement.ID})),
		o.note("postings")(r.MovementsByPosting(ctx, []ports.PostingID{{Reseller: p.Reseller, Seq: p.Seq}})),
		o.note("totals")(r.Totals(ctx)))
}

// derivesNothing fails if what leads to records is found to be wrong.
func (w *harness) derivesNothing(when string) {
	w.records(func(ctx context.Context, r ports.Records) error {
		return r.Derived(ctx, func(finding string) { w.Errorf("%s: found %q", when, finding) })
	})
}

// manyNamed is more than a statement of SQLite's has parameters.
const manyNamed = 1 << 15

// manyIDs returns these and manyNamed ids that nothing has.
func manyIDs(ids ...int64) []int64 {
	for i := range int64(manyNamed) {
		ids = append(ids, unknownID+i)
	}
	return ids
}

func itself[R any](r R) R { return r }

func idOf(s reseller.State) int64          { return s.ID }
func idOfLine(s line.State) int64          { return s.ID }
func idOfTombstone(t line.Tombstone) int64 { return t.Line }
func idOfMovement(m credit.Movement) int64 { return m.ID }
func seqOf(n journal.Numbered) int64       { return n.Seq }

// byID returns the expected result of an audit of these.
func byID[S any](all []S, id func(S) int64) map[int64]ports.Audited[any] {
	stored := map[int64]ports.Audited[any]{}
	for _, s := range all {
		stored[id(s)] = ports.Audited[any]{ID: id(s), Record: s}
	}
	return stored
}

// lookup is a way to read the records that are named.
type lookup[K comparable, R any] = func(ctx context.Context, keys []K) (map[K]ports.Audited[R], error)

// states returns a way to read the states of the records that are named.
func states[K comparable, R any](ctx context.Context,
	read lookup[K, R]) func(keys []K) (map[K]ports.Audited[any], error) {
	return func(keys []K) (map[K]ports.Audited[any], error) {
		found, err := read(ctx, keys)
		all := map[K]ports.Audited[any]{}
		for key, f := range found {
			all[key] = ports.Audited[any]{ID: f.ID, Record: stateOf(f.Record), Damage: f.Damage}
		}
		return all, err
	}
}

// finds fails unless the keys find the stored records, and nothing else, in every way to query, also together with some
// unknown keys.
func finds[K comparable, S any](w *harness, what string, stored map[K]S, absent []K,
	read func(keys []K) (map[K]S, error)) error {
	keys := slices.Collect(maps.Keys(stored)) // in any order
	for how, asked := range map[string][]K{
		"none":                       nil,
		"the first":                  keys[:1],
		"all, twice":                 slices.Concat(keys, keys),
		"records that do not exist":  absent[:min(len(absent), 3)],
		"all, after much that isn't": slices.Concat(absent, keys),
	} {
		got, err := read(asked)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", what, how, err)
		}
		want := map[K]S{}
		for _, key := range asked {
			if s, there := stored[key]; there {
				want[key] = s
			}
		}
		w.same(got, want, what+", "+how)
	}
	return nil
}

// audits fails unless a record is read as want, undamaged, in a page and by its id.
func audits[R any](
	ctx context.Context, w *harness, page func(ctx context.Context, after int64, limit int) ([]ports.Audited[R], error),
	byID lookup[int64, R], id int64, want any,
) error {
	paged, err := page(ctx, id-1, 1)
	found, failed := byID(ctx, []int64{id})
	for how, f := range map[string][]ports.Audited[R]{"in a page": paged, "by its id": {found[id]}} {
		if len(f) != 1 {
			w.Errorf("an audit that is to show record %d shows %+v", id, f)
			continue
		}
		got := ports.Audited[any]{ID: f[0].ID, Record: stateOf(f[0].Record), Damage: f[0].Damage}
		w.same(got, ports.Audited[any]{ID: id, Record: want}, "record audited "+how)
	}
	return errors.Join(err, failed)
}

// readAll goes through pages until one is empty.
func readAll[R any](after R, limit int, compare func(a, b R) int,
	page func(after R, limit int) ([]R, error)) (all []R, err error) {
	for {
		found, err := page(after, limit)
		if err == nil {
			err = checkPage(limit, after, found, nil, compare)
		}
		if err != nil || len(found) == 0 {
			return all, err
		}
		all, after = append(all, found...), found[len(found)-1]
	}
}

// inPages fails unless the pages after each of these positions, and others, have what follows it, whatever their size.
func inPages[R any](w *harness, what string, want, positions []R, compare func(a, b R) int,
	page func(after R, limit int) ([]R, error)) error {
	for _, limit := range []int{1, 7, len(want), len(want) + 1} {
		for _, after := range append(positions, *new(R), want[0], want[len(want)-1]) {
			got, err := readAll(after, limit, compare, page)
			if err != nil {
				return fmt.Errorf("%s after %+v, limit %d: %w", what, after, limit, err)
			}
			w.same(got, slices.DeleteFunc(slices.Clone(want), func(r R) bool { return compare(r, after) <= 0 }),
				fmt.Sprintf("%s after %+v, limit %d", what, after, limit))
		}
	}
	return nil
}

// pagesOfIDs does so for records that an audit pages through by their ids.
func pagesOfIDs[R any](ctx context.Context, w *harness, what string,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[R], error), want []int64) error {
	return inPages(w, what, want, []int64{want[0] - 1, unknownID}, cmp.Compare[int64],
		func(after int64, limit int) (ids []int64, err error) {
			found, err := page(ctx, after, limit)
			for _, f := range found {
				ids, err = append(ids, f.ID), errors.Join(err, f.Damage)
			}
			return ids, err
		})
}

// auditedAll reads all records that an audit pages through by their ids.
func auditedAll[R any](ctx context.Context,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[R], error)) (all []R, err error) {
	found, err := readAll(ports.Audited[R]{}, 500, func(a, b ports.Audited[R]) int { return cmp.Compare(a.ID, b.ID) },
		func(after ports.Audited[R], limit int) ([]ports.Audited[R], error) { return page(ctx, after.ID, limit) })
	for _, f := range found {
		if err = errors.Join(err, f.Damage); err != nil {
			return nil, err
		}
		all = append(all, f.Record)
	}
	return all, err
}
