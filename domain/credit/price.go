package credit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"resellerd/domain/fault"
)

// ErrUnknownPrice refuses a number of credits that is not in the price table.
var ErrUnknownPrice = fault.New(fault.Invalid, "unknown-price", "No period is sold for this number of credits.")

// Price is an entry of the price table: credits and the period that they buy. Only ParsePrice and Prices return one, so
// every Price is in the table.
type Price struct {
	credits Amount
	period  Period
}

// Credits returns the cost of the period.
func (p Price) Credits() Amount { return p.credits }

// Period returns the period that the credits buy.
func (p Price) Period() Period { return p.period }

var prices = []Price{
	{ofUnits(5_000), Period{days: 15}},
	{ofUnits(10_000), Period{months: 1}},
	{ofUnits(20_000), Period{months: 2}},
	{ofUnits(30_000), Period{months: 3}},
	{ofUnits(50_000), Period{days: 180}},
	{ofUnits(100_000), Period{days: 360}},
}

// Prices returns the price table, cheapest first.
func Prices() []Price { return slices.Clone(prices) }

// ParsePrice finds the price for a number of credits. A text that is not a number is ErrNotANumber; any other number is
// ErrUnknownPrice.
func ParsePrice(text string) (Price, error) {
	credits, err := Parse(text)
	if errors.Is(err, ErrNotANumber) {
		return Price{}, err
	}
	if err == nil {
		for _, p := range prices {
			if p.credits.Equal(credits) {
				return p, nil
			}
		}
	}
	var sold []string
	for _, p := range prices {
		sold = append(sold, p.credits.String())
	}
	return Price{}, ErrUnknownPrice.WithDetail("No period is sold for this number of credits; prices are %s.",
		strings.Join(sold, ", "))
}

// Period is a length of service: calendar months, or days of 24 hours.
type Period struct{ months, days int }

// Years returns a period of calendar years.
func Years(n int) Period { return Period{months: 12 * n} }

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

// String returns the period as the price table words it: 15 days, 1 month.
func (p Period) String() string {
	switch {
	case p.months == 1:
		return "1 month"
	case p.months > 1:
		return fmt.Sprintf("%d months", p.months)
	default:
		return fmt.Sprintf("%d days", p.days)
	}
}
