package ports

import (
	"context"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// ResellerReader reads resellers.
//
//   - R1 An aggregate that it returns belongs to the caller: a change to it changes nothing that is stored until it is
//     saved.
type ResellerReader interface {
	// Get returns a reseller.
	//
	//   - R2 A reseller that does not exist is fault.ErrNotFound.
	Get(ctx context.Context, id int64) (*reseller.Reseller, error)
	// FindByUsername returns the reseller whose name has the same key.
	//
	//   - R3 If no reseller has it, it is fault.ErrNotFound.
	FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error)
	// AnyBlocked looks for a block among these resellers.
	//
	//   - R4 It reports whether one of them is blocked itself, false for an empty list.
	AnyBlocked(ctx context.Context, ids []int64) (bool, error)
}

// ResellerDirectory reads resellers outside Update, also many of them at once.
type ResellerDirectory interface {
	ResellerReader
	// Empty looks for any reseller.
	//
	//   - R5 It reports whether no reseller exists.
	Empty(ctx context.Context) (bool, error)
	// Blocked looks for blocks.
	//
	//   - R6 It returns the ones of these resellers that are blocked themselves, in any order.
	Blocked(ctx context.Context, ids []int64) ([]int64, error)
	// Suspending looks for blocks that suspend lines.
	//
	//   - R19 It returns the ones of these resellers whose own block suspends lines, in any order.
	Suspending(ctx context.Context, ids []int64) ([]int64, error)
	// AnySuspending looks for any such block.
	//
	//   - R20 It reports whether some reseller has one.
	AnySuspending(ctx context.Context) (bool, error)
	// List returns the resellers that a query selects. It examines a bounded number of records for a page, however much
	// is stored.
	//
	//   - R7 Scope selects the reseller and all below with Tree, the reseller itself
	//     without; the zero value selects all.
	//   - R8 Master selects the resellers right below this one, 0: any.
	//   - R9 Username selects names whose present keys begin with it.
	//   - R10 Resellers that pass all filters come by id, up to Limit with ids larger than After.
	//   - R11 A page may be short, or empty, and still have a Next, but pages end.
	//   - R12 Paging with After from Next shows each reseller exactly once.
	//
	// A damaged reseller is left out, and its page names it. No check proves this, since no port damages records.
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
	Next      int64   // After of the next page, 0 if there is none
	Damaged   []int64 // ids of resellers that can't be read and were left out, in their order
}

// Resellers reads and writes resellers in an Update.
type Resellers interface {
	ResellerReader
	// Insert adds a reseller.
	//
	//   - R13 A name that another reseller has is profile.ErrUsernameTaken, here or when
	//     Update returns.
	Insert(ctx context.Context, r *reseller.Reseller) error
	// Save replaces a reseller that was read in this Update.
	//
	//   - R14 It replaces the whole reseller.
	//   - R15 It always writes, also if nothing was changed.
	//   - R16 A name that another reseller has is profile.ErrUsernameTaken, here or when
	//     Update returns.
	//   - R17 A reseller may always keep its own name, and its previous name is free at once.
	//   - R18 A reseller that does not exist is fault.ErrNotFound.
	Save(ctx context.Context, r *reseller.Reseller) error
}
