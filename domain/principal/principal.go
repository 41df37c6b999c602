package principal

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"slices"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
)

const (
	// MaxPrincipals is the limit of API keys of an account, and the limit of its staff.
	MaxPrincipals = 100
	// MaxNetworks is the limit of networks in the address list of an API key.
	MaxNetworks = 50
	// UseSaveInterval is how far the stored last use may be behind.
	UseSaveInterval = time.Minute
)

// The reasons for which a principal may not act, or may not be created.
var (
	ErrRevoked = fault.New(fault.Unauthenticated, "key-revoked", "The key was revoked.")
	ErrExpired = fault.New(fault.Unauthenticated, "key-expired", "The key has expired.")
	ErrAddress = fault.New(fault.Forbidden, "address-not-allowed", "The key is not valid from this address.")
	ErrScope   = fault.New(fault.Forbidden, "insufficient-scope",
		"This needs a scope that the key, or the member of the staff, does not have.")
	ErrBeyond = fault.New(fault.Forbidden, "beyond-own-rights",
		"You can't grant more than your own scopes, addresses, expiry or limit.")
	ErrPastExpiry = fault.New(fault.Invalid, "expiry-in-past", "This must be in the future.")
	ErrTooMany    = fault.New(fault.Conflict, "too-many-principals",
		"An account has at most 100 keys, and 100 people on its staff.")
	ErrSlotTaken = fault.New(fault.Conflict, "principal-slot-taken",
		"Another API key or member of the staff was created at the same moment.")
	ErrSpendLimit = fault.New(fault.Exhausted, "spend-limit-reached", "The spend limit of the day does not cover this.")
)

// MissingScope is ErrScope with the scope.
type MissingScope struct{ Required Scope }

// Error returns the sentence for people.
func (e *MissingScope) Error() string { return fmt.Sprintf("This needs the scope %s.", e.Required) }

// Unwrap makes the error match ErrScope.
func (*MissingScope) Unwrap() error { return ErrScope }

// Members implements fault.Detailed.
func (e *MissingScope) Members() []fault.Member {
	return []fault.Member{{Name: "required_scope", Value: e.Required}}
}

// SpendLimitReached is ErrSpendLimit with the figures.
type SpendLimitReached struct {
	Limit, Spent, Required credit.Amount
	Resets                 time.Time
}

// Error returns the sentence for people, with the figures.
func (e *SpendLimitReached) Error() string {
	return fmt.Sprintf("Required credits: %s. Spent today: %s of %s.", e.Required, e.Spent, e.Limit)
}

// Unwrap makes the error match ErrSpendLimit.
func (*SpendLimitReached) Unwrap() error { return ErrSpendLimit }

// Members implements fault.Detailed.
func (e *SpendLimitReached) Members() []fault.Member {
	return []fault.Member{
		{Name: "required", Value: e.Required}, {Name: "limit", Value: e.Limit}, {Name: "spent", Value: e.Spent},
		{Name: "resets_at", Value: e.Resets},
	}
}

// Kind is a kind of principals. The set is closed.
type Kind string

// The kinds.
const (
	Key   Kind = "key"   // of a program, which sends a secret in each request
	Staff Kind = "staff" // a person with a sign-in
)

// Digest is the stored hash of an API key's secret.
type Digest [sha256.Size]byte

// DigestOf returns the digest of an API key as the client sends it.
func DigestOf(key string) Digest { return sha256.Sum256([]byte(key)) }

// Units is an amount in ten-thousandths of a credit.
type Units int64

// Amount returns the units as an amount, 0 if they are out of range.
func (u Units) Amount() credit.Amount {
	a, err := credit.FromUnits(int64(u))
	if err != nil {
		return credit.Amount{}
	}
	return a
}

// Principal acts for an account. It is a value: a change is made to a copy.
type Principal struct {
	ID           int64
	Kind         Kind
	Account      int64
	Slot         int    // from 1 to MaxPrincipals: unique within an account and kind
	Name         string // of a key: the name that its owner chose; of a person: the name for the sign-in
	Folded       string // of a person: the name as names are compared
	Secret       Digest // of a key, else 0
	PasswordHash string // of a person, else ""
	Role         Role   // "" if the principal has scopes without a role
	GivenScopes  []Scope
	Networks     []Network // the address list of a key; empty: any address
	Expires      time.Time // of a key; the zero value: never
	Limit        Units     // of the principal's spending in a day of UTC; 0: no limit
	Spent        Units     // on Day
	Day          time.Time // its beginning
	Used         time.Time // the last use, to some minutes; the zero value: never
	UsedFrom     string    // the address of the last use
	Created      time.Time
	Revoked      time.Time // the zero value: not revoked
}

// Scopes returns the principal's scopes, in their order.
func (p Principal) Scopes() []Scope {
	if p.Role != "" {
		return p.Role.Scopes()
	}
	return slices.Clone(p.GivenScopes)
}

// Has reports whether the principal has a scope.
func (p Principal) Has(s Scope) bool {
	if p.Role != "" {
		return slices.Contains(roles[p.Role], s)
	}
	return slices.Contains(p.GivenScopes, s)
}

// ServesCustomers reports whether the principal is an API key with the scope entitlements:read alone. A block does not
// stop such a key: the service that admits customers must learn of the block.
func (p Principal) ServesCustomers() bool {
	return p.Kind == Key && slices.Equal(p.Scopes(), []Scope{EntitlementsRead})
}

// MatchesDigest reports whether an API key has this digest. It takes the same time for every digest.
func (p Principal) MatchesDigest(d Digest) bool {
	return p.Kind == Key && subtle.ConstantTimeCompare(p.Secret[:], d[:]) == 1
}

// CheckActive returns ErrRevoked or ErrExpired if the principal may no longer act.
func (p Principal) CheckActive(now time.Time) error {
	switch {
	case !p.Revoked.IsZero():
		return ErrRevoked
	case !p.Expires.IsZero() && !now.Before(p.Expires):
		return ErrExpired
	}
	return nil
}

// CheckExpiry returns ErrPastExpiry if the expiry changes and the new one is not in the future.
func CheckExpiry(before, expiry, now time.Time) error {
	if expiry.IsZero() || expiry.Equal(before) || now.Before(expiry) {
		return nil
	}
	return ErrPastExpiry
}

// CheckAddress returns ErrAddress if the principal may not act from an address.
func (p Principal) CheckAddress(address Network) error {
	if len(p.Networks) > 0 && !anyHas(p.Networks, address) {
		return ErrAddress
	}
	return nil
}

// MayGrant returns ErrBeyond if other would have more rights than this principal.
func (p Principal) MayGrant(other Principal) error {
	var beyond []string
	for _, s := range other.Scopes() {
		if !p.Has(s) {
			beyond = append(beyond, string(s))
		}
	}
	if !p.Expires.IsZero() && (other.Expires.IsZero() || other.Expires.After(p.Expires)) {
		beyond = append(beyond, "an expiry after your own")
	}
	if p.Limit != 0 && (other.Limit == 0 || other.Limit > p.Limit) {
		beyond = append(beyond, "a spend limit above your own")
	}
	outside := func(n Network) bool { return !anyHas(p.Networks, n) }
	if len(p.Networks) > 0 && (len(other.Networks) == 0 || slices.ContainsFunc(other.Networks, outside)) {
		beyond = append(beyond, "addresses outside your own")
	}
	if len(beyond) > 0 {
		return ErrBeyond.WithDetail("This goes beyond your own rights: %s.", strings.Join(beyond, ", "))
	}
	return nil
}

const day = 24 * time.Hour

// SpentOnDay returns the amount spent on the day of now, and the end of that day. The clocks of two processes differ at
// midnight. Once one process has begun a day, the other one uses that day too. Otherwise each would forget the spending
// that the other one recorded. A still later day comes from a wrong clock, and is ignored.
func (p Principal) SpentOnDay(now time.Time) (spent Units, resets time.Time) {
	today := now.UTC().Truncate(day)
	if p.Day.Equal(today.Add(day)) {
		today = p.Day
	}
	if p.Day.Equal(today) {
		spent = p.Spent
	}
	return spent, today.Add(day)
}

// Spend returns the principal after it spent an amount, or *SpendLimitReached. Without a limit nothing is counted.
func (p Principal) Spend(amount credit.Amount, now time.Time) (Principal, error) {
	if p.Limit == 0 {
		return p, nil
	}
	spent, resets := p.SpentOnDay(now)
	after := spent + Units(amount.Units())
	if after > p.Limit {
		return p,
			fault.After(resets.Sub(now), &SpendLimitReached{Limit: p.Limit.Amount(), Spent: spent.Amount(), Required: amount,
				Resets: resets})
	}
	p.Spent, p.Day = after, resets.Add(-day)
	return p, nil
}

// Use returns the principal with now as its last use, and whether to store it.
func (p Principal) Use(from string, now time.Time) (used Principal, due bool) {
	if now.Sub(p.Used).Abs() < UseSaveInterval {
		return p, false
	}
	p.Used, p.UsedFrom = now, from
	return p, true
}

// Revoke returns the principal after its revocation.
func (p Principal) Revoke(now time.Time) Principal {
	if p.Revoked.IsZero() {
		p.Revoked = now
	}
	return p
}

// FreeSlot returns the lowest slot that no principal of the same account and kind has, or ErrTooMany.
func FreeSlot(all []Principal) (int, error) {
	for slot := 1; slot <= MaxPrincipals; slot++ {
		if !slices.ContainsFunc(all, func(p Principal) bool { return p.Slot == slot }) {
			return slot, nil
		}
	}
	return 0, ErrTooMany
}

// Change is a change of a principal. A nil field stays. A role replaces scopes, and scopes replace a role.
type Change struct {
	Name     *string
	Role     *Role
	Scopes   []Scope
	Networks *[]Network
	Expires  *time.Time
	Limit    *Units
}

// Changed returns the changed principal, and the names of the members that differ.
func (p Principal) Changed(c Change) (is Principal, fields []string) {
	is = p
	if c.Name != nil {
		is.Name = *c.Name
	}
	switch {
	case c.Role != nil:
		is.Role, is.GivenScopes = *c.Role, nil
	case c.Scopes != nil:
		is.Role, is.GivenScopes = "", SortScopes(c.Scopes)
	}
	if c.Networks != nil {
		is.Networks = *c.Networks
	}
	if c.Expires != nil {
		is.Expires = *c.Expires
	}
	if c.Limit != nil {
		is.Limit = *c.Limit
	}
	for _, differs := range []struct {
		field string
		is    bool
	}{
		{"allowed_addresses", !slices.Equal(p.Networks, is.Networks)},
		{"expires_at", !p.Expires.Equal(is.Expires)},
		{"name", p.Name != is.Name},
		{"role", p.Role != is.Role},
		{"scopes", !slices.Equal(p.GivenScopes, is.GivenScopes)},
		{"spend_limit", p.Limit != is.Limit},
	} {
		if differs.is {
			fields = append(fields, differs.field)
		}
	}
	return is, fields
}
