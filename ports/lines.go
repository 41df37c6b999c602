package ports

import (
	"context"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/profile"
)

// LineReader reads lines.
//
//   - L1 An aggregate that it returns belongs to the caller.
type LineReader interface {
	// Get returns a line.
	//
	//   - L2 A line that does not exist is fault.ErrNotFound.
	Get(ctx context.Context, id int64) (*line.Line, error)
}

// LineDirectory reads lines outside Update.
type LineDirectory interface {
	LineReader
	// List returns the lines that a query selects. It examines a bounded number of records for a page in each order,
	// whether the scope is one owner, a large tree or everything, and however much is stored.
	//
	//   - L3 Scope selects the lines owned by the reseller or any below with Tree, by
	//     itself alone without; the zero value selects all.
	//   - L4 Trial selects trials, or official lines, nil: both.
	//   - L5 ExpiresAfter selects expiry at this instant or later, ExpiresBefore expiry
	//     before this instant.
	//   - L6 Username selects names whose keys begin with it.
	//   - L27 Suspended selects lines with a suspension of their own, or lines without, nil: both.
	//   - L24 ExternalID selects exactly this external id.
	//   - L7 Lines that pass all filters, in any combination, come in the order of the query, up to Limit after After,
	//     in their present state.
	//   - L8 A page may be short, or empty, and still have a Next: a filter that the order does not cover may exclude
	//     examined lines. But pages end.
	//   - L9 Paging shows a line exactly once if it matches throughout and does not move in the order. Additions,
	//     changes and removals of other lines do not affect this.
	//
	// A damaged line is left out: the page that it is listed in names it. No check proves this, since no port damages
	// records.
	List(ctx context.Context, q LineQuery) (LinePage, error)
	// Count counts lines by an index. It examines at most examined lines of the query's scope and window. The query has
	// no other filters but Trial and Suspended.
	//
	//   - L25 It returns how many lines the pages of List have together, and true. If there were more lines to examine
	//     it returns false, and how many of the examined lines match.
	Count(ctx context.Context, q LineQuery, examined int) (count int, all bool, err error)
	// FindByUsername returns the id of the line whose name has the same key.
	//
	//   - L28 If no line has it, it is fault.ErrNotFound.
	FindByUsername(ctx context.Context, name profile.Username) (int64, error)
	// FindByExternalID returns the id of the line of an owner that has an external id.
	//
	//   - L29 If no line has it, it is fault.ErrNotFound.
	FindByExternalID(ctx context.Context, owner int64, externalID profile.Text) (int64, error)
	// Usernames returns names of lines. Damaged lines are left out; no check proves this.
	//
	//   - L26 It returns the present names of the existing ones of these lines, by their ids, in any order and even if
	//     an id is there more than once.
	Usernames(ctx context.Context, ids []int64) (map[int64]profile.Username, error)
}

// LineQuery selects lines.
type LineQuery struct {
	Scope         Scope      // with Tree: owned by the reseller or any below; without: owned by it
	Trial         *bool      // nil: both
	Suspended     *bool      // by their own suspension, nil: both
	ExpiresAfter  *time.Time // expiry at this instant or later
	ExpiresBefore *time.Time // expiry before this instant
	Username      string     // prefix of the name's key, "": any
	ExternalID    string     // "": any
	Order         LineOrder  // the zero value: by id
	After         LineCursor // only lines that come after this one in that order
	Limit         int        // most lines in the page, more than 0
}

// LineOrder is an order of lines. The set is closed.
type LineOrder int

// The orders.
const (
	LinesByID     LineOrder = iota
	LinesByExpiry           // and then by id
	LinesByName             // by the key of the name, as its bytes compare, and then by id
	NewestLines             // by id, the highest first
	LatestExpiry            // LinesByExpiry backwards: the latest first, and of equal ones the highest id
)

// LineOrders returns every order.
func LineOrders() []LineOrder {
	return []LineOrder{LinesByID, LinesByExpiry, LinesByName, NewestLines, LatestExpiry}
}

// ByExpiry reports whether the order is by expiry, in either direction.
func (o LineOrder) ByExpiry() bool { return o == LinesByExpiry || o == LatestExpiry }

// Backwards reports whether the order is the reverse of another one.
func (o LineOrder) Backwards() bool { return o == NewestLines || o == LatestExpiry }

// LineCursor is a position in the order of a query. The zero value is before the
// first line.
type LineCursor struct {
	ExpiresAt time.Time // if the order is by expiry
	Name      string    // if the order is by name: its key
	ID        int64
}

// LinePage is an answer to a LineQuery.
type LinePage struct {
	Lines   []*line.Line
	Next    *LineCursor // After of the next page, nil if there is none
	Damaged []int64     // ids of lines that can't be read and were left out, in the order of the query
}

// Lines reads and writes lines in an Update.
//
//   - L10 Names of lines are unique among lines, whatever names resellers have.
//   - L20 External ids are unique among the lines of one owner; many lines may have no external id.
type Lines interface {
	LineReader
	// FindByUsername returns the id of the line whose name has the same key.
	//
	//   - L11 If no line has it, it is fault.ErrNotFound.
	FindByUsername(ctx context.Context, name profile.Username) (int64, error)
	// Insert adds a line.
	//
	//   - L12 A name that another line has is profile.ErrUsernameTaken, here or when
	//     Update returns.
	//   - L21 An external id that another line of the owner has is line.ErrExternalIDTaken,
	//     here or when Update returns.
	Insert(ctx context.Context, l *line.Line) error
	// Save replaces a line that was read in this Update.
	//
	//   - L13 It replaces the whole line.
	//   - L14 It always writes, also if nothing was changed.
	//   - L15 A name that another line has is profile.ErrUsernameTaken, here or when
	//     Update returns.
	//   - L22 An external id that another line of the owner has is line.ErrExternalIDTaken,
	//     here or when Update returns.
	//   - L16 A line may always keep its own name, and its previous name is free at once.
	//   - L17 A line that does not exist is fault.ErrNotFound.
	Save(ctx context.Context, l *line.Line) error
	// Delete removes the line of a tombstone, which was read in this Update, and stores the tombstone: see
	// Records.Tombstones.
	//
	//   - L18 The line is gone for good, and its name is free at once.
	//   - L23 Its external id is free once Update has returned.
	//   - L19 A line that does not exist is fault.ErrNotFound.
	Delete(ctx context.Context, t line.Tombstone) error
}
