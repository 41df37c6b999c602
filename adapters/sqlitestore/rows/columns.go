package rows

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit"
	"resellerd/adapters/storekit/fields"
	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// Columns are the columns of the records of one kind, from the list of their fields. First comes the id, then the
// fields that seldom change, then those that often do: all of these are in the checksum, in this order. Then come the
// optional fields with a column of their own, and one column for all others, so that a new field needs no column. The
// checksum is the last column.
type Columns[R any] struct {
	All   string // without the id
	Often string // the fields of most changes
	// Renamed also has the fields that seldom change. A field that never changes is only in All.
	Renamed string

	list   fields.List[R]
	fields []column[R]
	first  int // columns that are always in the checksum
	pool   sync.Pool
}

// column is a field with the names of its columns.
type column[R any] struct {
	fields.Field[R]
	names []string
}

const (
	checksum = "checksum"
	extra    = "extra"
)

// columnsOf returns the columns of a list. They have a checksum if nothing else protects the records, and a column for
// optional fields if the table has one.
func columnsOf[R any](list fields.List[R], optional bool, last ...string) *Columns[R] {
	c := &Columns[R]{list: list, pool: sync.Pool{New: func() any { return new(R) }}}
	for _, f := range list.Fields {
		if !f.OfDocument && !f.Optional || f.OwnColumn {
			c.fields = append(c.fields, column[R]{f, names(f.Column, f.At(new(R)))})
		}
	}
	rank := func(f column[R]) int {
		switch {
		case f.Optional:
			return 2
		case f.Changes == fields.Often:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(c.fields, func(a, b column[R]) int { return rank(a) - rank(b) })
	var all, often, renamed []string
	for _, f := range c.fields {
		all = append(all, f.names...)
		if f.Changes != fields.Never {
			renamed = append(renamed, f.names...)
		}
		if f.Changes == fields.Often {
			often = append(often, f.names...)
		}
		if !f.Optional {
			c.first = len(all)
		}
	}
	if optional {
		last = append([]string{extra}, last...)
	}
	text := func(columns []string) string { return strings.Join(append(columns, last...), ", ") }
	c.All, c.Often, c.Renamed = text(all[1:]), text(often), text(renamed)
	return c
}

func names(column string, at any) []string {
	switch at.(type) {
	case *profile.Username:
		return []string{column, column + "_key"}
	case *storekit.Side:
		return []string{column + "_system", column + "_account", column + "_seq", column + "_balance", column + "_link"}
	}
	return []string{column}
}

// mostColumns bounds the columns of any kind.
const mostColumns = 28

// Room is the buffer of a row, which need not outlive its statement.
type Room [mostColumns]engine.Arg

// of returns the row of a record without a checksum.
func (c *Columns[R]) of(r *R, room *Room) engine.Args {
	row := engine.Args(room[:0])
	for i := range c.fields {
		f := &c.fields[i]
		row = appendTo(row, f.names, f.Nullable || f.Optional, f.At(r))
	}
	return row
}

// Of returns the row of a record.
func (c *Columns[R]) Of(r *R, room *Room) engine.Args {
	row := append(c.of(r, room), engine.TextOrNull(extra, c.list.Extra(r)), engine.Null(checksum))
	engine.WithChecksum(row, c.first)
	return row
}

func appendTo(row engine.Args, names []string, nullable bool, at any) engine.Args {
	name := names[0]
	switch at := at.(type) {
	case *int64:
		if nullable {
			return append(row, engine.IntegerOrNull(name, *at))
		}
		return append(row, engine.Integer(name, *at))
	case *bool:
		if nullable && !*at {
			return append(row, engine.Null(name))
		}
		return append(row, engine.Truth(name, *at))
	case *time.Time:
		return append(row, engine.Instant(name, *at))
	case *credit.Amount:
		return append(row, engine.Integer(name, at.Units()))
	case *profile.Username:
		return append(row, engine.Text(name, at.String()), engine.Text(names[1], at.Key()))
	case *reseller.Position:
		return append(row, engine.Text(name, pathText(*at)))
	case *[]reseller.TrialSlot:
		return append(row, engine.Text(name, trialsText(*at)))
	case *storekit.Side:
		p := &at.Posting
		row = append(row, engine.TextOrNull(name, at.System), engine.IntegerOrNull(names[1], p.Reseller),
			engine.IntegerOrNull(names[2], p.Seq))
		if p.Reseller == 0 { // a party that is no account has no balance and no link
			return append(row, engine.Null(names[3]), engine.Null(names[4]))
		}
		return append(row, engine.Integer(names[3], p.Balance.Units()), engine.Blob(names[4], p.Hash[:]))
	}
	switch text, is := fields.TextAt(at); {
	case !is:
		return append(row, engine.Blob(name, fields.BlobAt(at)))
	case nullable:
		return append(row, engine.TextOrNull(name, text))
	default:
		return append(row, engine.Text(name, text))
	}
}

// read reads the columns of a record without its checksum.
func (c *Columns[R]) read(row *engine.Row, r *R) error {
	for i := range c.fields {
		f := &c.fields[i]
		readInto(row, f.Nullable, f.Optional, f.At(r))
	}
	return row.Err()
}

// restored returns the aggregate of a row.
func restored[R, T any](c *Columns[R], row *engine.Row, restore func(R) (*T, error)) (*T, error) {
	s := c.pool.Get().(*R) //nolint:forcetypeassert // the pool makes no others
	defer c.pool.Put(s)
	*s = *new(R)
	if err := c.read(row.Summed(), s); err != nil {
		return nil, err
	}
	row.Check(c.list.SetExtra(s, row.Optional()))
	if row.Err() != nil {
		return nil, row.Err()
	}
	aggregate, err := restore(*s)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
	}
	return aggregate, row.Sound()
}

func readInto(row *engine.Row, nullable, optional bool, at any) {
	switch at := at.(type) {
	case *int64:
		switch {
		case optional:
			*at = row.OptionalInteger()
		case nullable:
			*at = row.IntegerOrNull()
		default:
			*at = row.Integer()
		}
	case *bool:
		if optional {
			*at = engine.Parsed(row, row.OptionalInteger(), engine.TruthOf)
		} else {
			*at = engine.Parsed(row, row.Integer(), engine.TruthOf)
		}
	case *time.Time:
		*at = row.Instant()
	case *credit.Amount:
		*at = engine.Parsed(row, row.Integer(), credit.FromUnits)
	case *profile.Username:
		*at = profile.RestoreUsername(row.Text(), row.Text())
	case *reseller.Position:
		row.Check(fields.SetPath(at, row.Path()))
	case *[]reseller.TrialSlot:
		*at = engine.Parsed(row, row.Text(), trialsOf)
	case *storekit.Side:
		readSide(row, at)
	default:
		switch _, text := fields.TextAt(at); {
		case !text:
			row.Check(fields.SetBlob(at, row.Blob()))
		case optional:
			row.Check(fields.SetText(at, row.Optional()))
		default:
			row.Check(fields.SetText(at, row.Text()))
		}
	}
}

func readSide(row *engine.Row, s *storekit.Side) {
	s.System = row.TextOrNull()
	s.Posting.Reseller = row.IntegerOrNull()
	s.Posting.Seq = row.IntegerOrNull()
	if s.Posting.Reseller == 0 && row.Null() && row.Null() {
		return
	}
	s.Posting.Balance = engine.Parsed(row, row.Integer(), credit.FromUnits)
	row.Check(fields.SetBlob(&s.Posting.Hash, row.Blob()))
}
