package ports

import (
	"context"

	"resellerd/domain/fault"
)

// ErrKeyMoved refuses to replace a service key that is not the recorded one any more.
var ErrKeyMoved = fault.New(fault.Conflict, "service-key-moved", "the store has recorded another service key meanwhile")

// ServiceKey is what a store records of its service key.
type ServiceKey struct {
	Fingerprint string // "" if none is recorded
	// Earlier is what is still needed of the keys before it, sealed under this one, as text: "" if it is the first.
	Earlier string
}

// Rekeyable is a store whose service key can be replaced while it is served. Any other store keeps the key that was
// claimed first.
type Rekeyable interface {
	Archive

	// ServiceKey returns what is recorded of the service key.
	//
	//   - F3 It is what was claimed, copied or moved to last, by any process, both parts of one moment; the zero value
	//     if nothing was.
	ServiceKey(ctx context.Context) (ServiceKey, error)
	// MoveKey records another service key, in a transaction of its own.
	//
	//   - F4 It replaces from by to, both parts at once, and ClaimKey returns the new fingerprint from then on.
	//   - F5 What was moved to outlives the process.
	//   - F6 If anything but from is recorded it fails with ErrKeyMoved and changes nothing; of two calls at once from
	//     the same key one takes effect.
	//   - F7 It refuses an unfinished copy with ErrUnfinishedCopy.
	//   - F8 After Close it and ServiceKey fail with ErrUnavailable.
	MoveKey(ctx context.Context, from, to ServiceKey) error
}

// KeyMove replaces the service key of a store.
type KeyMove interface {
	// Move records the process's key in the store in place of the previous one, with what is still needed of that
	// sealed under it. Tokens stay valid unless the previous key has leaked.
	Move(ctx context.Context, leaked bool) error
	// Follow adopts each key that the store moves to, until ctx ends. It fails if this process lacks that key.
	Follow(ctx context.Context) error
	// Settle ends a move, once nothing is sealed under an earlier key any more.
	Settle(ctx context.Context) error
	// Fingerprint returns that of the present key.
	Fingerprint() string
}
