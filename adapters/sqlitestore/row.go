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

	path     string            // the last that was read
	position reseller.Position // that it tells
}

// again begins with the first column.
func (r *row) again() *row {
	r.at, r.err = 0, nil
	return r
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
	if column, ok := r.next(sqlite.TypeInteger); ok {
		return r.st.ColumnInt64(column)
	}
	return 0
}

func (r *row) text() string {
	if column, ok := r.next(sqlite.TypeText); ok {
		return r.st.ColumnText(column)
	}
	return ""
}

func (r *row) blob() []byte {
	column, ok := r.next(sqlite.TypeBlob)
	if !ok {
		return nil
	}
	content := make([]byte, r.st.ColumnLen(column))
	r.st.ColumnBytes(column, content)
	return content
}

func (r *row) instant() time.Time { return time.UnixMilli(r.integer()).UTC() }

// null skips the next column where it is NULL.
func (r *row) null() bool {
	if r.err != nil || r.st.ColumnType(r.at) != sqlite.TypeNull {
		return false
	}
	r.at++
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

func (r *row) integerOrNull() int64 {
	if r.null() {
		return 0
	}
	return r.integer()
}

func (r *row) textOrNull() string {
	if r.null() {
		return ""
	}
	return r.text()
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
