package ports

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports/record"
)

// Archive reads all records of a store, for audits and copies. No use case needs it: a store without one can be served,
// but not audited or copied. It is safe for concurrent use.
//
//   - A4 After Close, of the store or of an OpenArchive, its calls fail with ErrUnavailable.
type Archive interface {
	// ViewRecords runs look over a snapshot and changes nothing.
	//
	//   - A1 Look reads one consistent snapshot of durable records.
	//   - A2 It waits for no Update.
	//   - A3 The error of look comes back unchanged.
	ViewRecords(ctx context.Context, look func(ctx context.Context, r Records) error) error
}

// OpenArchive is an archive that was opened without its store, to read records only. Close releases what it holds, like
// Store.Close.
type OpenArchive interface {
	Archive

	Close() error
}

// Records reads every record of one snapshot, and the other data of a copy. A record that this program cannot have
// written is returned with its id and its damage. No check proves this, since no port damages records.
//
//   - A5 A record is read as it was written, without damage.
//   - A6 Changes that a reader makes to a record change nothing that is stored.
//
// Resellers, Lines, Tombstones and Movements read page by page. A tombstone has the id of its line.
//
//   - A7 Pages hold up to limit records with ids larger than after, in the order of ids;
//     an empty page is the end.
//   - A8 Each deletion of a line leaves the given tombstone, permanently; a refused one leaves none.
//
// ResellersByID and the methods after it read any number of records at once.
//
//   - A9 They find the named records, in any order, even if one is named more than once.
//   - A10 The answer has no entry for a record that does not exist.
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

	// Derived examines the data by which the store finds records and which no other method shows: lists, names, indexes
	// of its own layout. It reports each record that is missing there, as in "line 7: no list shows it". It reports
	// each entry that points to a record that it does not belong to. No check proves this either. It reads everything,
	// in bounded memory and at a cost proportional to what is stored.
	//
	//   - A11 It reports nothing about records that only this program wrote.
	Derived(ctx context.Context, report func(finding string)) error

	// Totals sums the stored movements and balances.
	//
	//   - A12 The sums equal those of Statements.Totals.
	Totals(ctx context.Context) (credit.Totals, error)

	// Origin returns the data that a copy takes over besides the records.
	//
	//   - A13 It is the recorded state; the call claims nothing.
	//   - A14 Each assigned id is less than Next of its sequence.
	Origin(ctx context.Context) (Origin, error)
	// Unfinished distinguishes a copy from a store.
	//
	//   - A16 It reports whether the store is an unfinished copy.
	Unfinished(ctx context.Context) (bool, error)
	// KeyRecords reads idempotency records page by page.
	//
	//   - A17 It returns up to limit records, expired ones included, in the order of their resellers and, for each, of
	//     the bytes of their keys: those after the record of this reseller and key, which need not exist. An empty page
	//     is the end.
	KeyRecords(ctx context.Context, reseller int64, key string, limit int) ([]KeyRecord, error)
	// Entries reads the journal page by page. Entries that have no number yet come last, with the numbers that they
	// would get now.
	//
	//   - A19 Pages hold up to limit entries with numbers larger than after, in the order of numbers; an empty page is the
	//     end. The id of an entry is its number.
	Entries(ctx context.Context, after int64, limit int) ([]Audited[journal.Numbered], error)
	// Head returns the end of the journal.
	//
	//   - A20 It equals Events.Head.
	Head(ctx context.Context) (journal.Head, error)
	// Figures reads the figures of accounts page by page.
	//
	//   - A21 Pages hold up to limit days, in the order of accounts and, for each, of days: those after this account and
	//     day. An empty page is the end.
	Figures(ctx context.Context, account int64, day time.Time, limit int) ([]DayFigures, error)
	// OfKind reads the records of a kind page by page, damaged ones too.
	//
	//   - A18 It returns up to limit records, in the order of the bytes of their keys: those after this key, which need
	//     not exist. An empty page is the end.
	OfKind(ctx context.Context, of *record.Kind, after string, limit int) ([]record.Found, error)
}

// ListRepair is a store with data that it derives from its records, such as lists, names, indexes and figures.
type ListRepair interface {
	// RepairLists writes derived data again where it differs from the records, changes nothing else, and returns each
	// list that it changed. It leaves what no record decides: an index entry of a damaged record, and the figures of a
	// damaged journal. An audit reports these. No other process may write at the same time. No check proves this, since
	// no port damages lists.
	RepairLists(ctx context.Context) ([]RepairedList, error)
}

// RepairedList is a repaired list, by its name in the store. A wrong entry was removed and added.
type RepairedList struct {
	List    string `json:"list"`
	Added   int64  `json:"added"`
	Removed int64  `json:"removed"`
}

// PostingID is a position in a reseller's chain of movements.
type PostingID struct{ Reseller, Seq int64 } // Seq: 1, 2, 3 ...

// Audited is a stored record, as an audit reads it.
type Audited[T any] struct {
	ID     int64
	Record T     // if Damage is nil
	Damage error // why this program can't have written it
}
