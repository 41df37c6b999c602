package storetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

var auditChecks = []Check{
	{"audits-show-every-record", proves{"A7"}, func(w *harness) {
		p := w.population()
		b := w.book()
		lines := mapped(p.lines, func(s line.State) int64 { return s.ID })
		half := len(lines) / 2
		gone := slices.Clone(lines[half:][:4])
		for _, id := range gone {
			w.deleteLine(id)
		}
		lines = slices.Delete(lines, half, half+4)
		resellers := append(mapped(p.resellers, func(s reseller.State) int64 { return s.ID }), b.resellers...)
		movements := movementIDs(b.movements)
		for _, ids := range [][]int64{resellers, lines, gone, movements} {
			slices.Sort(ids)
		}
		w.records(func(ctx context.Context, r ports.Records) error {
			for _, limit := range []int{1, 2, 7, len(resellers), 500} {
				for kind, c := range map[string]struct {
					page func(after int64) ([]int64, error)
					want []int64
				}{
					"accounts":   {auditPage(ctx, r.Resellers, limit), resellers},
					"lines":      {auditPage(ctx, r.Lines, limit), lines},
					"tombstones": {auditPage(ctx, r.Tombstones, limit), gone},
					"movements":  {auditPage(ctx, r.Movements, limit), movements},
				} {
					for _, after := range []int64{0, c.want[0] - 1, c.want[0], c.want[len(c.want)/2], c.want[len(c.want)-1],
						unknownID} {
						got, err := auditAll(c.page, after)
						if err != nil {
							return fmt.Errorf("%s after %d, limit %d: %w", kind, after, limit, err)
						}
						var want []int64
						for _, id := range c.want {
							if id > after {
								want = append(want, id)
							}
						}
						if !slices.Equal(got, want) {
							w.Errorf("%s after %d, limit %d: got %v, want %v", kind, after, limit, got, want)
						}
					}
				}
			}
			return nil
		})
	}},
	{"audits-end-in-an-empty-page", proves{"A7"}, func(w *harness) {
		w.records(func(ctx context.Context, r ports.Records) error {
			ids, err := auditIDs(ctx, r)
			for _, kind := range ids {
				if len(kind) > 0 {
					w.Errorf("an audit of nothing shows %v", kind)
				}
			}
			return err
		})
	}},
	{"audits-find-accounts-by-their-id", proves{"A9", "A10"}, func(w *harness) {
		ids, stored := byID(w.population().resellers, func(s reseller.State) int64 { return s.ID })
		w.records(func(ctx context.Context, r ports.Records) error {
			return finds(ctx, w, r.ResellersByID, stateOfReseller, stored, ids, manyIDs(0, -1))
		})
	}},
	{"audits-find-lines-by-their-id", proves{"A9", "A10"}, func(w *harness) {
		ids, stored := byID(w.population().lines, func(s line.State) int64 { return s.ID })
		gone := ids[len(ids)/2]
		w.deleteLine(gone)
		delete(stored, gone)
		w.records(func(ctx context.Context, r ports.Records) error {
			return finds(ctx, w, r.LinesByID, stateOfLine, stored, ids, manyIDs(0, -1))
		})
	}},
	{"audits-find-tombstones-by-their-line", proves{"A9", "A10"}, func(w *harness) {
		lines := mapped(w.population().lines[:6], restoredLine)
		for _, l := range lines[:5] {
			w.deleteLine(l.ID())
		}
		ids, stored := byID(mapped(lines[:5], tombstoneOf), func(t line.Tombstone) int64 { return t.Line })
		w.records(func(ctx context.Context, r ports.Records) error {
			return finds(ctx, w, r.TombstonesByLine, itself[line.Tombstone], stored, ids, manyIDs(0, -1, lines[5].ID()))
		})
	}},
	{"audits-find-movements-by-their-id", proves{"A9", "A10"}, func(w *harness) {
		ids, stored := byID(w.book().movements, func(m credit.Movement) int64 { return m.ID })
		w.records(func(ctx context.Context, r ports.Records) error {
			return finds(ctx, w, r.MovementsByID, itself[credit.Movement], stored, ids, manyIDs(0, -1))
		})
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
	{"audits-find-movements-by-their-number", proves{"A9", "A10"}, func(w *harness) {
		b := w.book()
		var numbers, absent []ports.PostingID
		stored := map[ports.PostingID]ports.Audited[credit.Movement]{}
		for _, reseller := range b.resellers {
			own := b.of(reseller)
			for _, m := range own {
				e, _ := m.Posting(reseller)
				n := ports.PostingID{Reseller: reseller, Seq: e.Seq}
				numbers = append(numbers, n)
				stored[n] = ports.Audited[credit.Movement]{ID: m.ID, Record: m}
			}
			for _, seq := range []int64{0, -1, int64(len(own)) + 1} {
				absent = append(absent, ports.PostingID{Reseller: reseller, Seq: seq})
			}
		}
		for i, id := range manyIDs() {
			n := ports.PostingID{Reseller: b.resellers[0], Seq: id}
			if i < 1_000 {
				n = ports.PostingID{Reseller: id, Seq: 1}
			}
			absent = append(absent, n)
		}
		w.records(func(ctx context.Context, r ports.Records) error {
			return finds(ctx, w, r.MovementsByPosting, itself[credit.Movement], stored, numbers, absent)
		})
	}},
	{"exports-show-every-key", proves{"A17"}, func(w *harness) {
		s := keysOfMany()
		w.records(func(ctx context.Context, r ports.Records) error {
			none, err := r.KeyRecords(ctx, 0, "", 10)
			if len(none) > 0 {
				w.Errorf("an export of nothing shows %d keys", len(none))
			}
			return err
		})
		w.put(s...)
		slices.SortFunc(s, compareKeys)
		after := []ports.KeyRecord{{}, {Reseller: 1 << 40}, {Reseller: s[0].Reseller, Key: "\U0010ffff"},
			{Reseller: s[3].Reseller, Key: s[3].Key + " "}, s[0], s[len(s)/2], s[len(s)-1]}
		w.records(func(ctx context.Context, r ports.Records) error {
			for _, limit := range []int{1, 3, len(s), len(s) + 1, 500} {
				for _, from := range after {
					var want []string
					for _, k := range s {
						if compareKeys(k, from) > 0 {
							want = append(want, nameOf(k))
						}
					}
					found, err := exportAll(ctx, r, from, limit)
					if err != nil {
						return fmt.Errorf("after %s, limit %d: %w", nameOf(from), limit, err)
					}
					if got := mapped(found, nameOf); !slices.Equal(got, want) {
						w.Errorf("after %s, limit %d: got %q, want %q", nameOf(from), limit, got, want)
					}
				}
			}
			return nil
		})
	}},
	{"exports-tell-the-origin", proves{"A13", "A14"}, func(w *harness) {
		tell := func(fingerprint string) {
			if got := w.origin().Fingerprint; got != fingerprint {
				w.Errorf("got the fingerprint %q, want %q", got, fingerprint)
			}
		}
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
}

// derivesNothing fails if what leads to records is found to be wrong.
func (w *harness) derivesNothing(when string) {
	w.Helper()
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

// What an audit shows of a record: nothing where it shows none.
func stateOfReseller(a *reseller.Reseller) (s reseller.State) {
	if a != nil {
		s = a.State()
	}
	return s
}

func stateOfLine(l *line.Line) (s line.State) {
	if l != nil {
		s = l.State()
	}
	return s
}

func itself[R any](r R) R { return r }

// byID returns what an audit is to show of these, and their ids in this order.
func byID[S any](all []S, id func(S) int64) (ids []int64, stored map[int64]ports.Audited[S]) {
	stored = map[int64]ports.Audited[S]{}
	for _, s := range all {
		ids = append(ids, id(s))
		stored[id(s)] = ports.Audited[S]{ID: id(s), Record: s}
	}
	return ids, stored
}

// lookup is a way to read the records that are named.
type lookup[K comparable, R any] = func(ctx context.Context, keys []K) (map[K]ports.Audited[R], error)

// one reads the record that a key names, or returns fault.ErrNotFound.
func one[K comparable, R any](ctx context.Context, read lookup[K, R], key K) (ports.Audited[R], error) {
	found, err := read(ctx, []K{key})
	record, stored := found[key]
	if err == nil && !stored {
		err = fault.ErrNotFound
	}
	return record, err
}

// states reads the states of the records that are named.
func states[K comparable, R, S any](ctx context.Context, read lookup[K, R], state func(R) S,
	keys ...K) (map[K]ports.Audited[S], error) {
	found, err := read(ctx, keys)
	all := map[K]ports.Audited[S]{}
	for key, f := range found {
		all[key] = ports.Audited[S]{ID: f.ID, Record: state(f.Record), Damage: f.Damage}
	}
	return all, err
}

// finds fails unless the keys find what is stored, and nothing else, in whatever
// way they are asked for, also together with some of those that name nothing.
func finds[K comparable, R, S any](
	ctx context.Context, w *harness, read lookup[K, R], state func(R) S, stored map[K]ports.Audited[S], keys, absent []K,
) error {
	w.Helper()
	backwards := slices.Clone(keys)
	slices.Reverse(backwards)
	none := absent[:len(absent)-manyNamed]
	for how, asked := range map[string][]K{
		"none":                       nil,
		"the first":                  keys[:1],
		"the last few":               keys[len(keys)-3:],
		"all":                        keys,
		"all backwards":              backwards,
		"all, twice":                 slices.Concat(keys, backwards),
		"what is not there":          none,
		"all, after what is not":     slices.Concat(none, keys),
		"all, after much that isn't": slices.Concat(absent, keys),
	} {
		got, err := states(ctx, read, state, asked...)
		if err != nil {
			return fmt.Errorf("%s: %w", how, err)
		}
		want := map[K]ports.Audited[S]{}
		for _, key := range asked {
			if record, there := stored[key]; there {
				want[key] = record
			}
		}
		if !w.same(got, want, how) {
			break
		}
	}
	return nil
}

// audits fails unless a record is read as want, undamaged, in a page and by its id.
func audits[R, S any](
	ctx context.Context, w *harness, page func(ctx context.Context, after int64, limit int) ([]ports.Audited[R], error),
	byID lookup[int64, R],
	state func(R) S, id int64, want S,
) error {
	w.Helper()
	paged, err := page(ctx, id-1, 1)
	if err != nil {
		return err
	}
	found, err := one(ctx, byID, id)
	for how, audited := range map[string][]ports.Audited[R]{"in a page": paged, "by its id": {found}} {
		if len(audited) != 1 || audited[0].ID != id || audited[0].Damage != nil {
			w.Errorf("an audit that is to show record %d shows %+v", id, audited)
			continue
		}
		w.same(state(audited[0].Record), want, "record audited "+how)
	}
	return err
}

// audited reads a movement in every way that an auditor has.
func audited(ctx context.Context, r ports.Records, m credit.Movement) (found map[string]ports.Audited[credit.Movement],
	err error) {
	found = map[string]ports.Audited[credit.Movement]{}
	for _, e := range m.Postings {
		if found["by its number in account "+strconv.FormatInt(e.Reseller, 10)], err = one(ctx, r.MovementsByPosting,
			ports.PostingID{Reseller: e.Reseller, Seq: e.Seq}); err != nil {
			return nil, err
		}
	}
	if found["by its id"], err = one(ctx, r.MovementsByID, m.ID); err != nil {
		return nil, err
	}
	page, err := r.Movements(ctx, m.ID-1, 1)
	for _, f := range page {
		found["in a page"] = f
	}
	if err == nil && len(page) != 1 {
		err = fmt.Errorf("a page of 1 from movement %d on has %d", m.ID, len(page))
	}
	return found, err
}

// auditPage returns the ids on the page after an id.
func auditPage[R any](ctx context.Context,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[R], error),
	limit int) func(after int64) ([]int64, error) {
	return func(after int64) (ids []int64, err error) {
		found, err := page(ctx, after, limit)
		if len(found) > limit {
			return nil, fmt.Errorf("a page of %d", len(found))
		}
		for _, f := range found {
			if f.ID <= after {
				return nil, fmt.Errorf("record %d is shown after %d", f.ID, after)
			}
			if f.Damage != nil {
				return nil, fmt.Errorf("record %d is said to be damaged: %w", f.ID, f.Damage)
			}
			after = f.ID
			ids = append(ids, f.ID)
		}
		return ids, err
	}
}

// auditAll goes through pages until one is empty.
func auditAll(page func(after int64) ([]int64, error), after int64) (all []int64, err error) {
	for {
		ids, err := page(after)
		if err != nil || len(ids) == 0 {
			return all, err
		}
		all = append(all, ids...)
		after = ids[len(ids)-1]
	}
}

// auditIDs returns the ids of all resellers, lines, tombstones and movements.
func auditIDs(ctx context.Context, a ports.Records) (ids [4][]int64, err error) {
	for i, page := range []func(after int64) ([]int64, error){
		auditPage[*reseller.Reseller](ctx, a.Resellers, 3), auditPage[*line.Line](ctx, a.Lines, 3),
		auditPage[line.Tombstone](ctx, a.Tombstones, 3), auditPage[credit.Movement](ctx, a.Movements, 3),
	} {
		if ids[i], err = auditAll(page, 0); err != nil {
			return ids, err
		}
	}
	return ids, nil
}
