// Package ports declares the driven ports: the interfaces that the application needs from the outside, and the promises
// of each implementation. Use cases need Store; audits and copies need Archive and CopyTarget.
//
// A promise of a store has a number, such as U2, and each check of the suites in test/storetest names the numbers that
// it proves. A number is never used again. A store passes the suites, or declares by number and with a reason which
// promises that it cannot fulfil. Sentences about costs have no number, and no check proves them.
package ports

import (
	"context"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/ports/record"
)

// ErrUnavailable reports that a store could not answer, or does not know whether an update took effect: unreachable,
// full, or out of time. An update never takes effect in part.
//
//   - S2 A store wraps it around the cause.
var ErrUnavailable = fault.New(fault.Unavailable, "store-unavailable", "the store is unavailable")

// Store stores resellers, lines, movements, idempotency records and the journal. It is safe for concurrent use.
//
//   - S1 Instants, which are UTC to the millisecond, and amounts, which are exact, are stored unchanged, like all other
//     values.
//   - S8 While one process has the store open, a second one works on the same records, and every promise holds between
//     the two. Otherwise the second one cannot open the store.
type Store interface {
	// View runs look over a snapshot and changes nothing. An aggregate that was read in a View is never saved. Look may
	// run several times, each time over a different snapshot, so it assigns and does not append. Only the last run
	// counts.
	//
	//   - V1 Look reads one consistent snapshot of durable records.
	//   - V2 It waits for no Update.
	//   - V3 The error of look comes back unchanged.
	View(ctx context.Context, look func(ctx context.Context, s Snapshot) error) error

	// Update runs work in one transaction. Work may run several times, so it assigns and does not append. It uses the
	// context that it is given and the Tx of that run, starts no goroutine and does nothing slow. What it only reads
	// may have changed before the commit.
	//
	//   - U1 If Update returns nil, all changes of work are stored, durably.
	//   - U2 If work returns an error, or panics, no change of work is stored.
	//   - U3 The error of work comes back unchanged, matched by errors.Is and errors.As.
	//   - U4 Work sees its own writes.
	//   - U5 Others do not see them before Update has returned.
	//   - U6 Only the last run of work counts.
	//   - U7 An aggregate that is read and saved in one Update has not changed in between.
	//   - U8 Update returns only after everything that work has read is durable, whether
	//     it ends in success, refusal or a replay.
	//   - U9 If ctx ends before the outcome is known the error is ErrUnavailable.
	//   - U10 Hints change nothing but speed, whatever they say.
	Update(ctx context.Context, work func(ctx context.Context, tx Tx) error, hints ...Reads) error

	// NextID returns a new id of the sequence. Gaps are allowed. It is called outside
	// Update.
	//
	//   - I1 An id is positive and larger than every one that this process got before.
	//   - I2 It is assigned once only, also to concurrent callers.
	//   - I3 It is not assigned again after a deletion.
	//   - I4 It is not assigned again after a restart.
	NextID(ctx context.Context, of Sequence) (int64, error)

	// ClaimKey records the fingerprint of the service key on first use.
	//
	//   - F1 It returns the fingerprint that was recorded first, by any process.
	//   - F2 The recorded fingerprint outlives the process.
	ClaimKey(ctx context.Context, fingerprint string) (recorded string, err error)

	// DropExpired removes idempotency records, at a cost that grows with what it removes, not with what is stored.
	//
	//   - E1 It removes up to limit of the records that expired at or before now, and returns their number.
	//   - E2 Up to limit of the records that expire after latest get latest as their expiry.
	DropExpired(ctx context.Context, now, latest time.Time, limit int) (int, error)

	// AwaitEntry waits for the journal to grow, and holds no resources while it waits.
	//
	//   - J19 It returns nil once a View sees an entry with a number larger than after, whichever process appended it.
	//   - J20 If ctx ends first it returns the context's error, and ErrUnavailable once the store is closed.
	AwaitEntry(ctx context.Context, after int64) error

	// Parts returns the store's optional parts. It does no I/O.
	//
	//   - S7 It has the same parts at any time, also after Close.
	Parts() Parts

	// Ready reports whether the store can serve.
	//
	//   - S3 It returns nil if the store can, ErrUnavailable otherwise.
	Ready(ctx context.Context) error

	// Close releases the resources of the store.
	//
	//   - S4 It does so after the updates in progress have ended.
	//   - S5 Calls after it fail with ErrUnavailable.
	//   - S6 But another Close does nothing and returns nil.
	Close() error
}

// Parts are the optional abilities of a store, each nil if the store lacks it. They work on the records of the store,
// and end with it. A store that embeds another one has its parts, unless it overrides Parts.
type Parts struct {
	Archive    Archive    // to be audited, and copied from
	CopyTarget CopyTarget // to become a copy
	Rekeyable  Rekeyable  // to get another service key
	ListRepair ListRepair // to repair its lists
	Observable Observable // to report its own work
}

// Migrating is called when a change of a store's schema begins, with both versions. It returns a function that is
// called at the end. Until then written returns, to any goroutine, the number of bytes written so far. It is nil if a
// store does not know the number.
type Migrating func(from, to int64, written func() int64) (ended func(err error))

// Sequence names a series of ids. The set is closed: Sequences lists it.
type Sequence = record.Sequence

// The sequences.
var (
	ResellerIDs = record.NewSequence("accounts")
	LineIDs     = record.NewSequence("lines")
	MovementIDs = record.NewSequence("movements")
	PlatformIDs = record.NewSequence("platform")
)

// Sequences returns every sequence, those of kinds included.
func Sequences() []Sequence { return record.Sequences(ResellerIDs, LineIDs, MovementIDs, PlatformIDs) }

// Tx is the access that an Update gives: by id, by unique name and by key only.
type Tx struct {
	Resellers Resellers
	Lines     Lines
	Ledger    Ledger
	Keys      Keys
	Journal   Journal
	Records   record.Writer // of kinds
}

// Snapshot is the access that a View gives.
type Snapshot struct {
	Resellers ResellerDirectory
	Lines     LineDirectory
	Ledger    Statements
	Keys      KeyReader
	Journal   Events
	Records   record.Lister // of kinds
}

// Reads names the records that the work of an Update will read, as far as its caller knows beforehand. It is a hint for
// a store that pays for each query and can combine some. The zero value of a field is no hint.
type Reads struct {
	Actor        int64            // a reseller and all its ancestors
	Key          string           // an idempotency key of the actor's
	Records      []record.Name    // of kinds
	Reseller     int64            // another reseller
	ResellerName profile.Username // whether a reseller has it
	Line         int64            // a line and its owner
	// Along names records of a kind that belong to accounts: those of the actor, of the line's owner, and of all their
	// ancestors.
	Along    func(account int64) record.Name
	LineName profile.Username // whether a line has it
}

// Altered refuses a store whose schema was changed from outside: tables, indexes, triggers or validators. The
// protection of the records may be gone. A store that can still be read is opened as an archive, and Derived reports
// the findings.
type Altered struct {
	Findings []string // the differences from the schema of this program, each with its subject
	Text     string   // of the error
}

// Error returns the text.
func (a *Altered) Error() string { return a.Text }
