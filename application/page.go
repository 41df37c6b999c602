package application

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/fault"
	"resellerd/ports"
)

// Page is a part of a list.
type Page[T any] struct {
	Items []T
	Next  string         // cursor of the page that follows, "" where there is none
	After func(T) string // cursor of the page that follows an item, for who shows fewer
}

// ErrBadCursor refuses a text that is no cursor of an order.
var ErrBadCursor = fault.New(fault.Invalid, "bad-cursor", "This is not the next_cursor of an answer to the same query.")

// Order is the order of a list. A cursor is good in the order in which it was made
// and in no other.
type Order struct {
	name    string // as cursors have it
	numbers int    // that say where an item stands
}

// The orders of lists.
var (
	ResellersByID = Order{"accounts", 1}
	LinesByID     = Order{"lines", 1}
	LinesByExpiry = Order{"expiry", 2} // then by id
	NewestEntries = Order{"entries", 1}
)

// Cursor is a position in an order. The zero value is its beginning.
type Cursor struct{ numbers []int64 }

// cursorEnd closes a cursor, so that one that was cut or went on would not be read
// as another.
const cursorEnd = "."

// cursor is a position as callers carry it.
func (o Order) cursor(numbers ...int64) string {
	text := []byte(o.name)
	for _, n := range numbers {
		text = strconv.AppendInt(append(text, ' '), n, 10)
	}
	return base64.RawURLEncoding.EncodeToString(append(text, cursorEnd...))
}

// Parse reads a cursor of this order, or returns ErrBadCursor.
func (o Order) Parse(cursor string) (Cursor, error) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	text, ended := strings.CutSuffix(string(decoded), cursorEnd)
	fields := strings.Split(text, " ")
	if err != nil || !ended || len(fields) != o.numbers+1 || fields[0] != o.name {
		return Cursor{}, ErrBadCursor
	}
	numbers := make([]int64, o.numbers)
	for i, f := range fields[1:] {
		if numbers[i], err = strconv.ParseInt(f, 10, 64); err != nil {
			return Cursor{}, ErrBadCursor
		}
	}
	return Cursor{numbers}, nil
}

// number is the position in an order with one number, 0 at its beginning.
func (c Cursor) number() int64 {
	if c.numbers == nil {
		return 0
	}
	return c.numbers[0]
}

// line is the position in an order of lines.
func (c Cursor) line() ports.LineCursor {
	if len(c.numbers) == LinesByExpiry.numbers {
		return ports.LineCursor{ExpiresAt: time.UnixMilli(c.numbers[0]).UTC(), ID: c.numbers[1]}
	}
	return ports.LineCursor{ID: c.number()}
}

// lineCursor is a position among lines as callers carry it.
func (o Order) lineCursor(at ports.LineCursor) string {
	if o == LinesByExpiry {
		return o.cursor(at.ExpiresAt.UnixMilli(), at.ID)
	}
	return o.cursor(at.ID)
}
