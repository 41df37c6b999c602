// Package sheet writes and reads tables as CSV (RFC 4180) that spreadsheet programs open: UTF-8 with a byte order mark,
// a header, commas and CRLF. What Writer writes Reader gives back, for every valid UTF-8 text whose lines end with LF.
//
// A spreadsheet program runs a cell that begins like a formula. Such a text gets one apostrophe in front, which the
// reader takes away, as does a text that begins with an apostrophe. Signs of full width begin a formula, too, and some
// programs drop what is not seen before a sign. A negative number is one, and can be summed up. The apostrophe also
// keeps what such a program would change, such as digits after a zero (altered.go).
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
	quoted        = ",;|\t\"\r\n" // what makes a cell quoted: also what separates cells in other tables
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
	return seen != "" && strings.ContainsRune(signs, first) || text != "" && strings.IndexByte("\t\r\n'", text[0]) >= 0 ||
		changes(text)
}

// negative reports whether a text is a minus sign, digits, and perhaps a point and further digits.
func negative(text string) bool {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return text[0] == '-' && digits(whole) && (!pointed || digits(fraction))
}

// unguard is the inverse of Guard, and leaves texts of other programs as they are. It takes the apostrophe of digits,
// too, with which people keep their zeros.
func unguard(cell string) string {
	if rest, has := strings.CutPrefix(cell, "'"); has && (guarded(rest) || digits(rest)) {
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
		if strings.ContainsAny(cell, quoted) || strings.TrimSpace(cell) != cell {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		_, _ = t.out.WriteString(cell)
	}
	_, err := t.out.WriteString("\r\n")
	return err
}

// Flush writes what was held back, and returns the first error of all writing.
func (t *Writer) Flush() error { return t.out.Flush() }
