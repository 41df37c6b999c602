package sheet

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// MaxRow is the most bytes of a row that a Reader accepts.
const MaxRow = 1 << 20

// MaxColumns is the most columns of a table that a Reader accepts: each row has a cell for each.
const MaxColumns = 256

// mostAbove is the number of rows in which an error looks for the names of the columns.
const mostAbove = 10

// Error is a fault of a row of a table.
type Error struct {
	Row     int // numbered as by Reader.Row
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("row %d %s", e.Row, e.Problem) }

// Columns are the columns that a reader of a table looks for.
type Columns struct {
	Known    []string // in a header their case, spaces and underscores do not matter
	Required []string // of these
}

// Reader reads a table in the forms that spreadsheet programs save. It is UTF-8, or UTF-16 with a byte order mark.
// Lines end with CRLF, LF or CR, and each of these becomes LF within a cell. Cells are separated by commas, semicolons
// or tabs, whichever the header has most of, or by the character in a first line such as sep=;. Rows without text are
// skipped, but Row counts them. Missing cells at the end of a row are empty.
type Reader struct {
	in     *csv.Reader
	bound  *bound
	header []string
	row    int
	line   int         // at which the last row ended
	zeros  map[int]int // by columns: the most digits of a cell with a leading zero
	bare   []string    // the cells of the last row in the file
	rows   int
}

// Open reads a table to its end, so that an invalid table is refused as a whole, and returns a Reader from its first
// row on. It returns an *Error for an invalid table, and the errors of from.
func Open(from io.ReadSeeker, columns Columns) (*Reader, error) {
	t, err := begin(from, columns)
	rows := 0
	for ; err == nil; rows++ {
		_, err = t.Read()
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	again, err := begin(from, columns)
	if err == nil {
		again.zeros, again.rows = t.zeros, rows-1
	}
	return again, err
}

// begin reads the header.
func begin(from io.Reader, columns Columns) (*Reader, error) {
	decoded := transform.NewReader(from, transform.Chain(unicode.BOMOverride(transform.Nop), lineFeeds{}))
	text := bufio.NewReaderSize(decoded, 64<<10)
	start, err := text.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	delimiter, named := separator(string(start))
	if named {
		_, _ = text.Discard(len("sep=;\n"))
	}
	t := &Reader{bound: &bound{from: text}, zeros: map[int]int{}}
	t.in = csv.NewReader(t.bound)
	t.in.Comma, t.in.FieldsPerRecord = delimiter, -1
	cells, err := t.cells()
	if errors.Is(err, io.EOF) {
		return nil, &Error{1, "is missing: a table begins with the names of its columns."}
	}
	if err != nil {
		return nil, err
	}
	for i, cell := range cells {
		cells[i] = unguard(cell)
	}
	for t.header = cells; len(t.header) > 0 && t.header[len(t.header)-1] == ""; {
		t.header = t.header[:len(t.header)-1]
	}
	if len(t.header) > MaxColumns {
		return nil, t.wrong("has more than %d columns.", MaxColumns)
	}
	return t, t.name(columns)
}

// name replaces the names in the header with the known names.
func (t *Reader) name(columns Columns) error {
	found := columns.named(t.header)
	for i, name := range found {
		if slices.Contains(found[:i], name) && name != "" {
			return t.wrong("has two columns named %q.", name)
		}
	}
	lacking := slices.DeleteFunc(slices.Clone(columns.Required), func(name string) bool {
		return slices.Contains(found, name)
	})
	if len(lacking) == 0 {
		for i, name := range found {
			if name != "" {
				t.header[i] = name
			}
		}
		return nil
	}
	seen, at := shown(t.header), t.row
	for range mostAbove {
		cells, err := t.cells()
		if err != nil {
			break
		}
		if below := columns.named(cells); !slices.ContainsFunc(columns.Required, func(name string) bool {
			return !slices.Contains(below, name)
		}) {
			return &Error{at,
				fmt.Sprintf("is no header: it has %s. The names of the columns are in row %d: delete what is above them.",
					seen, t.row)}
		}
	}
	return &Error{at, fmt.Sprintf("has no column %s. It has %s.", strings.Join(lacking, ", "), seen)}
}

// named returns the known names of the cells of a header, "" for others.
func (c Columns) named(header []string) []string {
	known := map[string]string{}
	for _, name := range c.Known {
		known[letters(name)] = name
	}
	names := make([]string, len(header))
	for i, cell := range header {
		names[i] = known[letters(cell)]
	}
	return names
}

// letters returns the name of a column in lower case without spaces and underscores.
func letters(name string) string { return strings.ToLower(unspelled.Replace(name)) }

var unspelled = strings.NewReplacer(" ", "", "_", "", "\u00a0", "")

// shown lists the cells of a header for an error.
func shown(header []string) string {
	var quoted []string
	for i, cell := range header {
		if i == 20 {
			quoted = append(quoted, "...")
			break
		}
		quoted = append(quoted, fmt.Sprintf("%.40q", cell))
	}
	return strings.Join(quoted, ", ")
}

// Header returns the names of the columns.
func (t *Reader) Header() []string { return t.header }

// Rows returns the number of rows that Read returns.
func (t *Reader) Rows() int { return t.rows }

// Row returns the number of the last row that Read returned, as spreadsheet programs show it: the header is row 1.
func (t *Reader) Row() int { return t.row }

// Read returns the next row, a cell for each column, or io.EOF. An *Error names the row; there is no row after it.
func (t *Reader) Read() ([]string, error) {
	cells, err := t.cells()
	if err != nil {
		return nil, err
	}
	for len(cells) > len(t.header) && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) > len(t.header) {
		return nil, t.wrong("has %d cells, and the header %d.", len(cells), len(t.header))
	}
	cells = append(cells, make([]string, len(t.header)-len(cells))...)
	t.bare = append(t.bare[:0], cells...)
	for i, cell := range cells {
		if afterZero(cell) {
			t.zeros[i] = max(t.zeros[i], len(cell))
		}
		cells[i] = unguard(cell)
	}
	return cells, nil
}

// Altered returns a sentence if a spreadsheet program has visibly altered a cell of the last row, otherwise "". A cell
// that begins with an apostrophe is unaltered.
func (t *Reader) Altered(column int) string {
	cell := t.bare[column]
	switch most := t.zeros[column]; {
	case made(cell):
		return fmt.Sprintf(
			"A spreadsheet program wrote %s in place of the text that was here; write it again in a column of the format Text, "+
				"or with an apostrophe in front if it is meant.", cell)
	case digits(cell) && cell[0] != '0' && len(cell) < most:
		return fmt.Sprintf("Other cells of this column have %d digits and begin with 0, this one has %d: "+
			"a spreadsheet program may have dropped its zeros. Write it whole, or with an apostrophe in front if it is meant.",
			most, len(cell))
	}
	return ""
}

func (t *Reader) wrong(problem string, args ...any) error {
	return &Error{t.row, fmt.Sprintf(problem, args...)}
}

// cells returns the next row with a text.
func (t *Reader) cells() ([]string, error) {
	for {
		t.bound.left = MaxRow
		cells, err := t.in.Read()
		wrong, is := errors.AsType[*csv.ParseError](err)
		switch {
		case is:
			t.row += wrong.StartLine - t.line
			return nil, t.wrong("%s", problemOf(wrong))
		case errors.Is(err, errTooLong):
			t.row++
			return nil, t.wrong("is longer than %d bytes.", MaxRow)
		case err != nil:
			return nil, err
		}
		first, _ := t.in.FieldPos(0)
		last, _ := t.in.FieldPos(len(cells) - 1)
		t.row += first - t.line // with blank lines, which encoding/csv skips
		t.line = last + strings.Count(cells[len(cells)-1], "\n")
		for _, cell := range cells {
			if !utf8.ValidString(cell) || strings.ContainsRune(cell, 0) { // as in UTF-16 without a mark
				return nil, t.wrong("is not UTF-8: save the table as CSV in UTF-8.")
			}
		}
		if strings.Join(cells, "") != "" {
			return cells, nil
		}
	}
}

func problemOf(err *csv.ParseError) string {
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return "has a quote within a cell that does not begin with one."
	default:
		return "has a quote that is not closed, or a quoted cell that goes on after its last quote."
	}
}

// separator returns the separator of cells, and whether a first line names it.
func separator(text string) (delimiter rune, named bool) {
	if rest, has := strings.CutPrefix(text, "sep="); has && len(rest) > 1 && rest[1] == '\n' &&
		strings.ContainsRune(",;\t|", rune(rest[0])) {
		return rune(rest[0]), true
	}
	most := map[rune]int{}
	within := false // within quotes
	for _, c := range strings.TrimLeft(text, "\n") {
		if c == '\n' && !within {
			break
		}
		if within = within != (c == '"'); !within {
			most[c]++
		}
	}
	delimiter = ','
	for _, c := range ";\t" {
		if most[c] > most[delimiter] {
			delimiter = c
		}
	}
	return delimiter, false
}

// lineFeeds replaces each CRLF and CR with LF.
type lineFeeds struct{ transform.NopResetter }

// Transform implements transform.Transformer.
func (lineFeeds) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for ; nSrc < len(src); nSrc++ {
		if nDst == len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		dst[nDst] = src[nSrc]
		if src[nSrc] == '\r' {
			if nSrc+1 == len(src) && !atEOF {
				return nDst, nSrc, transform.ErrShortSrc
			}
			if dst[nDst] = '\n'; nSrc+1 < len(src) && src[nSrc+1] == '\n' {
				nSrc++
			}
		}
		nDst++
	}
	return nDst, nSrc, nil
}

var errTooLong = errors.New("too long")

// bound returns an error after a number of bytes.
type bound struct {
	from io.Reader
	left int
}

func (b *bound) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
