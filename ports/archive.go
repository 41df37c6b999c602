package ports

import (
	"context"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports/record"
)

// Archive is all that a store has recorded, for those who trust nothing and for those
// who carry it elsewhere: auditors, and copies. No use case needs it, and a store without
// one can be served all the same: it can't be audited or copied. It is safe for concurrent
// use.
//
//   - A4 After Close, of the store or of an OpenArchive, its calls fail with ErrUnavailable.
type Archive interface {
	// ViewRecords runs look over a snapshot and changes nothing.
	//
	//   - A1 All that look reads is of one consistent snapshot of durable records.
	//   - A2 It waits for no Update.
	//   - A3 The error of look comes back unchanged.
	ViewRecords(ctx context.Context, look func(ctx context.Context, r Records) error) error
}

// OpenArchive is an archive that was opened by itself, to read the records and nothing else. Close releases what it
// holds, like Store.Close.
type OpenArchive interface {
	Archive

	Close() error
}

// Records reads every record of one snapshot, and what a copy takes besides. A record
// that cannot be what this program wrote is returned with its id and its damage, which
// no check proves, as no port does damage.
//
//   - A5 A record is read as it was written, and said to be undamaged.
//   - A6 What a reader does with a record changes nothing that is stored.
//
// Resellers, Lines, Tombstones and Movements read page by page. The id of a tombstone
// is that of its line.
//
//   - A7 Pages hold up to limit records with ids larger than after, in the order of ids;
//     an empty page is the end.
//   - A8 Each deletion of a line leaves the tombstone that was given, for good, and one
//     that was refused leaves none.
//
// ResellersByID and those that follow it read any number of records at once.
//
//   - A9 They find what is named, in whatever order and however often it is named.
//   - A10 What is not there is not in the answer.
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
	// that leads to it, and of whatever leads to a record that it does not belong to,
	// which no check proves either. It reads everything, in bounded memory and at a cost
	// in proportion to what is kept.
	//
	//   - A11 Of records that only this program wrote it reports nothing.
	Derived(ctx context.Context, report func(finding string)) error

	// Totals sums the stored movements and balances.
	//
	//   - A12 The sums are those of Statements.Totals.
	Totals(ctx context.Context) (credit.Totals, error)

	// Origin returns what a copy takes over besides the records.
	//
	//   - A13 It is what the store has recorded by now; nothing is claimed by asking.
	//   - A14 An id that was given is less than Next of its sequence.
	//   - A15 TombstonesSince is the zero time in a store of this version, and in a copy
	//     that of its origin.
	Origin(ctx context.Context) (Origin, error)
	// Unfinished tells a copy from a store.
	//
	//   - A16 It reports whether the store is an unfinished copy.
	Unfinished(ctx context.Context) (bool, error)
	// KeyRecords reads idempotency records page by page.
	//
	//   - A17 It returns up to limit records, expired ones included, in the order of their
	//     resellers and, for each, of the bytes of their keys: those after the record of
	//     this reseller and key, which need not be there. An empty page is the end.
	KeyRecords(ctx context.Context, reseller int64, key string, limit int) ([]KeyRecord, error)
	// OfKind reads the records of a kind page by page, damaged ones too.
	//
	//   - A18 It returns up to limit records, in the order of the bytes of their keys: those after this key, which need
	//     not be there. An empty page is the end.
	OfKind(ctx context.Context, of *record.Kind, after string, limit int) ([]record.Found, error)
}

// PostingID is a place in a reseller's chain of movements.
type PostingID struct{ Reseller, Seq int64 } // Seq: 1, 2, 3 ...

// Audited is a stored record as an auditor finds it.
type Audited[T any] struct {
	ID     int64
	Record T     // where Damage is nil
	Damage error // why it cannot be what was written
}
