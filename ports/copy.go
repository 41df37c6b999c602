package ports

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports/record"
)

// Why a copy is refused, and what an unfinished one refuses.
var (
	ErrNotEmpty       = fault.New(fault.Conflict, "store-not-empty", "the store is not empty")
	ErrUnfinishedCopy = fault.New(fault.Conflict, "unfinished-copy", "the store is a copy that was not finished")
	ErrCopyEnded      = fault.New(fault.Conflict, "copy-ended", "the copy was finished, or started over, by somebody else")
)

// Origin is what a copy takes over besides the records.
type Origin struct {
	// Fingerprint is that of the service key, "" where none is recorded.
	Fingerprint string
	// EarlierKeys is ServiceKey.Earlier.
	EarlierKeys string
	// Next has, for every sequence, an id that is positive and larger than every
	// one that was given.
	Next map[Sequence]int64
	// TombstonesSince is the instant from which every deletion of a line has left a
	// tombstone, the zero time where all of them have: a store that an earlier version
	// made has forgotten those before.
	TombstonesSince time.Time
}

// CopyBatch is the most records that are handed to Importer.Copy at a time.
const CopyBatch = 500

// Batch is a part of a copy. Each kind comes in the order in which Records reads it,
// over all batches, and a reseller before what names it.
type Batch struct {
	Resellers  []*reseller.Reseller
	Lines      []*line.Line
	Tombstones []line.Tombstone
	Movements  []credit.Movement
	Keys       []KeyRecord
	Kinds      []OfKind
}

// OfKind is a record of a kind.
type OfKind struct {
	Kind *record.Kind
	record.Stored
}

// CopyTarget is a store as the target of a copy. Between BeginCopy and Finish the
// store is an unfinished copy, whatever happens to the process.
//
//   - C1 Store.ClaimKey refuses an unfinished copy with ErrUnfinishedCopy, so that nobody
//     serves it.
type CopyTarget interface {
	Archive

	// BeginCopy makes an empty store an unfinished copy.
	//
	//   - C2 It does so durably, and takes over the origin.
	//   - C3 A store that holds any record of which copies have one, has recorded a service key or has given an id
	//     is refused with ErrNotEmpty, restart or not, and stays as it is. So is a copy
	//     that was finished.
	//   - C4 Without restart an unfinished copy is refused with ErrUnfinishedCopy and stays
	//     as it is.
	//   - C5 With restart all that it holds is removed first, its ledger included.
	//   - C6 Of two calls at once for an empty store, without restart, one succeeds.
	//   - C14 Of kinds that are not copied it has no record from then on.
	//   - C7 After Close it fails with ErrUnavailable, as do the methods of an Importer.
	BeginCopy(ctx context.Context, origin Origin, restart bool) (Importer, error)
}

// Importer fills an unfinished copy. It is used by one goroutine at a time.
//
//   - C8 Once another BeginCopy has started the copy over, or after Finish, its methods
//     fail with ErrCopyEnded and change nothing.
type Importer interface {
	// Copy adds records. After an error the batch may be there, or a part of it: the
	// copy can only be started over.
	//
	//   - C9 It adds them exactly as they are, durably, ids and names included.
	//   - C10 It keeps none of what the caller holds.
	Copy(ctx context.Context, batch Batch) error
	// Finish ends the copy.
	//
	//   - C11 From then on it is a store like any other, durably.
	//   - C12 It belongs to the origin's service key, or where there is none to the first
	//     that is claimed.
	//   - C13 Every id that it gives is the origin's Next of that sequence or larger.
	Finish(ctx context.Context) error
}
