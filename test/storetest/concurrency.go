package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var concurrencyChecks = []Check{
	{"transfers-lose-nothing", proves{"U7"}, func(w *harness) { w.transferTogether(w) }},
	{"last-run-counts", proves{"U6", "U7"}, func(w *harness) {
		root := w.admin("root")
		a, l := w.master(root, "a", 0).ID(), w.trial(root, "line").State()
		adds := map[string]work{"account": addsTo(a), "line": changesLine(l.ID, func(s *line.State) { s.Version++ })}
		reads := map[string]func(ctx context.Context, tx ports.Tx) (int64, error){
			"account": func(ctx context.Context, tx ports.Tx) (int64, error) { return unitsOf(ctx, tx.Resellers, a) },
			"line": func(ctx context.Context, tx ports.Tx) (int64, error) {
				now, err := tx.Lines.Get(ctx, l.ID)
				if err != nil {
					return 0, err
				}
				return now.State().Version - l.Version, nil
			},
		}
		for what, add := range adds {
			results := make([]int64, workers*rounds)
			together(func(_ *harness, i int) error {
				return w.try(inTurn(add, func(ctx context.Context, tx ports.Tx) (err error) {
					results[i], err = reads[what](ctx, tx)
					return err
				}))
			}, w)
			slices.Sort(results)
			want := make([]int64, len(results))
			for i := range want {
				want[i] = int64(i) + 1
			}
			w.sameIDs(results, want, "what updates at once have counted in one "+what)
			left, _ := seenInUpdate(w, reads[what])
			w.same(left, int64(len(results)), "what is left of updates at once of one "+what)
		}
	}},
	{"save-always-writes", proves{"R15"}, func(w *harness) {
		guard := w.master(w.admin("root"), "guard", 5).ID()
		w.savesGuard(func(ctx context.Context, tx ports.Tx) (save func() error, err error) {
			a, err := tx.Resellers.Get(ctx, guard)
			return func() error { return tx.Resellers.Save(ctx, a) }, err
		})
	}},
	{"line-save-always-writes", proves{"L14"}, func(w *harness) {
		guard := w.trial(w.admin("root"), "guard").ID()
		w.savesGuard(func(ctx context.Context, tx ports.Tx) (save func() error, err error) {
			l, err := tx.Lines.Get(ctx, guard)
			return func() error { return tx.Lines.Save(ctx, l) }, err
		})
	}},
	{"what-was-read-is-durable", proves{"U8"}, func(w *harness) {
		root := w.admin("root")
		a := w.master(root, "a", 0)
		w.mustParallel(func(worker int) error {
			for round := range rounds {
				if worker%2 == 0 {
					if err := w.try(addsTo(a.ID())); err != nil {
						return err
					}
					continue
				}
				var read, durable int64
				err := w.try(func(ctx context.Context, tx ports.Tx) (err error) {
					read, err = unitsOf(ctx, tx.Resellers, a.ID())
					return errors.Join(err, either(round%2 == 0, errRefused))
				})
				viewed := w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) (err error) {
					durable, err = unitsOf(ctx, s.Resellers, a.ID())
					return err
				})
				if err = errors.Join(unrefused(err), viewed); err != nil || durable < read {
					return fmt.Errorf("an update read a balance of %d, and a later view %d: %w", read, durable, err)
				}
			}
			return nil
		})
	}},
	{"one-of-many-takes-a-name", proves{"R13", "L12"}, func(w *harness) { w.takeNameTogether(w) }},
}

// unrefused is err, unless it is the refusal of the suite's own works.
func unrefused(err error) error {
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

// together takes many steps at once, each in one of these processes.
func together(step func(process *harness, i int) error, processes ...*harness) {
	processes[0].Helper()
	processes[0].mustParallel(func(worker int) error {
		for i := worker * rounds; i < (worker+1)*rounds; i++ {
			if err := step(processes[worker%len(processes)], i); err != nil {
				return err
			}
		}
		return nil
	})
}

// transferTogether makes transfers between the same accounts at once.
func (w *harness) transferTogether(processes ...*harness) {
	const start = 1_000
	root := w.admin("root")
	top := w.master(root, "top", start)
	middle := w.master(top, "middle", start)
	bottom := w.master(middle, "bottom", start)
	ways := [][2]int64{{top.ID(), middle.ID()}, {middle.ID(), bottom.ID()}, {top.ID(), bottom.ID()}}

	movements := make([]credit.Movement, workers*rounds)
	together(func(process *harness, i int) error {
		way := ways[i%len(ways)]
		id, err := process.store.NextID(w.ctx, ports.MovementIDs)
		if err != nil {
			return err
		}
		return process.try(func(ctx context.Context, tx ports.Tx) (err error) {
			movements[i], err = transfer(ctx, tx, way[0], way[1], id)
			return err
		})
	}, processes...)

	want := map[int64]int64{top.ID(): start, middle.ID(): start, bottom.ID(): start}
	seen := map[int64]bool{}
	for _, m := range movements {
		stored, _ := w.movement(m.ID)
		w.same(stored, m, fmt.Sprintf("movement %d, given before: %t", m.ID, seen[m.ID]))
		if seen[m.ID] {
			w.Errorf("movement id %d was given twice", m.ID)
		}
		seen[m.ID] = true
		want[m.Source.ResellerID()]--
		want[m.Target.ResellerID()]++
	}
	for id, balance := range want {
		if got := w.balance(id); got != balance {
			w.Errorf("after %d transfers account %d holds %d, want %d", len(movements), id, got, balance)
		}
		w.chained(id)
	}
}

// takeNameTogether inserts accounts and lines of one name at once.
func (w *harness) takeNameTogether(processes ...*harness) {
	root := w.admin("root")
	spellings := []string{"wanted", "Wanted", "WANTED"}
	ids := make([]int64, 2*workers)
	for i := range ids {
		ids[i] = w.id([]ports.Sequence{ports.ResellerIDs, ports.LineIDs}[i%2])
	}
	errs := AtOnce(len(ids), func(i int) error {
		spelling, process := spellings[i/2%len(spellings)], processes[i/2%len(processes)]
		if i%2 == 1 {
			return process.try(insertsLine(newTrial(root, ids[i], spelling)))
		}
		return process.try(inserts(below(root, ids[i], spelling)))
	})
	var resellers, lines []error
	for i := 0; i < len(errs); i += 2 {
		resellers, lines = append(resellers, errs[i]), append(lines, errs[i+1])
	}
	w.oneSucceeds(resellers, errTaken, "insert accounts of one name")
	w.oneSucceeds(lines, errTaken, "insert lines of one name")
}

// savesGuard puts a key where there is none, in many updates at once that get one record
// and save it unchanged, and fails unless one of them succeeds.
func (w *harness) savesGuard(get func(ctx context.Context, tx ports.Tx) (save func() error, err error)) {
	const reseller = 1
	errs := AtOnce(workers, func(own int) error {
		return w.try(func(ctx context.Context, tx ports.Tx) error {
			save, err := get(ctx, tx)
			if err != nil {
				return err
			}
			for i := range workers {
				if _, err := tx.Keys.Get(ctx, reseller, strconv.Itoa(i)); absent(err) != nil || err == nil {
					return cmp.Or(err, errRefused)
				}
			}
			return errors.Join(tx.Keys.Put(ctx, keyRecord(reseller, strconv.Itoa(own))), save())
		})
	})
	w.oneSucceeds(errs, errRefused, "put a key while there is none, saving one record unchanged")
}

// chained fails unless the reseller's movements are numbered 1, 2, 3 ... up to its
// head, and each follows from the one before.
func (w *harness) chained(id int64) {
	end := w.reseller(id).State().Tip
	movements := w.statement(id, 0, int(end.Seq)+1)
	var last credit.Tip
	for _, m := range slices.Backward(movements) {
		e, _ := m.Posting(id)
		if e.Seq != last.Seq+1 || !m.Fits(id, last.Hash) {
			w.Fatalf("movement %d of account %d, number %d, does not follow number %d", m.ID, id, e.Seq, last.Seq)
		}
		last = e.Tip
	}
	if last != end {
		w.Errorf("the movements of account %d end with number %d, and its record with %d", id, last.Seq, end.Seq)
	}
}

// oneSucceeds fails unless exactly one error is nil and all others are refusal.
func (w *harness) oneSucceeds(errs []error, refusal error, doing string) {
	succeeded := 0
	for _, err := range errs {
		if err == nil {
			succeeded++
		} else {
			w.want(err, refusal, doing)
		}
	}
	if succeeded != 1 {
		w.Errorf("%s: %d of %d at once succeeded, want 1", doing, succeeded, len(errs))
	}
}

// unitsOf reads the balance of a reseller.
func unitsOf(ctx context.Context, from ports.ResellerReader, id int64) (int64, error) {
	a, err := from.Get(ctx, id)
	if err != nil {
		return 0, err
	}
	return a.State().Credits.Units(), nil
}

// transfer moves one unit from a reseller to one below it.
func transfer(ctx context.Context, tx ports.Tx, from, to, movement int64) (credit.Movement, error) {
	source, err := tx.Resellers.Get(ctx, from)
	target, failed := tx.Resellers.Get(ctx, to)
	if err := errors.Join(err, failed); err != nil {
		return credit.Movement{}, err
	}
	m, err := source.Fund(target, fixture.Units(1),
		credit.Provenance{ID: movement, Actor: from, Request: "transfer", At: noon})
	if err != nil {
		return credit.Movement{}, err
	}
	return m, errors.Join(tx.Resellers.Save(ctx, source), tx.Resellers.Save(ctx, target), tx.Ledger.Append(ctx, m))
}
