// Package panels reads the customers of other panels out of their databases: Marzban's db.sqlite3 and 3x-ui's x-ui.db,
// both SQLite. It only reads, and decides nothing that a service decides: names and passwords are as they are there.
package panels

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"resellerd/domain/line"
)

// Customer is a user or client of a panel.
type Customer struct {
	At         string // where the file has it, such as "user 12"
	ExternalID string // the same for the same customer in every copy of the database
	Username   string
	Password   string        // "" where the panel has none
	Expires    time.Time     // zero where it is not at an instant
	Lasts      time.Duration // how long from the first use on, where that has not come; 0 without Expires is for ever
	Suspended  bool
	Notes      string
	Telegram   string
	Metadata   map[string]string // what a line takes of the rest

	Code, Detail string // why it can't be moved, "" where it can
	As           string // At of the customer that it repeats, so that it needs no line of its own
}

// Why a customer can't be moved.
const (
	codeSettings = "settings-unreadable"
	codeExpiry   = "expiry-out-of-range"
	codeStatus   = "status-unknown"
	codeRepeated = "client-repeated"
)

func (c *Customer) refuse(code, detail string) {
	if c.Code == "" {
		c.Code, c.Detail = code, detail
	}
}

// mostLasting is more than any line may last, and fits a time.Duration.
const mostLasting = 100 * 365 * 24 * time.Hour

// expires sets an instant, in units since 1970.
func (c *Customer) expires(at int64, unit time.Duration) {
	last := time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC).Unix() * int64(time.Second/unit)
	if at < 0 || at >= last {
		c.refuse(codeExpiry, "The expiry "+strconv.FormatInt(at, 10)+" is not between the years 1970 and 9999.")
		return
	}
	c.Expires = time.UnixMilli(at * int64(unit/time.Millisecond)).UTC()
}

// lasts sets a time from the first use on, in units.
func (c *Customer) lasts(units int64, unit time.Duration) {
	if units <= 0 || units > int64(mostLasting/unit) {
		c.refuse(codeExpiry, "The time from the first use on, "+strconv.FormatInt(units, 10)+", is not between nothing and 100 years.")
		return
	}
	c.Lasts = time.Duration(units) * unit
}

// keep adds a member to the metadata, unless there is one of the name, it says nothing, or it doesn't fit. It reports
// whether the metadata has this value under the name now.
func (c *Customer) keep(name, value string) bool {
	name = snake(name)
	if was, there := c.Metadata[name]; there || value == "" || value == "0" || value == "false" {
		return there && was == value
	}
	with := maps.Clone(c.Metadata)
	if with == nil {
		with = map[string]string{}
	}
	with[name] = value
	if _, err := line.ParseMetadata(with); err != nil {
		return false
	}
	c.Metadata = with
	return true
}

// snake writes a name as metadata have them: limitIp is limit_ip.
func snake(name string) string {
	var b strings.Builder
	low := false // what was written last is a small letter or a digit
	for _, r := range name {
		if unicode.IsUpper(r) && low {
			b.WriteByte('_')
		}
		low = unicode.IsLower(r) || unicode.IsDigit(r)
		if r = unicode.ToLower(r); r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = '_'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// object reads a JSON object: texts as they are, and other values as JSON.
func object(text []byte) (map[string]string, bool) {
	var raw map[string]json.RawMessage
	if json.Unmarshal(text, &raw) != nil || raw == nil {
		return nil, false
	}
	members := make(map[string]string, len(raw))
	for name, value := range raw {
		members[name] = plain(value)
	}
	return members, true
}

// plain returns the text in a JSON value, "" of null, and of other values the JSON.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil { // null leaves it empty
		return text
	}
	var short bytes.Buffer
	if json.Compact(&short, value) != nil {
		return ""
	}
	return short.String()
}

// whole reads a number of JSON that has no fraction; "" is 0.
func whole(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if n := int64(f); err == nil && f > -1e15 && f < 1e15 && float64(n) == f {
		return n, true
	}
	return 0, false
}

// lines returns notes with the line ends that a line's have.
func lines(notes string) string { return strings.ReplaceAll(notes, "\r\n", "\n") }

func sorted(members map[string]string) []string { return slices.Sorted(maps.Keys(members)) }
