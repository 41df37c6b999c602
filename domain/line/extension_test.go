package line_test

import (
	"strings"
	"testing"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// official returns an official line of owner with this expiry.
func official(t testing.TB, owner *reseller.Reseller, expires time.Time) *line.Line {
	l, err := line.Restore(line.State{
		ID: 70, Owner: owner.Position(), Username: fixture.Name("chosen"), Password: line.Sealed("sealed"),
		ExpiresAt: expires, PlatformID: 700, Charge: 5, CreatedAt: noon, UpdatedAt: noon,
	})
	require.NoError(t, err)
	return l
}

// A line may run exactly ten years ahead.
func TestALineRunsAtMostTenYearsAhead(t *testing.T) {
	now := fixture.Time("2026-03-10T12:00:00Z")
	bound := fixture.Time("2036-03-10T12:00:00Z")
	for _, c := range []struct {
		credits string
		expires time.Time
		want    error
	}{
		{"0.5", bound.AddDate(0, 0, -15), nil},
		{"0.5", bound.AddDate(0, 0, -15).Add(-time.Millisecond), nil},
		{"0.5", bound.AddDate(0, 0, -15).Add(time.Millisecond), line.ErrTooLong},
		{"1", fixture.Time("2036-02-10T12:00:00Z"), nil},
		{"1", fixture.Time("2036-02-10T12:00:00.001Z"), line.ErrTooLong},
		{"10", bound.AddDate(0, 0, -360), nil},
		{"10", bound.AddDate(0, 0, -359), line.ErrTooLong},
		{"0.5", bound.AddDate(50, 0, 0), line.ErrTooLong},
	} {
		owner := ownerWith(t, "10")
		l := official(t, owner, c.expires)
		was := l.State()
		_, _, err := l.Extend(owner, fixture.Price(c.credits), provenance(now))
		expect.Error(t, err, c.want, "%s credits from %s", c.credits, c.expires)
		if err != nil {
			wantLine(t, l, was)
			expect.Equal(t, owner.State().Credits.String(), "10",
				"%s credits from %s: refused, and", c.credits, c.expires)
		}
	}
}

// The line was activated on 31 January for a month.
func TestChangesOfTheDayOfTheMonth(t *testing.T) {
	for situation, c := range map[string]struct{ now, prices, until string }{
		"one month more":               {"2027-02-27", "1", "2027-03-31"},
		"one month more, and one":      {"2027-02-27", "1 1", "2027-04-30"},
		"a price in days":              {"2027-02-27", "0.5 1", "2027-04-15"},
		"a price in days, then months": {"2027-02-27", "5 1 1", "2027-10-27"},
		"it expired right now":         {"2027-02-28", "1", "2027-03-28"},
		"it expired":                   {"2027-03-30", "1 1 1", "2027-06-30"},
		"it expired on a 31st":         {"2027-03-31", "1 1 1", "2027-06-30"},
		"it expired on a 31st, longer": {"2027-03-31", "1 1", "2027-05-31"},
	} {
		owner := ownerWith(t, "20")
		l := trial(t, owner)
		at := provenance(fixture.Time("2027-01-31T12:00:00Z"))
		_, err := l.Activate(owner, fixture.Price("1"), details(), 700, at)
		require.NoError(t, err)
		for price := range strings.FieldsSeq(c.prices) {
			_, _, err := l.Extend(owner, fixture.Price(price), provenance(fixture.Time(c.now+"T12:00:00Z")))
			require.NoError(t, err)
		}
		expect.Equal(t, l.ExpiresAt().Format(time.DateOnly), c.until, "%s: %s credits end on", situation, c.prices)
	}
}
