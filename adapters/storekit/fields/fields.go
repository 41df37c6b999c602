// Package fields lists the fields of resellers, lines, tombstones and movements, for all stores: the name of each
// field, and its location in the record. Stores derive their columns, documents, validators and checksums from the
// lists. Each of them therefore stores a field that is added here, checks it for damage and copies it.
//
// A field that is added later is optional. Older records lack it: their bytes and checksums do not change, and
// no table is rewritten.
package fields

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// Field is a field of records of type R.
type Field[R any] struct {
	Name   string // in a document; within another one: "contact.notes"
	Column string // in a table; default: Name with _ for the dot
	// At returns a pointer to the field in a record. Its type depends on the field: *int64, *bool, *time.Time,
	// *credit.Amount, *profile.Username (two members: as shown, and its key), *reseller.Position (the ids from the root
	// down), *[]reseller.TrialSlot, *storekit.Side, *line.Metadata, or a type that TextAt and BlobAt know.
	At      func(*R) any
	Changes Changes
	// Least and Most bound an integer, and an amount in its smallest unit.
	Least int64
	Most  credit.Amount
	// Nullable fields of the first release: 0 is stored as NULL, or not at all.
	Nullable bool
	// Optional fields: the zero value is absent, and is not in the checksum.
	Optional bool
	// OwnColumn fields are optional but have a column of their own in a table. The reason is an index, or that most new
	// records have the field.
	OwnColumn bool
	// OfDocument fields are derived from other fields, for the indexes of documents.
	OfDocument bool
}

// Changes is how often a field of an existing record changes. Writing it may rewrite index entries.
type Changes int

// How often a field changes.
const (
	Often Changes = iota
	Seldom
	Never // but in a copy, or by hand
)

// List is the fields of the records of one kind, in the order of documents. The first is the id.
type List[R any] struct {
	Kind   string // of records, for messages
	Fields []Field[R]
}

func listed[R any](kind string, all []Field[R]) List[R] {
	for i := range all {
		f := &all[i]
		if f.Column == "" {
			f.Column = strings.ReplaceAll(f.Name, ".", "_")
		}
	}
	return List[R]{kind, all}
}

// Change returns the least frequent kind of change between two records: Often, Seldom or Never. A field of Never
// changes only in a copy or by hand.
func (l List[R]) Change(from, to *R) (change Changes) {
	for i := range l.Fields {
		if f := &l.Fields[i]; f.Changes > change && !same(f.At(from), f.At(to)) {
			change = f.Changes
		}
	}
	return change
}

// same compares what two pointers of one type point to.
func same(a, b any) bool {
	switch a := a.(type) {
	case *int64:
		return *a == *b.(*int64) //nolint:forcetypeassert // both have one type
	case *bool:
		return *a == *b.(*bool) //nolint:forcetypeassert // both have one type
	case *time.Time:
		return a.Equal(*b.(*time.Time)) //nolint:forcetypeassert // both have one type
	case *reseller.Position:
		other := b.(*reseller.Position) //nolint:forcetypeassert // both have one type
		return a.ID == other.ID && slices.Equal(a.Ancestors, other.Ancestors)
	case *profile.Username:
		return *a == *b.(*profile.Username) //nolint:forcetypeassert // both have one type
	}
	if text, is := TextAt(a); is {
		other, _ := TextAt(b)
		return text == other
	}
	return reflect.DeepEqual(a, b)
}

// TextAt returns the text that a pointer points to, and false if the pointer has another type.
func TextAt(at any) (text string, is bool) {
	switch at := at.(type) {
	case *profile.Text:
		return at.String(), true
	case *string:
		return *at, true
	case *reseller.Role:
		return at.String(), true
	case *credit.Operation:
		return at.String(), true
	case *line.Origin:
		return string(*at), true
	case *credit.Packages:
		return string(*at), true
	}
	return "", false
}

// SetText sets the text that a pointer points to from its stored form.
func SetText(at any, stored string) (err error) {
	switch at := at.(type) {
	case *profile.Text:
		*at = profile.RestoreText(stored)
	case *string:
		*at = stored
	case *reseller.Role:
		*at, err = reseller.ParseRole(stored)
	case *credit.Operation:
		*at, err = credit.ParseOperation(stored)
	case *line.Origin:
		*at, err = line.ParseOrigin(stored)
	case *credit.Packages:
		*at = credit.Packages(stored)
	default:
		panic(fmt.Sprintf("%T is no text", at))
	}
	return err
}

// BlobAt returns the bytes that a pointer of this type points to. The caller does not change them.
func BlobAt(at any) []byte {
	switch at := at.(type) {
	case *line.Sealed:
		return *at
	case *credit.Hash:
		return at[:]
	case *reseller.Generation:
		return at[:]
	case *[]byte:
		return *at
	}
	panic(fmt.Sprintf("%T is no blob", at))
}

// SetBlob sets the bytes that a pointer points to from their stored form, which it may retain.
func SetBlob(at any, stored []byte) error {
	switch at := at.(type) {
	case *line.Sealed:
		*at = stored
		return nil
	case *credit.Hash:
		return exactly(at[:], stored)
	case *reseller.Generation:
		return exactly(at[:], stored)
	case *[]byte:
		*at = stored
		return nil
	}
	panic(fmt.Sprintf("%T is no blob", at))
}

func exactly(into, stored []byte) error {
	if len(stored) != len(into) {
		return fmt.Errorf("%d bytes in place of %d", len(stored), len(into))
	}
	copy(into, stored)
	return nil
}

// SetPath sets the ancestors of a position, which already has its id, from a path of ids. It retains the array of the
// path.
func SetPath(at *reseller.Position, path []int64) error {
	if len(path) == 0 {
		return errors.New("an empty path")
	}
	last := len(path) - 1
	if at.ID != path[last] {
		return fmt.Errorf("the path of account %d for account %d", path[last], at.ID)
	}
	*at = reseller.Position{ID: path[last]}
	if last > 0 {
		at.Ancestors = path[:last:last]
	}
	return nil
}
