package reseller_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/domain/credit"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

func TestAnotherThresholdBeginsAnew(t *testing.T) {
	for situation, c := range map[string]struct {
		was   reseller.Alert
		below string
		want  reseller.Alert
		tells reseller.AlertChange
	}{
		"a first one, below the balance": {reseller.Alert{}, "5", alert("5", false), reseller.Unchanged},
		"a first one, at the balance":    {reseller.Alert{}, "10", alert("10", false), reseller.Unchanged},
		// told of at once
		"a first one, above the balance": {reseller.Alert{}, "10.0001", alert("10.0001", true), reseller.Low},
		"the same, told of":              {alert("11", true), "11", alert("11", true), reseller.Unchanged},
		"the same, not told of":          {alert("9", false), "9", alert("9", false), reseller.Unchanged},
		"a higher one, told of":          {alert("11", true), "12", alert("12", true), reseller.Low},
		"a lower one, told of":           {alert("12", true), "11", alert("11", true), reseller.Low},
		"one below the balance, told of": {alert("12", true), "10", alert("10", false), reseller.Unchanged},
		"none any more, told of":         {alert("12", true), "0", reseller.Alert{}, reseller.Unchanged},
		"none any more":                  {alert("9", false), "0", reseller.Alert{}, reseller.Unchanged},
		"none, as before":                {reseller.Alert{}, "0", reseller.Alert{}, reseller.Unchanged},
	} {
		r := fixture.Reseller(fixture.Admin(1), 7, fixture.Holding("10"), func(s *reseller.State) { s.Alert = c.was })
		was := r.State()
		later := noon.Add(time.Hour)
		if err := r.SetAlert(r, fixture.Credits(c.below), later); err != nil {
			t.Fatalf("%s: %v", situation, err)
		}
		if got := r.Alert(); !got.Below.Equal(c.want.Below) || got.Told != c.want.Told || r.AlertChange() != c.tells {
			t.Errorf("%s: got %+v, which tells %d, want %+v, %d", situation, got, r.AlertChange(), c.want, c.tells)
		}
		is := r.State()
		if same := c.was.Below.Equal(fixture.Credits(c.below)); is.UpdatedAt.Equal(later) == same ||
			(is.Version == was.Version) != same {
			t.Errorf("%s: it is of %s, version %d after %d", situation, is.UpdatedAt, is.Version, was.Version)
		}
		expect.Equal(t, fixture.Changed(r).AlertChange(), reseller.Unchanged, "%s: once restored", situation)
	}
}

func alert(below string, told bool) reseller.Alert {
	return reseller.Alert{Below: fixture.Credits(below), Told: told}
}

// Any series of movements tells that a balance is low, that it has recovered, that it is low, and so on; both by exact
// amounts; and leaves a reseller that can be restored.
func TestLowAndRecoveredAlternate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		below := rapid.Int64Range(1, 1000).Draw(t, "below")
		if rapid.Bool().Draw(t, "large") {
			below = credit.MaxMovement().Units() - below
		}
		admin := fixture.Admin(1)
		r := fixture.Reseller(admin, 7)
		_, err := admin.Fund(r, fixture.Units(below), provenance(1, noon))
		require.NoError(t, err)
		require.NoError(t, r.SetAlert(r, fixture.Units(below), noon))
		expect.Equal(t, r.AlertChange(), reseller.Unchanged, "set at the balance")
		told := false
		for range 60 {
			restored, err := reseller.Restore(r.State())
			require.NoError(t, err)
			r = restored
			// To somewhere near the two amounts at which something changes.
			has := r.State().Credits.Units()
			to := max(0, rapid.SampledFrom([]int64{below, below + below/5}).Draw(t, "near")+
				rapid.Int64Range(-2, 2).Draw(t, "off"))
			switch {
			case to > has:
				_, err = admin.Fund(r, fixture.Units(to-has), provenance(2, noon))
			case to < has:
				_, err = admin.Reclaim(r, fixture.Units(has-to), provenance(2, noon))
			}
			require.NoError(t, err)
			want := reseller.Unchanged
			switch {
			case !told && to < below:
				want = reseller.Low
			case told && 10*to >= 12*below:
				want = reseller.Recovered
			}
			expect.Equal(t, r.AlertChange(), want, "from %d to %d, below %d, told %t", has, to, below, told)
			told = told != (want != reseller.Unchanged)
			expect.Equal(t, r.Alert().Told, told, "at %d, below %d: told", to, below)
		}
	})
}
