// Package auditing declares the interface between an audit and the features that audit records of their own.
package auditing

import (
	"context"

	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports/record"
)

// PageSize is how many records an audit reads into memory at a time, besides the records that they refer to. It reads
// those of each kind at once.
const PageSize = 1000

// Audit runs the checks of features, over one snapshot.
type Audit interface {
	// Find reports a record that does not fit.
	Find(format string, args ...any)
	// Account looks up the account of the checked record.
	Account(id int64) (*reseller.Reseller, Presence)
	// Page reads records of a kind after a key.
	Page(ctx context.Context, of *record.Kind, after string) ([]record.Found, error)
	// Journal returns the number of the last entry, and whether all of them fit.
	Journal() (last int64, sound bool)
}

// Presence is whether a record that another one refers to was found.
type Presence int

// A record that is Damaged is reported where the records of its kind are audited.
const (
	There Presence = iota
	Missing
	Damaged
)

// Feature returns the checks of a feature for one audit.
type Feature func(Audit) Checks

// Checks are the checks of a feature, nil for those that it lacks. They run in the order of these members.
type Checks struct {
	Before func(context.Context) error // before any other record is read
	Entry  func(journal.Numbered)      // each entry of the journal
	Kinds  map[*record.Kind]Check
	After  func() // after all records of all kinds
}

// Check is the check of the records of a kind.
type Check struct {
	Account func(v any) int64        // the account that the record must have, 0 for none
	Record  func(name string, v any) // checks a readable record, by its name in findings
	Unread  func(id int64)           // gets the id of each unreadable record; 0: the records after it are unreadable too
}

// Any is the check of a kind without rules besides the form of its records.
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
