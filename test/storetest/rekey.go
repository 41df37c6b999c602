package storetest

import (
	"fmt"
	"slices"
	"time"

	"resellerd/ports"
)

// The service keys that the checks move stores between.
var (
	firstKey  = ports.ServiceKey{Fingerprint: "first"}
	secondKey = ports.ServiceKey{Fingerprint: "second", Earlier: "the \"first\", sealed"}
	thirdKey  = ports.ServiceKey{Fingerprint: "second", Earlier: "the first, resealed"}
	fourthKey = ports.ServiceKey{Fingerprint: "fourth"}
)

// rekeyChecks are of a store whose service key is replaced.
var rekeyChecks = []Check{
	{"service-keys-are-moved", proves{"F3", "F4"}, func(w *harness) {
		w.hasKey(ports.ServiceKey{}, "new store")
		w.claims("first", "first")
		w.hasKey(firstKey, "store with a claimed key")
		from := firstKey
		for _, to := range []ports.ServiceKey{secondKey, thirdKey, fourthKey, secondKey} {
			w.must(w.rekeyable().MoveKey(w.ctx, from, to), "move the service key")
			w.hasKey(to, fmt.Sprintf("store moved to %q", to.Fingerprint))
			w.claims("another", to.Fingerprint)
			from = to
		}
		w.admin("root") // it goes on like any other
	}},
	{"service-keys-are-moved-from-the-recorded-one", proves{"F6"}, func(w *harness) {
		refuses := func(from ports.ServiceKey, when string) {
			w.want(w.rekeyable().MoveKey(w.ctx, from, fourthKey), ports.ErrKeyMoved, when)
		}
		refuses(firstKey, "move a key that nobody claimed")
		w.hasKey(ports.ServiceKey{}, "new store")
		w.claims("first", "first")
		refuses(secondKey, "move another key")
		refuses(ports.ServiceKey{}, "move no key")
		w.hasKey(firstKey, "store whose key was not moved")
		w.must(w.rekeyable().MoveKey(w.ctx, firstKey, secondKey), "move the service key")
		refuses(thirdKey, "move a key with other earlier ones")
		refuses(firstKey, "move a key that was moved")
		w.hasKey(secondKey, "store whose key was moved once")
	}},
	{"one-of-many-moves-of-a-service-key-takes-effect", proves{"F6"}, func(w *harness) {
		w.claims("first", "first")
		from := firstKey
		store := w.rekeyable() // a goroutine of its own can't end the check
		for round := range 5 {
			to := make([]ports.ServiceKey, workers)
			errs := AtOnce(workers, func(i int) error {
				to[i] = ports.ServiceKey{Fingerprint: "same", Earlier: fmt.Sprintf("%d of round %d", i, round)}
				return store.MoveKey(w.ctx, from, to[i])
			})
			moved := slices.Index(errs, nil)
			if moved < 0 {
				w.Fatalf("no move took effect: %v", errs)
			}
			for i, err := range errs {
				if i != moved {
					w.want(err, ports.ErrKeyMoved, "move a key that another one moves")
				}
			}
			from = to[moved]
			w.hasKey(from, "store whose key many have moved")
		}
	}},
	{"service-keys-are-read-whole", proves{"F3"}, func(w *harness) {
		w.claims("first", "first")
		at, odd := firstKey, ports.ServiceKey{Fingerprint: "odd", Earlier: "odd"}
		even := ports.ServiceKey{Fingerprint: "even", Earlier: "even"}
		store := w.rekeyable()
		moving := async(func() (err error) {
			for i := range 40 {
				to := odd
				if i%2 == 0 {
					to = even
				}
				if err = store.MoveKey(w.ctx, at, to); err != nil {
					return err
				}
				at = to
			}
			return nil
		})
		for moves := true; moves; {
			key, err := w.rekeyable().ServiceKey(w.ctx)
			w.must(err, "read the service key")
			if key != firstKey && key.Fingerprint != key.Earlier {
				w.Errorf("got %+v, which is of two moments", key)
			}
			select {
			case err := <-moving:
				w.must(err, "move the service key")
				moves = false
			case <-time.After(grace / 100):
			}
		}
	}},
	{"closed-stores-move-no-service-key", proves{"F8"}, func(w *harness) {
		w.claims("first", "first")
		w.close()
		w.want(w.rekeyable().MoveKey(w.ctx, firstKey, secondKey), ports.ErrUnavailable, "move the service key after close")
		_, err := w.rekeyable().ServiceKey(w.ctx)
		w.want(err, ports.ErrUnavailable, "read the service key after close")
	}},
}

// rekeyCopyChecks are of the service keys of copies.
var rekeyCopyChecks = []Check{
	{"unfinished-copies-move-no-service-key", proves{"F3", "F7"}, func(w *harness) {
		origin := unused(secondKey.Fingerprint)
		origin.EarlierKeys = secondKey.Earlier
		importer := w.begin(origin, false)
		w.want(w.rekeyable().MoveKey(w.ctx, secondKey, fourthKey), ports.ErrUnfinishedCopy,
			"move the key of an unfinished copy")
		w.must(importer.Finish(w.ctx), "finish")
		w.hasKey(secondKey, "copy")
		w.must(w.rekeyable().MoveKey(w.ctx, secondKey, fourthKey), "move the key of a copy")
		w.hasKey(fourthKey, "copy whose key was moved")
	}},
	{"origins-tell-earlier-service-keys", proves{"A13", "C2"}, func(w *harness) {
		tells := func(want ports.ServiceKey, where string) {
			o := w.origin()
			w.same(ports.ServiceKey{Fingerprint: o.Fingerprint, Earlier: o.EarlierKeys}, want,
				"service key that the origin tells of a "+where)
		}
		other := w.another()
		other.target()
		w.claims("first", "first")
		for _, move := range [][2]ports.ServiceKey{{firstKey, secondKey}, {secondKey, fourthKey}} {
			w.must(w.rekeyable().MoveKey(w.ctx, move[0], move[1]), "move the service key")
			tells(move[1], "store")
		}
		origin := unused(secondKey.Fingerprint)
		origin.EarlierKeys = secondKey.Earlier
		other.begin(origin, false)
		other.copyNothingAgain(unused(fourthKey.Fingerprint))
		o := other.origin()
		w.same(o.EarlierKeys, "", "earlier keys of a copy that was started over")
	}},
}

// rekeyDurabilityChecks are of what must outlive the process.
var rekeyDurabilityChecks = []Check{
	{"moved-service-keys-survive-reopening", proves{"F5"}, func(w *harness) {
		w.claims("first", "first")
		w.must(w.rekeyable().MoveKey(w.ctx, firstKey, secondKey), "move the service key")
		w.reopen()
		w.hasKey(secondKey, "store opened again")
		w.claims("first", secondKey.Fingerprint)
	}},
}

// hasKey fails unless the store has recorded this service key.
func (w *harness) hasKey(want ports.ServiceKey, where string) {
	got, err := w.rekeyable().ServiceKey(w.ctx)
	w.must(err, "read the service key")
	w.same(got, want, "service key of a "+where)
}

// copyNothingAgain starts an unfinished copy over and finishes it.
func (w *harness) copyNothingAgain(origin ports.Origin) {
	w.must(w.begin(origin, true).Finish(w.ctx), "finish")
}
