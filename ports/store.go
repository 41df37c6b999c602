// Package ports holds the driven ports: what the application needs from the
// outside, as interfaces, and what each implementation promises, a sentence each.
//
// The promises of a store are checked by the conformance suite in
// test/storetest, which names these sentences; an adapter passes it or declares,
// with a reason, what it cannot keep. Instants handed to a store are UTC to the
// millisecond, amounts are exact, and both survive unchanged.
package ports

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// ErrUnavailable says that a store could not answer, or cannot tell whether an
// update took effect: unreachable, full, or out of time. A store wraps it around
// the cause. Nothing is ever half done.
var ErrUnavailable = fault.New(fault.Unavailable, "store-unavailable", "the store is unavailable")

// Store keeps resellers, lines, movements and idempotency records. It is safe for
// concurrent use.
type Store interface {
	// View runs look over one consistent snapshot of durable records. It waits
	// for no Update and changes nothing. An aggregate got in a View is never
	// saved. The error of look comes back unchanged.
	View(ctx context.Context, look func(ctx context.Context, s Snapshot) error) error

	// Update runs work in one transaction and makes its effects durable.
	//
	//   - All or nothing: where work returns an error, or panics, nothing that it
	//     did is kept and the error comes back unchanged, matched by errors.Is
	//     and errors.As.
	//   - Work sees its own writes; nobody else does before Update has returned.
	//   - Work may run several times, so it assigns and does not append; only the
	//     last run counts. It uses the context that it is given and the Tx of
	//     that run, starts no goroutine and does nothing slow.
	//   - An aggregate got and saved in one Update has not changed in between. Of
	//     what is only read nothing is promised: it may have changed before the
	//     commit.
	//   - Update returns only after everything that work has read is durable,
	//     whether it ends in success, refusal or a replay.
	//   - Where ctx ends before the outcome is known the error is ErrUnavailable.
	Update(ctx context.Context, work func(ctx context.Context, tx Tx) error) error

	// NextID returns a new id of the sequence: positive, larger than every one
	// that this process got before, given once only, also after deletions,
	// restarts and to concurrent callers. Gaps are allowed. It is called outside
	// Update.
	NextID(ctx context.Context, of Sequence) (int64, error)

	// ClaimKey records the fingerprint of the service key on first use and
	// returns the one that is recorded, whoever recorded it.
	ClaimKey(ctx context.Context, fingerprint string) (recorded string, err error)

	// DropExpired removes up to limit idempotency records that expired at or
	// before now, at a cost that grows with what it removes and not with what is
	// kept, and returns how many it removed. Of the records that expire after
	// latest up to limit expire at latest from then on.
	DropExpired(ctx context.Context, now, latest time.Time, limit int) (int, error)

	// Ready returns nil where the store can serve, ErrUnavailable otherwise.
	Ready(ctx context.Context) error

	// Close releases what the store holds after the updates under way have
	// ended. Calls after it fail with ErrUnavailable, but for another Close, which
	// does nothing and returns nil.
	Close() error
}

// Migrating is told of each change of a store's schema when it begins, from which
// version to which, and returns what is told how that ended.
type Migrating func(from, to int64) (ended func(err error))

// Sequence names a series of ids. The set is closed: Sequences lists it.
type Sequence struct{ name string }

// The sequences.
var (
	ResellerIDs = Sequence{"accounts"}
	LineIDs     = Sequence{"lines"}
	MovementIDs = Sequence{"movements"}
	PlatformIDs = Sequence{"platform"}
)

// Sequences returns every sequence.
func Sequences() []Sequence { return []Sequence{ResellerIDs, LineIDs, MovementIDs, PlatformIDs} }

// String returns the sequence's stored name.
func (s Sequence) String() string { return s.name }

// Tx is the access that an Update gives: by id, by unique name and by key only.
type Tx struct {
	Resellers Resellers
	Lines     Lines
	Ledger    Ledger
	Keys      Keys
}

// Snapshot is the access that a View gives.
type Snapshot struct {
	Resellers ResellerDirectory
	Lines     LineDirectory
	Ledger    Statements
	Keys      KeyReader
}

// ResellerReader reads resellers. An aggregate that it returns belongs to the
// caller: changing it changes nothing that is stored until it is saved.
type ResellerReader interface {
	// Get returns the reseller, or fault.ErrNotFound.
	Get(ctx context.Context, id int64) (*reseller.Reseller, error)
	// FindByUsername returns the reseller whose name has the same key, or
	// fault.ErrNotFound.
	FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error)
	// AnyBlocked reports whether one of these resellers is blocked itself. An
	// empty list is not.
	AnyBlocked(ctx context.Context, ids []int64) (bool, error)
}

// ResellerDirectory reads resellers outside Update, where questions about many of
// them are allowed as well.
type ResellerDirectory interface {
	ResellerReader
	// Empty reports whether there is no reseller at all.
	Empty(ctx context.Context) (bool, error)
	// Blocked returns those of these resellers that are blocked themselves, in any
	// order.
	Blocked(ctx context.Context, ids []int64) ([]int64, error)
	// List returns the resellers that a query selects, by id, at a cost that does
	// not grow with what is kept. It examines a bounded number of records: a page
	// may be short, or empty, and still have a Next.
	List(ctx context.Context, q ResellerQuery) (ResellerPage, error)
}

// Scope bounds a query to a part of the tree. The zero value is everything.
type Scope struct {
	Reseller int64 // 0: no bound
	Tree     bool  // the reseller's whole tree, itself included, not only its own
}

// ResellerQuery selects resellers.
type ResellerQuery struct {
	Scope    Scope  // with Tree: the reseller and all below; without: the reseller itself
	Master   int64  // right below this reseller, 0: any
	Username string // prefix of the name's key, "": any
	After    int64  // only ids larger than this one
	Limit    int    // most resellers in the page, more than 0
}

// ResellerPage is an answer to a ResellerQuery.
type ResellerPage struct {
	Resellers []*reseller.Reseller
	Next      int64 // After of the page that follows, 0 where there is none
}

// Resellers reads and writes resellers in an Update.
type Resellers interface {
	ResellerReader
	// Insert adds a reseller. A taken name is profile.ErrUsernameTaken, here or
	// when Update returns.
	Insert(ctx context.Context, a *reseller.Reseller) error
	// Save replaces a reseller that was got in this Update, whole, and always
	// writes. A taken name is profile.ErrUsernameTaken, here or when Update
	// returns; a reseller's own name is free to it in any case, and the name it
	// gave up is free at once. A reseller that is not there is fault.ErrNotFound.
	Save(ctx context.Context, a *reseller.Reseller) error
}

// LineReader reads lines. An aggregate that it returns belongs to the caller.
type LineReader interface {
	// Get returns the line, or fault.ErrNotFound.
	Get(ctx context.Context, id int64) (*line.Line, error)
}

// LineDirectory reads lines outside Update.
type LineDirectory interface {
	LineReader
	// List returns the lines that a query selects, in its order, at a cost that
	// does not grow with what is kept, be the scope one owner or a large tree. It
	// examines a bounded number of records: a page may be short, or empty, and
	// still have a Next. Paging shows a line that matches throughout exactly once,
	// whatever is added and removed meanwhile.
	List(ctx context.Context, q LineQuery) (LinePage, error)
}

// LineQuery selects lines.
type LineQuery struct {
	Scope         Scope      // with Tree: owned by the reseller or any below; without: owned by it
	Trial         *bool      // nil: both
	ExpiresAfter  *time.Time // expiry at this instant or later
	ExpiresBefore *time.Time // expiry before this instant
	Username      string     // prefix of the name's key, "": any
	ByExpiry      bool       // order by expiry and id, not by id alone
	After         LineCursor // only lines that come after this one in that order
	Limit         int        // most lines in the page, more than 0
}

// LineCursor is a position in the order of a query. The zero value is before the
// first line.
type LineCursor struct {
	ExpiresAt time.Time // where the order is by expiry
	ID        int64
}

// LinePage is an answer to a LineQuery.
type LinePage struct {
	Lines []*line.Line
	Next  *LineCursor // After of the page that follows, nil where there is none
}

// Lines reads and writes lines in an Update. Names of lines are unique among
// lines. An aggregate that it returns belongs to the caller.
type Lines interface {
	LineReader
	// FindByUsername returns the id of the line whose name has the same key, or
	// fault.ErrNotFound.
	FindByUsername(ctx context.Context, name profile.Username) (int64, error)
	// Insert adds a line. A taken name is profile.ErrUsernameTaken, here or when
	// Update returns.
	Insert(ctx context.Context, l *line.Line) error
	// Save replaces a line that was got in this Update, whole, and always writes.
	// Names are treated as for resellers. A line that is not there is
	// fault.ErrNotFound.
	Save(ctx context.Context, l *line.Line) error
	// Delete removes the line of a tombstone, which was got in this Update, for good
	// and frees its name at once; its id is never given again. The tombstone is kept
	// in its place, for good too. A line that is not there is fault.ErrNotFound, and
	// leaves no tombstone.
	Delete(ctx context.Context, t line.Tombstone) error
}

// Ledger keeps movements. They are only ever added, and outlive lines and
// resellers.
type Ledger interface {
	// Append adds a movement, which every later Get returns unchanged.
	Append(ctx context.Context, m credit.Movement) error
	// Get returns the movement, or fault.ErrNotFound.
	Get(ctx context.Context, id int64) (credit.Movement, error)
}

// Statements reads the ledger outside Update.
type Statements interface {
	// Statement returns up to limit movements that concern the reseller, the newest
	// first, with numbers less than before, or from the newest on where before is
	// 0, at a cost that does not grow with what is kept.
	Statement(ctx context.Context, reseller, before int64, limit int) ([]credit.Movement, error)
	// Totals sums the stored movements and balances, exactly and in constant
	// memory. It reads all of them.
	Totals(ctx context.Context) (credit.Totals, error)
}

// KeyReader reads idempotency records. A record that it returns belongs to the
// caller.
type KeyReader interface {
	// Get returns the record of the reseller's key, or fault.ErrNotFound. An
	// expired record may still be returned: the caller looks at Expires.
	Get(ctx context.Context, reseller int64, key string) (KeyRecord, error)
}

// Keys reads and writes idempotency records in an Update.
type Keys interface {
	KeyReader
	// Put records what a key stands for, in place of an older record under the
	// same reseller and key. Of two updates at once that found no record and put
	// one under the same reseller and key, one takes effect; the other runs again
	// and finds it.
	Put(ctx context.Context, r KeyRecord) error
}

// KeyRecord is the answer that was given under an idempotency key.
type KeyRecord struct {
	Reseller int64
	Key      string
	Request  []byte // digest of the request
	Status   int
	Body     []byte // encrypted
	Expires  time.Time
}
