// Package sheet writes and reads tables as CSV (RFC 4180) that spreadsheet programs open: UTF-8 with a byte order mark,
// a header, commas and CRLF. What Writer writes Reader gives back, for every valid UTF-8 text. encoding/csv would not:
// it makes a line feed of each CRLF within a cell.
//
// A spreadsheet program runs a cell that begins like a formula. Such a text gets one apostrophe in front, which the
// reader takes away, as does a text that begins with an apostrophe. Signs of full width begin a formula, too, and some
// programs drop what is not seen before a sign. A negative number is one, and can be summed up.
package sheet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxRow is the most bytes of a row that a Reader takes.
const MaxRow = 1 << 20

const (
	byteOrderMark = "\ufeff"
	signs         = "=+-@＝＋－＠" // of a formula
	quoted        = ",;\"\r\n" // what makes a cell quoted; a semicolon, so that no header seems to have two delimiters
)

// Guard makes a text one that no program takes for a formula.
func Guard(text string) string {
	if guarded(text) && !negative(text) {
		return "'" + text
	}
	return text
}

// guarded reports whether a text begins as no cell does, unless with an apostrophe in front.
func guarded(text string) bool {
	seen := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	first, _ := utf8.DecodeRuneInString(seen)
	return seen != "" && strings.ContainsRune(signs, first) || text != "" && strings.IndexByte("\t\r\n'", text[0]) >= 0
}

// negative reports whether a text is a minus sign, digits, and perhaps a point and further digits.
func negative(text string) bool {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return text[0] == '-' && digits(whole) && (!pointed || digits(fraction))
}

// unguard is the inverse of Guard, and leaves texts of other programs as they are.
func unguard(cell string) string {
	if rest, has := strings.CutPrefix(cell, "'"); has && guarded(rest) {
		return rest
	}
	return cell
}

// Writer writes a table.
type Writer struct {
	out     *bufio.Writer
	columns int
}

// NewWriter begins a table with its header, which reaches w with the rows, or by Flush.
func NewWriter(w io.Writer, header ...string) *Writer {
	t := &Writer{bufio.NewWriter(w), len(header)}
	_, _ = t.out.WriteString(byteOrderMark) // an error stays, and Flush returns it
	_ = t.Write(header)
	return t
}

// Write writes a row, which has a cell for each column.
func (t *Writer) Write(cells []string) error {
	if len(cells) != t.columns {
		return fmt.Errorf("a row of %d cells in a table of %d columns", len(cells), t.columns)
	}
	for i, cell := range cells {
		if i > 0 {
			_ = t.out.WriteByte(',')
		}
		cell = Guard(cell)
		blank := cell == "" && t.columns == 1 // without quotes it would be no row
		if blank || strings.ContainsAny(cell, quoted) || strings.TrimSpace(cell) != cell {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		_, _ = t.out.WriteString(cell)
	}
	_, err := t.out.WriteString("\r\n")
	return err
}

// Flush writes what was held back, and returns the first error of all writing.
func (t *Writer) Flush() error { return t.out.Flush() }

// Error says what is wrong with a row of a table that is read.
type Error struct {
	Row     int // as Reader.Row counts
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("row %d %s", e.Row, e.Problem) }

// Reader reads a table, also one of other programs: with or without a byte order mark, lines that end with CRLF, LF or
// CR, and semicolons in place of commas, if the header has more of them. Blank lines are no rows, but count.
type Reader struct {
	in        *bufio.Reader
	delimiter byte
	header    []string
	row, next int
}

// NewReader reads the header, whose names differ. It returns an *Error if it can't, and other errors as r returns them.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{in: bufio.NewReader(r), next: 1}
	if mark, _ := t.in.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = t.in.Discard(len(byteOrderMark))
	}
	line, err := t.line()
	if errors.Is(err, io.EOF) {
		return nil, &Error{1, "is missing: a table begins with the names of its columns."}
	}
	if err != nil {
		return nil, err
	}
	commas, semicolons := unquoted(line, ','), unquoted(line, ';')
	if t.delimiter = ','; semicolons > commas {
		t.delimiter = ';'
	}
	if t.header, err = t.cells(line); err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(t.header))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return nil, t.wrong("has two columns named %q.", sorted[i])
		}
	}
	return t, nil
}

// Header returns the names of the columns.
func (t *Reader) Header() []string { return t.header }

// Row returns the number of the row that was read last, as spreadsheet programs number them: the header is row 1.
func (t *Reader) Row() int { return t.row }

// Read returns the next row, a cell for each column, or io.EOF. After an *Error, which names the row, there is no
// further one.
func (t *Reader) Read() ([]string, error) {
	line, err := t.line()
	if err != nil {
		return nil, err
	}
	cells, err := t.cells(line)
	if err == nil && len(cells) != len(t.header) {
		err = t.wrong("has %d cells, and the header %d.", len(cells), len(t.header))
	}
	return cells, err
}

func (t *Reader) wrong(problem string, args ...any) error {
	return &Error{t.row, fmt.Sprintf(problem, args...)}
}

// line returns the text of the next row that is not blank, without its end.
func (t *Reader) line() (string, error) {
	var text []byte
	within := false // quotes, each of which is or ends a pair
	for {
		c, err := t.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && len(text) > 0:
			if t.row, t.next = t.next, t.next+1; within {
				return "", t.wrong("has a quote that is not closed.")
			}
			return t.valid(text)
		case err != nil:
			return "", err
		case !within && (c == '\n' || c == '\r'):
			if after, _ := t.in.Peek(1); c == '\r' && string(after) == "\n" {
				_, _ = t.in.Discard(1)
			}
			if t.row, t.next = t.next, t.next+1; len(text) > 0 {
				return t.valid(text)
			}
			continue
		case c == '"':
			within = !within
		}
		if text = append(text, c); len(text) > MaxRow {
			t.row = t.next
			return "", t.wrong("is longer than %d bytes.", MaxRow)
		}
	}
}

func (t *Reader) valid(text []byte) (string, error) {
	if !utf8.Valid(text) {
		return "", t.wrong("is not UTF-8: save the table as CSV in UTF-8.")
	}
	return string(text), nil
}

// cells splits a row.
func (t *Reader) cells(line string) (cells []string, err error) {
	for {
		var cell string
		if strings.HasPrefix(line, `"`) {
			if cell, line, err = t.unquote(line[1:]); err != nil {
				return nil, err
			}
		} else {
			end := strings.IndexByte(line, t.delimiter)
			if end < 0 {
				end = len(line)
			}
			if cell, line = line[:end], line[end:]; strings.Contains(cell, `"`) {
				return nil, t.wrong("has a quote within a cell that does not begin with one.")
			}
		}
		cells = append(cells, unguard(cell))
		if line == "" {
			return cells, nil
		}
		line = line[1:] // the delimiter
	}
}

// unquote returns a cell, whose opening quote was read, and what follows it.
func (t *Reader) unquote(line string) (cell, rest string, err error) {
	var text strings.Builder
	for {
		part, after, _ := strings.Cut(line, `"`) // there is one: line has counted them
		text.WriteString(part)
		switch {
		case strings.HasPrefix(after, `"`):
			text.WriteByte('"')
			line = after[1:]
		case after == "" || after[0] == t.delimiter:
			return text.String(), after, nil
		default:
			return "", "", t.wrong("has a quoted cell that goes on after its last quote.")
		}
	}
}

// unquoted counts a delimiter outside of quotes.
func unquoted(line string, delimiter byte) (n int) {
	within := false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			within = !within
		case line[i] == delimiter && !within:
			n++
		}
	}
	return n
}
