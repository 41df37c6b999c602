package storetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"resellerd/ports"
)

// naming is a store that keeps idempotency records under another name than they are asked for.
func naming(change func(reseller int64, key string) (int64, string)) func(full) full {
	return meddling(func(c *call) error {
		switch c.method {
		case keyPut:
			r := valueOf[ports.KeyRecord](c)
			r.Reseller, r.Key = change(r.Reseller, r.Key)
		case keyGet, viewKey:
			reseller, key := valueOf[int64](c), valueOf[string](c)
			was := ports.KeyRecord{Reseller: *reseller, Key: *key}
			*reseller, *key = change(*reseller, *key)
			err := c.sound()
			r := valueOf[ports.KeyRecord](c)
			r.Reseller, r.Key = was.Reseller, was.Key
			return err
		}
		return c.sound()
	})
}

// merging is a store that puts what merge makes of the record that a key has so far and the new one.
func merging(merge func(older, r ports.KeyRecord) ports.KeyRecord) func(full) full {
	return breaking(keyPut, func(c *call) error {
		r := valueOf[ports.KeyRecord](c)
		if older, err := c.tx.Keys.Get(c.ctx, r.Reseller, r.Key); err == nil {
			*r = merge(older, *r)
		}
		return c.sound()
	})
}

// sharingKeys keeps and gives the very slices that callers hold.
func sharingKeys(method string) func(full) full {
	return func(sound full) full {
		kept := map[string]ports.KeyRecord{}
		return meddling(func(c *call) error {
			err := c.sound()
			if err != nil || !slices.Contains([]string{keyGet, keyPut, viewKey}, c.method) {
				return err
			}
			r := valueOf[ports.KeyRecord](c)
			if known, is := kept[r.Key]; is && c.method != keyPut {
				*r = known
			} else if c.method == method {
				kept[r.Key] = *r
			}
			return nil
		})(sound)
	}
}

func brokenKeys() (all []broken) {
	add := func(how string, sabotage func(full) full, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: sabotage})
	}
	const survive = "key-records-survive-unchanged"
	add("compares keys without case", naming(func(reseller int64, key string) (int64, string) {
		return reseller, strings.ToLower(key)
	}), survive)
	add("trims keys", naming(func(reseller int64, key string) (int64, string) { return reseller, strings.TrimSpace(key) }),
		survive)
	add("composes letters of keys", naming(func(reseller int64, key string) (int64, string) {
		return reseller, strings.ReplaceAll(key, "e\u0301", "é")
	}), survive)
	add("shares keys among accounts", naming(func(_ int64, key string) (int64, string) { return 1, key }), survive)
	add("keeps the first record of a key", merging(func(older, _ ports.KeyRecord) ports.KeyRecord { return older }),
		survive)
	add("keeps the first expiry of a key", merging(func(older, r ports.KeyRecord) ports.KeyRecord {
		r.Expires = older.Expires
		return r
	}), survive, "replaced-keys-expire-again")
	for _, method := range []string{keyPut, keyGet} {
		add("keeps the slices of who asked to "+method, sharingKeys(method), "key-records-stay-with-the-caller")
	}

	type drop = func(now, latest time.Time, limit int) (int, error)
	drops := func(how string, with func(now, latest time.Time, limit int, sound drop) (int, error), checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, dropExpired: func(ctx context.Context, now, latest time.Time, limit int) (int, error) {
				return with(now, latest, limit, func(now, latest time.Time, limit int) (int, error) {
					return sound.DropExpired(ctx, now, latest, limit)
				})
			}}
		}, checks...)
	}
	const dropped, limited, brought = "expired-at-now-is-dropped", "no-more-than-limit-is-dropped",
		"expiry-beyond-latest-is-brought-back"
	drops("keeps what expires now", func(now, latest time.Time, limit int, sound drop) (int, error) {
		return sound(now.Add(-1), latest, limit)
	}, dropped, limited)
	drops("drops what is about to expire", func(now, latest time.Time, limit int, sound drop) (int, error) {
		return sound(now.Add(time.Millisecond), latest, limit)
	}, dropped)
	drops("drops whatever there is", func(now, latest time.Time, limit int, sound drop) (int, error) {
		return sound(now.AddDate(1, 0, 0), latest, limit)
	}, dropped, "replaced-keys-expire-again")
	drops("ignores the limit", func(now, latest time.Time, limit int, sound drop) (int, error) {
		n, err := sound(now, latest, 1_000)
		return min(n, limit), err
	}, limited)
	drops("counts and does not drop", func(now, latest time.Time, limit int, sound drop) (int, error) {
		_, err := sound(now.AddDate(-100, 0, 0), latest, limit)
		return limit, err
	}, limited, dropped)
	drops("drops and does not count", func(now, latest time.Time, limit int, sound drop) (int, error) {
		_, err := sound(now, latest, limit)
		return 0, err
	}, limited, dropped)
	drops("keeps what expires too late", func(now, _ time.Time, limit int, sound drop) (int, error) {
		return sound(now, never, limit)
	}, brought, "no-more-than-limit-is-brought-back")
	drops("brings back what expires at latest, to just before it",
		func(now, latest time.Time, limit int, sound drop) (int, error) {
			return sound(now, latest.Add(-time.Millisecond), limit)
		}, brought, "no-more-than-limit-is-brought-back")
	drops("brings back as many as there are", func(now, latest time.Time, limit int, sound drop) (int, error) {
		if _, err := sound(now.AddDate(-100, 0, 0), latest, 1_000); err != nil {
			return 0, err
		}
		return sound(now, latest, limit)
	}, "no-more-than-limit-is-brought-back")
	return all
}
