package line_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/test/fixture"
)

// official returns an official line of owner's that expires then.
func official(t rapid.TB, owner *reseller.Reseller, expires time.Time) *line.Line {
	l, err := line.Restore(line.State{
		ID: 70, Owner: owner.Position(), Username: fixture.Name("chosen"), Password: line.Sealed("sealed"),
		ExpiresAt: expires, PlatformID: 700, Charge: 5, CreatedAt: noon, UpdatedAt: noon,
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAnExtensionStartsAtTheLaterOfNowAndTheExpiry(t *testing.T) {
	for _, c := range []struct{ situation, now, expires, credits, from, until string }{
		{"running", "2026-01-31T12:00:00Z", "2026-02-10T08:00:00.001Z", "0.5", "2026-02-10T08:00:00.001Z", "2026-02-25T08:00:00.001Z"},
		{"about to expire", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.001Z", "0.5", "2026-01-31T12:00:00.001Z", "2026-02-15T12:00:00.001Z"},
		{"expiring now", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z", "0.5", "2026-01-31T12:00:00Z", "2026-02-15T12:00:00Z"},
		{"just expired", "2026-01-31T12:00:00Z", "2026-01-31T11:59:59.999Z", "0.5", "2026-01-31T12:00:00Z", "2026-02-15T12:00:00Z"},
		{"expired for years", "2036-01-31T12:00:00Z", "2026-02-10T08:00:00Z", "10", "2036-01-31T12:00:00Z", "2037-01-25T12:00:00Z"},
		{"a short month", "2026-01-01T12:00:00Z", "2026-01-31T12:00:00Z", "1", "2026-01-31T12:00:00Z", "2026-02-28T12:00:00Z"},
		{"a short month of a leap year", "2028-01-01T12:00:00Z", "2028-01-30T12:00:00Z", "1", "2028-01-30T12:00:00Z", "2028-02-29T12:00:00Z"},
		{"a short month, expired", "2026-01-31T12:00:00Z", "2026-01-30T12:00:00Z", "1", "2026-01-31T12:00:00Z", "2026-02-28T12:00:00Z"},
		{"over the year's end", "2026-12-01T12:00:00Z", "2026-12-31T12:00:00Z", "2", "2026-12-31T12:00:00Z", "2027-02-28T12:00:00Z"},
		{"from a month's last day", "2026-02-01T12:00:00Z", "2026-02-28T12:00:00Z", "1", "2026-02-28T12:00:00Z", "2026-03-28T12:00:00Z"},
	} {
		owner := ownerWith(t, "10")
		l := official(t, owner, fixture.Time(c.expires))
		was := l.State()
		from, m, err := l.Extend(owner, fixture.Price(c.credits), provenance(fixture.Time(c.now)))
		if err != nil {
			t.Fatalf("%s: %v", c.situation, err)
		}
		if !from.Equal(fixture.Time(c.from)) || m.Amount.String() != c.credits {
			t.Errorf("%s: %s credits from %s, want %s from %s", c.situation, m.Amount, from, c.credits, c.from)
		}
		was.ExpiresAt, was.UpdatedAt = fixture.Time(c.until), fixture.Time(c.now)
		was.Version++
		expect(t, l, was)
		if !l.Running(fixture.Time(c.now)) || !l.Running(fixture.Time(c.until).Add(-time.Millisecond)) || l.Running(fixture.Time(c.until)) {
			t.Errorf("%s: it does not run until %s", c.situation, c.until)
		}
	}
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
		{"0.5", bound, line.ErrTooLong},
		{"0.5", bound.AddDate(50, 0, 0), line.ErrTooLong},
	} {
		owner := ownerWith(t, "10")
		l := official(t, owner, c.expires)
		was := l.State()
		_, _, err := l.Extend(owner, fixture.Price(c.credits), provenance(now))
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s credits from %s: got error %v, want %v", c.credits, c.expires, err, c.want)
		}
		if err != nil {
			expect(t, l, was)
			if got := owner.State().Credits.String(); got != "10" {
				t.Errorf("%s credits from %s: refused, and %s of 10 are left", c.credits, c.expires, got)
			}
		}
	}
	// A line that is bought year after year reaches the bound and not beyond.
	owner := ownerWith(t, "1000")
	l := official(t, owner, now)
	years := 0
	for {
		_, _, err := l.Extend(owner, fixture.Price("10"), provenance(now))
		if errors.Is(err, line.ErrTooLong) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		years++
	}
	if years != 10 || l.ExpiresAt().After(bound) {
		t.Errorf("extended %d times, it expires at %s", years, l.ExpiresAt())
	}
}

// Whenever it is extended, and however expired it was: a line gains the whole period that was paid for, never runs more
// than 10 years ahead, and is charged the price once.
func TestExtensionsGainWhatWasPaidFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := noon.Add(time.Duration(rapid.Int64Range(0, 20*365*24*3600*1000).Draw(t, "now")) * time.Millisecond)
		expires := now.Add(time.Duration(rapid.Int64Range(-400*24*3600*1000, 4000*24*3600*1000).Draw(t, "left")) * time.Millisecond)
		p := rapid.SampledFrom(credit.Prices()).Draw(t, "price")
		owner, err := reseller.Restore(reseller.State{Position: reseller.Position{ID: 7, Ancestors: []int64{1}}, Role: reseller.Standard, Credits: p.Credits()})
		if err != nil {
			t.Fatal(err)
		}
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
		if !l.ExpiresAt().Equal(p.Period().After(from)) || l.ExpiresAt().After(now.AddDate(10, 0, 0)) {
			t.Fatalf("%s from %s ends at %s", p.Period(), from, l.ExpiresAt())
		}
		if !m.Amount.Equal(p.Credits()) || !owner.State().Credits.IsZero() {
			t.Fatalf("charged %s for %s, %s left", m.Amount, p.Credits(), owner.State().Credits)
		}
	})
}
