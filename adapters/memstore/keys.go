package memstore

import (
	"context"

	"resellerd/domain/fault"
	"resellerd/ports"
)

type keyReader struct{ *records }

// Get implements ports.KeyReader.
func (r keyReader) Get(_ context.Context, account int64, key string) (ports.KeyRecord, error) {
	k, found := r.keys.get(keyID{account, key})
	if !found {
		return ports.KeyRecord{}, fault.ErrNotFound
	}
	return clone(k), nil
}

type keys struct {
	keyReader
	session *session
}

// Put implements ports.Keys.
func (k keys) Put(_ context.Context, r ports.KeyRecord) error {
	if err := k.session.open(); err != nil {
		return err
	}
	k.putKey(r)
	return nil
}
