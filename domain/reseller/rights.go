package reseller

import (
	"fmt"
	"slices"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// Refusals because of a reseller's role or state.
var (
	ErrNotAllowed   = fault.New(fault.Forbidden, "not-allowed", "This account may not do this.")
	ErrBlocked      = fault.New(fault.Forbidden, "account-blocked", "This account, or one above it, is blocked.")
	ErrTokenRevoked = fault.New(fault.Unauthenticated, "invalid-token", "The token is not valid.")
)

// Role is the rights of an account. The set is closed.
type Role struct{ name string }

// The roles.
var (
	Admin    = Role{"admin"}    // the platform's operator: sees all, issues credits
	Master   = Role{"master"}   // creates and funds resellers below itself
	Standard = Role{"reseller"} // owns lines only
)

// ParseRole finds a role by its stored name.
func ParseRole(name string) (Role, error) {
	for _, r := range []Role{Admin, Master, Standard} {
		if r.name == name {
			return r, nil
		}
	}
	return Role{}, fmt.Errorf("unknown role %q", name)
}

// String returns the role's stored name.
func (r Role) String() string { return r.name }

// Admit decides whether the holder of a token of this generation may act at all: ErrTokenRevoked, then ErrBlocked.
// blockedAbove states whether a parent is blocked.
func (r *Reseller) Admit(token Generation, blockedAbove bool) error {
	if token != r.s.Token {
		return ErrTokenRevoked
	}
	if r.s.Blocked || blockedAbove {
		return ErrBlocked
	}
	return nil
}

// Sees returns fault.ErrNotFound unless p is the reseller itself or below it. An admin sees everything. Sight is
// decided before any right.
func (r *Reseller) Sees(p Position) error {
	if r.s.Role == Admin || p.ID == r.s.ID || p.Under(r.s.ID) {
		return nil
	}
	return fault.ErrNotFound
}

// VisibleRoot returns the root of the tree that the reseller sees: itself, or 0 for an admin, who sees everything.
func (r *Reseller) VisibleRoot() int64 {
	if r.s.Role == Admin {
		return 0
	}
	return r.s.ID
}

// VisiblePath returns the ids of the reseller, of p, and of the accounts between them: of all accounts that may act on
// p, the reseller sees these. An admin sees the whole path.
func (r *Reseller) VisiblePath(p Position) []int64 {
	path := p.Path()
	if at := slices.Index(path, r.s.ID); at >= 0 {
		return path[at:]
	}
	return []int64{r.s.ID}
}

// MayAudit returns ErrNotAllowed for every account but an admin.
func (r *Reseller) MayAudit() error {
	if r.s.Role != Admin {
		return ErrNotAllowed.WithDetail("Only an admin may do this.")
	}
	return nil
}

// MayImport returns ErrNotAllowed for every account but an admin: an official line without a payment is a gift.
func (r *Reseller) MayImport() error {
	if r.s.Role != Admin {
		return ErrNotAllowed.WithDetail("Only an admin may import lines: no credits are paid for them.")
	}
	return nil
}

// MaySetPrices returns nil if the reseller may set the prices of target and of the accounts below it: an admin, of any
// other account. Lower prices are a gift. Refusals: fault.ErrNotFound, ErrNotAllowed.
func (r *Reseller) MaySetPrices(target *Reseller) error {
	switch {
	case r.Sees(target.s.Position) != nil:
		return fault.ErrNotFound
	case r.s.Role != Admin:
		return ErrNotAllowed.WithDetail("Only an admin may do this.")
	case target.s.Role == Admin:
		return ErrNotAllowed.WithDetail("An admin has the prices of the platform.")
	}
	return nil
}

// MayCreate returns ErrNotAllowed for a standard reseller.
func (r *Reseller) MayCreate() error {
	if r.s.Role == Standard {
		return ErrNotAllowed.WithDetail("Only an admin or a master (is_master 1) may create accounts.")
	}
	return nil
}

// mayGovern returns nil if the reseller may fund or block target. An admin may do so with every account but admins, a
// master with accounts below it, a standard reseller with none.
func (r *Reseller) mayGovern(target *Reseller) error {
	if err := r.Sees(target.s.Position); err != nil {
		return err
	}
	switch {
	case r.s.Role == Standard:
		return ErrNotAllowed.WithDetail("Only an admin or a master (is_master 1) may do this, and only to another account.")
	case target.s.ID == r.s.ID:
		return ErrNotAllowed.WithDetail("No account may do this to itself.")
	case target.s.Role == Admin:
		return ErrNotAllowed.WithDetail("No account may do this to an admin.")
	}
	return nil
}

// MayVouchFor decides whether the reseller may declare that target has lost its second factor. Refusals:
// fault.ErrNotFound, ErrNotAllowed.
func (r *Reseller) MayVouchFor(target *Reseller) error { return r.mayGovern(target) }

// Terms are the effect of a block on the lines below it, and its reason. With the zero value the lines run on.
type Terms struct {
	Suspends bool         // whether service of the lines stops
	Reason   profile.Text // may be ""
}

// Block is a reseller's own block: its terms and its start.
type Block struct {
	Terms
	At time.Time
}

// Suspends reports whether the reseller's own block suspends all lines of the reseller and of the accounts below it.
func (r *Reseller) Suspends() bool { return r.s.Block.Suspends }

// Block freezes target and everything below it at their next request. A repetition may change the terms. Refusals:
// fault.ErrNotFound, ErrNotAllowed.
func (r *Reseller) Block(target *Reseller, terms Terms, now time.Time) error {
	if err := r.mayGovern(target); err != nil {
		return err
	}
	target.SetBlocked(terms, now)
	return nil
}

// Unblock ends target's own block only, so every reseller below is again in its earlier state. A repetition changes
// nothing. Refusals: fault.ErrNotFound, ErrNotAllowed.
func (r *Reseller) Unblock(target *Reseller, now time.Time) error {
	if err := r.mayGovern(target); err != nil {
		return err
	}
	target.SetUnblocked(now)
	return nil
}

// SetBlocked blocks the reseller, without a check of rights: the operator may also block an admin. Other terms do not
// change the start of an existing block.
func (r *Reseller) SetBlocked(terms Terms, now time.Time) {
	was := r.s
	if !r.s.Blocked {
		r.s.Blocked, r.s.Block.At = true, now
	}
	r.s.Block.Terms = terms
	r.changed(was, now)
}

// SetUnblocked ends the reseller's own block, without a check of rights.
func (r *Reseller) SetUnblocked(now time.Time) {
	was := r.s
	r.s.Blocked, r.s.Block = false, Block{}
	r.changed(was, now)
}
