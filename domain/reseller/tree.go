package reseller

import (
	"slices"

	"resellerd/domain/fault"
)

// MaxDepth is how many resellers deep the tree below an admin may be.
const MaxDepth = 8

// ErrTreeTooDeep refuses a reseller below the deepest.
var ErrTreeTooDeep = fault.New(fault.Conflict, "tree-too-deep", "The tree of accounts is at most 8 deep.")

// Position is where a reseller stands: its id and the ids above it, the root first. It never changes, so it may be kept
// with what the reseller owns.
type Position struct {
	ID        int64
	Ancestors []int64
}

// Parent returns the id of the reseller right above, 0 for a root.
func (p Position) Parent() int64 {
	if len(p.Ancestors) == 0 {
		return 0
	}
	return p.Ancestors[len(p.Ancestors)-1]
}

// Under reports whether the reseller with this id is above p.
func (p Position) Under(id int64) bool { return slices.Contains(p.Ancestors, id) }

// Path returns the ids from the root down to the reseller itself.
func (p Position) Path() []int64 { return append(slices.Clone(p.Ancestors), p.ID) }
