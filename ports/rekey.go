package ports

import (
	"context"

	"resellerd/domain/fault"
)

// ErrKeyMoved refuses to replace a service key that is no longer the recorded one.
var ErrKeyMoved = fault.New(fault.Conflict, "service-key-moved", "the store has recorded another service key")

// ServiceKey is the record of a store about its service key.
type ServiceKey struct {
	Fingerprint string // "" if none is recorded
	// Earlier is the data of earlier keys that is still needed, sealed under this key, as text: "" for the first key.
	Earlier string
}

// Rekeyable is a store whose service key can be replaced while it is served. Any other store keeps the key that was
// claimed first.
type Rekeyable interface {
	Archive

	// ServiceKey returns the record of the service key.
	//
	//   - F3 It is the record that any process claimed, copied or moved to last, both parts of one moment; the zero
	//     value before that.
	ServiceKey(ctx context.Context) (ServiceKey, error)
	// MoveKey records another service key, in a transaction of its own.
	//
	//   - F4 It replaces from by to, both parts at once, and ClaimKey returns the new fingerprint after that.
	//   - F5 The new record outlives the process.
	//   - F6 If the record is not from it fails with ErrKeyMoved and changes nothing. Of two concurrent calls from the
	//     same key one takes effect.
	//   - F7 It refuses an unfinished copy with ErrUnfinishedCopy.
	//   - F8 After Close it and ServiceKey fail with ErrUnavailable.
	MoveKey(ctx context.Context, from, to ServiceKey) error
}

// KeyMove replaces the service key of a store.
type KeyMove interface {
	// Move records the process's key in the store in place of the previous one, with the data of earlier keys that is
	// still needed sealed under it. Tokens stay valid unless the previous key has leaked.
	Move(ctx context.Context, leaked bool) error
	// Follow adopts each key that the store moves to, until ctx ends. It fails if this process lacks that key.
	Follow(ctx context.Context) error
	// Settle ends a move, once nothing is sealed under an earlier key.
	Settle(ctx context.Context) error
	// Fingerprint returns the fingerprint of the present key.
	Fingerprint() string
}
