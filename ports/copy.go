package ports

import (
	"context"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports/record"
)

// Errors that refuse a copy, and errors of an unfinished copy.
var (
	ErrNotEmpty       = fault.New(fault.Conflict, "store-not-empty", "the store is not empty")
	ErrUnfinishedCopy = fault.New(fault.Conflict, "unfinished-copy", "the store is a copy that was not finished")
	ErrCopyEnded      = fault.New(fault.Conflict, "copy-ended", "another process finished the copy or started it over")
)

// Origin is the data that a copy takes over besides the records.
type Origin struct {
	// Fingerprint is the fingerprint of the service key, "" if none is recorded.
	Fingerprint string
	// EarlierKeys is ServiceKey.Earlier.
	EarlierKeys string
	// Next has, for every sequence, a positive id that is larger than every assigned one.
	Next map[Sequence]int64
}

// CopyBatch is the largest number of records passed to Importer.Copy at a time.
const CopyBatch = 500

// Batch is a part of a copy. Over all batches each kind comes in the order of Records, and a reseller before the
// records that name it.
type Batch struct {
	Resellers  []*reseller.Reseller
	Lines      []*line.Line
	Tombstones []line.Tombstone
	Movements  []credit.Movement
	Keys       []KeyRecord
	Kinds      []KindRecord
	Entries    []journal.Numbered
}

// KindRecord is a record of a kind.
type KindRecord struct {
	Kind *record.Kind
	record.Stored
}

// CopyTarget is a store as the target of a copy. Between BeginCopy and Finish the
// store is an unfinished copy, whatever happens to the process.
//
//   - C1 Store.ClaimKey refuses an unfinished copy with ErrUnfinishedCopy, so that it is not served.
type CopyTarget interface {
	Archive

	// BeginCopy makes an empty store an unfinished copy.
	//
	//   - C2 It does so durably, and stores the origin.
	//   - C3 It refuses with ErrNotEmpty a store that has any record that is copied, has recorded a service key or has
	//     assigned an id, with or without restart. It refuses a finished copy too. The store stays unchanged.
	//   - C4 Without restart it refuses an unfinished copy with ErrUnfinishedCopy. The copy stays unchanged.
	//   - C5 With restart everything in it is removed first, the ledger included.
	//   - C6 Of two concurrent calls for an empty store, without restart, one succeeds.
	//   - C14 After it the store has no records of kinds that are not copied.
	//   - C7 After Close it fails with ErrUnavailable, as do the methods of an Importer.
	BeginCopy(ctx context.Context, origin Origin, restart bool) (Importer, error)
}

// Importer fills an unfinished copy. It is used by one goroutine at a time.
//
//   - C8 Once another BeginCopy has started the copy over, or after Finish, its methods
//     fail with ErrCopyEnded and change nothing.
type Importer interface {
	// Copy adds records. After an error a part of the batch may be stored: the copy can only be started over.
	//
	//   - C9 It adds them exactly as they are, durably, ids and names included.
	//   - C10 It retains no data of the caller.
	//   - C15 Entries of the journal keep their numbers and epochs, and count in figures. An entry that does not follow
	//     the one before it is refused.
	Copy(ctx context.Context, batch Batch) error
	// Finish ends the copy.
	//
	//   - C11 After it the copy is a store like any other, durably.
	//   - C12 It belongs to the origin's service key, or to the first one claimed if the origin had no key.
	//   - C13 Every id that it assigns is the origin's Next of that sequence or larger.
	Finish(ctx context.Context) error
}
