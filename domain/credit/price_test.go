package credit_test

import (
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestPriceTableIsTheContracts(t *testing.T) {
	want := []struct{ credits, period string }{
		{"0.5", "15 days"},
		{"1", "1 month"},
		{"2", "2 months"},
		{"3", "3 months"},
		{"5", "180 days"},
		{"10", "360 days"},
	}
	prices := credit.Prices()
	if len(prices) != len(want) {
		t.Fatalf("got %d prices, want %d", len(prices), len(want))
	}
	for i, p := range prices {
		expect.Equal(t, p.Credits().String(), want[i].credits, "price %d", i)
		expect.Equal(t, p.Period().String(), want[i].period, "price %d", i)
	}
	prices[0] = prices[5]
	expect.Equal(t, credit.Prices()[0].Credits().String(), "0.5", "a caller changed the table")
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
		end, missing := fixture.Price(c.credits).Period().After(fixture.Time(c.start+"T12:00:00Z"), c.day)
		expect.Equal(t, end.Format(time.DateOnly), c.end, "%s credits, %s, day %d: until", c.credits, c.start, c.day)
		expect.Equal(t, missing, c.missing, "%s credits, %s, day %d: missing", c.credits, c.start, c.day)
	}
	east := time.Date(2026, 3, 1, 0, 30, 0, 0, time.FixedZone("east", 2*3600)) // 28 February in UTC
	end, _ := fixture.Price("1").Period().After(east, 0)
	expect.Equal(t, end.Format(time.RFC3339), "2026-03-28T22:30:00Z", "a month from %s", east)
}
