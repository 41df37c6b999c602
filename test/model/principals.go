package model

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// MostPrincipals is how many keys an account has, and how many people on its staff.
const MostPrincipals = 100

// Principal is a key, or a staff member of an account.
type Principal struct {
	ID        int64
	Of        *Reseller
	Staff     bool
	Removed   bool
	Name      string
	Secret    string // of a key, as it was shown
	Password  string // of a person
	Passwords int    // how often that became another one
	CreatedAt time.Time
	Rights

	Spent    decimal.Decimal // on Day
	Day      time.Time
	Used     time.Time // as it was last stored
	UsedFrom string
}

// Rights are the rights of a principal. It has a role or else scopes.
type Rights struct {
	Role      string
	Scopes    []string
	Addresses []netip.Prefix  // none: from anywhere
	Expires   time.Time       // the zero value: never
	Limit     decimal.Decimal // of a day, 0: none
}

// Scopes are all of them, in their order.
var Scopes = []string{
	"lines:read", "lines:passwords", "lines:write", "lines:spend", "lines:delete", "users:read", "users:write",
	"credits:move", "ledger:read",
	"events:read", "entitlements:read", "manage",
}

// Roles are the scopes of each role.
var Roles = func() map[string][]string {
	all := map[string][]string{
		"read_only": {"lines:read", "users:read", "ledger:read", "events:read", "entitlements:read"}}
	all["support"] = append([]string{"lines:passwords", "lines:write"}, all["read_only"]...)
	all["cashier"] = append([]string{"lines:spend"}, all["support"]...)
	all["manager"] = slices.DeleteFunc(slices.Clone(Scopes), func(s string) bool { return s == "manage" })
	return all
}()

// Has reports whether a scope is among the rights.
func (r Rights) Has(scope string) bool {
	return slices.Contains(r.Scopes, scope) || slices.Contains(Roles[r.Role], scope)
}

// Shown are the scopes in their order.
func (r Rights) Shown() []string {
	shown := []string{}
	for _, s := range Scopes {
		if r.Has(s) {
			shown = append(shown, s)
		}
	}
	return shown
}

// From reports whether they may be used from an address.
func (r Rights) From(address string) bool {
	at := netip.MustParseAddr(address)
	return len(r.Addresses) == 0 || slices.ContainsFunc(r.Addresses, func(p netip.Prefix) bool { return p.Contains(at) })
}

// Within reports whether none of the rights is beyond those of the giver, nil for an owner.
func (r Rights) Within(giver *Principal) bool {
	if giver == nil {
		return true
	}
	within := giver.Expires.IsZero() || !r.Expires.IsZero() && !r.Expires.After(giver.Expires)
	within = within && (giver.Limit.IsZero() || r.Limit.IsPositive() && !r.Limit.GreaterThan(giver.Limit))
	for _, s := range r.Shown() {
		within = within && giver.Has(s)
	}
	within = within && (len(giver.Addresses) == 0 || len(r.Addresses) > 0)
	for _, p := range r.Addresses {
		within = within && (len(giver.Addresses) == 0 || slices.ContainsFunc(giver.Addresses, func(own netip.Prefix) bool {
			return own.Bits() <= p.Bits() && own.Contains(p.Addr())
		}))
	}
	return within
}

// Refused returns why a key is invalid, "" where it is valid.
func (p *Principal) Refused(now time.Time) string {
	return firstOf(p.Removed, "key-revoked", !p.Expires.IsZero() && !now.Before(p.Expires), "key-expired")
}

// today is the day on which spending at an instant counts. It is the next day where another process has already begun
// that day.
func (p *Principal) today(now time.Time) time.Time {
	today := now.UTC().Truncate(day)
	if next := today.Add(day); p.Day.Equal(next) {
		return next
	}
	return today
}

// SpentOn is the amount spent on the day of an instant.
func (p *Principal) SpentOn(now time.Time) decimal.Decimal {
	if p.Day.Equal(p.today(now)) {
		return p.Spent
	}
	return decimal.Decimal{}
}

// Resets is when its limit starts again.
func (p *Principal) Resets(now time.Time) time.Time { return p.today(now).Add(day) }

// Over reports whether an amount is beyond the limit of the acting principal.
func (at Moment) Over(amount decimal.Decimal) bool {
	return at.As != nil && at.As.Limit.IsPositive() && at.As.SpentOn(at.Now).Add(amount).GreaterThan(at.As.Limit)
}

// spends counts an amount against the limit of the acting principal.
func (at Moment) spends(amount decimal.Decimal) {
	if at.As != nil && at.As.Limit.IsPositive() {
		at.As.Spent, at.As.Day = at.As.SpentOn(at.Now).Add(amount), at.As.today(at.Now)
	}
}

// lacks reports whether the acting principal lacks a scope.
func (at Moment) lacks(scope string) bool { return at.As != nil && !at.As.Has(scope) }

// Person is an account, or a member of its staff, that signs in.
type Person struct {
	Of *Reseller
	As *Principal // nil: the account itself
}

// Person is the person of the caller.
func (at Moment) Person(by *Reseller) Person { return Person{by, at.As} }

// Name is the person's name for the sign-in.
func (p Person) Name() string {
	if p.As != nil {
		return p.As.Name
	}
	return p.Of.Name
}

// Password is the person's password.
func (p Person) Password() string {
	if p.As != nil {
		return p.As.Password
	}
	return p.Of.Password
}

// Passwords is how often the person's password changed.
func (p Person) Passwords() int {
	if p.As != nil {
		return p.As.Passwords
	}
	return p.Of.Passwords
}

// PrincipalsOf are the keys, or the staff, that a reseller has.
func (w *World) PrincipalsOf(r *Reseller, staff bool) (all []*Principal) {
	for _, p := range w.Principals {
		if p.Of == r && p.Staff == staff && !p.Removed {
			all = append(all, p)
		}
	}
	return all
}

// StaffNamed returns the staff member with a name, in any case, nil where none exists.
func (w *World) StaffNamed(name string) *Principal {
	for _, p := range w.Principals {
		if p.Staff && !p.Removed && strings.EqualFold(p.Name, name) {
			return p
		}
	}
	return nil
}

// staffNameTaken reports whether another staff member has a name.
func (w *World) staffNameTaken(p *Principal, name string) bool {
	holder := w.StaffNamed(name)
	return holder != nil && holder != p
}

// NewPrincipal has the values of a new principal.
type NewPrincipal struct {
	Staff          bool
	Name, Password string
	Rights
}

// CreatePrincipal decides that an account has another key, or another person on its staff.
func (w *World) CreatePrincipal(by *Reseller, n NewPrincipal,
	at Moment) (refusal string, effect func(id int64, secret string) *Principal) {
	return firstOf(
			by.Frozen(), "account-blocked",
			!n.Within(at.As), "beyond-own-rights",
			past(time.Time{}, n.Expires, at), "expiry-in-past",
			len(w.PrincipalsOf(by, n.Staff)) >= MostPrincipals, "too-many-principals",
			n.Staff && (w.ResellerNamed(n.Name) != nil || w.StaffNamed(n.Name) != nil), "username-taken",
		), func(id int64, secret string) *Principal {
			p := &Principal{ID: id, Of: by, Staff: n.Staff, Name: n.Name, Password: n.Password, Secret: secret,
				CreatedAt: at.Now, Rights: n.Rights}
			w.Principals = append(w.Principals, p)
			slices.SortFunc(w.Principals, func(a, b *Principal) int { return cmp.Compare(a.ID, b.ID) })
			w.happened(did(by, kindOf(p, "created"), at).ofPrincipal(by, p))
			return p
		}
}

func kindOf(p *Principal, what string) string {
	if p.Staff {
		return "staff." + what
	}
	return "key." + what
}

func (e *Event) ofPrincipal(of *Reseller, p *Principal) *Event {
	e.Account, e.Changes = of, map[string]any{}
	if p != nil {
		e.Data = map[string]any{"principal": p.ID}
	}
	return e
}

// has reports whether a principal belongs to an account: no other account sees it.
func (r *Reseller) has(p *Principal, staff bool) bool {
	return p != nil && !p.Removed && p.Of == r && p.Staff == staff
}

// PrincipalChange has the new values of a principal; nil leaves a value unchanged.
type PrincipalChange struct {
	Name, Password Change
	Role           Change
	Scopes         []string
	Addresses      *[]netip.Prefix
	Expires        *time.Time
	Limit          *decimal.Decimal
}

// rights are the principal's rights after the change.
func (c PrincipalChange) rights(was Rights) Rights {
	if c.Role != nil {
		was.Role, was.Scopes = *c.Role, nil
	} else if c.Scopes != nil {
		was.Role, was.Scopes = "", c.Scopes
	}
	if c.Addresses != nil {
		was.Addresses = *c.Addresses
	}
	if c.Expires != nil {
		was.Expires = *c.Expires
	}
	if c.Limit != nil {
		was.Limit = *c.Limit
	}
	return was
}

// UpdatePrincipal decides a change of a key, or of a staff member. A password in the request counts as changed, even
// where its text is the same.
func (w *World) UpdatePrincipal(by *Reseller, p *Principal, staff bool, c PrincipalChange,
	at Moment) (refusal string, effect func()) {
	is := Rights{}
	if p != nil {
		is = c.rights(p.Rights)
	}
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.has(p, staff), "not-found",
			p != nil && (!p.Within(at.As) || !is.Within(at.As)), "beyond-own-rights",
			p != nil && past(p.Expires, is.Expires, at), "expiry-in-past",
			staff && c.Name != nil && p != nil && *c.Name != p.Name &&
				(w.ResellerNamed(*c.Name) != nil || w.staffNameTaken(p, *c.Name)), "username-taken",
		), func() {
			was, e := *p, did(by, kindOf(p, "updated"), at).ofPrincipal(by, p)
			p.Rights = is
			change(&p.Name, c.Name)
			if c.Password != nil {
				p.Password = *c.Password
				p.Passwords++
			}
			named := "name"
			if staff {
				named = "username"
			}
			e.hidden(named, was.Name, p.Name)
			e.hidden("password", was.Passwords, p.Passwords)
			e.hidden("role", was.Role, p.Role)
			e.hidden("scopes", given(was.Rights), given(is))
			e.hidden("expires_at", was.Expires.UTC(), is.Expires.UTC())
			e.hidden("spend_limit", was.Limit.String(), is.Limit.String())
			if !slices.Equal(was.Addresses, is.Addresses) {
				e.Changes["allowed_addresses"] = true
			}
			if len(e.Changes) > 0 {
				w.happened(e)
			}
		}
}

// given returns the scopes that do not come from a role.
func given(r Rights) string {
	if r.Role != "" {
		return ""
	}
	return strings.Join(r.Shown(), " ")
}

// past reports whether an expiry that is another one than before is not in the future.
func past(before, expiry time.Time, at Moment) bool {
	return !expiry.IsZero() && !expiry.Equal(before) && !expiry.After(at.Now)
}

// RemovePrincipal decides that a key is revoked, or that a staff member is removed.
func (w *World) RemovePrincipal(by *Reseller, p *Principal, staff bool, at Moment) (refusal string, effect func()) {
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.has(p, staff), "not-found",
			p != nil && !p.Within(at.As), "beyond-own-rights",
		), func() {
			e := did(by, kindOf(p, map[bool]string{true: "removed", false: "revoked"}[staff]), at).ofPrincipal(by, p)
			p.Removed = true
			w.happened(e)
		}
}
