package storetest

import (
	"context"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var keyChecks = []Check{
	{"key-records-survive-unchanged", proves{"S1", "K3"}, func(w *harness) {
		root := w.admin("root")
		other := w.master(root, "other", 0)
		// Keys are compared as they are, and per reseller.
		keys := []string{"key", "KEY", "key ", "kéy", "ke\u0301y", "{\"$gt\":\"\"}", "%'\"_*", strings.Repeat("k", 255)}
		status := 200
		var want []ports.KeyRecord
		for _, key := range keys {
			for _, reseller := range []int64{root.ID(), other.ID()} {
				r := keyRecord(reseller, key)
				r.Status, r.Expires = status, r.Expires.Add(time.Duration(status)*time.Millisecond)
				r.Body = append(r.Body, key...)
				status++
				want = append(want, r)
			}
		}
		w.put(want...)
		w.seesKeys(want)

		newer := newerKey(keyRecord(root.ID(), "key"))
		w.put(newer)
		want[0] = newer
		w.seesKeys(want)
	}},
	{"key-records-stay-with-the-caller", proves{"K1"}, func(w *harness) {
		root := w.admin("root")
		want, put := keyRecord(root.ID(), "key"), keyRecord(root.ID(), "key")
		w.put(put)
		put.Request[0]++
		put.Body[0]++
		w.seesKeys([]ports.KeyRecord{want})
		got, _ := w.key(root.ID(), "key")
		got.Request[0]++
		got.Body[0]++
		w.seesKeys([]ports.KeyRecord{want})
		w.update("get and not put", func(ctx context.Context, tx ports.Tx) error {
			got, err := tx.Keys.Get(ctx, root.ID(), "key")
			if err != nil {
				return err
			}
			got.Request[0]++
			got.Body[0]++
			return nil
		})
		w.seesKeys([]ports.KeyRecord{want})
	}},
	{"one-key-has-one-effect", proves{"K4"}, func(w *harness) { w.useKeyTogether(w) }},
	{"expired-at-now-is-dropped", proves{"E1"}, func(w *harness) {
		root := w.admin("root")
		before, exactly, after := expiring(root, "before", noon.Add(-time.Millisecond)), expiring(root, "exactly", noon),
			expiring(root, "after", noon.Add(time.Millisecond))
		w.put(after, exactly, before)
		w.drops(noon.Add(-time.Hour), 10, 0)
		w.drops(noon, 10, 2)
		w.seesKeys([]ports.KeyRecord{after})
		for _, key := range []string{"before", "exactly"} {
			if _, found := w.key(root.ID(), key); found {
				w.Errorf("the record that expired %s now is still there", key)
			}
		}
		w.drops(noon, 10, 0)
		w.put(before) // a dropped key can be used again
		w.seesKeys([]ports.KeyRecord{before, after})
		w.drops(noon.Add(time.Hour), 10, 2)
	}},
	{"no-more-than-limit-is-dropped", proves{"E1"}, func(w *harness) {
		left := w.expireTogether(noon)
		for _, c := range []struct{ limit, want int }{{0, 0}, {2, 2}, {1, 1}, {2, 2}, {2, 0}} {
			w.drops(noon, c.limit, c.want)
			left -= c.want
			w.same(w.countKeys(func(r ports.KeyRecord) bool { return r.Key != "" }), left, "records that are left")
		}
	}},
	{"replaced-keys-expire-again", proves{"E1"}, func(w *harness) {
		root := w.admin("root")
		later := expiring(root, "later", noon.Add(2*time.Hour))
		w.put(expiring(root, "later", noon), expiring(root, "sooner", noon.Add(2*time.Hour)))
		w.put(later, expiring(root, "sooner", noon))
		w.drops(noon.Add(time.Hour), 10, 1)
		w.seesKeys([]ports.KeyRecord{later})
		w.drops(noon.Add(2*time.Hour), 10, 1)
	}},
	{"expiry-beyond-latest-is-brought-back", proves{"E2"}, func(w *harness) {
		root := w.admin("root")
		latest := noon.Add(time.Hour)
		before, exactly := expiring(root, "before", latest.Add(-time.Millisecond)), expiring(root, "exactly", latest)
		after, beyond := expiring(root, "after", latest.Add(time.Millisecond)),
			expiring(root, "beyond", latest.AddDate(1, 0, 0))
		w.put(beyond, after, exactly, before)
		w.dropsBy(noon, latest, 10, 0)
		after.Expires, beyond.Expires = latest, latest
		w.seesKeys([]ports.KeyRecord{before, exactly, after, beyond})
		w.drops(latest, 10, 4) // in the order of expiry, too
	}},
	{"no-more-than-limit-is-brought-back", proves{"E2"}, func(w *harness) {
		latest := noon.Add(time.Hour)
		all, back := w.expireTogether(latest.AddDate(1, 0, 0)), 0
		for _, limit := range []int{0, 2, 1, 2, 2} {
			w.dropsBy(noon, latest, limit, 0)
			back = min(back+limit, all)
			w.same(w.countKeys(func(r ports.KeyRecord) bool { return r.Expires.Equal(latest) }), back, "records brought back")
		}
	}},
}

// keysTogether are some that expire together.
var keysTogether = []string{"a", "b", "c", "d", "e"}

// expireTogether puts keys that expire at an instant, and returns how many.
func (w *harness) expireTogether(at time.Time) int {
	for _, key := range keysTogether {
		w.put(expiring(fixture.Admin(7), key, at))
	}
	return len(keysTogether)
}

// countKeys counts them as they are by now.
func (w *harness) countKeys(is func(r ports.KeyRecord) bool) (n int) {
	for _, key := range keysTogether {
		if r, found := w.key(7, key); found && is(r) {
			n++
		}
	}
	return n
}

// expiring returns a record that expires then.
func expiring(of *reseller.Reseller, key string, at time.Time) ports.KeyRecord {
	r := keyRecord(of.ID(), key)
	r.Expires = at
	return r
}

// never is later than every expiry of the suite.
var never = noon.AddDate(100, 0, 0)

func (w *harness) put(records ...ports.KeyRecord) {
	for _, r := range records {
		w.update("put a key", puts(r))
	}
}

func (w *harness) seesKeys(want []ports.KeyRecord) {
	for _, r := range want {
		got, found := w.key(r.Reseller, r.Key)
		if !found {
			w.Fatalf("no record of key %q of account %d", r.Key, r.Reseller)
		}
		w.same(got, r, "record in a view")
		got, _ = seenInUpdate(w, func(ctx context.Context, tx ports.Tx) (ports.KeyRecord, error) {
			return tx.Keys.Get(ctx, r.Reseller, r.Key)
		})
		w.same(got, r, "record in an update")
	}
}

func (w *harness) drops(now time.Time, limit, want int) {
	w.dropsBy(now, never, limit, want)
}

func (w *harness) dropsBy(now, latest time.Time, limit, want int) {
	got, err := w.store.DropExpired(w.ctx, now, latest, limit)
	w.must(err, "drop expired")
	if got != want {
		w.Fatalf("dropped %d expired records at %s with limit %d, want %d", got, now, limit, want)
	}
}

// useKeyTogether makes several requests with one key at once.
func (w *harness) useKeyTogether(processes ...*harness) {
	root := w.admin("root")
	resellers := make([]int64, workers)
	for i := range resellers { // each changes a reseller of its own: only the key is shared
		resellers[i] = w.master(root, "account"+strconv.Itoa(i), 0).ID()
	}
	const attempts = 4
	for attempt := range attempts {
		key := "key" + strconv.Itoa(attempt)
		before := w.total(resellers)
		statuses := make([]int, workers)
		replayed := make([]bool, workers)
		w.mustParallel(func(i int) error {
			return processes[i%len(processes)].try(func(ctx context.Context, tx ports.Tx) error {
				found, err := tx.Keys.Get(ctx, root.ID(), key)
				if err == nil {
					statuses[i], replayed[i] = found.Status, true
					return nil
				}
				if absent(err) != nil {
					return err
				}
				own := keyRecord(root.ID(), key)
				own.Status = 200 + i
				statuses[i], replayed[i] = own.Status, false
				if err := addsTo(resellers[i])(ctx, tx); err != nil {
					return err
				}
				return tx.Keys.Put(ctx, own)
			})
		})
		recorded, found := w.key(root.ID(), key)
		if !found {
			w.Fatalf("no key was recorded")
		}
		effects := 0
		for i := range workers {
			if !replayed[i] {
				effects++
			}
			w.same(statuses[i], recorded.Status, "status of a request under one key, and the one recorded")
		}
		if added := w.total(resellers) - before; effects != 1 || added != 1 {
			w.Fatalf("%d requests under one key: %d took effect and %d changes are stored, want 1", workers, effects, added)
		}
	}
}

// total returns the sum of the balances, in units.
func (w *harness) total(resellers []int64) (sum int64) {
	for _, id := range resellers {
		sum += w.balance(id)
	}
	return sum
}
