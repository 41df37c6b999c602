package httpapi_test

import (
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestASummaryHasEveryDay(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	master := admin.Master(t, "10")
	child := master.Reseller(t, "2.5")
	child.Official(t)
	srv.clock.Advance(48 * time.Hour)
	child.Trial(t)
	today, first := fixture.Noon.Add(48*time.Hour).Format(time.DateOnly), fixture.Noon.Format(time.DateOnly)
	sum := func(by caller, query ...any) (answer, []any) {
		a := by.Get(t, api.Query("/reports/summary", query...))
		days, _ := a.Fields["days"].([]any)
		return a, days
	}
	a, days := sum(child.Caller)
	lines, _ := a.Fields["lines"].(map[string]any)
	answer{T: t, Fields: lines}.Has(fields{"running": 1, "trials": 1, "expiring_7d": 0, "expired_14d": 0, "capped": false})
	child.Get(t, api.Path("/users", child.ID, "/balance")).Has(fields{"id": child.ID, "balance": "2"})
	if a.Has(fields{"balance": "2"}); len(days) != 30 {
		t.Fatalf("%d days, want 30", len(days))
	}
	for i, want := range map[int]fields{
		29: {"day": today, "trials": 1, "activations": 0, "extensions": 0, "spent": "0", "received": "0"},
		28: {"trials": 0, "activations": 0, "extensions": 0, "spent": "0", "received": "0"},
		27: {"day": first, "trials": 1, "activations": 1, "extensions": 0, "spent": "0.5", "received": "2.5"},
	} {
		day, _ := days[i].(map[string]any)
		answer{T: t, Fields: day}.Has(want)
	}
	a, days = sum(admin, "tree", master.ID, "days", 3)
	a.Has(fields{"balance": "9.5"})
	expect.Equal(t, len(days), 3, "days of a tree")
	_, days = sum(admin, "tree", master.ID, "account", child.ID, "days", 366)
	expect.Equal(t, len(days), 366, "days of one of a tree")
	for _, name := range []string{"account", "tree"} {
		hidden := child.Send(t, "GET", api.Query("/reports/summary", name, master.ID), nil).Refused(404, "not-found")
		absent := child.Send(t, "GET", api.Query("/reports/summary", name, 999_999), nil).Refused(404, "not-found")
		expect.Equal(t, hidden.Text("detail"), absent.Text("detail"), "one out of sight, and none")
		child.Send(t, "GET", "/reports/summary?"+name+"=0", nil).Refused(404, "not-found")
	}
}
