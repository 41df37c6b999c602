package memstore

import (
	"context"
	"time"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// keys implements ports.Keys.
type keys struct{ *transaction }

// Get implements ports.KeyReader.
func (k keys) Get(_ context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	found, there := k.keys.get(keyName(reseller, key))
	if !there {
		return ports.KeyRecord{}, fault.ErrNotFound
	}
	return storekit.CloneKey(found), nil
}

// Put implements ports.Keys.
func (k keys) Put(_ context.Context, r ports.KeyRecord) error {
	if err := k.open(); err != nil {
		return err
	}
	return k.putKey(r)
}

func (r *records) putKey(k ports.KeyRecord) error {
	name := keyName(k.Reseller, k.Key)
	var had []entry
	if older, there := r.keys.get(name); there {
		had = keyEntries(older)
	}
	r.keys = r.keys.with(name, storekit.CloneKey(k))
	return r.enter(had, keyEntries(k))
}

// DropExpired implements ports.Store.
func (s *Store) DropExpired(ctx context.Context, now, latest time.Time, limit int) (dropped int, err error) {
	err = s.alone(ctx, func(r *records) error {
		if err := r.expireBy(latest, limit); err != nil {
			return err
		}
		for h := range r.between(expiries, "", "") {
			k, _ := r.keys.get(keyName(h.id, h.key))
			if dropped >= limit || k.Expires.After(now) {
				break
			}
			r.keys = r.keys.without(keyName(h.id, h.key))
			if err := r.enter(keyEntries(k), nil); err != nil {
				return err
			}
			dropped++
		}
		return nil
	})
	return dropped, err
}

// expireBy changes up to limit records that expire after latest, so that they expire at latest.
func (r *records) expireBy(latest time.Time, limit int) error {
	for h := range r.between(expiries, ordered(latest.UnixMilli()+1), "") {
		if limit--; limit < 0 {
			break
		}
		k, _ := r.keys.get(keyName(h.id, h.key))
		k.Expires = latest
		if err := r.putKey(k); err != nil {
			return err
		}
	}
	return nil
}
