package reseller_test

import (
	"testing"
	"time"

	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

func TestNewThresholdCanAlertAgain(t *testing.T) {
	for situation, c := range map[string]struct {
		was   reseller.Alert
		below string
		want  reseller.Alert
		tells reseller.AlertChange
	}{
		"a first one, below the balance": {reseller.Alert{}, "5", alert("5", false), reseller.Unchanged},
		"a first one, at the balance":    {reseller.Alert{}, "10", alert("10", false), reseller.Unchanged},
		// alerted at once
		"a first one, above the balance":    {reseller.Alert{}, "10.0001", alert("10.0001", true), reseller.Low},
		"the same, alert sent":              {alert("11", true), "11", alert("11", true), reseller.Unchanged},
		"the same, no alert sent":           {alert("9", false), "9", alert("9", false), reseller.Unchanged},
		"a higher one, alert sent":          {alert("11", true), "12", alert("12", true), reseller.Low},
		"a lower one, alert sent":           {alert("12", true), "11", alert("11", true), reseller.Low},
		"one below the balance, alert sent": {alert("12", true), "10", alert("10", false), reseller.Unchanged},
		"none any more, alert sent":         {alert("12", true), "0", reseller.Alert{}, reseller.Unchanged},
		"none any more":                     {alert("9", false), "0", reseller.Alert{}, reseller.Unchanged},
		"none, as before":                   {reseller.Alert{}, "0", reseller.Alert{}, reseller.Unchanged},
	} {
		r := fixture.Reseller(fixture.Admin(1), 7, fixture.Holding("10"), func(s *reseller.State) { s.Alert = c.was })
		was := r.State()
		later := noon.Add(time.Hour)
		if err := r.SetAlert(r, fixture.Credits(c.below), later); err != nil {
			t.Fatalf("%s: %v", situation, err)
		}
		if got := r.Alert(); !got.Below.Equal(c.want.Below) || got.Sent != c.want.Sent || r.AlertChange() != c.tells {
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
	return reseller.Alert{Below: fixture.Credits(below), Sent: told}
}

func TestLowBalanceAlertsOnceUntilRecovery(t *testing.T) {
	admin, r := fixture.Admin(1), fixture.Reseller(fixture.Admin(1), 7, fixture.Holding("10"))
	require.NoError(t, r.SetAlert(r, fixture.Credits("10"), noon))
	for _, c := range []struct {
		has  string
		want reseller.AlertChange
	}{
		{"20", reseller.Unchanged}, {"10", reseller.Unchanged}, {"9.9999", reseller.Low}, {"1", reseller.Unchanged},
		{"11.9999", reseller.Unchanged}, {"5", reseller.Unchanged}, {"12", reseller.Recovered}, {"0", reseller.Low},
	} {
		r = fixture.Changed(r)
		move := admin.Fund
		amount, ok := fixture.Credits(c.has).Minus(r.State().Credits)
		if !ok {
			amount, _ = r.State().Credits.Minus(fixture.Credits(c.has))
			move = admin.Reclaim
		}
		_, err := move(r, amount, provenance(2, noon))
		require.NoError(t, err)
		expect.Equal(t, r.AlertChange(), c.want, "at %s", c.has)
	}
}
