package sqlitestore

import (
	"context"

	"resellerd/ports"
)

// keys implements ports.Keys. Updates run one after another, so of two with the
// same key the second finds what the first has put.
type keys struct{ *transaction }

// Get implements ports.Keys.
func (k keys) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return keyOfRow(k.scanner(ctx, getKey, reseller, key))
}

// Put implements ports.Keys.
func (k keys) Put(ctx context.Context, r ports.KeyRecord) error {
	_, err := k.exec(ctx, putKey, rowOfKey(r)...)
	return err
}
