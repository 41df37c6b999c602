package storetest

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

var viewChecks = []Check{
	{"view-waits-for-no-update", proves{"V2"}, func(w *harness) {
		c := w.prepare()
		h := w.hold(c.write)
		viewBeside(w, func(ctx context.Context, s ports.Snapshot) (*reseller.Reseller, error) {
			return s.Resellers.Get(ctx, c.saved.ID())
		})
		h.end(w)
	}},
	{"view-returns-the-error-of-look", proves{"V3"}, func(w *harness) {
		w.want(w.store.View(w.ctx, func(context.Context, ports.Snapshot) error { return errRefused }), errRefused, "view")
		w.want(w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) error {
			_, err := s.Resellers.Get(ctx, 1)
			return err
		}), fault.ErrNotFound, "view")
	}},
}

var lifeChecks = []Check{
	{"ready", proves{"S3"}, func(w *harness) {
		w.must(w.store.Ready(w.ctx), "ready")
		w.admin("root")
		w.must(w.store.Ready(w.ctx), "ready")
		w.close()
		w.want(w.store.Ready(w.ctx), ports.ErrUnavailable, "ready after close")
	}},
	{"closed-is-unavailable", proves{"S5"}, func(w *harness) {
		w.admin("root")
		w.close()
		w.want(w.try(func(context.Context, ports.Tx) error { return nil }), ports.ErrUnavailable, "update after close")
		for doing, err := range w.every(w.ctx) {
			w.want(err, ports.ErrUnavailable, doing+" after close")
		}
	}},
	{"parts-stay", proves{"S7"}, func(w *harness) {
		before := w.parts()
		w.admin("root")
		w.same(w.parts(), before, "parts after an update")
		w.close()
		w.same(w.parts(), before, "parts after close")
	}},
	{"closed-stays-closed", proves{"S6"}, func(w *harness) {
		w.admin("root")
		w.close()
		w.must(w.store.Close(), "close again")
		w.want(w.store.Ready(w.ctx), ports.ErrUnavailable, "ready after it was closed twice")
	}},
	{"close-waits-for-updates", proves{"S4"}, func(w *harness) {
		root := w.admin("root")
		a := w.master(root, "a", 0)
		h := w.hold(addsTo(a.ID()))
		w.closed = true
		closed := async(w.store.Close)
		if early, _ := soon(closed); early {
			w.Fatalf("Close returned while an update was open")
		}
		h.release()
		w.must(outcome(w, h.ended, "the update"), "an update under way when Close was called")
		w.must(outcome(w, closed, "Close"), "close")
	}},
}

var idChecks = []Check{
	{"ids-increase", proves{"I1"}, func(w *harness) {
		for _, of := range ports.Sequences() {
			w.increase(of, 0, 10*rounds) // past the end of any block of ids
		}
	}},
	{"ids-are-unique-among-concurrent-callers", proves{"I2"}, func(w *harness) { w.idsTogether(w) }},
	{"ids-are-not-given-again-after-deletion", proves{"I3"}, func(w *harness) {
		root := w.admin("root")
		for range rounds {
			gone := w.trial(root, "gone")
			w.deleteLine(gone.ID())
			if id := w.id(ports.LineIDs); id <= gone.ID() {
				w.Fatalf("got id %d after line %d was deleted", id, gone.ID())
			}
		}
	}},
}

// increase fails unless the next n ids of a sequence increase from after this one on.
func (w *harness) increase(of ports.Sequence, last int64, n int) {
	for range n {
		id := w.id(of)
		if id <= last {
			w.Fatalf("%s: got id %d after %d", of, id, last)
		}
		last = id
	}
}

var serviceKeyChecks = []Check{
	{"first-service-key-stays", proves{"F1"}, func(w *harness) {
		for _, fingerprint := range []string{"first", "second", "first", "third"} {
			w.claims(fingerprint, "first")
		}
	}},
	{"one-of-many-service-keys-stays", proves{"F1"}, func(w *harness) { w.claimTogether(w) }},
}

var durabilityChecks = []Check{
	{"updates-at-once-survive-reopening", proves{"U1"}, func(w *harness) {
		root := w.admin("root")
		top := w.master(root, "top", workers*rounds)
		bottom := w.master(top, "bottom", 0)
		movements := make([]credit.Movement, workers)
		w.mustParallel(func(i int) error {
			id, err := w.store.NextID(w.ctx, ports.MovementIDs)
			if err != nil {
				return err
			}
			return w.try(func(ctx context.Context, tx ports.Tx) (err error) {
				movements[i], err = transfer(ctx, tx, top.ID(), bottom.ID(), id)
				return err
			})
		})
		w.reopen()
		if from, to := w.balance(top.ID()), w.balance(bottom.ID()); from != workers*(rounds-1) || to != workers {
			w.Errorf("after %d transfers of 1 out of %d: got %d and %d", workers, workers*rounds, from, to)
		}
		w.seesMovements(movements)
	}},
	{"ids-are-not-given-again-after-reopening", proves{"I4"}, func(w *harness) {
		for range 3 {
			last := map[ports.Sequence]int64{}
			for _, of := range ports.Sequences() {
				for range rounds {
					last[of] = w.id(of)
				}
			}
			w.reopen()
			for of, before := range last {
				if id := w.id(of); id <= before {
					w.Errorf("%s: got id %d, and %d before the store was opened again", of, id, before)
				}
			}
		}
	}},
	{"service-key-survives-reopening", proves{"F2"}, func(w *harness) {
		w.claims("first", "first")
		w.reopen()
		w.claims("second", "first")
	}},
}

// soon waits for the end of what reports to done, no longer than the grace, and
// returns whether and how it ended.
func soon(done <-chan error) (ended bool, err error) {
	select {
	case err = <-done:
		return true, err
	case <-time.After(grace):
		return false, nil
	}
}
