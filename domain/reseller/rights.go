package reseller

import (
	"fmt"
	"time"

	"resellerd/domain/fault"
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

// Sight returns the reseller whose tree, itself included, is all that it sees; 0 for an admin, who sees everything.
func (r *Reseller) Sight() int64 {
	if r.s.Role == Admin {
		return 0
	}
	return r.s.ID
}

// MayAudit returns ErrNotAllowed for anyone but an admin.
func (r *Reseller) MayAudit() error {
	if r.s.Role != Admin {
		return ErrNotAllowed
	}
	return nil
}

// MayCreate returns ErrNotAllowed for a reseller that creates no others.
func (r *Reseller) MayCreate() error {
	if r.s.Role == Standard {
		return ErrNotAllowed
	}
	return nil
}

// mayGovern returns nil if the reseller may fund or block target: an admin any but admins, a master those below, a
// standard reseller none.
func (r *Reseller) mayGovern(target *Reseller) error {
	if err := r.Sees(target.s.Position); err != nil {
		return err
	}
	if r.s.Role == Standard || target.s.Role == Admin || target.s.ID == r.s.ID {
		return ErrNotAllowed
	}
	return nil
}

// MayVouchFor decides whether the reseller may say for target that it has lost its second factor. Refusals:
// fault.ErrNotFound, ErrNotAllowed.
func (r *Reseller) MayVouchFor(target *Reseller) error { return r.mayGovern(target) }

// Block freezes target and everything below it at their next request. It may be
// repeated. Refusals: fault.ErrNotFound, ErrNotAllowed.
func (r *Reseller) Block(target *Reseller, now time.Time) error {
	return r.setBlocked(target, true, now)
}

// Unblock lifts target's own block only, so that every reseller below is again what it was. It may be repeated.
func (r *Reseller) Unblock(target *Reseller, now time.Time) error {
	return r.setBlocked(target, false, now)
}

func (r *Reseller) setBlocked(target *Reseller, blocked bool, now time.Time) error {
	if err := r.mayGovern(target); err != nil {
		return err
	}
	target.SetBlocked(blocked, now)
	return nil
}

// SetBlocked sets or lifts the reseller's own block, without a check of rights: for the operator at the machine, who
// may also block an admin.
func (r *Reseller) SetBlocked(blocked bool, now time.Time) {
	if r.s.Blocked != blocked {
		r.s.Blocked = blocked
		r.date(now)
	}
}
