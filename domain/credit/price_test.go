package credit_test

import (
	"errors"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
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

func TestParsePrice(t *testing.T) {
	for text, want := range map[string]string{
		"0.5": "15 days", "0.50": "15 days", "5e-1": "15 days", "1": "1 month", "1.00000": "1 month",
		"2": "2 months", "3": "3 months", "5": "180 days", "10": "360 days", "1e1": "360 days",
	} {
		if p, err := credit.ParsePrice(text); err != nil || p.Period().String() != want {
			t.Errorf("%q: got %s, error %v, want %s", text, p.Period(), err, want)
		}
	}
	for text, want := range map[string]error{
		"0": credit.ErrUnknownPrice, "-0": credit.ErrUnknownPrice, "-1": credit.ErrUnknownPrice, "4": credit.ErrUnknownPrice,
		"0.5001": credit.ErrUnknownPrice, "0.50001": credit.ErrUnknownPrice, "1e999999999": credit.ErrUnknownPrice,
		"": credit.ErrNotANumber, "1.": credit.ErrNotANumber, "+1": credit.ErrNotANumber, "one": credit.ErrNotANumber,
	} {
		if p, err := credit.ParsePrice(text); !errors.Is(err, want) || p != (credit.Price{}) {
			t.Errorf("%q: got %s, error %v, want %v", text, p.Credits(), err, want)
		}
	}
}

func TestMonthsAreCalendarMonths(t *testing.T) {
	for _, c := range []struct{ credits, start, end string }{
		{"1", "2026-01-15T08:30:00.123Z", "2026-02-15T08:30:00.123Z"},
		{"1", "2026-01-28T23:59:59.999Z", "2026-02-28T23:59:59.999Z"},
		{"1", "2026-01-29T00:00:00Z", "2026-02-28T00:00:00Z"},
		{"1", "2026-01-31T12:00:00Z", "2026-02-28T12:00:00Z"},
		{"1", "2028-01-31T12:00:00Z", "2028-02-29T12:00:00Z"},
		{"1", "2028-02-29T12:00:00Z", "2028-03-29T12:00:00Z"},
		{"1", "2100-01-31T12:00:00Z", "2100-02-28T12:00:00Z"},
		{"1", "2000-01-31T12:00:00Z", "2000-02-29T12:00:00Z"},
		{"1", "2026-03-31T12:00:00Z", "2026-04-30T12:00:00Z"},
		{"1", "2026-12-31T12:00:00Z", "2027-01-31T12:00:00Z"},
		{"2", "2026-12-31T12:00:00Z", "2027-02-28T12:00:00Z"},
		{"2", "2027-12-31T12:00:00Z", "2028-02-29T12:00:00Z"},
		{"3", "2026-11-30T12:00:00Z", "2027-02-28T12:00:00Z"},
		{"3", "2027-11-30T12:00:00Z", "2028-02-29T12:00:00Z"},
		{"1", "2026-03-01T00:30:00+02:00", "2026-03-28T22:30:00Z"}, // 28 February in UTC
		{"0.5", "2026-02-20T12:00:00Z", "2026-03-07T12:00:00Z"},
		{"5", "2026-01-01T00:00:00Z", "2026-06-30T00:00:00Z"},
		{"10", "2027-03-01T00:00:00Z", "2028-02-24T00:00:00Z"},
	} {
		start, err := time.Parse(time.RFC3339, c.start)
		require.NoError(t, err)
		end, _ := fixture.Price(c.credits).Period().After(start, 0)
		expect.Equal(t, end.Format(time.RFC3339Nano), c.end, "%s credits from %s", c.credits, c.start)
	}
}

// TestMonthsKeepTheirDay ends months by the day that a shorter month lacked, and tells of the day that is lacking.
func TestMonthsKeepTheirDay(t *testing.T) {
	for _, c := range []struct {
		credits, start string
		day            int64
		end            string
		missing        int64
	}{
		{"1", "2027-01-31", 0, "2027-02-28", 31},
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
}
