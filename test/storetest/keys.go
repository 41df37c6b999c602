package storetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/reseller"
	"resellerd/ports"
)

var keyChecks = []Check{
	{"key-records-survive-unchanged", proves{"S1", "K1", "K3"}, func(w *harness) {
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
		want[0] = newer
		newer.Request, newer.Body = slices.Clone(newer.Request), slices.Clone(newer.Body)
		w.put(newer)
		spoilBatch(ports.Batch{Keys: []ports.KeyRecord{newer}})
		w.seesKeys(want)
		inView, _ := w.key(root.ID(), "key")
		inUpdate := w.keyInUpdate(root.ID(), "key")
		spoilBatch(ports.Batch{Keys: []ports.KeyRecord{inView, inUpdate}})
		w.seesKeys(want)
	}},
	{"one-key-has-one-effect", proves{"K4"}, func(w *harness) { w.useKeyTogether(w) }},
	{"expired-keys-are-dropped", proves{"E1"}, func(w *harness) {
		root := w.admin("root")
		after := expiring(root, "after", noon.Add(time.Millisecond))
		w.put(after)
		for range 2 { // a dropped key can be used again
			for i := range 3 {
				w.put(expiring(root, "before"+strconv.Itoa(i), noon.Add(-time.Millisecond)))
			}
			w.put(expiring(root, "exactly", noon.Add(time.Hour)))
			w.put(expiring(root, "exactly", noon)) // sooner than before
			w.put(expiring(root, "later", noon))
			w.put(expiring(root, "later", noon.Add(time.Hour)))
			w.drops(noon.Add(-time.Hour), 10, 0)
			for _, want := range []int{0, 1, 2} { // as many as the limit
				w.drops(noon, want, want)
			}
			w.drops(noon, 10, 1)
			w.drops(noon, 10, 0)
			for _, key := range []string{"before0", "before1", "before2", "exactly"} {
				if _, found := w.key(root.ID(), key); found {
					w.Errorf("the record %q, that has expired, still exists", key)
				}
			}
			w.seesKeys([]ports.KeyRecord{after, expiring(root, "later", noon.Add(time.Hour))})
		}
	}},
	{"expiry-beyond-latest-is-brought-back", proves{"E2"}, func(w *harness) {
		root, latest := w.admin("root"), noon.Add(time.Hour)
		var want []ports.KeyRecord
		for i, at := range []time.Time{latest.Add(-time.Millisecond), latest, latest.Add(time.Millisecond),
			latest.AddDate(1, 0, 0), latest.AddDate(2, 0, 0)} {
			want = append(want, expiring(root, "key"+strconv.Itoa(i), at))
		}
		w.put(want...)
		for i, limit := range []int{0, 2, 1} {
			w.dropsBy(noon, latest, limit, 0)
			beyond := 0
			for _, r := range want {
				if now, _ := w.key(r.Reseller, r.Key); now.Expires.After(latest) {
					beyond++
				}
			}
			w.same(beyond, []int{3, 1, 0}[i], "records that are still to be brought back")
		}
		for i := range want[2:] {
			want[2+i].Expires = latest
		}
		w.seesKeys(want)
		w.drops(latest, 10, 5) // in the order of expiry, too
	}},
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

// keyInUpdate reads a record in an update.
func (w *harness) keyInUpdate(reseller int64, key string) ports.KeyRecord {
	r, _ := seenInUpdate(w, func(ctx context.Context, tx ports.Tx) (ports.KeyRecord, error) {
		return tx.Keys.Get(ctx, reseller, key)
	})
	return r
}

func (w *harness) seesKeys(want []ports.KeyRecord) {
	for _, r := range want {
		inView, _ := w.key(r.Reseller, r.Key)
		w.same(inView, r, "record in a view")
		w.same(w.keyInUpdate(r.Reseller, r.Key), r, "record in an update")
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
	for attempt := range 4 {
		key := "key" + strconv.Itoa(attempt)
		before := w.total(resellers)
		statuses := make([]int, workers)
		w.mustParallel(func(i int) error {
			return processes[i%len(processes)].try(func(ctx context.Context, tx ports.Tx) error {
				found, err := tx.Keys.Get(ctx, root.ID(), key)
				if statuses[i] = found.Status; err == nil || absent(err) != nil {
					return err
				}
				own := keyRecord(root.ID(), key)
				own.Status = 200 + i
				statuses[i] = own.Status
				return errors.Join(addsTo(resellers[i])(ctx, tx), tx.Keys.Put(ctx, own))
			})
		})
		recorded, _ := w.key(root.ID(), key)
		if added := w.total(resellers) - before; added != 1 {
			w.Fatalf("%d requests under one key: %d took effect, want 1", workers, added)
		}
		w.same(statuses, slices.Repeat([]int{recorded.Status}, workers),
			"statuses of requests under one key, and the one recorded")
	}
}

// total returns the sum of the balances, in units.
func (w *harness) total(resellers []int64) (sum int64) {
	for _, id := range resellers {
		sum += w.balance(id)
	}
	return sum
}
