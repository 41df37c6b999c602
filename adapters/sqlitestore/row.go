package sqlitestore

import (
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/storekit"
	"resellerd/domain/reseller"
)

// row is a statement on a connection, and the present row of it. Its columns are read one after the other; the
// first that is damaged is the error, and what is read after it is zero.
type row struct {
	st  *sqlite.Stmt
	at  int // the column that is read next
	err error

	summing bool    // what is read is what a checksum is of
	content content // which it is so far

	path     string            // the last that was read
	position reseller.Position // that it tells
}

// again begins with the first column.
func (r *row) again() *row {
	r.at, r.err, r.summing = 0, nil, false
	return r
}

// summed begins with the columns that a checksum is of.
func (r *row) summed() *row {
	r.summing, r.content = true, r.content[:0]
	return r
}

// sound returns the error of the columns so far, or says that the checksum, which is the next, is of others. A record
// that has none is sound: that of an older schema, or one that was repaired by hand.
func (r *row) sound() error {
	r.summing = false
	if r.null() {
		return nil
	}
	if kept := r.integer(); r.err == nil && kept != r.content.checksum() {
		r.err = fmt.Errorf("%w: its checksum is that of other content", storekit.ErrDamaged)
	}
	return r.err
}

// next goes to the next column, which is of this type or damaged.
func (r *row) next(want sqlite.ColumnType) (column int, ok bool) {
	column = r.at
	r.at++
	if r.err != nil {
		return column, false
	}
	if got := r.st.ColumnType(column); got != want {
		r.err = fmt.Errorf("%s: %w: %v in place of %v", r.st.ColumnName(column), storekit.ErrDamaged, got, want)
		return column, false
	}
	return column, true
}

func (r *row) integer() int64 {
	column, ok := r.next(sqlite.TypeInteger)
	if !ok {
		return 0
	}
	v := r.st.ColumnInt64(column)
	if r.summing {
		r.content = r.content.integer(v)
	}
	return v
}

func (r *row) text() string {
	column, ok := r.next(sqlite.TypeText)
	if !ok {
		return ""
	}
	v := r.st.ColumnText(column)
	if r.summing {
		r.content = r.content.text(v)
	}
	return v
}

func (r *row) blob() []byte {
	column, ok := r.next(sqlite.TypeBlob)
	if !ok {
		return nil
	}
	content := make([]byte, r.st.ColumnLen(column))
	r.st.ColumnBytes(column, content)
	if r.summing {
		r.content = r.content.blob(content)
	}
	return content
}

func (r *row) instant() time.Time { return time.UnixMilli(r.integer()).UTC() }

// null skips the next column where it is NULL.
func (r *row) null() bool {
	if r.err != nil || r.st.ColumnType(r.at) != sqlite.TypeNull {
		return false
	}
	r.at++
	if r.summing {
		r.content = r.content.null()
	}
	return true
}

// positionOf returns where a path leads. Rows that follow each other often have the same.
func (r *row) positionOf(path string) (reseller.Position, error) {
	if path == r.path && path != "" {
		return r.position, nil
	}
	position, err := positionOf(path)
	if err == nil {
		r.path, r.position = path, position
	}
	return position, err
}

// integerOrNull reads what integerOrNull stores: NULL for 0, which is never there itself.
func (r *row) integerOrNull() int64 {
	if r.null() {
		return 0
	}
	return there(r, r.integer())
}

// textOrNull reads what textOrNull stores.
func (r *row) textOrNull() string {
	if r.null() {
		return ""
	}
	return there(r, r.text())
}

// there returns what the column that was read last says, which is not what NULL stands for.
func there[T comparable](r *row, stored T) T {
	var none T
	if stored == none && r.err == nil {
		r.err = fmt.Errorf("%s: %w: %#v in place of NULL", r.st.ColumnName(r.at-1), storekit.ErrDamaged, stored)
	}
	return stored
}

// parsed returns what the column that was read last says.
func parsed[S, T any](r *row, stored S, parse func(S) (T, error)) (said T) {
	if r.err != nil {
		return said
	}
	said, err := parse(stored)
	if err != nil {
		r.err = fmt.Errorf("%s: %w: %w", r.st.ColumnName(r.at-1), storekit.ErrDamaged, err)
	}
	return said
}
