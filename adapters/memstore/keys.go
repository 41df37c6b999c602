package memstore

import (
	"context"

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
	return clone(k), nil
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
