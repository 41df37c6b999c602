// Package principal implements principals, which act for an account besides its owner: API keys for programs, and staff
// with a sign-in. A principal may do what both its account and its scopes allow.
//
// A limit bounds what a principal spends from midnight to midnight UTC: the cost of lines, and credits that it moves to
// other accounts. Credits that are taken back do not count. Each principal counts for itself: one with the scope manage
// can create others that spend as much again.
//
// No principal grants more than its own scopes, addresses, expiry or limit, or changes a principal that has more. Only
// the owner changes the name and the password of the account, or of an admin. A principal creates an account, or sets
// the password of one below, only with all scopes of a manager and without expiry, addresses and limit.
package principal

import (
	"fmt"
	"slices"
)

// Scope is a part of an account's rights. The set is closed.
type Scope string

// The scopes, in their order.
const (
	LinesRead        Scope = "lines:read"
	LinesPasswords   Scope = "lines:passwords" // of lines, in the answers of other operations
	LinesWrite       Scope = "lines:write"
	LinesSpend       Scope = "lines:spend" // the owner's credits
	LinesDelete      Scope = "lines:delete"
	UsersRead        Scope = "users:read"
	UsersWrite       Scope = "users:write"
	CreditsMove      Scope = "credits:move"
	LedgerRead       Scope = "ledger:read"
	EventsRead       Scope = "events:read"
	EntitlementsRead Scope = "entitlements:read"
	PricesWrite      Scope = "prices:write" // plans and price books
	Manage           Scope = "manage"       // keys, staff and webhooks
)

var scopes = []Scope{
	LinesRead, LinesPasswords, LinesWrite, LinesSpend, LinesDelete, UsersRead, UsersWrite, CreditsMove, LedgerRead,
	EventsRead, EntitlementsRead, PricesWrite, Manage,
}

// Scopes returns every scope.
func Scopes() []Scope { return slices.Clone(scopes) }

// ParseScope finds a scope by its name.
func ParseScope(name string) (Scope, error) {
	if !slices.Contains(scopes, Scope(name)) {
		return "", fmt.Errorf("unknown scope %q", name)
	}
	return Scope(name), nil
}

// Role is a set of scopes with a name. The set of roles is closed.
type Role string

// The roles. Each role after the first has all scopes of the one before it.
const (
	ReadOnly Role = "read_only" // reads everything but passwords
	Support  Role = "support"   // helps customers
	Cashier  Role = "cashier"   // sells
	Manager  Role = "manager"   // everything but prices:write and manage
)

var roles = map[Role][]Scope{
	ReadOnly: {LinesRead, UsersRead, LedgerRead, EventsRead, EntitlementsRead},
	Support:  {LinesRead, LinesPasswords, LinesWrite, UsersRead, LedgerRead, EventsRead, EntitlementsRead},
	Cashier:  {LinesRead, LinesPasswords, LinesWrite, LinesSpend, UsersRead, LedgerRead, EventsRead, EntitlementsRead},
	Manager:  scopes[:len(scopes)-2],
}

// ParseRole finds a role by its name.
func ParseRole(name string) (Role, error) {
	if _, known := roles[Role(name)]; !known {
		return "", fmt.Errorf("unknown role %q", name)
	}
	return Role(name), nil
}

// Scopes returns the scopes of the role, in their order.
func (r Role) Scopes() []Scope { return slices.Clone(roles[r]) }

// SortScopes returns these scopes in their order, each once.
func SortScopes(given []Scope) (ordered []Scope) {
	for _, s := range scopes {
		if slices.Contains(given, s) {
			ordered = append(ordered, s)
		}
	}
	return ordered
}
