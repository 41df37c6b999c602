package credit

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Price is a row of a price book with the terms of its plan: what a line costs, and what it then gets.
type Price struct {
	Plan    int64
	Book    int64 // account whose book has the row, 0 for the platform's
	Version int64 // of the book
	Credits Amount
	Period  Period
	Terms
}

// Terms are what a plan gives a line besides its period. The zero value is the terms of a line without a plan.
type Terms struct {
	Connections int64 // devices at a time
	Packages    Packages
}

// Packages are names with a comma between them, "" for every package.
type Packages string

// Names returns the names, nil for every package.
func (p Packages) Names() []string {
	if p == "" {
		return nil
	}
	return strings.Split(string(p), ",")
}

// The units of a period.
const (
	Day   = "day"
	Month = "month"
)

// Limits of a period: 10 years.
const (
	MaxDays   = 3660
	MaxMonths = 120
)

// Period is a length of service: calendar months, or days of 24 hours.
type Period struct{ months, days int }

// NewPeriod returns a period of a number of days or months, and false if it is not one of 1 day to 10 years.
func NewPeriod(count int64, unit string) (Period, bool) {
	switch {
	case unit == Day && count >= 1 && count <= MaxDays:
		return Period{days: int(count)}, true
	case unit == Month && count >= 1 && count <= MaxMonths:
		return Period{months: int(count)}, true
	}
	return Period{}, false
}

// Years returns a period of calendar years.
func Years(n int) Period { return Period{months: 12 * n} }

// Unit returns Day or Month.
func (p Period) Unit() string {
	if p.months > 0 {
		return Month
	}
	return Day
}

// Count returns the number of the period's units.
func (p Period) Count() int64 { return int64(max(p.months, p.days)) }

// Nominal returns the length of the period with months of 30 days.
func (p Period) Nominal() time.Duration { return time.Duration(30*p.months+p.days) * 24 * time.Hour }

// After returns the end of a period that starts at start. Months are calendar months in UTC. They end on the given day
// of the month, 0 for that of start. If the month has no such day, they end on its last day, and missing is the day;
// otherwise missing is 0. The time of day stays. 31 January and one month is 28 February, with 31 missing; that and one
// month, by day 31, is 31 March. time.AddDate would return 3 March. Days are 24 hours, whatever day is given.
func (p Period) After(start time.Time, day int64) (end time.Time, missing int64) {
	start = start.UTC()
	if p.months == 0 {
		return start.Add(time.Duration(p.days) * 24 * time.Hour), 0
	}
	year, month, on := start.Date()
	on = cmp.Or(int(day), on)
	// Day 0 of the following month is the last day of this month.
	lastDay := time.Date(year, month+time.Month(p.months)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	if on > lastDay {
		on, missing = lastDay, int64(on)
	}
	hour, minute, second := start.Clock()
	return time.Date(year, month+time.Month(p.months), on, hour, minute, second, start.Nanosecond(), time.UTC), missing
}

// String returns the period in words: 15 days, 1 month.
func (p Period) String() string {
	switch {
	case p.months == 1:
		return "1 month"
	case p.days == 1:
		return "1 day"
	case p.months > 1:
		return fmt.Sprintf("%d months", p.months)
	default:
		return fmt.Sprintf("%d days", p.days)
	}
}
