package reseller_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/domain/credit"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

func TestWhenABalanceIsToldOf(t *testing.T) {
	admin := fixture.Admin(1)
	unchanged, low, recovered := reseller.Unchanged, reseller.Low, reseller.Recovered
	for situation, c := range map[string]struct {
		alert string // below which amount
		has   string
		moves []string // credits that are added, or with a sign taken
		tells []reseller.AlertChange
	}{
		"no alert":           {"0", "5", []string{"-5", "9"}, []reseller.AlertChange{unchanged, unchanged}},
		"at the threshold":   {"10", "15", []string{"-5"}, []reseller.AlertChange{unchanged}},
		"just below it":      {"10", "15", []string{"-5.0001"}, []reseller.AlertChange{low}},
		"further below":      {"10", "15", []string{"-6", "-1", "-8"}, []reseller.AlertChange{low, unchanged, unchanged}},
		"just not recovered": {"10", "15", []string{"-6", "2.9999"}, []reseller.AlertChange{low, unchanged}},
		"recovered":          {"10", "15", []string{"-6", "3"}, []reseller.AlertChange{low, recovered}},
		"recovered at once":  {"10", "15", []string{"-15", "100"}, []reseller.AlertChange{low, recovered}},
		"armed again":        {"10", "15", []string{"-6", "3", "-2.0001"}, []reseller.AlertChange{low, recovered, low}},
		"near the threshold": {"10", "15", []string{"-6", "1.5", "-1", "1", "-1", "1"},
			[]reseller.AlertChange{low, unchanged, unchanged, unchanged, unchanged, unchanged}},
		"a fifth of small units": {"0.0001", "1", []string{"-1", "0.0001", "0.0001"},
			[]reseller.AlertChange{low, unchanged, recovered}},
		"a fifth that is no unit, rounded to none": {"0.0003", "1", []string{"-1", "0.0003", "0.0001"},
			[]reseller.AlertChange{low, unchanged, recovered}},
	} {
		r := fixture.Reseller(admin, 7, fixture.Holding(c.has))
		require.NoError(t, r.SetAlert(r, fixture.Credits(c.alert), noon))
		for i, move := range c.moves {
			r = fixture.Changed(r) // as a command gets it
			var err error
			if taken, is := strings.CutPrefix(move, "-"); is {
				_, err = admin.Reclaim(r, fixture.Credits(taken), provenance(1, noon))
			} else {
				_, err = admin.Fund(r, fixture.Credits(move), provenance(1, noon))
			}
			if err != nil {
				t.Fatalf("%s: %v", situation, err)
			}
			expect.Equal(t, r.AlertChange(), c.tells[i],
				"%s: after %v it has %s and tells", situation, c.moves[:i+1], r.State().Credits)
		}
	}
}

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

// A refusal leaves alert and balance alone.
func TestARefusedMovementTellsNothing(t *testing.T) {
	admin := fixture.Admin(1)
	r := fixture.Reseller(admin, 7, fixture.Holding("10"), func(s *reseller.State) { s.Alert = alert("9", false) })
	if _, err := admin.Reclaim(r, fixture.Credits("11"), provenance(1, noon)); err == nil ||
		r.AlertChange() != reseller.Unchanged || r.Alert().Told {
		t.Errorf("got %v, %+v, tells %d", err, r.Alert(), r.AlertChange())
	}
}
