package ports

import (
	"context"
	"time"
)

// KeyReader reads idempotency records.
//
//   - K1 A record that it returns belongs to the caller.
type KeyReader interface {
	// Get returns the record of the reseller's key. It may return an expired record: the caller checks Expires.
	//
	//   - K2 A record that does not exist is fault.ErrNotFound.
	Get(ctx context.Context, reseller int64, key string) (KeyRecord, error)
}

// Keys reads and writes idempotency records in an Update.
type Keys interface {
	KeyReader
	// Put stores the record of a key.
	//
	//   - K3 It replaces an older record under the same reseller and key.
	//   - K4 Of two concurrent updates that found no record and put one under the same reseller and key, one takes
	//     effect. The other runs again and finds it.
	Put(ctx context.Context, r KeyRecord) error
}

// KeyRecord is the answer to a request with an idempotency key.
type KeyRecord struct {
	Reseller int64
	Key      string
	Request  []byte // digest of the request
	Status   int
	Body     []byte // encrypted
	Expires  time.Time
}
