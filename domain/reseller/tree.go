package reseller

import (
	"slices"

	"resellerd/domain/fault"
)

// MaxDepth is the limit of levels of the tree below an admin.
const MaxDepth = 8

// ErrTreeTooDeep refuses a reseller below the last level.
var ErrTreeTooDeep = fault.New(fault.Conflict, "tree-too-deep", "The tree of accounts is at most 8 deep.")

// Position is a reseller's position in the tree: its id and the ids of its ancestors, the root first. It never changes,
// so records that the reseller owns may store it.
type Position struct {
	ID        int64
	Ancestors []int64
}

// Parent returns the id of the parent, 0 for a root.
func (p Position) Parent() int64 {
	if len(p.Ancestors) == 0 {
		return 0
	}
	return p.Ancestors[len(p.Ancestors)-1]
}

// Under reports whether the reseller with this id is an ancestor of p.
func (p Position) Under(id int64) bool { return slices.Contains(p.Ancestors, id) }

// Path returns the ids from the root down to the reseller itself.
func (p Position) Path() []int64 { return append(slices.Clone(p.Ancestors), p.ID) }
