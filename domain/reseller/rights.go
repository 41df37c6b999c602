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

// Role is what a reseller may do. The set is closed.
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

// Admit decides whether the holder of a token of this generation may act at all:
// ErrTokenRevoked, then ErrBlocked. blockedAbove reports the resellers above.
func (r *Reseller) Admit(token Generation, blockedAbove bool) error {
	if token != r.s.Token {
		return ErrTokenRevoked
	}
	if r.s.Blocked || blockedAbove {
		return ErrBlocked
	}
	return nil
}

// Sees returns fault.ErrNotFound unless p is the reseller itself or stands below it; an admin sees everything. Sight is
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

// VisiblePath returns the reseller itself and those between it and a position, which is included: of all that may act
// there they are those that it sees. An admin sees the others as well.
func (r *Reseller) VisiblePath(p Position) []int64 {
	path := p.Path()
	if at := slices.Index(path, r.s.ID); at >= 0 {
		return path[at:]
	}
	return []int64{r.s.ID}
}

// MayAudit returns ErrNotAllowed for anyone but an admin.
func (r *Reseller) MayAudit() error {
	if r.s.Role != Admin {
		return ErrNotAllowed.WithDetail("Only an admin may do this.")
	}
	return nil
}

// MayImport returns ErrNotAllowed for anyone but an admin: an official line that nothing is paid for is a gift.
func (r *Reseller) MayImport() error {
	if r.s.Role != Admin {
		return ErrNotAllowed.WithDetail("Only an admin may import lines: no credits are paid for them.")
	}
	return nil
}

// MayCreate returns ErrNotAllowed for a reseller that creates no others.
func (r *Reseller) MayCreate() error {
	if r.s.Role == Standard {
		return ErrNotAllowed.WithDetail("Only an admin or a master (is_master 1) may create accounts.")
	}
	return nil
}

// mayGovern returns nil if the reseller may fund or block target: an admin any but admins, a master those below, a
// standard reseller none.
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

// MayVouchFor decides whether the reseller may say for target that it has lost its second factor. Refusals:
// fault.ErrNotFound, ErrNotAllowed.
func (r *Reseller) MayVouchFor(target *Reseller) error { return r.mayGovern(target) }

// Terms are what a block means to the lines below it, and why it stands. With the zero value they run on.
type Terms struct {
	Suspends bool         // lines are not served
	Reason   profile.Text // "" if none was given
}

// Block is a reseller's own block: its terms, and since when it stands.
type Block struct {
	Terms
	At time.Time
}

// Suspends reports whether the reseller's own block suspends all lines that it and those below it own.
func (r *Reseller) Suspends() bool { return r.s.Block.Suspends }

// Block freezes target and everything below it at their next request. It may be repeated, on other terms. Refusals:
// fault.ErrNotFound, ErrNotAllowed.
func (r *Reseller) Block(target *Reseller, terms Terms, now time.Time) error {
	if err := r.mayGovern(target); err != nil {
		return err
	}
	target.SetBlocked(terms, now)
	return nil
}

// Unblock lifts target's own block only, so that every reseller below is again what it was. It may be repeated.
// Refusals: fault.ErrNotFound, ErrNotAllowed.
func (r *Reseller) Unblock(target *Reseller, now time.Time) error {
	if err := r.mayGovern(target); err != nil {
		return err
	}
	target.SetUnblocked(now)
	return nil
}

// SetBlocked blocks the reseller, without a check of rights: for the operator at the machine, who may also block an
// admin. Other terms of a block that stands do not change since when.
func (r *Reseller) SetBlocked(terms Terms, now time.Time) {
	was := r.s
	if !r.s.Blocked {
		r.s.Blocked, r.s.Block.At = true, now
	}
	r.s.Block.Terms = terms
	r.changed(was, now)
}

// SetUnblocked lifts the reseller's own block, without a check of rights.
func (r *Reseller) SetUnblocked(now time.Time) {
	was := r.s
	r.s.Blocked, r.s.Block = false, Block{}
	r.changed(was, now)
}
