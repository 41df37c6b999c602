package storetest

import (
	"context"
	"strings"
	"time"

	"resellerd/ports"
)

// sharedKeys keeps and gives the very slices that callers hold.
type sharedKeys struct {
	ports.Keys
	kept  map[string]ports.KeyRecord
	onPut bool
}

func (s sharedKeys) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	if r, found := s.kept[key]; found {
		return r, nil
	}
	r, err := s.Keys.Get(ctx, reseller, key)
	if err == nil && !s.onPut {
		s.kept[key] = r
	}
	return r, err
}

func (s sharedKeys) Put(ctx context.Context, r ports.KeyRecord) error {
	if s.onPut {
		s.kept[r.Key] = r
	}
	return s.Keys.Put(ctx, r)
}

// firstPut keeps the first record of a key, or its expiry.
type firstPut struct {
	ports.Keys
	merge func(older, r ports.KeyRecord) ports.KeyRecord
}

func (f firstPut) Put(ctx context.Context, r ports.KeyRecord) error {
	if older, err := f.Get(ctx, r.Reseller, r.Key); err == nil {
		r = f.merge(older, r)
	}
	return f.Keys.Put(ctx, r)
}

func brokenKeys() (all []broken) {
	add := func(how string, sabotage func(full) full, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: sabotage})
	}
	asked := func(how string, change func(reseller int64, key string) (int64, string)) {
		add(how, filter{keyAsked: change}.over, "key-records-survive-unchanged")
	}
	asked("compares keys without case", func(reseller int64, key string) (int64, string) { return reseller, strings.ToLower(key) })
	asked("trims keys", func(reseller int64, key string) (int64, string) { return reseller, strings.TrimSpace(key) })
	asked("composes letters of keys", func(reseller int64, key string) (int64, string) {
		return reseller, strings.ReplaceAll(key, "e\u0301", "é")
	})
	asked("shares keys among accounts", func(_ int64, key string) (int64, string) { return 1, key })
	add("keeps the first record of a key", by(patchedTx, func(tx *ports.Tx) {
		tx.Keys = firstPut{tx.Keys, func(older, _ ports.KeyRecord) ports.KeyRecord { return older }}
	}), "key-records-survive-unchanged")
	add("keeps the first expiry of a key", by(patchedTx, func(tx *ports.Tx) {
		tx.Keys = firstPut{tx.Keys, func(older, r ports.KeyRecord) ports.KeyRecord { r.Expires = older.Expires; return r }}
	}), "replaced-keys-expire-anew", "key-records-survive-unchanged")
	for how, onPut := range map[string]bool{"keeps the slices that were put": true, "keeps the slices that were got": false} {
		add(how, func(sound full) full {
			kept := map[string]ports.KeyRecord{}
			return patchedTx(sound, func(tx *ports.Tx) { tx.Keys = sharedKeys{tx.Keys, kept, onPut} })
		}, "key-records-stay-with-the-caller")
	}

	type drop = func(now, latest time.Time, limit int) (int, error)
	drops := func(how string, with func(now, latest time.Time, limit int, sound drop) (int, error), checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, dropExpired: func(ctx context.Context, now, latest time.Time, limit int) (int, error) {
				return with(now, latest, limit, func(now, latest time.Time, limit int) (int, error) { return sound.DropExpired(ctx, now, latest, limit) })
			}}
		}, checks...)
	}
	drops("keeps what expires now", func(now, latest time.Time, limit int, sound drop) (int, error) {
		return sound(now.Add(-1), latest, limit)
	}, "expired-at-now-is-dropped", "no-more-than-limit-is-dropped")
	drops("drops what is about to expire", func(now, latest time.Time, limit int, sound drop) (int, error) {
		return sound(now.Add(time.Millisecond), latest, limit)
	}, "expired-at-now-is-dropped")
	drops("drops whatever there is", func(now, latest time.Time, limit int, sound drop) (int, error) {
		return sound(now.AddDate(1, 0, 0), latest, limit)
	}, "expired-at-now-is-dropped", "replaced-keys-expire-anew")
	drops("ignores the limit", func(now, latest time.Time, limit int, sound drop) (int, error) {
		n, err := sound(now, latest, 1_000)
		return min(n, limit), err
	}, "no-more-than-limit-is-dropped")
	drops("takes limit 0 for none", func(now, latest time.Time, limit int, sound drop) (int, error) {
		if limit == 0 {
			limit = 1_000
		}
		return sound(now, latest, limit)
	}, "no-more-than-limit-is-dropped")
	drops("counts and does not drop", func(now, latest time.Time, limit int, sound drop) (int, error) {
		_, err := sound(now.AddDate(-100, 0, 0), latest, limit)
		return limit, err
	}, "no-more-than-limit-is-dropped", "expired-at-now-is-dropped")
	drops("drops and does not count", func(now, latest time.Time, limit int, sound drop) (int, error) {
		_, err := sound(now, latest, limit)
		return 0, err
	}, "no-more-than-limit-is-dropped", "expired-at-now-is-dropped")
	drops("keeps what expires too late", func(now, _ time.Time, limit int, sound drop) (int, error) {
		return sound(now, never, limit)
	}, "expiry-beyond-latest-is-brought-back", "no-more-than-limit-is-brought-back")
	drops("brings back what expires at latest, to just before it", func(now, latest time.Time, limit int, sound drop) (int, error) {
		return sound(now, latest.Add(-time.Millisecond), limit)
	}, "expiry-beyond-latest-is-brought-back", "no-more-than-limit-is-brought-back")
	drops("brings back as many as there are", func(now, latest time.Time, limit int, sound drop) (int, error) {
		if _, err := sound(now.AddDate(-100, 0, 0), latest, 1_000); err != nil {
			return 0, err
		}
		return sound(now, latest, limit)
	}, "no-more-than-limit-is-brought-back")
	return all
}
