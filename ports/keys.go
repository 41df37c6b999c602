package ports

import (
	"context"
	"time"
)

// KeyReader reads idempotency records.
//
//   - K1 A record that it returns belongs to the caller.
type KeyReader interface {
	// Get returns the record of the reseller's key. An expired record may still be
	// returned: the caller looks at Expires.
	//
	//   - K2 One that is not there is fault.ErrNotFound.
	Get(ctx context.Context, reseller int64, key string) (KeyRecord, error)
}

// Keys reads and writes idempotency records in an Update.
type Keys interface {
	KeyReader
	// Put stores the record of a key.
	//
	//   - K3 It replaces an older record under the same reseller and key.
	//   - K4 Of two updates at once that found no record and put one under the same
	//     reseller and key, one takes effect; the other runs again and finds it.
	Put(ctx context.Context, r KeyRecord) error
}

// KeyRecord is the answer that was given under an idempotency key.
type KeyRecord struct {
	Reseller int64
	Key      string
	Request  []byte // digest of the request
	Status   int
	Body     []byte // encrypted
	Expires  time.Time
}
