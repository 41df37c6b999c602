// Package panels reads the customers of other panels from their SQLite databases. It only reads, and returns names and
// passwords unchanged: the service checks them.
package panels

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"resellerd/domain/line"
)

// Options are the operator's choices for a file.
type Options struct {
	Prefix    string // of external ids, in place of the panel's own
	Protocol  string // goes first if a customer has several
	PlainKeys bool   // a Marzneshin whose AUTH_GENERATION_ALGORITHM is plain
}

// File has the customers of a database.
type File struct {
	Panel     string     // with its version
	Customers []Customer // all customers of the file
}

// Customer is a user or client of a panel. Its metadata have no secret.
type Customer struct {
	At         string // position in the file, such as "user 12"
	ExternalID string // the same in every copy of the database
	Username   string
	Password   string        // "" without a password that can be moved
	Expires    time.Time     // zero without a fixed expiry
	Lasts      time.Duration // from a first use in the future; 0 without Expires is for ever
	Until      time.Time     // latest end, even if Lasts is longer; zero is never
	Suspended  bool
	Notes      string
	Telegram   string
	Metadata   map[string]string // other values that fit into a line

	Code, Detail string // reason not to import the customer, "" for none
	As           string // At of an earlier entry for the same customer: no second line is needed
}

// LeftOut is the code of a customer for whom the panel has no service.
const LeftOut = "left-out"

// Reasons not to import a customer. Statements have the codes settings-unreadable and status-unknown as well.
const (
	codeExpiry   = "expiry-out-of-range"
	codeRepeated = "client-repeated"
)

// Read reads every customer of a panel in a database. A customer that is disabled, or has used up its traffic, is
// suspended. Several clients of a customer are one customer. A client with other dates than the first is refused. A
// fault of the whole file is the error, and a fault of a customer is its Code.
func Read(ctx context.Context, file string, o Options) (File, error) {
	var f File
	err := read(ctx, file, func(d database) error {
		v, err := d.version()
		if err != nil {
			return err
		}
		if err := d.define(o.functions()); err != nil {
			return err
		}
		f = File{Panel: v.panel}
		count, err := d.measure(v)
		if err != nil {
			return err
		}
		r := reading{File: &f, options: o, prefix: v.prefix, ids: map[string]int{}, people: map[string]int{}}
		if o.Prefix != "" {
			r.prefix = o.Prefix
		}
		if err := d.each(v.statement(".sql"), func(st *sqlite.Stmt) error {
			r.add(st)
			return nil
		}); err != nil {
			return err
		}
		if len(f.Customers) != count {
			return fmt.Errorf("it has %d customers, and %d could be read: this is a fault of this program", count,
				len(f.Customers))
		}
		return nil
	})
	return f, err
}

// reading gathers the customers of a file.
type reading struct {
	*File

	options     Options
	prefix      string
	ids, people map[string]int // index of the first customer by external id, and by person
}

// add adds the customer in a row.
func (r *reading) add(st *sqlite.Stmt) {
	c := Customer{
		At: st.GetText("row"), ExternalID: r.prefix + "-" + st.GetText("id"), Username: st.GetText("username"),
		Password:  st.GetText("password"),
		Suspended: st.GetText("suspended") == "1", Notes: strings.ReplaceAll(st.GetText("notes"), "\r\n", "\n"),
		Telegram: st.GetText("telegram"),
		Code:     st.GetText("code"),
	}
	if c.Code != "" {
		c.Detail = st.GetText("why")
	}
	c.dates(st)
	if c.Password != "" {
		c.keep("password_of", st.GetText("password_of"))
	}
	c.keep("inbounds", st.GetText("inbounds"))
	metadata, _ := object([]byte(st.GetText("metadata")))
	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		c.keep(name, metadata[name])
	}
	if c.Code != LeftOut {
		r.merge(&c, st.GetText("person"))
	}
	r.Customers = append(r.Customers, c)
}

// merge sets As of a customer that repeats an earlier one with the same dates, and adds its values to the earlier one.
func (r *reading) merge(c *Customer, person string) {
	of, again := r.ids[c.ExternalID]
	if !again && person != "" {
		of, again = r.people[person]
	}
	if !again {
		of = len(r.Customers)
		r.ids[c.ExternalID] = of
		if person != "" {
			r.people[person] = of
		}
		return
	}
	first := &r.Customers[of]
	if !first.Expires.Equal(c.Expires) || first.Lasts != c.Lasts || !first.Until.Equal(c.Until) {
		c.refuse(codeRepeated, "The client has another expiry than "+first.At+", whose name or subscription it has.")
	}
	if c.Code != "" {
		return
	}
	c.As = first.At
	if of, has := c.Metadata["password_of"]; has &&
		(first.Password == "" || r.options.preference(of) < r.options.preference(first.Metadata["password_of"])) {
		first.Password = c.Password
		for _, name := range []string{"password_of", "flow", "method", "security"} {
			delete(first.Metadata, name)
			first.keep(name, c.Metadata[name])
		}
	}
	first.Suspended = first.Suspended && c.Suspended
	if !first.Suspended {
		delete(first.Metadata, "status")
	}
	if more := c.Metadata["inbounds"]; more != "" {
		all := first.Metadata["inbounds"] + "," + more
		delete(first.Metadata, "inbounds")
		first.keep("inbounds", all)
	}
}

func (c *Customer) refuse(code, detail string) {
	if c.Code == "" {
		c.Code, c.Detail = code, detail
	}
}

// unit is the unit of the numbers in a column of dates.
type unit struct {
	column string // end of the names of such columns
	name   string
	is     time.Duration
	least  time.Duration // shortest plausible time of a customer: a smaller number is in another unit
}

// units are the units of columns. others are those in which a number may be by mistake.
var (
	units  = []unit{{"_s", "seconds", time.Second, time.Second}, {"_ms", "milliseconds", time.Millisecond, 24 * time.Hour}}
	others = append(slices.Clone(units), unit{name: "microseconds", is: time.Microsecond},
		unit{name: "nanoseconds", is: time.Nanosecond})
)

// Bounds of dates. No panel is older than the first one, and few customers have an end after the second.
var (
	earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	likely   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// mostLasting is the longest time of a customer from the first use on.
const mostLasting = 10 * 366 * 24 * time.Hour

// at returns the instant of a number of units.
func (u unit) at(n int64) time.Time {
	each := int64(time.Second / u.is)
	return time.Unix(n/each, n%each*int64(u.is)).UTC()
}

// within reports whether a number of units is between bounds.
func (u unit) within(n int64, least time.Duration) bool {
	return n >= int64(least/u.is) && n <= int64(mostLasting/u.is)
}

// dates sets the dates of a customer. The end of an inbound applies to all of its customers.
func (c *Customer) dates(st *sqlite.Stmt) {
	if has(st, "expires_at") {
		c.Expires = c.date(st.GetText("expires_at"))
	}
	for _, u := range units {
		if has(st, "expires"+u.column) {
			c.Expires = c.instant("The expiry", st.GetText("expires"+u.column), u)
		}
		if has(st, "until"+u.column) {
			c.Until = c.instant("The expiry of its inbound", st.GetText("until"+u.column), u)
		}
		if has(st, "lasts"+u.column) {
			c.Lasts = c.time(st.GetText("lasts"+u.column), u)
		}
	}
	if !c.Until.IsZero() && c.Lasts == 0 {
		if c.Expires.IsZero() || c.Until.Before(c.Expires) {
			c.Expires = c.Until
		}
		c.Until = time.Time{}
	}
}

// instant returns the instant of a number of units, zero for an empty text or 0.
func (c *Customer) instant(what, written string, u unit) time.Time {
	n, is := whole(written)
	if is && n == 0 {
		return time.Time{}
	}
	if at := u.at(n); is && !at.Before(earliest) && at.Before(latest) {
		return at
	}
	c.refuse(codeExpiry, what+", "+strconv.Quote(written)+", is no number of "+u.name+
		" between the years 2000 and 9999, which the panel writes."+meant(written, u))
	return time.Time{}
}

// time returns the duration of a number of units.
func (c *Customer) time(written string, u unit) time.Duration {
	n, is := whole(written)
	if is && u.within(n, u.least) {
		return time.Duration(n) * u.is
	}
	hint := ""
	for _, other := range others {
		if is && hint == "" && other.name != u.name && other.within(n, 24*time.Hour) {
			hint = fmt.Sprintf(" As a number of %s it is %d days.", other.name, time.Duration(n)*other.is/(24*time.Hour))
		}
	}
	c.refuse(codeExpiry,
		fmt.Sprintf(
			"The time from the first use on, %q, is no number of %s between %v and 10 years, which the panel writes.%s", written,
			u.name, u.least, hint))
	return 0
}

// date returns the instant of a text in UTC, as SQLAlchemy writes it.
func (c *Customer) date(written string) time.Time {
	// with or without a fraction
	for _, layout := range []string{time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", time.RFC3339} {
		if at, err := time.Parse(layout, written); err == nil && !at.Before(earliest) {
			return at.UTC().Truncate(time.Millisecond)
		}
	}
	c.refuse(codeExpiry, "The expiry, "+strconv.Quote(written)+
		", is no date from the year 2000 on such as 2027-01-31 18:00:00, which the panel writes."+meant(written, unit{}))
	return time.Time{}
}

// meant returns a sentence with the date that a number is in another unit, if it is likely.
func meant(written string, not unit) string {
	n, is := whole(written)
	for _, u := range others {
		if at := u.at(n); is && u.name != not.name && !at.Before(earliest) && at.Before(likely) {
			return " As a number of " + u.name + " it is " + at.Format(time.DateOnly) + "."
		}
	}
	return ""
}

// keep adds a member to the metadata, unless the name is taken, the value is empty, 0 or false, or there is no room.
func (c *Customer) keep(name, value string) {
	if _, there := c.Metadata[name]; there || value == "" || value == "0" || value == "false" {
		return
	}
	with := maps.Clone(c.Metadata)
	if with == nil {
		with = map[string]string{}
	}
	with[name] = value
	if _, err := line.ParseMetadata(with); err == nil {
		c.Metadata = with
	}
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

// plain returns the text in a JSON string, "" for null, and the JSON of other values.
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
