package usecase

import (
	"context"

	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// MayGrant returns principal.ErrBeyond if another principal would have more rights than the caller. An owner may grant
// everything.
func MayGrant(c Caller, other principal.Principal) error {
	p := c.Principal()
	if p == nil {
		return nil
	}
	return p.MayGrant(other)
}

// MayActAsOwner returns principal.ErrBeyond to a principal that would learn the password of an account below. A
// principal may do so only with all scopes of a manager, and without addresses, expiry and limit: it could sign in
// there.
func MayActAsOwner(c Caller) error {
	if err := MayGrant(c, principal.Principal{Role: principal.Manager}); err != nil {
		return principal.ErrBeyond.WithDetail(
			"A key, or a member of the staff, needs all scopes of a manager for this, and no expiry, no addresses and no spend limit.")
	}
	return nil
}

// MayAudit refuses a caller that is not an admin.
func MayAudit(_ context.Context, _ ports.Snapshot, actor *reseller.Reseller) error {
	return actor.MayAudit()
}

// VisibleLine returns a line that actor may manage: every line that it sees.
func VisibleLine(ctx context.Context, lines ports.LineReader, actor *reseller.Reseller, id int64) (*line.Line, error) {
	l, err := lines.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return l, actor.Sees(l.Owner())
}

// Scope returns the part of the tree for a query of actor: the accounts that it sees, narrowed to one owner or to a
// tree. It reports false if the two have no account in common.
func Scope(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller,
	owner, tree *int64) (ports.Scope, bool, error) {
	bound := actor.VisibleRoot()
	for _, narrower := range []struct {
		reseller *int64
		tree     bool
	}{{tree, true}, {owner, false}} {
		if narrower.reseller == nil {
			continue
		}
		r, err := resellers.Get(ctx, *narrower.reseller)
		if IsNotFound(err) {
			return ports.Scope{}, false, nil
		}
		if err != nil {
			return ports.Scope{}, false, err
		}
		if at := r.Position(); bound != 0 && at.ID != bound && !at.Under(bound) {
			return ports.Scope{}, false, nil
		}
		bound = r.ID()
	}
	return ports.Scope{Reseller: bound, Tree: owner == nil}, true, nil
}

// VisibleReseller returns a reseller that actor sees, or fault.ErrNotFound.
func VisibleReseller(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller,
	id int64) (*reseller.Reseller, error) {
	if id == actor.ID() {
		return actor, nil
	}
	r, err := resellers.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return r, actor.Sees(r.Position())
}
