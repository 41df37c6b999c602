// Package sheet implements tables as CSV (RFC 4180) that spreadsheet programs open: UTF-8 with a byte order mark, a
// header, commas or semicolons, and CRLF. Reader returns each text that Writer has written, if it is valid UTF-8 and
// its lines end with LF.
//
// A spreadsheet program runs a cell that begins like a formula. Writer puts an apostrophe in front of such a text, and
// of a text that begins with an apostrophe. Reader removes it. A formula can also begin with a full-width sign, or with
// invisible characters before a sign. A negative number gets no apostrophe, so that it can be summed up. A text that a
// spreadsheet program would change, such as digits after a zero, gets an apostrophe as well (altered.go).
package sheet

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	byteOrderMark = "\ufeff"
	signs         = "=+-@＝＋－＠"    // of a formula
	quoted        = ",;|\t\"\r\n" // characters of a quoted cell, with the separators of other tables
)

// Guard returns a text that no spreadsheet program runs as a formula.
func Guard(text string) string {
	return guard(text, ".")
}

// guard is Guard where numbers have this decimal sign.
func guard(text, point string) string {
	if guarded(text) && !negative(text, point) {
		return "'" + text
	}
	return text
}

// guarded reports whether a text needs an apostrophe in front.
func guarded(text string) bool {
	seen := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	first, _ := utf8.DecodeRuneInString(seen)
	return seen != "" && strings.ContainsRune(signs, first) || text != "" && strings.IndexByte("\t\r\n'", text[0]) >= 0 ||
		changes(text)
}

// negative reports whether a text is a minus sign, digits, and perhaps a decimal sign and further digits.
func negative(text, point string) bool {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), point)
	return text[0] == '-' && digits(whole) && (!pointed || digits(fraction))
}

// unguard is the inverse of Guard, and returns texts of other programs unchanged. It also removes an apostrophe before
// digits, which users of spreadsheets write to keep zeros.
func unguard(cell string) string {
	if rest, has := strings.CutPrefix(cell, "'"); has && (guarded(rest) || digits(rest)) {
		return rest
	}
	return cell
}

// Writer writes a table.
type Writer struct {
	out       *bufio.Writer
	columns   int
	separator byte
	point     string // before decimals
	quoted    string // characters of a quoted cell
}

// NewWriter begins a table with its header. The header reaches w with later rows, or at Flush.
func NewWriter(w io.Writer, header ...string) *Writer {
	return withHeader(&Writer{bufio.NewWriter(w), len(header), ',', ".", quoted}, header)
}

// NewCommaWriter is NewWriter for languages in which decimals have a comma: a semicolon separates cells.
func NewCommaWriter(w io.Writer, header ...string) *Writer {
	return withHeader(&Writer{bufio.NewWriter(w), len(header), ';', ",", strings.TrimPrefix(quoted, ",")}, header)
}

func withHeader(t *Writer, header []string) *Writer {
	_, _ = t.out.WriteString(byteOrderMark) // Flush returns an error
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
			_ = t.out.WriteByte(t.separator)
		}
		cell = guard(cell, t.point)
		if strings.ContainsAny(cell, t.quoted) || strings.TrimSpace(cell) != cell {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		_, _ = t.out.WriteString(cell)
	}
	_, err := t.out.WriteString("\r\n")
	return err
}

// Flush writes the buffered rows, and returns the first error of all writing.
func (t *Writer) Flush() error { return t.out.Flush() }
