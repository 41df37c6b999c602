package ports

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// Archive is all that a store has recorded, for those who trust nothing and for those
// who carry it elsewhere: auditors, and copies. No use case needs it, and a store that
// does not implement it can be served all the same: it can't be audited or copied. It
// is safe for concurrent use.
type Archive interface {
	// ViewRecords runs look over one consistent snapshot of durable records. It
	// waits for no Update and changes nothing. The error of look comes back
	// unchanged.
	ViewRecords(ctx context.Context, look func(ctx context.Context, r Records) error) error

	// Close releases what the archive holds after the ViewRecords under way have
	// ended. Calls after it fail with ErrUnavailable, but for another Close, which
	// does nothing and returns nil.
	Close() error
}

// Records reads every record of one snapshot, and what a copy takes besides. A record
// that cannot be what this program wrote is returned with its id and its damage.
//
// Resellers, Lines, Tombstones and Movements read page by page, each in the order of
// ids. Pages hold up to limit records with ids larger than after; an empty page is
// the end. The id of a tombstone is that of its line.
//
// ResellersByID and those that follow it read any number of records at once, by what
// names them, in whatever order and however often they are named. What is not there
// is not in the answer.
type Records interface {
	Resellers(ctx context.Context, after int64, limit int) ([]Audited[*reseller.Reseller], error)
	Lines(ctx context.Context, after int64, limit int) ([]Audited[*line.Line], error)
	Tombstones(ctx context.Context, after int64, limit int) ([]Audited[line.Tombstone], error)
	Movements(ctx context.Context, after int64, limit int) ([]Audited[credit.Movement], error)
	ResellersByID(ctx context.Context, ids []int64) (map[int64]Audited[*reseller.Reseller], error)
	LinesByID(ctx context.Context, ids []int64) (map[int64]Audited[*line.Line], error)
	TombstonesByLine(ctx context.Context, lines []int64) (map[int64]Audited[line.Tombstone], error)
	MovementsByID(ctx context.Context, ids []int64) (map[int64]Audited[credit.Movement], error)
	MovementsByPosting(ctx context.Context, numbers []PostingID) (map[PostingID]Audited[credit.Movement], error)

	// Derived examines what the store keeps besides the records, to find them by, and
	// that no other method shows: lists, names, whatever its own layout has. It tells
	// report of each record, as in "line 7: no list shows it", that is not found by all
	// that leads to it, and of whatever leads to a record that it does not belong to;
	// of records that only this program wrote it reports nothing. It reads everything,
	// in bounded memory and at a cost in proportion to what is kept.
	Derived(ctx context.Context, report func(finding string)) error

	// Totals sums the stored movements and balances like Statements.Totals.
	Totals(ctx context.Context) (credit.Totals, error)

	// Origin returns what the store has recorded by now, without claiming
	// anything; of an unfinished copy what BeginCopy took over. An id that a
	// record here has is less than Next of its sequence.
	Origin(ctx context.Context) (Origin, error)
	// Unfinished reports whether the store is an unfinished copy.
	Unfinished(ctx context.Context) (bool, error)
	// KeyRecords returns up to limit idempotency records, expired ones included,
	// in the order of their resellers and, for each, of the bytes of their keys:
	// those after the record of this reseller and key, which need not be there. An
	// empty page is the end. A record belongs to the caller.
	KeyRecords(ctx context.Context, reseller int64, key string, limit int) ([]KeyRecord, error)
}

// PostingID is a place in a reseller's chain of movements.
type PostingID struct{ Reseller, Seq int64 } // Seq: 1, 2, 3 ...

// Audited is a stored record as an auditor finds it.
type Audited[T any] struct {
	ID     int64
	Record T     // where Damage is nil
	Damage error // why it cannot be what was written
}

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

// Batch is a part of a copy. Each kind comes in the order in which Records reads it,
// over all batches, and a reseller before what names it.
type Batch struct {
	Resellers  []*reseller.Reseller
	Lines      []*line.Line
	Tombstones []line.Tombstone
	Movements  []credit.Movement
	Keys       []KeyRecord
}

// CopyTarget is a store as the target of a copy. Between BeginCopy and Finish the
// store is an unfinished copy, whatever happens to the process: Store.ClaimKey
// refuses it with ErrUnfinishedCopy, so that nobody serves it.
type CopyTarget interface {
	Archive

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
	// keeps none of what the caller holds. A View and a ViewRecords see them. After an error the
	// batch may be there, or a part of it: the copy can only be started over.
	Copy(ctx context.Context, batch Batch) error
	// Finish makes the copy a store like any other, durably: it belongs to the
	// origin's service key, and every id that it gives is the origin's Next of
	// that sequence or larger.
	Finish(ctx context.Context) error
}
