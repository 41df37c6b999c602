package ports

import (
	"context"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/journal"
)

// ErrEpoch refuses to replace an epoch that is not in force, and to append to a journal that has not begun. Nothing was
// changed.
var ErrEpoch = fault.New(fault.Conflict, "journal-epoch", "the journal is in another epoch")

// Journal appends entries in an Update. A store numbers each entry with its commit or soon after, in any process.
// Store.AwaitEntry returns once the entry has its number.
//
//   - J1 An entry is stored if and only if the rest of its Update is.
//   - J2 Entries are numbered 1, 2, 3 ... without a gap, over epochs.
//   - J3 Once a View has seen an entry, no entry appears at its number or before it.
//   - J4 Entries of Updates that got and saved the same aggregate are numbered in the order of these Updates, those of
//     one Update in the order of their Appends.
//   - J5 No two entries have the same movement.
//   - J6 Each entry follows the one before it: Numbered.Follows.
//   - J7 An entry is never changed or removed, and outlives its subject.
type Journal interface {
	// Append adds an entry.
	//
	//   - J8 A View finds it soon, with its number and unchanged, whatever the caller does with it.
	//   - J9 Before the first Begin it is ErrEpoch.
	Append(ctx context.Context, e journal.Entry) error
	// Begin adds an entry that is the first of another epoch.
	//
	//   - J10 The entry and all entries after it have that epoch, and no entry before it has.
	//   - J11 It is ErrEpoch unless from is the epoch in force: of two concurrent calls with the same from one takes
	//     effect.
	Begin(ctx context.Context, from, to journal.Epoch, e journal.Entry) error
	// Epoch returns the epoch in force.
	//
	//   - J12 It is the epoch of the last Begin, "" before the first.
	Epoch(ctx context.Context) (journal.Epoch, error)
}

// Events reads the journal outside Update.
//
// Damaged entries are left out, and the page names them. No check proves this, since no port damages records.
type Events interface {
	// Head returns the end of the journal.
	//
	//   - J13 It is the last entry that has a number, the zero value without one.
	Head(ctx context.Context) (journal.Head, error)
	// List returns entries, at a cost that does not grow with what is stored.
	//
	//   - J14 They are the entries that Of selects, with Types only entries of these types, in the order of their
	//     numbers or, with Descending, in the reverse order.
	//   - J15 They have numbers larger than After and, if Before is not 0, less than Before.
	//   - J16 A page has up to Limit entries, and may be short or empty. Paging with After or, with Descending, Before
	//     from Next shows each entry exactly once, and pages end.
	List(ctx context.Context, q EventQuery) (EventPage, error)
	// OfMovements finds the entries with these movements.
	//
	//   - J17 It returns the existing ones, by the ids of the movements, in any order and even if one is named more
	//     than once.
	OfMovements(ctx context.Context, ids []int64) (map[int64]journal.Numbered, error)
	// Figures returns the figures of accounts, day by day, in any order.
	//
	//   - J18 They are the sums of Entry.Figures over all entries that have a number, for the days of UTC from the one
	//     of from until before the one of to. Days and accounts without figures are left out.
	Figures(ctx context.Context, accounts []int64, from, to time.Time) ([]DayFigures, error)
}

// EventQuery selects entries of the journal.
type EventQuery struct {
	Of         EventScope
	Types      []journal.Type // empty: any
	After      int64
	Before     int64 // 0: no bound
	Descending bool
	Limit      int // more than 0
}

// EventScope is a part of the journal: at most one of its fields is not zero. The zero value is all of it.
type EventScope struct {
	Account int64 // entries that concern it: Entry.Concerns
	Tree    int64 // entries that concern this reseller, which is not an admin, or whose account is below it
	Line    int64 // entries about this line
}

// EventPage is an answer to an EventQuery.
type EventPage struct {
	Entries []journal.Numbered
	// Next is the number up to which entries were examined: After, or with Descending Before, of the next page. It is 0
	// after the last page.
	Next    int64
	Damaged []int64 // numbers of entries that can't be read and were left out, in their order
}

// DayFigures are the figures of an account on a day.
type DayFigures struct {
	Account int64
	Day     time.Time // its beginning
	journal.Figures
}
