package storetest

import (
	"errors"
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

// rekeyChecks check a store whose service key is replaced.
var rekeyChecks = []Check{
	{"service-keys-are-moved", proves{"F3", "F4", "F6", "F8"}, func(w *harness) {
		refuses := func(from ports.ServiceKey, when string) {
			w.want(w.rekeyable().MoveKey(w.ctx, from, fourthKey), ports.ErrKeyMoved, when)
		}
		refuses(firstKey, "move a key that no process claimed")
		w.hasKey(ports.ServiceKey{}, "new store")
		w.claims("first", "first")
		refuses(ports.ServiceKey{}, "move no key")
		w.hasKey(firstKey, "store with a claimed key")
		from := firstKey
		for _, to := range []ports.ServiceKey{secondKey, thirdKey, fourthKey, secondKey} {
			w.must(w.rekeyable().MoveKey(w.ctx, from, to), "move the service key")
			refuses(from, "move a key that was moved")
			w.hasKey(to, fmt.Sprintf("store moved to %q", to.Fingerprint))
			w.claims("another", to.Fingerprint)
			from = to
		}
		w.close()
		w.want(w.rekeyable().MoveKey(w.ctx, secondKey, thirdKey), ports.ErrUnavailable, "move the service key after close")
		_, err := w.rekeyable().ServiceKey(w.ctx)
		w.want(err, ports.ErrUnavailable, "read the service key after close")
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
			w.oneSucceeds(errs, ports.ErrKeyMoved, "move a key")
			moved := max(0, slices.Index(errs, nil))
			from = to[moved]
			w.hasKey(from, "store whose key many have moved")
		}
	}},
	{"service-keys-are-read-whole", proves{"F3"}, func(w *harness) {
		w.claims("odd", "odd")
		keys := []ports.ServiceKey{{Fingerprint: "odd"}, {Fingerprint: "even", Earlier: "odd"}}
		store := w.rekeyable()
		moving := async(func() (err error) {
			for i := range 40 {
				err = errors.Join(err, store.MoveKey(w.ctx, keys[i%2], keys[(i+1)%2]))
			}
			return err
		})
		for moves := true; moves; {
			key, err := store.ServiceKey(w.ctx)
			w.must(err, "read the service key")
			if !slices.Contains(keys, key) {
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
}

// rekeyCopyChecks check the service keys of copies.
var rekeyCopyChecks = []Check{
	{"unfinished-copies-move-no-service-key", proves{"A13", "C2", "F3", "F7"}, func(w *harness) {
		origin := unused(secondKey.Fingerprint)
		origin.EarlierKeys = secondKey.Earlier
		importer := w.begin(origin, false)
		w.want(w.rekeyable().MoveKey(w.ctx, secondKey, fourthKey), ports.ErrUnfinishedCopy,
			"move the key of an unfinished copy")
		w.must(importer.Finish(w.ctx), "finish")
		w.hasKey(secondKey, "copy")
		for _, move := range [][2]ports.ServiceKey{{secondKey, fourthKey}, {fourthKey, thirdKey}} {
			w.must(w.rekeyable().MoveKey(w.ctx, move[0], move[1]), "move the key of a copy")
			w.hasKey(move[1], "copy whose key was moved")
			o := w.origin()
			w.same(ports.ServiceKey{Fingerprint: o.Fingerprint, Earlier: o.EarlierKeys}, move[1],
				"service key in the origin")
		}
	}},
}

// rekeyDurabilityChecks check the changes of a rekey that must outlive the process.
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
