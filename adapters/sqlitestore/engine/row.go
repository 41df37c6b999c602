package engine

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/storekit"
)

// Row is a statement on a connection, and its present row. Its columns are read one after the other. The first damaged
// column is the error, and all later columns are zero.
type Row struct {
	st  *sqlite.Stmt
	at  int // the column that is read next
	err error

	summing bool    // a checksum covers the columns that are read
	content Content // the columns so far

	text string // the last text that Path read
	path []int64
}

// Again starts at the first column.
func (r *Row) Again() *Row {
	r.at, r.err, r.summing = 0, nil, false
	return r
}

// Summed starts at the first column that a checksum covers.
func (r *Row) Summed() *Row {
	r.summing, r.content = true, r.content[:0]
	return r
}

// Sound checks the checksum, which is the next column, against the columns so far. It returns their error, or that of
// the checksum. A record without a checksum is valid: it has an older schema, or was repaired by hand.
func (r *Row) Sound() error {
	r.summing = false
	if r.Null() {
		return nil
	}
	if kept := r.Integer(); r.err == nil && kept != r.content.Checksum() {
		r.err = fmt.Errorf("%w: its checksum does not match its content", storekit.ErrDamaged)
	}
	return r.err
}

// next moves to the next column, which has this type or is damaged.
func (r *Row) next(want sqlite.ColumnType) (column int, ok bool) {
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

// Integer reads the next column, as do the methods that follow.
func (r *Row) Integer() int64 {
	column, ok := r.next(sqlite.TypeInteger)
	if !ok {
		return 0
	}
	v := r.st.ColumnInt64(column)
	if r.summing {
		r.content = r.content.Integer(v)
	}
	return v
}

// Text reads a text.
func (r *Row) Text() string {
	column, ok := r.next(sqlite.TypeText)
	if !ok {
		return ""
	}
	v := r.st.ColumnText(column)
	if r.summing {
		r.content = r.content.Text(v)
	}
	return v
}

// Blob reads bytes.
func (r *Row) Blob() []byte {
	column, ok := r.next(sqlite.TypeBlob)
	if !ok {
		return nil
	}
	content := make([]byte, r.st.ColumnLen(column))
	r.st.ColumnBytes(column, content)
	if r.summing {
		r.content = r.content.Blob(content)
	}
	return content
}

// TextAt reads a text in any column, without moving on. That column is no part of the record.
func (r *Row) TextAt(column int) string { return r.st.ColumnText(column) }

// Instant reads Unix milliseconds.
func (r *Row) Instant() time.Time { return time.UnixMilli(r.Integer()).UTC() }

// Null skips the next column if it is NULL.
func (r *Row) Null() bool {
	if r.err != nil || r.st.ColumnType(r.at) != sqlite.TypeNull {
		return false
	}
	r.at++
	if r.summing {
		r.content = r.content.Null()
	}
	return true
}

// Optional reads a text whose name precedes it in the checksum. NULL, which is "", is not in the checksum.
func (r *Row) Optional() string {
	if r.err != nil || r.st.ColumnType(r.at) == sqlite.TypeNull {
		r.at++
		return ""
	}
	if r.summing {
		r.content = r.content.Text(r.st.ColumnName(r.at))
	}
	return there(r, r.Text())
}

// OptionalInteger is Optional for a number; NULL is 0.
func (r *Row) OptionalInteger() int64 {
	if r.err != nil || r.st.ColumnType(r.at) == sqlite.TypeNull {
		r.at++
		return 0
	}
	if r.summing {
		r.content = r.content.Text(r.st.ColumnName(r.at))
	}
	return there(r, r.Integer())
}

// Path reads the ids from the root down to one, as in "/1/2/". Successive rows often share them: they must not be
// changed.
func (r *Row) Path() []int64 {
	text := r.Text()
	if text == r.text && text != "" {
		return r.path
	}
	path := Parsed(r, text, pathOf)
	if r.err == nil {
		r.text, r.path = text, path
	}
	return path
}

func pathOf(stored string) ([]int64, error) {
	inner, rooted := strings.CutPrefix(stored, "/")
	inner, ended := strings.CutSuffix(inner, "/")
	if !rooted || !ended {
		return nil, fmt.Errorf("path %q", stored)
	}
	path := make([]int64, 0, 1+strings.Count(inner, "/"))
	for text := range strings.SplitSeq(inner, "/") {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || text[0] < '1' || text[0] > '9' { // an id has exactly one spelling
			return nil, fmt.Errorf("path %q: %w", stored, cmp.Or(err, ErrNotWritten))
		}
		path = append(path, id)
	}
	return path, nil
}

// ErrNotWritten reports that a text is valid, but not in the form that this program writes.
var ErrNotWritten = errors.New("this is not how it is written")

// First returns the first column, the id of most records, and does not move on.
func (r *Row) First() int64 { return r.st.ColumnInt64(0) }

// Last returns the last column, and does not move on.
func (r *Row) Last() int64 { return r.st.ColumnInt64(r.st.ColumnCount() - 1) }

// Err returns the first error of the columns that were read.
func (r *Row) Err() error { return r.err }

// RowOf returns the row of a statement that was prepared elsewhere.
func RowOf(st *sqlite.Stmt) *Row { return &Row{st: st} }

// IntegerOrNull reads a column of Arg IntegerOrNull: NULL is 0, and 0 itself is never stored.
func (r *Row) IntegerOrNull() int64 {
	if r.Null() {
		return 0
	}
	return there(r, r.Integer())
}

// TextOrNull reads a column of Arg TextOrNull.
func (r *Row) TextOrNull() string {
	if r.Null() {
		return ""
	}
	return there(r, r.Text())
}

// there returns the value of the column that was read last. It must not be the value that NULL represents.
func there[T comparable](r *Row, stored T) T {
	var none T
	if stored == none && r.err == nil {
		r.err = fmt.Errorf("%s: %w: %#v in place of NULL", r.st.ColumnName(r.at-1), storekit.ErrDamaged, stored)
	}
	return stored
}

// Parsed returns the parsed value of the column that was read last.
func Parsed[S, T any](r *Row, stored S, parse func(S) (T, error)) (said T) {
	if r.err != nil {
		return said
	}
	said, err := parse(stored)
	r.Check(err)
	return said
}

// Check reports an error in the column that was read last, unless an earlier one is damaged.
func (r *Row) Check(err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w: %w", r.st.ColumnName(r.at-1), storekit.ErrDamaged, err)
	}
}

// TruthOf returns the value that Truth stores as this number.
func TruthOf(stored int64) (bool, error) {
	if stored != 0 && stored != 1 {
		return false, fmt.Errorf("%d is neither true nor false", stored)
	}
	return stored == 1, nil
}
