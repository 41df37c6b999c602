package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
)

// Limits of a book.
const (
	MaxRows  = 50
	MaxAhead = 20 // versions that are not in force yet
)

// retained is how long a version stays in the book after another one has replaced it: longer than any command takes.
const retained = 10 * time.Minute

// The reasons for which changes of a book are refused.
var (
	ErrTooSoon = fault.New(fault.Invalid, "effective-too-soon",
		"Prices change at least 60 seconds ahead: leave this out for the earliest instant.")
	ErrTooManyVersions = fault.New(fault.Conflict, "too-many-versions",
		"At most 20 versions of a price book can be ahead.")
	ErrVersionInForce = fault.New(fault.Conflict, "version-in-force",
		"A version can be removed until 60 seconds before its instant.")
	ErrUnknownPlan = fault.New(fault.Invalid, "unknown-plan", "There is no plan with this id.")
	ErrTwice       = fault.New(fault.Invalid, "plan-twice", "A plan has one row.")
	ErrRows        = fault.New(fault.Invalid, "bad-rows", "A price book has 1 to 50 rows.")
)

// Row is the price of a plan.
type Row struct {
	Plan    int64
	Credits credit.Amount
}

// Version is a version of a book. It never changes.
type Version struct {
	Number      int64
	EffectiveAt time.Time // the zero value: from the beginning
	Rows        string    // "1=0.5 2=1": each plan with its price, by the plans' ids; "": the book above counts
	Note        string
	CreatedAt   time.Time
}

// Inherits reports whether the version makes the book above count.
func (v Version) Inherits() bool { return v.Rows == "" }

// Prices returns the rows of the version, by the plans' ids.
func (v Version) Prices() []Row {
	rows, _ := readRows(v.Rows)
	return rows
}

func writeRows(rows []Row) string {
	var text []byte
	for i, r := range rows {
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(strconv.AppendInt(text, r.Plan, 10), '=')
		text = append(text, r.Credits.String()...)
	}
	return string(text)
}

// readRows reports whether the text is one that writeRows returns for a book.
func readRows(text string) (rows []Row, ok bool) {
	for row := range strings.SplitSeq(text, " ") {
		id, credits, _ := strings.Cut(row, "=")
		n, wrong := strconv.ParseInt(id, 10, 64)
		amount, err := credit.ParsePositive(credits)
		if wrong != nil || err != nil || len(rows) > 0 && n <= rows[len(rows)-1].Plan {
			return nil, false
		}
		rows = append(rows, Row{n, amount})
	}
	return rows, len(rows) <= MaxRows && writeRows(rows) == text
}

// Order compares versions by their instants, then their numbers: the later one replaces the earlier one.
func Order(a, b Version) int {
	return cmp.Or(a.EffectiveAt.Compare(b.EffectiveAt), cmp.Compare(a.Number, b.Number))
}

// Book is the price book of the platform, or of a reseller and all accounts below it. It has the versions that are in
// force or ahead, and those that were replaced a short time ago, in their order. It is a value: a change is made to a
// copy.
type Book struct {
	Account  int64  // 0: the platform
	Path     string // of the account, by PathOf
	Last     int64  // the number that was assigned last
	Versions []Version
}

// PathOf returns the path of an account: all ids from the root down to its own, as "1/5/9/". The paths of accounts below
// begin with it. That of the platform is "".
func PathOf(ids []int64) string {
	var path []byte
	for _, id := range ids {
		path = append(strconv.AppendInt(path, id, 10), '/')
	}
	return string(path)
}

// Past is a version that left its book after another one had replaced it.
type Past struct {
	Account int64
	Version
}

// Key returns the key of the record.
func (p Past) Key() string {
	return strconv.FormatInt(p.Account, 10) + "/" + strconv.FormatInt(p.Number, 10)
}

// InForce returns the version at an instant, and false if the book has no version yet.
func (b Book) InForce(at time.Time) (Version, bool) {
	for _, v := range slices.Backward(b.Versions) {
		if !v.EffectiveAt.After(at) {
			return v, true
		}
	}
	return Version{}, false
}

// Newest returns the version with the highest number, the zero value if it was removed or has left the book.
func (b Book) Newest() (newest Version) {
	for _, v := range b.Versions {
		if v.Number == b.Last {
			newest = v
		}
	}
	return newest
}

// Ahead returns the versions that are not in force yet, in their order.
func (b Book) Ahead(now time.Time) []Version {
	at := slices.IndexFunc(b.Versions, func(v Version) bool { return v.EffectiveAt.After(now) })
	if at < 0 {
		return nil
	}
	return b.Versions[at:]
}

// Priced reports whether the book has prices now, or will have some.
func (b Book) Priced(now time.Time) bool {
	v, _ := b.InForce(now)
	return !v.Inherits() || slices.ContainsFunc(b.Ahead(now), func(v Version) bool { return !v.Inherits() })
}

// Next is a new version of a book. Without rows the book above counts.
type Next struct {
	EffectiveAt *time.Time // nil: as soon as possible
	Rows        []Row      // of different plans, in any order
	Note        string
}

// Put adds a version, and returns it with the versions that leave the book. Nothing changes, and it returns the newest
// version, if that has the same rows and instant, or if a book without prices is to inherit. Refusals: ErrTooSoon,
// ErrTooManyVersions.
func (b Book) Put(n Next, now time.Time) (is Book, added Version, left []Past, err error) {
	v := Version{EffectiveAt: now.Add(Lead), Note: n.Note, CreatedAt: now, Rows: writeRows(slices.SortedFunc(
		slices.Values(n.Rows), func(a, b Row) int { return cmp.Compare(a.Plan, b.Plan) }))}
	if n.EffectiveAt != nil {
		v.EffectiveAt = *n.EffectiveAt
	}
	newest := b.Newest()
	switch {
	case v.Rows == newest.Rows && newest.EffectiveAt.Equal(v.EffectiveAt), v.Inherits() && !b.Priced(now):
		return b, newest, nil, nil
	case v.EffectiveAt.Before(now.Add(Lead)):
		return b, Version{}, nil, ErrTooSoon
	case len(b.Ahead(now)) >= MaxAhead:
		return b, Version{}, nil, ErrTooManyVersions
	}
	b.Last++
	v.Number = b.Last
	at, _ := slices.BinarySearchFunc(b.Versions, v, Order)
	b.Versions = slices.Insert(slices.Clone(b.Versions), at, v)
	if was, has := b.InForce(now.Add(-retained)); has {
		replaced := slices.IndexFunc(b.Versions, func(v Version) bool { return v.Number == was.Number })
		for _, v := range b.Versions[:replaced] {
			left = append(left, Past{b.Account, v})
		}
		b.Versions = b.Versions[replaced:]
	}
	return b, v, left, nil
}

// Cancel removes a version that is not in force yet. Refusals: fault.ErrNotFound, ErrVersionInForce.
func (b Book) Cancel(number int64, now time.Time) (Book, Version, error) {
	at := slices.IndexFunc(b.Versions, func(v Version) bool { return v.Number == number })
	switch {
	case at < 0:
		return b, Version{}, fault.ErrNotFound
	case b.Versions[at].EffectiveAt.Before(now.Add(Lead)):
		return b, Version{}, ErrVersionInForce
	}
	v := b.Versions[at]
	b.Versions = slices.Delete(slices.Clone(b.Versions), at, at+1)
	return b, v, nil
}

// Possible reports whether the book is one that changes could have made.
func (b Book) Possible() bool {
	return b.Account >= 0 && slices.IsSortedFunc(b.Versions, Order) &&
		!slices.ContainsFunc(b.Versions, func(v Version) bool {
			return v.Number < 1 || v.Number > b.Last || !v.Possible() || b.Account == 0 && v.Inherits()
		})
}

// Possible reports whether its rows are in their stored form.
func (v Version) Possible() bool {
	_, ok := readRows(v.Rows)
	return ok || v.Inherits()
}
