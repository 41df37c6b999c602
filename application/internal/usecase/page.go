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

// MostHeld is the limit of records that a page has in memory at once: a longer one is read in several parts. The limit
// also holds for a search that finds less than it reads.
const MostHeld = 125

// Page is a part of a list in an order.
type Page[T any] = PageOf[T, Cursor]

// PageOf is a part of a list with its own type of cursors.
type PageOf[T, C any] struct {
	Items []T
	Next  *C        // of the next page, nil if there is none
	After func(T) C // cursor of the page after an item, for callers that show fewer items

	Damaged []int64 // ids of records of the page that can't be read, and are left out
}

// ErrBadCursor refuses a text that is not a cursor of an order.
var ErrBadCursor = fault.New(fault.Invalid, "bad-cursor", "This is not the next_cursor of an answer to the same query.")

// Order is the order of a list. A cursor is valid only in the order that produced it.
type Order struct {
	Name      string          // in cursors
	LineOrder ports.LineOrder // of a list of lines; other lists are ordered by id, or another number
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

	NewestVersions = Order{Name: "versions"}
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

// CursorEnd ends a cursor, so that a truncated or extended cursor is not read as another one.
const CursorEnd = "."

// NumberCursor returns the position of an id, or another number.
func (o Order) NumberCursor(id int64) Cursor { return Cursor{o, ports.LineCursor{ID: id}} }

// String returns the cursor in the form for callers.
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

// The limits of a page of a search, which no index helps. At a limit the page ends, with a cursor to continue. The
// records of a read and the records found before are at most MostHeld together.
const (
	maxSearched      = 5_000   // records
	maxSearchedBytes = 8 << 20 // of their texts; beyond it no further records are read
	leastSearched    = 25      // records of a read, at least
)

// Examined counts the records that a search has read.
type Examined struct {
	Records int
	Bytes   int  // of their texts
	Short   bool // the store has reached its limit for one read, and there are more
}

// FillPage adds the results of a search to a page, and sets page.Next to its position. Next returns the cursor of the
// position, nil at the end. Read reads at most so many of the following records, and adds results.
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
