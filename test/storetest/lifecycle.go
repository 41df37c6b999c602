package storetest

import (
	"context"
	"time"

	"resellerd/domain/fault"
	"resellerd/ports"
)

var viewChecks = []Check{
	{"view-returns-the-error-of-look", proves{"V3"}, func(w *harness) {
		w.want(w.store.View(w.ctx, func(context.Context, ports.Snapshot) error { return errRefused }), errRefused, "view")
		w.want(w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) error {
			_, err := s.Resellers.Get(ctx, 1)
			return err
		}), fault.ErrNotFound, "view")
	}},
}

var lifeChecks = []Check{
	{"ready", proves{"S3", "S5", "S6", "S7"}, func(w *harness) {
		w.must(w.store.Ready(w.ctx), "ready")
		before := w.parts()
		w.admin("root")
		w.must(w.store.Ready(w.ctx), "ready")
		w.close()
		w.must(w.store.Close(), "close again")
		w.want(w.try(func(context.Context, ports.Tx) error { return nil }), ports.ErrUnavailable, "update after close")
		for doing, err := range w.every(w.ctx) {
			w.want(err, ports.ErrUnavailable, doing+" after close")
		}
		w.same(w.parts(), before, "parts after close")
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
	{"ids-increase", proves{"I1", "I3"}, func(w *harness) {
		for _, of := range ports.Sequences() {
			w.increase(of, 0, 10*rounds) // past the end of any block of ids
		}
		gone := w.trial(w.admin("root"), "gone").ID()
		w.deleteLine(gone)
		w.increase(ports.LineIDs, gone, rounds)
	}},
	{"ids-are-unique-among-concurrent-callers", proves{"I2"}, func(w *harness) { w.idsTogether(w) }},
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
	{"one-of-many-service-keys-stays", proves{"F1"}, func(w *harness) { w.claimTogether(w) }},
}

var durabilityChecks = []Check{
	{"updates-at-once-survive-reopening", proves{"U1"}, func(w *harness) {
		w.transferTogether(w.reopen, w)
	}},
	{"ids-and-the-service-key-survive-reopening", proves{"F2", "I4"}, func(w *harness) {
		w.claims("first", "first")
		for range 3 {
			last := map[ports.Sequence]int64{}
			for _, of := range ports.Sequences() {
				last[of] = w.id(of)
			}
			w.reopen()
			for of, before := range last {
				w.increase(of, before, rounds)
			}
		}
		w.claims("second", "first")
	}},
	{"records-of-kinds-survive-reopening", proves{"D5"}, (*harness).reopensKinds},
}

// soon waits for a report to done, no longer than the grace, and returns whether and how the work ended.
func soon(done <-chan error) (ended bool, err error) {
	select {
	case err = <-done:
		return true, err
	case <-time.After(grace):
		return false, nil
	}
}
