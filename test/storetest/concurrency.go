package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var concurrencyChecks = []Check{
	{"transfers-lose-nothing", proves{"U6", "U7"}, func(w *harness) { w.transferTogether(func() {}, w) }},
	{"saves-always-write", proves{"R15", "L14"}, func(w *harness) {
		root := w.admin("root")
		guard, guardLine := w.master(root, "guard", 5).ID(), w.trial(root, "guard").ID()
		for key, saves := range map[string]work{"account": changes(guard, func(*reseller.State) {}),
			"line": changesLine(guardLine, func(*line.State) {})} {
			w.savesGuard(key, saves)
		}
	}},
	{"what-was-read-is-durable", proves{"U8"}, func(w *harness) {
		a := w.master(w.admin("root"), "a", 0).ID()
		together(func(_ *harness, i int) error {
			if i/rounds%2 == 0 { // every other worker
				return w.try(addsTo(a))
			}
			var read, durable int64
			err := w.try(func(ctx context.Context, tx ports.Tx) (err error) {
				read, err = unitsOf(ctx, tx.Resellers, a)
				return errors.Join(err, either(i%2 == 0, errRefused))
			})
			viewed := w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) (err error) {
				durable, err = unitsOf(ctx, s.Resellers, a)
				return err
			})
			if viewed != nil || err != nil && !errors.Is(err, errRefused) || durable < read {
				return fmt.Errorf("an update read a balance of %d, and a later view %d: %w", read, durable, errors.Join(err, viewed))
			}
			return nil
		}, w)
	}},
	{"one-of-many-takes-a-name", proves{"R13", "L12"}, func(w *harness) { w.takeNameTogether(w) }},
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

// transferTogether makes transfers between the same accounts at once, and looks for them afterwards.
func (w *harness) transferTogether(afterwards func(), processes ...*harness) {
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
	afterwards()

	want := map[int64]int64{top.ID(): start, middle.ID(): start, bottom.ID(): start}
	for _, m := range movements { // of two under one id only one is there
		w.same(w.movement(m.ID), m, fmt.Sprintf("movement %d", m.ID))
		want[m.Source.ResellerID()]--
		want[m.Target.ResellerID()]++
	}
	for id, balance := range want {
		w.same(w.balance(id), balance, fmt.Sprintf("balance of account %d after %d transfers", id, len(movements)))
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

// savesGuard puts a key if there is none, in many updates at once that have got one record
// and saved it unchanged, and fails unless one of them succeeds.
func (w *harness) savesGuard(key string, saves work) {
	const reseller = 1
	errs := AtOnce(workers, func(own int) error {
		return w.try(inTurn(saves, func(ctx context.Context, tx ports.Tx) error {
			for i := range workers {
				if _, err := tx.Keys.Get(ctx, reseller, key+strconv.Itoa(i)); absent(err) != nil || err == nil {
					return cmp.Or(err, errRefused)
				}
			}
			return tx.Keys.Put(ctx, keyRecord(reseller, key+strconv.Itoa(own)))
		}))
	})
	w.oneSucceeds(errs, errRefused, "put a key while there is none, saving one record unchanged: "+key)
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
