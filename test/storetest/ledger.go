package storetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

const (
	statement = "Statement returns up to limit movements that concern the account, the newest first, with numbers less than before, or from the newest on where before is 0."
	totals    = "Totals sums the stored movements and balances, exactly."
	audit     = "Accounts, Lines, Tombstones and Movements read page by page, each in the order of ids. Pages hold up to limit records with ids larger than after; an empty page is the end."
	derived   = "Of records that only this program wrote Derived reports nothing."
	named     = "AccountsByID and those that follow it read any number of records at once, by what names them, in whatever order and however often they are named. What is not there is not in the answer."
)

var ledgerChecks = []Check{
	{
		"statements-are-newest-first", statement,
		func(w *harness) {
			b := w.book()
			for _, reseller := range b.resellers {
				own := b.of(reseller)
				n := int64(len(own))
				for _, before := range []int64{0, 1, 2, n / 2, n, n + 1, unknownID} {
					for _, limit := range []int{1, 2, int(n), int(n) + 1, 500} {
						var want []int64
						for _, m := range own {
							if e, _ := m.Posting(reseller); (before == 0 || e.Seq < before) && len(want) < limit {
								want = append(want, m.ID)
							}
						}
						if got := movementIDs(w.statement(reseller, before, limit)); !slices.Equal(got, want) {
							w.Errorf("statement of account %d before %d, limit %d: got movements %v, want %v", reseller, before, limit, got, want)
						}
					}
				}
			}
		},
	},
	{
		"statements-show-own-movements", statement,
		func(w *harness) {
			b := w.book()
			for _, reseller := range append(b.resellers, w.admin("nobody").ID(), unknownID) {
				w.same(w.statement(reseller, 0, 500), b.of(reseller), fmt.Sprintf("statement of account %d", reseller))
			}
		},
	},
	{
		"totals-are-sums", totals,
		func(w *harness) {
			w.totals(credit.Totals{})
			b := w.book()
			want := credit.Totals{Movements: int64(len(b.movements))}
			for _, m := range b.movements {
				amount := m.Amount.Decimal()
				if m.Source == credit.Issuance {
					want.Issued = want.Issued.Add(amount)
				}
				switch m.Target {
				case credit.Issuance:
					want.Issued = want.Issued.Sub(amount)
				case credit.Consumption:
					want.Consumed = want.Consumed.Add(amount)
				}
			}
			w.totals(want)
			// Balances are summed as they are stored, whatever the movements say.
			for i, r := range b.resellers {
				s := w.reseller(r).State()
				if s.Role != reseller.Admin {
					s.Credits = units(int64(i)*10_000 + 1)
					s.Blocked = i%2 == 0
					w.saveReseller(s)
					want.Balances = want.Balances.Add(s.Credits.Decimal())
				}
			}
			w.totals(want)
		},
	},
	{
		"totals-are-exact", totals,
		func(w *harness) {
			const movements = 1_001
			root := w.admin("root")
			a := w.master(root, "a", 0)
			want := credit.Totals{Movements: 2 * movements}
			b := book{harness: w}
			for i := range int64(movements) {
				// Sums that no float64 holds: larger than 2^53, and odd.
				amount := units(credit.MaxMovement().Units() - 2*i - 1)
				b.chain(credit.Recharge, credit.Issuance, credit.Reseller(a.ID()), amount, 0, a.ID())
				b.chain(credit.Activation, credit.Reseller(a.ID()), credit.Consumption, amount, 1, a.ID())
				want.Issued = want.Issued.Add(amount.Decimal())
				want.Consumed = want.Consumed.Add(amount.Decimal())
			}
			b.append()
			w.totals(want)
		},
	},
	{
		"totals-exceed-64-bits", totals,
		func(w *harness) {
			const holders = 9_300 // each with as much as there may be, in ten-thousandths
			root := w.admin("root")
			var want credit.Totals
			var all []*reseller.Reseller
			for i := range int64(holders) {
				a, err := below(root, w.id(ports.ResellerIDs), "holder"+strconv.FormatInt(i, 10))
				w.must(err, "create an account")
				a = restored(a, func(s *reseller.State) { s.Credits = units(credit.MaxBalance().Units() - i) })
				all = append(all, a)
				want.Balances = want.Balances.Add(a.State().Credits.Decimal())
			}
			w.insertResellers(all)
			w.totals(want)
		},
	},
}

var auditChecks = []Check{
	{
		"audits-show-every-record", audit,
		func(w *harness) {
			p := w.population()
			b := w.book()
			var resellers, lines, gone []int64
			for _, s := range p.lines[len(p.lines)/2:][:4] {
				gone = append(gone, s.ID)
				w.update("delete a line", func(ctx context.Context, tx ports.Tx) error { return deleteLine(ctx, tx, s.ID) })
			}
			for _, s := range p.resellers {
				resellers = append(resellers, s.ID)
			}
			for _, s := range p.lines {
				if !slices.Contains(gone, s.ID) {
					lines = append(lines, s.ID)
				}
			}
			resellers = append(resellers, b.resellers...)
			movements := movementIDs(b.movements)
			for _, ids := range [][]int64{resellers, lines, gone, movements} {
				slices.Sort(ids)
			}
			w.view(func(ctx context.Context, s ports.Snapshot) error {
				for _, limit := range []int{1, 2, 7, len(resellers), 500} {
					for kind, c := range map[string]struct {
						page func(after int64) ([]int64, error)
						want []int64
					}{
						"accounts":   {auditPage(ctx, s.Audit.Resellers, limit), resellers},
						"lines":      {auditPage(ctx, s.Audit.Lines, limit), lines},
						"tombstones": {auditPage(ctx, s.Audit.Tombstones, limit), gone},
						"movements":  {auditPage(ctx, s.Audit.Movements, limit), movements},
					} {
						for _, after := range []int64{0, c.want[0] - 1, c.want[0], c.want[len(c.want)/2], c.want[len(c.want)-1], unknownID} {
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
		},
	},
	{
		"audits-end-in-an-empty-page", audit,
		func(w *harness) {
			w.view(func(ctx context.Context, s ports.Snapshot) error {
				ids, err := auditIDs(ctx, s.Audit)
				for _, kind := range ids {
					if len(kind) > 0 {
						w.Errorf("an audit of nothing shows %v", kind)
					}
				}
				return err
			})
		},
	},
	{
		"audits-find-accounts-by-their-id", named,
		func(w *harness) {
			var ids []int64
			stored := map[int64]ports.Audited[reseller.State]{}
			for _, s := range w.population().resellers {
				ids = append(ids, s.ID)
				stored[s.ID] = ports.Audited[reseller.State]{ID: s.ID, Record: s}
			}
			w.view(func(ctx context.Context, s ports.Snapshot) error {
				return finds(ctx, w, s.Audit.ResellersByID, stateOfReseller, stored, ids, manyIDs(0, -1))
			})
		},
	},
	{
		"audits-find-lines-by-their-id", named,
		func(w *harness) {
			var ids []int64
			stored := map[int64]ports.Audited[line.State]{}
			for _, s := range w.population().lines {
				ids = append(ids, s.ID)
				stored[s.ID] = ports.Audited[line.State]{ID: s.ID, Record: s}
			}
			gone := ids[len(ids)/2]
			w.update("delete a line", func(ctx context.Context, tx ports.Tx) error { return deleteLine(ctx, tx, gone) })
			delete(stored, gone)
			w.view(func(ctx context.Context, s ports.Snapshot) error {
				return finds(ctx, w, s.Audit.LinesByID, stateOfLine, stored, ids, manyIDs(0, -1))
			})
		},
	},
	{
		"audits-find-tombstones-by-their-line", named,
		func(w *harness) {
			stored := map[int64]ports.Audited[line.Tombstone]{}
			lines := w.population().lines
			var ids []int64
			for _, s := range lines[:5] {
				w.update("delete a line", func(ctx context.Context, tx ports.Tx) error { return deleteLine(ctx, tx, s.ID) })
				t := tombstoneOf(restoredLines([]line.State{s})[0])
				ids = append(ids, s.ID)
				stored[s.ID] = ports.Audited[line.Tombstone]{ID: s.ID, Record: t}
			}
			w.view(func(ctx context.Context, s ports.Snapshot) error {
				return finds(ctx, w, s.Audit.TombstonesByLine, buried, stored, ids, manyIDs(0, -1, lines[5].ID))
			})
		},
	},
	{
		"audits-derive-what-was-written", derived,
		func(w *harness) {
			agrees := func(when string) {
				w.view(func(ctx context.Context, s ports.Snapshot) error {
					return s.Audit.Derived(ctx, func(finding string) { w.Errorf("%s: found %q", when, finding) })
				})
			}
			agrees("of nothing")
			s := w.sample() // of another store
			w.copyAll(s, ports.CopyBatch)
			agrees("of a copy")
			w.liveOn(s)
			agrees("after changes of every kind")
		},
	},
	{
		"audits-find-movements-by-their-id", named,
		func(w *harness) {
			b := w.book()
			stored := map[int64]ports.Audited[credit.Movement]{}
			for _, m := range b.movements {
				stored[m.ID] = ports.Audited[credit.Movement]{ID: m.ID, Record: m}
			}
			w.view(func(ctx context.Context, s ports.Snapshot) error {
				return finds(ctx, w, s.Audit.MovementsByID, itself, stored, movementIDs(b.movements), manyIDs(0, -1))
			})
		},
	},
	{
		"audits-find-movements-by-their-number", named,
		func(w *harness) {
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
			for _, id := range manyIDs() {
				absent = append(absent, ports.PostingID{Reseller: id, Seq: 1})
			}
			w.view(func(ctx context.Context, s ports.Snapshot) error {
				return finds(ctx, w, s.Audit.MovementsByPosting, itself, stored, numbers, absent)
			})
		},
	},
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

func itself(m credit.Movement) credit.Movement { return m }

func buried(t line.Tombstone) line.Tombstone { return t }

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
func states[K comparable, R, S any](ctx context.Context, read lookup[K, R], state func(R) S, keys ...K) (map[K]ports.Audited[S], error) {
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

// audits fails unless a page holds the one record, undamaged.
func audits[R any](w *harness, page []ports.Audited[R], id int64) {
	w.Helper()
	if len(page) != 1 || page[0].ID != id || page[0].Damage != nil {
		w.Errorf("an audit that is to show record %d shows %+v", id, page)
	}
}

// auditPage returns the ids on the page after an id.
func auditPage[R any](ctx context.Context, page func(ctx context.Context, after int64, limit int) ([]ports.Audited[R], error), limit int) func(after int64) ([]int64, error) {
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
func auditIDs(ctx context.Context, a ports.Audit) (ids [4][]int64, err error) {
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

// book is a ledger that a check writes without the resellers, so that it can say
// what no reseller would.
type book struct {
	*harness
	resellers []int64
	ids       []int64 // of the movements to come, new ones where there are none
	tips      map[int64]credit.Tip
	movements []credit.Movement
}

// book stores movements of every kind between a few resellers. Their ids come in
// another order than the movements, as those of several processes do.
func (w *harness) book() *book {
	w.Helper()
	root := w.admin("book.root")
	a := w.master(root, "book.a", 0)
	c := w.master(a, "book.c", 0)
	b := &book{harness: w, resellers: []int64{root.ID(), a.ID(), c.ID()}}
	first, second := credit.Reseller(a.ID()), credit.Reseller(c.ID())
	for range 3 * 7 {
		b.ids = append([]int64{w.id(ports.MovementIDs)}, b.ids...)
	}
	for i := range int64(3) {
		b.chain(credit.Opening, credit.Issuance, first, units(70_001+i), 0, a.ID())
		b.chain(credit.Recharge, first, second, units(20_003+i), 0, a.ID(), c.ID())
		b.chain(credit.Activation, second, credit.Consumption, units(5_000), 1, c.ID())
		b.chain(credit.Activation, credit.Issuance, credit.Consumption, units(10_000), 2, root.ID())
		b.chain(credit.Extension, first, credit.Consumption, units(20_000), 3, a.ID())
		b.chain(credit.Reclaim, second, first, units(7+i), 0, c.ID(), a.ID())
		b.chain(credit.Reclaim, first, credit.Issuance, units(11+i), 0, a.ID())
	}
	b.append()
	return b
}

// chain adds a movement that concerns these resellers.
func (b *book) chain(op credit.Operation, source, target credit.Party, amount credit.Amount, line int64, resellers ...int64) {
	b.Helper()
	if b.tips == nil {
		b.tips = map[int64]credit.Tip{}
	}
	actor := resellers[0]
	if len(b.resellers) > 0 { // who acts is not concerned
		actor = b.resellers[0]
	}
	var postings []credit.Posting
	for _, id := range resellers {
		postings = append(postings, credit.Posting{Reseller: id, Balance: units(int64(len(b.movements)) + 1), Tip: b.tips[id]})
	}
	v := credit.Provenance{Actor: actor, Request: "request", Notes: "movement " + strconv.Itoa(len(b.movements)), At: noon}
	if len(b.ids) > 0 {
		v.ID, b.ids = b.ids[0], b.ids[1:]
	} else {
		v.ID = b.id(ports.MovementIDs)
	}
	m, err := credit.Movement{Provenance: v, Operation: op, Source: source, Target: target, Amount: amount, Line: line}.Chain(postings...)
	b.must(err, "chain a movement")
	for _, e := range m.Postings {
		b.tips[e.Reseller] = e.Tip
	}
	b.movements = append(b.movements, m)
}

// append stores the movements, in the order in which they were added.
func (b *book) append() {
	b.Helper()
	for some := range slices.Chunk(b.movements, batch) {
		b.update("append movements", func(ctx context.Context, tx ports.Tx) error {
			for _, m := range some {
				if err := tx.Ledger.Append(ctx, m); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// of returns the movements that concern a reseller, the newest first.
func (b *book) of(reseller int64) (own []credit.Movement) {
	for _, m := range slices.Backward(b.movements) {
		if _, concerned := m.Posting(reseller); concerned {
			own = append(own, m)
		}
	}
	return own
}

// totals fails unless the totals are these.
func (w *harness) totals(want credit.Totals) {
	w.Helper()
	w.view(func(ctx context.Context, s ports.Snapshot) error {
		got, err := s.Ledger.Totals(ctx)
		for _, sum := range []struct {
			name      string
			got, want decimal.Decimal
		}{{"issued", got.Issued, want.Issued}, {"consumed", got.Consumed, want.Consumed}, {"held", got.Balances, want.Balances}} {
			if !sum.got.Equal(sum.want) {
				w.Errorf("credits %s: got %s, want %s", sum.name, sum.got, sum.want)
			}
		}
		if got.Movements != want.Movements {
			w.Errorf("got %d movements, want %d", got.Movements, want.Movements)
		}
		return err
	})
}
