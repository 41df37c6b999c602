// Package auditing is how a feature audits records of its own: what its checks tell an audit, and what they get of it.
package auditing

import (
	"context"

	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports/record"
)

// PageSize is how many records an audit holds in memory at a time, besides those that they refer to, of which it reads
// each kind at once.
const PageSize = 1000

// Audit is what runs the checks of features, over one snapshot.
type Audit interface {
	// Find reports a record that does not fit.
	Find(format string, args ...any)
	// Account looks up the account of the record that is checked.
	Account(id int64) (*reseller.Reseller, Presence)
	// Page reads records of a kind after a key.
	Page(ctx context.Context, of *record.Kind, after string) ([]record.Found, error)
	// Journal returns the number of the last entry, and whether all of them fit.
	Journal() (last int64, sound bool)
}

// Presence says whether a record that another one refers to was found.
type Presence int

// A record that is Damaged is reported where the records of its kind are audited.
const (
	There Presence = iota
	Missing
	Damaged
)

// Feature returns the checks of a feature for one audit.
type Feature func(Audit) Checks

// Checks are those of a feature: what it lacks is nil. They run in the order of these members.
type Checks struct {
	Before func(context.Context) error // before anything else is read
	Entry  func(journal.Numbered)      // each entry of the journal
	Kinds  map[*record.Kind]Check
	After  func() // when all records of all kinds were checked
}

// Check is of the records of a kind.
type Check struct {
	Account func(v any) int64        // that the record is to have, 0 if it is to have none
	Record  func(name string, v any) // looks at one that can be read, by the name that it has in findings
	Unread  func(id int64)           // is told of each that can't be read, 0: nor can those that follow
}

// Any is the check of a kind of which the audit knows no more than how its records are written.
func Any() Check {
	return Check{func(any) int64 { return 0 }, func(string, any) {}, func(int64) {}}
}

// Of returns a check of a kind. Account and unread may be nil.
func Of[T any](account func(*T) int64, check func(name string, v *T), unread func(id int64)) Check {
	c := Any()
	c.Record = func(name string, v any) { check(name, v.(*T)) } //nolint:forcetypeassert // the kind has no others
	if account != nil {
		c.Account = func(v any) int64 { return account(v.(*T)) } //nolint:forcetypeassert // likewise
	}
	if unread != nil {
		c.Unread = unread
	}
	return c
}
