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
	"resellerd/test/fixture"
)

// archiveChecks are of how an archive shows what a store's updates have written. Those
// of them that are a store's checks as well look with an auditor's eyes, too.
var archiveChecks = slices.Concat([]Check{
	{"deleted-lines-leave-tombstones", proves{"A8"}, func(w *harness) {
		root := w.admin("root")
		owner := w.master(root, "owner", 0)
		trial, official, stays := w.trial(owner, "trial"), w.trial(owner, "official"), w.trial(root, "stays")
		full := fullLine(official, 0)
		w.savesLine(full)
		buried := []line.Tombstone{
			{Line: trial.ID(), Actor: root.ID(), At: fixture.Time("1999-12-31T23:59:59.999Z")},
			{Line: official.ID(), Charge: full.Charge, Actor: owner.ID(), At: fixture.Time("2026-03-01T00:00:00.001Z")},
		}
		sees := func(want []line.Tombstone, when string) {
			w.records(func(ctx context.Context, r ports.Records) error {
				found, err := auditedAll(ctx, r.Tombstones)
				w.same(found, want, "tombstones "+when)
				return err
			})
		}
		sees(nil, "of no deletion")
		for i, t := range buried {
			w.must(w.bury(t), "delete a line")
			sees(buried[:i+1], "of deletions")
		}
		w.want(w.bury(line.Tombstone{Line: unknownID, Actor: root.ID(), At: noon}), fault.ErrNotFound,
			"delete a line that is not there")
		again := buried[0]
		again.Actor, again.At = owner.ID(), noon
		w.want(w.bury(again), fault.ErrNotFound, "delete a line again")
		w.want(w.try(inTurn(deletes(stays.ID()), refuses)), errRefused, "delete a line in vain")
		sees(buried, "of deletions, some refused")
	}},
	{"archives-show-no-open-update", proves{"A1", "A2"}, func(w *harness) {
		c := w.prepare()
		before := w.contents()
		h := w.hold(c.write)
		var beside contents
		looking := async(func() error {
			return w.archive().ViewRecords(w.ctx, func(ctx context.Context, r ports.Records) (err error) {
				beside, err = contentsIn(ctx, r)
				return err
			})
		})
		w.must(outcome(w, looking, "a look at records beside an open update"), "view records")
		w.sameContents(beside, before, "store with an open update")
		h.end(w)
		if gocmp.Equal(w.contents(), before, same) {
			w.Errorf("the records show nothing of an update")
		}
	}},
	{"archives-are-of-one-snapshot", proves{"A1"}, func(w *harness) {
		c := w.prepare()
		var before, beside observation
		var wrote <-chan error
		w.records(func(ctx context.Context, r ports.Records) (err error) {
			if before, err = c.audit(ctx, r); err != nil {
				return err
			}
			// A store whose updates wait for views is right as well.
			wrote = async(func() error { return w.try(c.write) })
			time.Sleep(grace)
			beside, err = c.audit(ctx, r)
			return err
		})
		w.must(outcome(w, wrote, "an update beside a view"), "an update beside a view")
		w.same(beside, before, "the same records once more in one view")
		if gocmp.Equal(recorded(w, c.audit), before, same) {
			w.Errorf("later records show nothing of an update")
		}
	}},
	{"archives-return-the-error-of-look", proves{"A3"}, func(w *harness) {
		w.want(w.archive().ViewRecords(w.ctx, func(context.Context, ports.Records) error { return errRefused }), errRefused,
			"view records")
	}},
	{"closed-archives-are-unavailable", proves{"A4"}, func(w *harness) {
		w.admin("root")
		w.close()
		w.want(w.archive().ViewRecords(w.ctx, func(context.Context, ports.Records) error { return nil }),
			ports.ErrUnavailable, "view records after close")
	}},
	{"archives-show-all-page-by-page", proves{"A7", "A17", "A18", "A19", "A21"}, func(w *harness) {
		w.sameContents(w.contents(), contents{}, "store without records")
		s := w.sample() // of another store
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
				if !of.Copied() {
					continue
				}
				want := slices.Sorted(slices.Values(mapped(several(of, kindsInSample),
					func(s record.Stored) string { return s.Key })))
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
	}},
	{"archives-find-what-is-named", proves{"A9", "A10"}, func(w *harness) {
		s := w.sample() // of another store
		all := s.holding()
		postings := map[ports.PostingID]ports.Audited[any]{}
		var numbers []ports.PostingID
		for _, m := range all.Movements {
			for _, e := range m.Postings {
				number := ports.PostingID{Reseller: e.Reseller, Seq: e.Seq}
				postings[number] = ports.Audited[any]{ID: m.ID, Record: m}
				numbers = append(numbers, number)
			}
		}
		named := map[int64]ports.Audited[any]{}
		for _, n := range all.Entries {
			if n.Movement != nil {
				named[n.Movement.ID] = ports.Audited[any]{ID: n.Seq, Record: n}
			}
		}
		absent := []ports.PostingID{{Reseller: numbers[0].Reseller}, {Reseller: numbers[0].Reseller, Seq: -1},
			{Reseller: numbers[0].Reseller, Seq: int64(len(numbers)) + 1}}
		for _, id := range manyIDs() {
			absent = append(absent, ports.PostingID{Reseller: numbers[0].Reseller, Seq: id})
		}
		s.harness.records(func(ctx context.Context, r ports.Records) error {
			ids := func(all map[int64]ports.Audited[any]) []int64 { return slices.Sorted(maps.Keys(all)) }
			resellers, lines := byID(all.Resellers, idOf), byID(all.Lines, idOfLine)
			tombstones, movements := byID(all.Tombstones, idOfTombstone), byID(all.Movements, idOfMovement)
			gone := all.Tombstones[0].Line
			return errors.Join(
				finds(w, "accounts by id", resellers, ids(resellers), manyIDs(0, -1), states(ctx, r.ResellersByID)),
				finds(w, "lines by id", lines, ids(lines), manyIDs(0, -1, gone), states(ctx, r.LinesByID)),
				finds(w, "tombstones by line", tombstones, ids(tombstones), manyIDs(0, -1, gone-1),
					states(ctx, r.TombstonesByLine)),
				finds(w, "movements by id", movements, ids(movements), manyIDs(0, -1), states(ctx, r.MovementsByID)),
				finds(w, "movements by number", postings, numbers, absent, states(ctx, r.MovementsByPosting)),
				finds(w, "entries by movement", named, ids(named), manyIDs(s.journal.unnamed()...),
					states(ctx, r.EntriesByMovement)),
			)
		})
	}},
	{"archives-show-entries-unchanged", proves{"A5", "A6", "A20"}, func(w *harness) {
		c := w.chronicle()
		c.archived()
		c.append(fullEntries(w.moved().all)...)
		c.archived()
		w.records(func(ctx context.Context, r ports.Records) error {
			page, err := r.Entries(ctx, 0, 500)
			for _, f := range page {
				spoil(&f.Record.Entry)
			}
			found, namedErr := r.EntriesByMovement(ctx, c.movements())
			for _, f := range found {
				spoil(&f.Record.Entry)
			}
			return errors.Join(err, namedErr)
		})
		c.archived()
	}},
	{"audits-derive-what-was-written", proves{"A11"}, func(w *harness) {
		w.derivesNothing("of nothing")
		s := w.sample() // of another store
		s.derivesNothing("of records of every kind")
		if w.store.Parts().CopyTarget != nil {
			w.copyAll(s, ports.CopyBatch)
			w.derivesNothing("of a copy")
			w.liveOn(s)
			w.derivesNothing("after changes of every kind to a copy")
		} else {
			s.liveOn(s)
			s.derivesNothing("after changes of every kind")
		}
	}},
	{"exports-tell-the-origin", proves{"A13", "A14"}, func(w *harness) {
		tell := func(fingerprint string) { w.same(w.origin().Fingerprint, fingerprint, "fingerprint of the origin") }
		tell("")
		last := map[ports.Sequence]int64{}
		for round := range 70 { // past the end of any block of ids
			for i, of := range ports.Sequences() {
				if i == 0 && round > 0 {
					continue
				}
				last[of] = w.id(of)
			}
			origin := w.origin()
			for of, id := range last {
				if origin.Next[of] <= id {
					w.Errorf("%s: next is %d, and %d was given", of, origin.Next[of], id)
				}
			}
		}
		tell("")
		w.claims("first", "first") // nothing was claimed before
		tell("first")
	}},
}, auditedToo(map[string]Check{
	"accounts-survive-unchanged":  {Name: "archives-show-accounts-unchanged", Promises: proves{"A5"}},
	"lines-survive-unchanged":     {Name: "archives-show-lines-unchanged", Promises: proves{"A5"}},
	"movements-survive-unchanged": {Name: "archives-show-movements-unchanged", Promises: proves{"A5"}},
	"movements-are-never-changed": {Name: "archives-show-movements-never-changed", Promises: proves{"A6"}},
	"totals-are-sums":             {Name: "archives-show-sums", Promises: proves{"A12"}},
}))

// auditedToo returns checks of a store under other names, of which each proves with an
// auditor's eyes what an archive promises.
func auditedToo(as map[string]Check) (checks []Check) {
	for _, c := range slices.Concat(recordChecks, ledgerChecks) {
		if other, is := as[c.Name]; is {
			other.prove = c.prove
			checks = append(checks, other)
		}
	}
	return checks
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
		o.note("totals")(r.Totals(ctx)),
		o.note("entries")(r.EntriesByMovement(ctx, []int64{c.movement.ID})))
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

// byID returns what an audit is to show of these.
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

// finds fails unless the keys find what is stored, and nothing else, in whatever
// way they are asked for, also together with some of those that name nothing.
func finds[K comparable, S any](w *harness, what string, stored map[K]S, keys, absent []K,
	read func(keys []K) (map[K]S, error)) error {
	backwards, few := slices.Clone(keys), absent[:min(len(absent), 3)]
	slices.Reverse(backwards)
	for how, asked := range map[string][]K{
		"none":                       nil,
		"the first":                  keys[:1],
		"the last few":               keys[len(keys)-3:],
		"all":                        keys,
		"all backwards":              backwards,
		"all, twice":                 slices.Concat(keys, backwards),
		"what is not there":          few,
		"all, after what is not":     slices.Concat(few, keys),
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
		if !w.same(got, want, what+", "+how) {
			break
		}
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
	for _, limit := range []int{1, 2, 7, len(want), len(want) + 1} {
		for _, after := range append(positions, *new(R), want[0], want[len(want)/2], want[len(want)-1]) {
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
