package credit_test

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

func FuzzParsePositive(f *testing.F) {
	for _, text := range []string{"0.5", "0.50", "5e-1", "1", "2.0000", "3", "5", "10", "1e1", "10.00001", "0.5001", "0",
		"-0", "0.0000", "0.0001", "-1", "4", "1e-5", "1e9", "1e10", "x", "", "1.", "+1", "NaN", "1e999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		units, ok := oracle(text)
		positive, err := credit.ParsePositive(text)
		if want := ok && units.Sign() > 0; (err == nil) != want || err == nil &&
			units.Cmp(big.NewInt(positive.Units())) != 0 {
			t.Fatalf("%q: %s, error %v, more than nothing: %t", text, positive, err, want)
		}
		expect.Equal(t, errors.Is(err, credit.ErrNotPositive), ok && units.Sign() == 0, "%q: error %v", text, err)
	})
}

// FuzzPeriod compares the calendar rule with counting days.
func FuzzPeriod(f *testing.F) {
	for _, day := range []string{"2028-01-31", "2027-01-31", "2028-02-29", "2029-12-31", "2100-01-29"} {
		at, err := time.Parse(time.DateOnly, day)
		require.NoError(f, err)
		f.Add(at.UnixMilli()+1, 1)
	}
	f.Fuzz(func(t *testing.T, milliseconds int64, years int) {
		start := time.UnixMilli(milliseconds).UTC()
		if y := start.Year(); y < 1 || y > 9000 || years < 0 || years > 100 {
			return
		}
		for _, p := range append(fixture.Prices(), credit.Price{}) {
			period := p.Period
			var months int
			switch p.Credits.String() {
			case "0":
				period, months = credit.Years(years), 12*years
			case "1", "2", "3":
				months = int(p.Credits.Units() / 1_0000)
			default:
				days := map[string]int{"0.5": 15, "5": 180, "10": 360}[p.Credits.String()]
				end, _ := period.After(start, 0)
				expect.Equal(t, end.Sub(start), time.Duration(days)*24*time.Hour, "%s for %s", start, p.Credits)
				continue
			}
			got, _ := period.After(start, 0)
			// The end has the day of the start, or is the last day of its month, if that is sooner.
			first := time.Date(start.Year(), start.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
			want := min(start.Day(), first.AddDate(0, 1, -1).Day())
			if got.Year() != first.Year() || got.Month() != first.Month() || got.Day() != want ||
				got.Sub(got.Truncate(24*time.Hour)) != start.Sub(start.Truncate(24*time.Hour)) {
				t.Fatalf("%s and %d months: %s", start, months, got)
			}
		}
	})
}
