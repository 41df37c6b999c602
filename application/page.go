package application

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"resellerd/domain/fault"
	"resellerd/ports"
)

// MostHeld is how many records a page holds at once, at most: a longer one is read in several parts. A search that
// finds less than it reads holds as many.
const MostHeld = 125

// Page is a part of a list.
type Page[T any] struct {
	Items []T
	Next  string         // cursor of the next page, "" if there is none
	After func(T) string // cursor of the page after an item, for callers that show fewer

	Damaged []int64 // ids of records of the page that can't be read, and are left out
}

// ErrBadCursor refuses a text that is no cursor of an order.
var ErrBadCursor = fault.New(fault.Invalid, "bad-cursor", "This is not the next_cursor of an answer to the same query.")

// Order is the order of a list. A cursor is good in the order in which it was made and in no other.
type Order struct {
	name  string          // as cursors have it
	lines ports.LineOrder // that of a list of lines; the others are by id, or another number, alone
}

// The orders of lists.
var (
	ResellersByID = Order{name: "accounts"}
	LinesByID     = Order{name: "lines"}
	LinesByExpiry = Order{name: "expiry", lines: ports.LinesByExpiry}
	LinesByName   = Order{name: "names", lines: ports.LinesByName}
	NewestLines   = Order{name: "newest", lines: ports.NewestLines}
	LatestExpiry  = Order{name: "latest", lines: ports.LatestExpiry}
	NewestEntries = Order{name: "entries"}
	NewestJobs    = Order{name: "jobs"}
	ResultsByPart = Order{name: "results"}
)

// Cursor is a position in an order. The zero value is its beginning.
type Cursor struct{ at ports.LineCursor }

// cursorEnd closes a cursor, so that a truncated or extended one is not read as another.
const cursorEnd = "."

// numbered is the position of an id, or another number, as callers carry it.
func (o Order) numbered(id int64) string { return o.cursor(ports.LineCursor{ID: id}) }

// cursor is a position as callers carry it.
func (o Order) cursor(at ports.LineCursor) string {
	text := o.name + " "
	if o.lines.ByExpiry() {
		text += strconv.FormatInt(at.ExpiresAt.UnixMilli(), 10) + " "
	}
	text += strconv.FormatInt(at.ID, 10)
	if o.lines == ports.LinesByName {
		text += " " + at.Name
	}
	text += cursorEnd
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// after reads the cursor that a page begins after, nil for the beginning, or returns ErrBadCursor.
func (o Order) after(cursor *string) (ports.LineCursor, error) {
	if cursor == nil {
		return ports.LineCursor{}, nil
	}
	c, err := o.Parse(*cursor)
	return c.at, err
}

// Parse reads a cursor of this order, or returns ErrBadCursor. Each position has one text and no other.
func (o Order) Parse(cursor string) (c Cursor, err error) {
	decoded, bad := base64.RawURLEncoding.Strict().DecodeString(cursor)
	text, ended := strings.CutSuffix(string(decoded), cursorEnd)
	text, named := strings.CutPrefix(text, o.name+" ")
	if o.lines.ByExpiry() {
		var expires string
		expires, text, _ = strings.Cut(text, " ")
		milliseconds, wrong := strconv.ParseInt(expires, 10, 64)
		bad, c.at.ExpiresAt = errors.Join(bad, wrong), time.UnixMilli(milliseconds).UTC()
	}
	if o.lines == ports.LinesByName {
		text, c.at.Name, _ = strings.Cut(text, " ")
	}
	id, wrong := strconv.ParseInt(text, 10, 64)
	if errors.Join(bad, wrong) != nil || !ended || !named || !utf8.ValidString(c.at.Name) {
		return Cursor{}, ErrBadCursor
	}
	if c.at.ID = id; o.cursor(c.at) != cursor {
		return Cursor{}, ErrBadCursor
	}
	return c, nil
}
