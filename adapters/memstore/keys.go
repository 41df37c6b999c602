package memstore

import (
	"cmp"
	"context"
	"strings"
	"time"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/ports"
)

type keyReader struct{ *records }

// Get implements ports.KeyReader.
func (r keyReader) Get(_ context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	k, found := r.keys.get(keyID{reseller, key})
	if !found {
		return ports.KeyRecord{}, fault.ErrNotFound
	}
	return storekit.CloneKey(k), nil
}

type keys struct {
	keyReader
	transaction *transaction
}

// Put implements ports.Keys.
func (k keys) Put(_ context.Context, r ports.KeyRecord) error {
	if err := k.transaction.open(); err != nil {
		return err
	}
	k.putKey(r)
	return nil
}

// DropExpired implements ports.Store.
func (s *Store) DropExpired(ctx context.Context, now, latest time.Time, limit int) (dropped int, err error) {
	err = s.alone(ctx, func(r *records) error {
		r.expireBy(latest, limit)
		for e := range r.expiries.all() {
			if dropped >= limit || e.at.After(now) {
				break
			}
			r.dropKey(e)
			dropped++
		}
		return nil
	})
	return dropped, err
}

type keyID struct {
	reseller int64
	key      string
}

func (a keyID) compare(b keyID) int {
	return cmp.Or(cmp.Compare(a.reseller, b.reseller), strings.Compare(a.key, b.key))
}

type expiry struct {
	at time.Time
	id keyID
}

func (a expiry) compare(b expiry) int { return cmp.Or(a.at.Compare(b.at), a.id.compare(b.id)) }

func (r *records) putKey(k ports.KeyRecord) {
	id := keyID{k.Reseller, k.Key}
	if older, found := r.keys.get(id); found {
		r.expiries = r.expiries.without(expiry{older.Expires, id})
	}
	r.keys = r.keys.with(id, storekit.CloneKey(k))
	r.expiries = r.expiries.with(expiry{k.Expires, id}, struct{}{})
}

func (r *records) dropKey(e expiry) {
	r.keys = r.keys.without(e.id)
	r.expiries = r.expiries.without(e)
}

// expireBy has up to limit of the records that expire after latest expire then.
func (r *records) expireBy(latest time.Time, limit int) {
	for e := range r.expiries.from(expiry{at: latest.Add(time.Nanosecond)}) {
		if limit--; limit < 0 {
			return
		}
		k, _ := r.keys.get(e.id)
		k.Expires = latest
		r.putKey(k)
	}
}
