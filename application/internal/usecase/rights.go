package usecase

import (
	"resellerd/domain/principal"
)

// MayGrant returns principal.ErrBeyond if another principal would have what the caller has not. An owner has
// everything.
func MayGrant(c Caller, other principal.Principal) error {
	p := c.Principal()
	if p == nil {
		return nil
	}
	return p.MayGive(other)
}

// MayActAsOwner returns principal.ErrBeyond to a principal that would know the password of an account below, unless it
// may do all of what that lets it do there, from anywhere, without an end and without a limit.
func MayActAsOwner(c Caller) error {
	if err := MayGrant(c, principal.Principal{Role: principal.Manager}); err != nil {
		return principal.ErrBeyond.WithDetail(
			"A key, or a member of the staff, needs all scopes of a manager for this, and no expiry, no addresses and no spend limit.")
	}
	return nil
}
