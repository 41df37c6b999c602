package usecase

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

// Page is a part of a list in an order.
type Page[T any] = PageOf[T, Cursor]

// PageOf is a part of a list that has cursors of its own.
type PageOf[T, C any] struct {
	Items []T
	Next  *C        // of the next page, nil if there is none
	After func(T) C // cursor of the page after an item, for callers that show fewer

	Damaged []int64 // ids of records of the page that can't be read, and are left out
}

// ErrBadCursor refuses a text that is no cursor of an order.
var ErrBadCursor = fault.New(fault.Invalid, "bad-cursor", "This is not the next_cursor of an answer to the same query.")

// Order is the order of a list. A cursor is good in the order in which it was made and in no other.
type Order struct {
	Name      string          // as cursors have it
	LineOrder ports.LineOrder // that of a list of lines; the others are by id, or another number, alone
}

// The orders of lists.
var (
	ResellersByID = Order{Name: "accounts"}
	LinesByID     = Order{Name: "lines"}
	LinesByExpiry = Order{Name: "expiry", LineOrder: ports.LinesByExpiry}
	LinesByName   = Order{Name: "names", LineOrder: ports.LinesByName}
	NewestLines   = Order{Name: "newest", LineOrder: ports.NewestLines}
	LatestExpiry  = Order{Name: "latest", LineOrder: ports.LatestExpiry}
	NewestEntries = Order{Name: "entries"}
	NewestJobs    = Order{Name: "jobs"}
	ResultsByPart = Order{Name: "results"}
)

// Cursor is a position in an order.
type Cursor struct {
	Order Order
	At    ports.LineCursor
}

// Position returns the position of a cursor, nil for the beginning.
func (c *Cursor) Position() ports.LineCursor {
	if c == nil {
		return ports.LineCursor{}
	}
	return c.At
}

// CursorEnd closes a cursor, so that a truncated or extended one is not read as another.
const CursorEnd = "."

// NumberCursor is the position of an id, or another number.
func (o Order) NumberCursor(id int64) Cursor { return Cursor{o, ports.LineCursor{ID: id}} }

// String returns the cursor as callers carry it.
func (c Cursor) String() string {
	o, at := c.Order, c.At
	text := o.Name + " "
	if o.LineOrder.ByExpiry() {
		text += strconv.FormatInt(at.ExpiresAt.UnixMilli(), 10) + " "
	}
	text += strconv.FormatInt(at.ID, 10)
	if o.LineOrder == ports.LinesByName {
		text += " " + at.Name
	}
	text += CursorEnd
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// Parse reads a cursor of this order, or returns ErrBadCursor. Each position has one text and no other.
func (o Order) Parse(cursor string) (c Cursor, err error) {
	decoded, bad := base64.RawURLEncoding.Strict().DecodeString(cursor)
	text, ended := strings.CutSuffix(string(decoded), CursorEnd)
	text, named := strings.CutPrefix(text, o.Name+" ")
	if o.LineOrder.ByExpiry() {
		var expires string
		expires, text, _ = strings.Cut(text, " ")
		milliseconds, wrong := strconv.ParseInt(expires, 10, 64)
		bad, c.At.ExpiresAt = errors.Join(bad, wrong), time.UnixMilli(milliseconds).UTC()
	}
	if o.LineOrder == ports.LinesByName {
		text, c.At.Name, _ = strings.Cut(text, " ")
	}
	id, wrong := strconv.ParseInt(text, 10, 64)
	if errors.Join(bad, wrong) != nil || !ended || !named || !utf8.ValidString(c.At.Name) {
		return Cursor{}, ErrBadCursor
	}
	c.Order = o
	if c.At.ID = id; c.String() != cursor {
		return Cursor{}, ErrBadCursor
	}
	return c, nil
}

// What a page of a search examines, at most: no index helps it. It ends there, with the cursor of where it came to. The
// records of a read and those that were found before are MostHeld together.
const (
	maxSearched      = 5_000   // records
	maxSearchedBytes = 8 << 20 // of their texts, beyond which no further are read
	leastSearched    = 25      // records of a read, at least
)

// Examined is what a search has read.
type Examined struct {
	Records int
	Bytes   int  // of their texts
	Short   bool // the store has examined as much as it may at once, and there are more
}

// FillPage adds to a page what a search finds, and says in page.Next how far it has come. Next returns the cursor of
// that, nil at the end; read adds what is found among the following records, of which it reads so many, at most.
func FillPage[T any](page *Page[T], limit int, next func() *Cursor, read func(most int) (Examined, error)) error {
	most, sum := min(limit, MostHeld-leastSearched), Examined{}
	for page.Next = next(); page.Next != nil; page.Next = next() {
		if len(page.Items) == most || sum.Short || sum.Records >= maxSearched || sum.Bytes >= maxSearchedBytes {
			return nil
		}
		more, err := read(MostHeld - len(page.Items))
		if err != nil {
			return err
		}
		sum = Examined{sum.Records + more.Records, sum.Bytes + more.Bytes, more.Short}
		if len(page.Items) > most {
			clear(page.Items[most:])
			page.Items = page.Items[:most]
			page.Next = new(page.After(page.Items[most-1]))
			return nil
		}
	}
	return nil
}
