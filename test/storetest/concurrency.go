package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var concurrencyChecks = []Check{
	{"transfers-lose-nothing", proves{"U7"}, func(w *harness) { w.transferTogether(w) }},
	{"activations-sell-what-there-is", proves{"U7"}, func(w *harness) {
		const affordable, each = 3, 2
		price := credit.Prices()[0]
		root := w.admin("root")
		owner := w.master(root, "owner", affordable*price.Credits().Units())
		trials := make([]*line.Line, workers)
		for i := range trials {
			trials[i] = w.trial(owner, "trial"+strconv.Itoa(i))
		}
		// Every trial is activated by several at once.
		errs := AtOnce(workers*each, func(i int) error {
			movement, err := w.store.NextID(w.ctx, ports.MovementIDs)
			if err != nil {
				return err
			}
			platform, err := w.store.NextID(w.ctx, ports.PlatformIDs)
			if err != nil {
				return err
			}
			return w.try(func(ctx context.Context, tx ports.Tx) error {
				return activate(ctx, tx, trials[i/each].ID(), price, platform, movement)
			})
		})
		sold, official := 0, 0
		for _, err := range errs {
			switch {
			case err == nil:
				sold++
			case !errors.Is(err, reseller.ErrCredits) && !errors.Is(err, line.ErrNotTrial):
				w.Errorf("activate: %v", err)
			}
		}
		for _, trial := range trials {
			if l := w.line(trial.ID()); l != nil && !l.State().Trial {
				official++
			}
		}
		if left := w.balance(owner.ID()); sold != affordable || official != affordable || left != 0 {
			w.Errorf("credits for %d activations: got %d paid for, %d lines official and %d units left", affordable, sold,
				official, left)
		}
	}},
	{"last-run-counts", proves{"U6"}, func(w *harness) {
		root := w.admin("root")
		a := w.master(root, "a", 0)
		results := make([]int64, workers*rounds)
		w.mustParallel(func(worker int) error {
			for i := worker * rounds; i < (worker+1)*rounds; i++ {
				err := w.try(func(ctx context.Context, tx ports.Tx) (err error) {
					if err := addsTo(a.ID())(ctx, tx); err != nil {
						return err
					}
					results[i], err = unitsOf(ctx, tx.Resellers, a.ID())
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		slices.Sort(results)
		for i, got := range results {
			if got != int64(i)+1 {
				w.Fatalf("%d increments from 0 reported %v, want each from 1 once", len(results), results)
			}
		}
		if got := w.balance(a.ID()); got != int64(len(results)) {
			w.Errorf("%d increments from 0 left %d", len(results), got)
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
		var refusals atomic.Int64
		w.mustParallel(func(worker int) error {
			for round := range rounds {
				if worker%2 == 0 {
					if err := w.try(addsTo(a.ID())); err != nil {
						return err
					}
					continue
				}
				var read int64
				err := w.try(func(ctx context.Context, tx ports.Tx) (err error) {
					if read, err = unitsOf(ctx, tx.Resellers, a.ID()); err == nil && round%2 == 0 {
						return errRefused
					}
					return err
				})
				if err != nil && !errors.Is(err, errRefused) {
					return err
				}
				if err != nil {
					refusals.Add(1)
				}
				var durable int64
				err = w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) (err error) {
					durable, err = unitsOf(ctx, s.Resellers, a.ID())
					return err
				})
				if err != nil {
					return err
				}
				if durable < read {
					return fmt.Errorf("an update read a balance of %d, and a later view %d", read, durable)
				}
			}
			return nil
		})
		if got, want := refusals.Load(), int64(workers/2*rounds/2); got != want {
			w.Errorf("%d reads ended in a refusal, want %d", got, want)
		}
	}},
	{"one-of-many-takes-a-name", proves{"R13", "L12"}, func(w *harness) { w.takeNameTogether(w) }},
}

// transferTogether makes transfers between the same accounts at once.
func (w *harness) transferTogether(processes ...*harness) {
	w.Helper()
	const start = 1_000
	root := w.admin("root")
	top := w.master(root, "top", start)
	middle := w.master(top, "middle", start)
	bottom := w.master(middle, "bottom", start)
	ways := [][2]int64{{top.ID(), middle.ID()}, {middle.ID(), bottom.ID()}, {top.ID(), bottom.ID()}}

	movements := make([]credit.Movement, workers*rounds)
	w.mustParallel(func(worker int) error {
		process := processes[worker%len(processes)]
		for i := worker * rounds; i < (worker+1)*rounds; i++ {
			way := ways[i%len(ways)]
			id, err := process.store.NextID(w.ctx, ports.MovementIDs)
			if err != nil {
				return err
			}
			err = process.try(func(ctx context.Context, tx ports.Tx) (err error) {
				movements[i], err = transfer(ctx, tx, way[0], way[1], id)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})

	want := map[int64]int64{top.ID(): start, middle.ID(): start, bottom.ID(): start}
	balances := map[int64][]int64{}
	seen := map[int64]bool{}
	for _, m := range movements {
		if seen[m.ID] {
			w.Errorf("movement id %d was given twice", m.ID)
		}
		seen[m.ID] = true
		stored, found := w.movement(m.ID)
		if !found {
			w.Errorf("movement %d is lost", m.ID)
		}
		w.same(stored, m, "movement "+strconv.FormatInt(m.ID, 10))
		source, target := m.Source.ResellerID(), m.Target.ResellerID()
		want[source]--
		want[target]++
		e, _ := m.Posting(source)
		balances[source] = append(balances[source], e.Balance.Units())
	}
	for id, balance := range want {
		if got := w.balance(id); got != balance {
			w.Errorf("after %d transfers account %d holds %d, want %d", len(movements), id, got, balance)
		}
		w.chained(id)
	}
	// The top reseller only pays, one unit each time: each of its balances
	// occurs once, without a gap.
	paid := balances[top.ID()]
	slices.Sort(paid)
	for i, balance := range paid {
		if want := start - int64(len(paid)-i); balance != want {
			w.Fatalf("balances of the paying account: got %v, want each from %d to %d once", paid, start-len(paid), start-1)
		}
	}
}

// takeNameTogether inserts accounts and lines of one name at once.
func (w *harness) takeNameTogether(processes ...*harness) {
	w.Helper()
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
	w.Helper()
	const reseller = 1
	errs := AtOnce(workers, func(own int) error {
		return w.try(func(ctx context.Context, tx ports.Tx) error {
			save, err := get(ctx, tx)
			if err != nil {
				return err
			}
			for i := range workers {
				_, err := tx.Keys.Get(ctx, reseller, strconv.Itoa(i))
				if err == nil {
					return errRefused
				}
				if absent(err) != nil {
					return err
				}
			}
			if err := tx.Keys.Put(ctx, keyRecord(reseller, strconv.Itoa(own))); err != nil {
				return err
			}
			return save()
		})
	})
	w.oneSucceeds(errs, errRefused, "put a key while there is none, saving one record unchanged")
}

// chained fails unless the reseller's movements are numbered 1, 2, 3 ... up to its
// head, and each follows from the one before.
func (w *harness) chained(id int64) {
	w.Helper()
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
	w.Helper()
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
	if err != nil {
		return credit.Movement{}, err
	}
	target, err := tx.Resellers.Get(ctx, to)
	if err != nil {
		return credit.Movement{}, err
	}
	m, err := source.Fund(target, fixture.Units(1),
		credit.Provenance{ID: movement, Actor: from, Request: "transfer", At: noon})
	if err != nil {
		return credit.Movement{}, err
	}
	if err := tx.Resellers.Save(ctx, source); err != nil {
		return credit.Movement{}, err
	}
	if err := tx.Resellers.Save(ctx, target); err != nil {
		return credit.Movement{}, err
	}
	return m, tx.Ledger.Append(ctx, m)
}

// activate makes a trial official at its owner's cost.
func activate(ctx context.Context, tx ports.Tx, id int64, price credit.Price, platform, movement int64) error {
	l, err := tx.Lines.Get(ctx, id)
	if err != nil {
		return err
	}
	payer, err := tx.Resellers.Get(ctx, l.Owner().ID)
	if err != nil {
		return err
	}
	m, err := l.Activate(payer, price, line.Details{Username: l.State().Username, Password: line.Sealed("new")},
		platform, credit.Provenance{ID: movement, Actor: payer.ID(), Request: "activate", At: noon})
	if err != nil {
		return err
	}
	if err := tx.Lines.Save(ctx, l); err != nil {
		return err
	}
	if err := tx.Resellers.Save(ctx, payer); err != nil {
		return err
	}
	return tx.Ledger.Append(ctx, m)
}
