package httpapi_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// priceList is the price table as it is answered.
func priceList() (prices []any) {
	for _, p := range []struct{ credits, period string }{
		{"0.5", "15 days"}, {"1", "1 month"}, {"2", "2 months"}, {"3", "3 months"}, {"5", "180 days"}, {"10", "360 days"},
	} {
		prices = append(prices, map[string]any{"credits": json.Number(p.credits), "period": p.period})
	}
	return prices
}

func TestFiltersOfAccounts(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	top := admin.Master(t, "0")
	a, b := top.Master(t, "0"), top.Reseller(t, "0")
	leaf := a.Reseller(t, "0")
	for _, c := range []struct {
		by   caller
		path string
		want []int64
	}{
		{top.Caller, "/users", []int64{top.ID, a.ID, b.ID, leaf.ID}},
		{a.Caller, "/users", []int64{a.ID, leaf.ID}},
		{top.Caller, api.Query("/users", "tree", a.ID), []int64{a.ID, leaf.ID}},
		{admin, api.Query("/users", "master", top.ID), []int64{a.ID, b.ID}},
		{top.Caller, api.Query("/users", "master", a.ID, "tree", leaf.ID), []int64{leaf.ID}},
		{top.Caller, api.Query("/users", "username", strings.ToUpper(leaf.Username)), []int64{leaf.ID}},
		{top.Caller, api.Query("/users", "username", ""), []int64{top.ID, a.ID, b.ID, leaf.ID}},

		// What is out of sight, or nothing, gives an empty page.
		{a.Caller, api.Query("/users", "tree", top.ID), nil},
		{a.Caller, api.Query("/users", "master", top.ID), nil}, // it is below top itself, and does not see top
		{admin, api.Query("/users", "tree", 0), nil},
	} {
		c.by.Selects(t, c.path, c.want...)
	}
	expect.Elements(t, admin.Get(t, api.Query("/users", "limit", 1)).IDs(), []int64{1}, "the first of all accounts")
}

func TestSearchesOfAccounts(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	stem := api.Unique("Joãozinho")
	plain := strings.ToUpper(strings.ReplaceAll(stem, "ã", "a"))
	top := admin.Create(t, fields{"username": stem, "is_master": 1, "credits": "0"})
	a := top.Create(t, fields{"is_master": 1, "credits": "0", "notes": "cliente de " + strings.ToUpper(stem)})
	b := top.Create(t, fields{"whatsapp": "+55 (11) 98765-4321", "telegram": "@" + plain})
	leaf := a.Create(t, fields{"email": strings.ToLower(plain) + "@example.org", "telegram": "0055 11 987654321"})
	elsewhere := admin.Create(t, fields{"username": plain + ".x"})
	for _, c := range []struct {
		by   caller
		path string
		want []int64
	}{
		{admin, api.Query("/users", "q", plain), []int64{top.ID, a.ID, b.ID, leaf.ID, elsewhere.ID}},
		{admin, api.Query("/users", "q", stem), []int64{top.ID, a.ID, b.ID, leaf.ID, elsewhere.ID}},
		{top.Caller, api.Query("/users", "q", "11 9876-54321"), []int64{b.ID, leaf.ID}},
		{admin, api.Query("/users", "q", plain, "tree", a.ID), []int64{a.ID, leaf.ID}},
		{admin, api.Query("/users", "q", plain, "master", top.ID), []int64{a.ID, b.ID}},
		{admin, api.Query("/users", "q", plain, "username", plain), []int64{elsewhere.ID}},
		{a.Caller, api.Query("/users", "q", plain, "tree", top.ID), nil},
		{a.Caller, api.Query("/users", "q", ""), []int64{a.ID, leaf.ID}}, // nothing is looked for
		{a.Caller, api.Query("/users", "q", "\u0301"), nil},              // accents alone
	} {
		c.by.Selects(t, c.path, c.want...)
		exported := second(exportedRows(t, c.by, strings.Replace(c.path, "/users", "/exports/users", 1)))
		expect.Equal(t, len(exported), len(c.want), "%s: exported rows", c.path)
	}
	expect.Elements(t, admin.Walk(t, api.Query("/users", "q", plain), 2, func() {}), []int64{top.ID, a.ID, b.ID,
		leaf.ID, elsewhere.ID}, "page by page a search finds")
	top.Scoped(t, "lines:read").Send(t, "GET", api.Query("/users", "q", plain), nil).Refused(403, "insufficient-scope")
}

func TestFiltersOfLines(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	top := admin.Master(t, "1000")
	a := top.Master(t, "100")
	stem := api.Unique("Längst")
	// expiry is when each line ends.
	expiry := map[int64]string{}
	grant := func(owner api.Reseller, credits any, name string) int64 {
		t.Helper()
		l := owner.Trial(t)
		record := owner.Activate(t, line{ID: l.ID, Username: stem + name, Password: l.Password}, credits).Is(201)
		expiry[l.ID] = record.Text("expDate")
		return l.ID
	}
	later, soon, ofA, trial := grant(top, 10, ".1"), grant(top, 1, ".2"), grant(a, 3, ".A"), a.Trial(t).ID
	for _, c := range []struct {
		by   caller
		path string
		want []int64
	}{
		{top.Caller, "/lines", []int64{later, soon, ofA, trial}},
		{a.Caller, "/lines", []int64{ofA, trial}},
		{admin, api.Query("/lines", "tree", top.ID), []int64{later, soon, ofA, trial}},
		{admin, api.Query("/lines", "owner", a.ID), []int64{ofA, trial}},
		{top.Caller, api.Query("/lines", "owner", a.ID, "tree", top.ID), []int64{ofA, trial}},
		{top.Caller, api.Query("/lines", "isTrial", 1), []int64{trial}},
		{top.Caller, api.Query("/lines", "isTrial", 0), []int64{later, soon, ofA}},
		{top.Caller, api.Query("/lines", "username", strings.ToUpper(stem)), []int64{later, soon, ofA}},

		// By expiry where a status or a window is asked.
		{top.Caller, api.Query("/lines", "status", 1), []int64{trial, soon, ofA, later}},
		{top.Caller, api.Query("/lines", "status", 0), nil},
		// at that instant or later
		{top.Caller, api.Query("/lines", "expires_after", expiry[soon]), []int64{soon, ofA, later}},
		{top.Caller, api.Query("/lines", "expires_before", expiry[soon]), []int64{trial}},
		{top.Caller, api.Query("/lines", "expires_after", "2001-01-01T00:00:00+05:30", "isTrial", 1), []int64{trial}},
		{top.Caller, api.Query("/lines", "expires_after", "9999-12-31T23:59:59.999999999Z"), nil},
		{top.Caller, api.Query("/lines", "expires_before", "0001-01-01T00:00:00Z"), nil},

		// In the order that is asked for.
		{top.Caller, api.Query("/lines", "sort", "id"), []int64{later, soon, ofA, trial}},
		{top.Caller, api.Query("/lines", "sort", "newest"), []int64{trial, ofA, soon, later}},
		{top.Caller, api.Query("/lines", "sort", "expiry"), []int64{trial, soon, ofA, later}},
		{top.Caller, api.Query("/lines", "sort", "latest_expiry"), []int64{later, ofA, soon, trial}},
		{top.Caller, api.Query("/lines", "sort", "username", "q", stem, "expires_before", expiry[later]), []int64{soon, ofA}},

		// What is out of sight, or nothing, gives an empty page.
		{a.Caller, api.Query("/lines", "owner", top.ID), nil},
		{a.Caller, api.Query("/lines", "tree", top.ID), nil},
		{admin, api.Query("/lines", "owner", 0), nil},
		{admin, api.Query("/lines", "tree", 0), nil},
	} {
		c.by.Selects(t, c.path, c.want...)
	}

	// A status is that of the moment, and together with a window it selects what both do.
	srv.clock.Set(fixture.Time(expiry[soon]))
	top.Send(t, "PUT", api.Path("/lines", later, "/suspension"), nil).Is(200)
	top.Selects(t, api.Query("/lines", "status", 0), trial, soon, later)
	top.Selects(t, api.Query("/lines", "effective", "expired", "sort", "latest_expiry"), soon, trial)
	top.Selects(t, api.Query("/lines", "suspended", true), later)
	top.Selects(t, api.Query("/lines", "status", 1, "suspended", false, "expires_before", expiry[later]), ofA)
	top.Selects(t, api.Query("/lines", "status", 1, "suspended", true))
}

// TestLimits asks for as many records as there are and more.
func TestLimits(t *testing.T) {
	t.Parallel()
	r := serve(t).Admin(t).Reseller(t, "0")
	const all = 52
	api.AtOnce(all, func(int) { r.Trial(t) })
	for limit, want := range map[string]int{"": 50, "?limit=1": 1, "?limit=50": 50, "?limit=51": 51, "?limit=52": all,
		"?limit=53": all, "?limit=500": all} {
		a := r.Get(t, "/lines"+limit)
		expect.Equal(t, len(a.IDs()), want, "%s: lines", a.Request)
		expect.Equal(t, a.Next() == "", want == all, "%s: it has no cursor", a.Request)
	}
}

// TestCursorsOfOthers sends cursors that no answer gave for the query.
func TestCursorsOfOthers(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	master := admin.Master(t, "10")
	r := master.Reseller(t, "5")
	for range 3 {
		r.Official(t)
	}
	master.Fund(t, r.ID, 1).Is(200)
	cursors := map[string]string{}
	for _, list := range []string{"/users?", "/lines?", "/lines?status=1&", "/lines?sort=newest&",
		"/lines?sort=latest_expiry&", "/lines?sort=username&", api.Path("/users", master.ID, "/ledger?"), "/events?"} {
		own := master.Get(t, list+"limit=1").Next()
		if own == "" || own != url.QueryEscape(own) {
			t.Fatalf("%s: the cursor is %q", list, own)
		}
		bad := []string{"", "x", "%", "é", "a b", strings.Repeat("A", 4000), "\x00", own + "x", own + "=", " " + own, own[1:],
			strings.ToUpper(own) + "A"}
		for _, of := range cursors {
			bad = append(bad, of)
		}
		for _, cursor := range bad {
			master.Send(t, "GET", list+"cursor="+url.QueryEscape(cursor), nil).Invalid("validation-failed",
				map[string]string{"?cursor": "bad-cursor"})
		}
		cursors[list] = own
	}
	master.Get(t, "/lines?sort=expiry&cursor="+cursors["/lines?status=1&"]) // the same order, asked for
	master.Get(t, "/lines?status=1&sort=id&cursor="+cursors["/lines?"])
	// A cursor gives nobody more to see than it has anyway.
	for _, list := range []string{"/users", "/lines"} {
		first := admin.Get(t, list+"?limit=1").Next()
		seen := master.Get(t, list).IDs()
		for _, id := range master.Get(t, list+"?cursor="+first).IDs() {
			expect.Equal(t, slices.Contains(seen, id), true, "%s: a master sees %d, by any cursor", list, id)
		}
	}
}

func TestBadQueries(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	statement := api.Path("/users", v.Master.ID, "/ledger")
	preview := api.Path("/lines/extend-preview", v.Line.ID)
	numbers := []string{"", "0", "-1", "501", "1.0", "1e1", "0x1", "ten", " 1", "1 ", "99999999999999999999", "１"}
	ids := []string{"", "-1", "+1", "01", "1.0", "x", " 1", "1 ", "99999999999999999999", "9223372036854775808", "٣",
		"null", "1,2", "1;2"}
	flags := []string{"", "2", "-1", "true", "01", "1.0", "yes", "null"}
	times := []string{
		"", "now", "2026-01-31", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-02-30T00:00:00Z",
		"2026-01-31T24:00:00Z",
		"2026-01-31T09:30Z", "1769851800", "2026-01-31T09:30:00+0530", "20260131T093000Z",
	}
	names := map[string]string{strings.Repeat("é", 65): "too-long", strings.Repeat("x", 4000): "too-long",
		"a b": "bad-username", "a\x00": "bad-username", "a\u200b": "bad-username"}
	for _, c := range []struct {
		path, name, code string
		values           []string
	}{
		{"/users", "limit", "bad-value", numbers},
		{"/lines", "limit", "bad-value", numbers},
		{statement, "limit", "bad-value", numbers},
		{"/users", "master", "bad-value", ids},
		{"/users", "tree", "bad-value", ids},
		{"/lines", "owner", "bad-value", ids},
		{"/lines", "tree", "bad-value", ids},
		{"/lines", "status", "bad-value", flags},
		{"/users", "q", "too-long", []string{strings.Repeat("é", 65), strings.Repeat("x", 4000)}},
		{"/exports/users", "q", "control-character", []string{"a\x00"}},
		{"/lines", "q", "too-long", []string{strings.Repeat("é", 65), strings.Repeat("x", 4000)}},
		{"/lines", "q", "control-character", []string{"a\x00", "a\nb", "\xff"}},
		{"/exports/lines", "format", "bad-value", []string{"", "CSV", "json", "csv,ndjson"}},
		{"/exports/users", "master", "bad-value", ids},
		{"/exports/ledger", "account", "bad-value", ids},
		{"/lines", "isTrial", "bad-value", flags},
		{"/lines", "effective", "bad-value", []string{"", "Running"}},
		{"/lines", "suspended", "bad-value", []string{"", "1"}},
		{"/lines", "sort", "bad-value", []string{"", "ID", "expDate", "-id", "id,expiry", "oldest", "name"}},
		{"/exports/lines", "sort", "bad-value", []string{"", "desc"}},
		{"/lines", "expires_after", "bad-time", times},
		{"/lines", "expires_before", "bad-time", times},
		{"/events", "limit", "bad-value", numbers},
		{"/events", "account", "bad-value", ids},
		{"/events", "tree", "bad-value", ids},
		{"/events", "line", "bad-value", ids},
		{"/events", "movement", "bad-value", ids},
		{"/events", "order", "bad-value", []string{"", "ASC", "newest", "asc,desc"}},
		{"/events", "type", "bad-value", []string{"", "*", "line", "line.", ".*", "line*", "li.*", "line.activated.*",
			"Line.*", "line.activated,line.deleted", "gift.given"}},
		{"/reports/summary", "account", "bad-value", ids},
		{"/reports/summary", "tree", "bad-value", ids},
		{"/reports/summary", "days", "bad-value", append(numbers, "367")},
		{api.Path("/users", v.Master.ID, "/balance"), "at", "bad-time", times},
		{"/events", "wait", "bad-value", []string{"", "-1", "10", "05", "1.5", "5s", "x"}},
	} {
		for _, value := range c.values {
			v.Admin.Send(t, "GET", api.Query(c.path, c.name, value), nil).Invalid("validation-failed",
				map[string]string{"?" + c.name: c.code})
		}
	}
	for value, code := range names {
		for _, list := range []string{"/users", "/lines"} {
			v.Admin.Send(t, "GET", api.Query(list, "username", value), nil).Invalid("validation-failed",
				map[string]string{"?username": code})
		}
	}
	// Every number that a body refuses, a query does too.
	v.Admin.Send(t, "GET", preview, nil).Invalid("validation-failed", map[string]string{"?credits": "required"})
	v.Admin.Send(t, "GET", preview+"?Credits=1", nil).
		Invalid("validation-failed", map[string]string{"?credits": "required", "?Credits": "unknown-parameter"})
	for _, bad := range badNumbers("credits") {
		if text, ok := bad.value.(string); ok && len(text) < 100 {
			v.Admin.Send(t, "GET", api.Query(preview, "credits", text), nil).Invalid("validation-failed",
				map[string]string{"?credits": bad.code})
		}
	}
	for _, text := range []string{"4", "0", "-1", "0.50001", "1e999999999"} {
		v.Admin.Send(t, "GET", api.Query(preview, "credits", text), nil).
			Invalid("unknown-price", map[string]string{"?credits": "unknown-price"}).Has(fields{"prices": priceList()})
	}

	// All of them are named at once.
	v.Admin.Send(t, "GET", api.Query("/lines", "owner", "x", "tree", "y", "status", 2, "isTrial", 2, "expires_after", "x",
		"expires_before", "x",
		"username", "a b", "limit", 0, "cursor", "x"), nil).Invalid("validation-failed", map[string]string{
		"?owner": "bad-value", "?tree": "bad-value", "?status": "bad-value", "?isTrial": "bad-value",
		"?expires_after":  "bad-time",
		"?expires_before": "bad-time", "?username": "bad-username", "?limit": "bad-value", "?cursor": "bad-cursor",
	})
	v.Admin.Send(t, "GET", "/events?order=desc&wait=1", nil).Invalid("validation-failed",
		map[string]string{"?wait": "bad-value"})
	v.Admin.Send(t, "GET", "/events?type=line.deleted&type=x&type=y", nil).Invalid("validation-failed",
		map[string]string{"?type": "bad-value"})

	// A value is never dropped without a word, for the answer would be another.
	for _, raw := range []string{"status=%zz", "owner=%", "owner=1;x", "tree=5&limit=%f"} {
		v.Admin.Send(t, "GET", "/lines?"+raw, nil).Refused(422, "validation-failed")
	}
	v.Unchanged(t)
}
