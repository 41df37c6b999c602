package ports

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
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

// Records is a batch of a copy. Each kind comes in the order in which Audit and
// Exporter read it, over all batches, and a reseller before what names it.
type Records struct {
	Resellers  []*reseller.Reseller
	Lines      []*line.Line
	Tombstones []line.Tombstone
	Movements  []credit.Movement
	Keys       []KeyRecord
}

// CopyTarget is a store as the target of a copy. Between BeginCopy and Finish the
// store is an unfinished copy, whatever happens to the process: ClaimKey refuses
// it with ErrUnfinishedCopy, so that nobody serves it.
type CopyTarget interface {
	// BeginCopy makes an empty store an unfinished copy, durably, and takes over
	// the origin.
	//
	//   - A store that holds any record, has recorded a service key or has given
	//     an id is refused with ErrNotEmpty, restart or not, and stays as it is. So
	//     is a copy that was finished.
	//   - An unfinished copy is refused with ErrUnfinishedCopy and stays as it is;
	//     with restart all that it holds is removed first, its ledger included.
	//   - Of two calls at once for an empty store, without restart, one succeeds.
	BeginCopy(ctx context.Context, origin Origin, restart bool) (Importer, error)
}

// Importer fills an unfinished copy. It is used by one goroutine at a time. Once
// another BeginCopy has started the copy over, or after Finish, its methods fail
// with ErrCopyEnded and change nothing.
type Importer interface {
	// Copy adds records exactly as they are, durably, ids and names included, and
	// keeps none of what the caller holds. A View sees them. After an error the
	// batch may be there, or a part of it: the copy can only be started over.
	Copy(ctx context.Context, batch Records) error
	// Finish makes the copy a store like any other, durably: it belongs to the
	// origin's service key, and every id that it gives is the origin's Next of
	// that sequence or larger.
	Finish(ctx context.Context) error
}

// Exporter reads, in a View, what a copy takes besides the records that Audit reads.
type Exporter interface {
	// Origin returns what the store has recorded by now, without claiming
	// anything; of an unfinished copy what BeginCopy took over. An id that a
	// record of the View has is less than Next of its sequence.
	Origin(ctx context.Context) (Origin, error)
	// Unfinished reports whether the store is an unfinished copy.
	Unfinished(ctx context.Context) (bool, error)
	// KeyRecords returns up to limit idempotency records, expired ones included,
	// in the order of their resellers and, for each, of the bytes of their keys:
	// those after the record of this reseller and key, which need not be there. An
	// empty page is the end. A record belongs to the caller.
	KeyRecords(ctx context.Context, reseller int64, key string, limit int) ([]KeyRecord, error)
}
