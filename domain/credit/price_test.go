package credit_test

import (
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestPeriodHasACountOfAUnitUpToTenYears(t *testing.T) {
	for _, c := range []struct {
		count int64
		unit  string
		words string // "" where there is no such period
	}{
		{1, "day", "1 day"}, {15, "day", "15 days"}, {3660, "day", "3660 days"}, {1, "month", "1 month"},
		{120, "month", "120 months"}, {0, "day", ""}, {3661, "day", ""}, {0, "month", ""}, {-1, "month", ""},
		{121, "month", ""}, {1, "year", ""}, {1, "", ""},
	} {
		p, is := credit.NewPeriod(c.count, c.unit)
		expect.Equal(t, is, c.words != "", "%d %s is a period", c.count, c.unit)
		if is {
			expect.Equal(t, p.String(), c.words, "%d %s", c.count, c.unit)
			expect.Equal(t, p.Count(), c.count, "the count of %s", p)
			expect.Equal(t, p.Unit(), c.unit, "the unit of %s", p)
		}
	}
	month, _ := credit.NewPeriod(2, credit.Month)
	expect.Equal(t, month.Nominal(), 60*24*time.Hour, "two months as days")
}

// Months end on the day that a shorter month lacked. After returns that day for the shorter month.
func TestMonthsKeepTheirDay(t *testing.T) {
	for _, c := range []struct {
		credits, start string
		day            int64
		end            string
		missing        int64
	}{
		{"1", "2027-01-31", 0, "2027-02-28", 31},
		{"1", "2100-01-31", 0, "2100-02-28", 31},
		{"2", "2026-12-31", 0, "2027-02-28", 31},
		{"1", "2027-02-28", 31, "2027-03-31", 0},
		{"2", "2027-02-28", 31, "2027-04-30", 31},
		{"1", "2027-01-29", 0, "2027-02-28", 29},
		{"1", "2027-02-28", 29, "2027-03-29", 0},
		{"1", "2028-01-29", 0, "2028-02-29", 0},
		{"1", "2028-01-30", 0, "2028-02-29", 30},
		{"1", "2028-02-29", 30, "2028-03-30", 0},
		{"1", "2027-04-30", 31, "2027-05-31", 0},
		{"3", "2026-11-30", 31, "2027-02-28", 31},
		{"1", "2027-02-28", 0, "2027-03-28", 0},
		{"0.5", "2027-02-28", 31, "2027-03-15", 0},
		{"5", "2027-02-28", 31, "2027-08-27", 0},
	} {
		end, missing := fixture.Price(c.credits).Period.After(fixture.Time(c.start+"T12:00:00Z"), c.day)
		expect.Equal(t, end.Format(time.DateOnly), c.end, "%s credits, %s, day %d: until", c.credits, c.start, c.day)
		expect.Equal(t, missing, c.missing, "%s credits, %s, day %d: missing", c.credits, c.start, c.day)
	}
	east := time.Date(2026, 3, 1, 0, 30, 0, 0, time.FixedZone("east", 2*3600)) // 28 February in UTC
	end, _ := fixture.Price("1").Period.After(east, 0)
	expect.Equal(t, end.Format(time.RFC3339), "2026-03-28T22:30:00Z", "a month from %s", east)
}
