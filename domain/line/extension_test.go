package line_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	_ "resellerd/test/rapidflags"
	"resellerd/test/require"
)

// official returns an official line of owner's that expires then.
func official(t rapid.TB, owner *reseller.Reseller, expires time.Time) *line.Line {
	l, err := line.Restore(line.State{
		ID: 70, Owner: owner.Position(), Username: fixture.Name("chosen"), Password: line.Sealed("sealed"),
		ExpiresAt: expires, PlatformID: 700, Charge: 5, CreatedAt: noon, UpdatedAt: noon,
	})
	require.NoError(t, err)
	return l
}

// Ten years ahead are allowed to the very instant.
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

// Whenever it is extended, and however expired it was: a line gains the whole period that was paid for, never runs more
// than 10 years ahead, and is charged the price once.
func TestExtensionsGainWhatWasPaidFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := noon.Add(time.Duration(rapid.Int64Range(0, 20*365*24*3600*1000).Draw(t, "now")) * time.Millisecond)
		expires := now.Add(
			time.Duration(rapid.Int64Range(-400*24*3600*1000, 4000*24*3600*1000).Draw(t, "left")) * time.Millisecond)
		p := rapid.SampledFrom(credit.Prices()).Draw(t, "price")
		owner, err := reseller.Restore(reseller.State{Position: reseller.Position{ID: 7, Ancestors: []int64{1}},
			Role: reseller.Standard, Credits: p.Credits()})
		require.NoError(t, err)
		l := official(t, owner, expires)
		from, m, err := l.Extend(owner, p, credit.Provenance{ID: 77, Actor: 1, At: now})
		if err != nil {
			if !errors.Is(err, line.ErrTooLong) || !owner.State().Credits.Equal(p.Credits()) || !l.ExpiresAt().Equal(expires) {
				t.Fatalf("got error %v, %s credits left, expiry %s", err, owner.State().Credits, l.ExpiresAt())
			}
			if expires.Before(now.AddDate(9, 0, 0)) {
				t.Fatalf("%s from %s at %s is refused", p.Period(), expires, now)
			}
			return
		}
		if from.Before(now) || from.Before(expires) || !from.Equal(now) && !from.Equal(expires) {
			t.Fatalf("from %s at %s, expired %s", from, now, expires)
		}
		if end, _ := p.Period().After(from, 0); !l.ExpiresAt().Equal(end) || l.ExpiresAt().After(now.AddDate(10, 0, 0)) {
			t.Fatalf("%s from %s ends at %s", p.Period(), from, l.ExpiresAt())
		}
		if !m.Amount.Equal(p.Credits()) || !owner.State().Credits.IsZero() {
			t.Fatalf("charged %s for %s, %s left", m.Amount, p.Credits(), owner.State().Credits)
		}
	})
}

// TestWhatEndsTheDayOfTheMonth begins with a line that was activated on 31 January for a month.
func TestWhatEndsTheDayOfTheMonth(t *testing.T) {
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
