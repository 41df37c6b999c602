package httpapi_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestListsAreFiltered by each parameter, and have the requested order. An account that the caller does not see gives
// an empty page. Tests of application have the content of lists.
func TestListsAreFiltered(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	top := admin.Master(t, "1000")
	a, b := top.Master(t, "100"), top.Reseller(t, "0")
	stem := api.Unique("Längst")
	grant := func(owner api.Reseller, credits any, name string) (id int64, ends string) {
		t.Helper()
		l := owner.Trial(t)
		record := owner.Activate(t, line{ID: l.ID, Username: stem + name, Password: l.Password}, credits).Is(201)
		return l.ID, record.Text("expDate")
	}
	later, last := grant(top, 10, ".1")
	soon, end := grant(top, 1, ".2")
	ofA, _ := grant(a, 3, ".A")
	trial := a.Trial(t).ID
	for _, c := range []struct {
		by   caller
		path string
		want []int64
	}{
		{top.Caller, "/users", []int64{top.ID, a.ID, b.ID}},
		{admin, api.Query("/users", "master", top.ID), []int64{a.ID, b.ID}},
		{top.Caller, api.Query("/users", "username", strings.ToUpper(b.Username)), []int64{b.ID}},
		{a.Caller, api.Query("/users", "tree", top.ID), nil},
		{a.Caller, api.Query("/users", "master", top.ID), nil},
		{top.Caller, "/lines", []int64{later, soon, ofA, trial}},
		{admin, api.Query("/lines", "tree", top.ID, "owner", a.ID), []int64{ofA, trial}},
		{top.Caller, api.Query("/lines", "isTrial", 1), []int64{trial}},
		{top.Caller, api.Query("/lines", "username", strings.ToUpper(stem)), []int64{later, soon, ofA}},
		{top.Caller, api.Query("/lines", "status", 1), []int64{trial, soon, ofA, later}}, // by expiry
		{top.Caller, api.Query("/lines", "expires_after", end), []int64{soon, ofA, later}},
		{top.Caller, api.Query("/lines", "expires_before", end), []int64{trial}},
		{top.Caller, api.Query("/lines", "sort", "newest"), []int64{trial, ofA, soon, later}},
		{top.Caller, api.Query("/lines", "sort", "latest_expiry"), []int64{later, ofA, soon, trial}},
		{top.Caller, api.Query("/lines", "sort", "username", "q", stem, "expires_before", last), []int64{soon, ofA}},
		{a.Caller, api.Query("/lines", "tree", top.ID), nil},
	} {
		expect.Elements(t, c.by.Get(t, c.path).IDs(), c.want, "%s", c.path)
	}
	for path, want := range map[string][]int64{"/users": {top.ID, a.ID, b.ID}, "/lines": {later, soon, ofA, trial},
		api.Query("/users", "q", "master", "tree", top.ID): {top.ID, a.ID}} {
		expect.Elements(t, top.Walk(t, path), want, "%s, page by page", path)
	}
	srv.clock.Set(fixture.Time(end))
	top.Send(t, "PUT", api.Path("/lines", later, "/suspension"), nil).Is(200)
	for query, want := range map[string][]int64{"status=0": {trial, soon, later},
		"effective=expired&sort=latest_expiry": {soon, trial}, "effective=expired&expires_before=" + end: {trial},
		"status=1&suspended=false&expires_before=" + last: {ofA}} {
		expect.Elements(t, top.Get(t, "/lines?"+query).IDs(), want, "%s", query)
	}
	api.AtOnce(47, func(int) { b.Trial(t) })
	expect.Equal(t, len(top.Get(t, "/lines").IDs()), 50, "lines of a page, unless it has another limit")
}

// TestCursorsOfOthers sends cursors that no answer gave for the query.
func TestCursorsOfOthers(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	master := admin.Master(t, "10")
	r := master.Reseller(t, "5")
	r.Official(t)
	r.Official(t)
	master.Fund(t, r.ID, 1).Is(200)
	cursors := map[string]string{}
	for _, list := range []string{"/users?", "/lines?", "/lines?status=1&", "/lines?sort=newest&", "/lines?sort=username&",
		api.Path("/users", master.ID, "/ledger?"), "/events?"} {
		own := master.Get(t, list+"limit=1").Next()
		bad := []string{"", "é", own + "x", own[1:]}
		for _, cursor := range slices.AppendSeq(bad, maps.Values(cursors)) {
			master.Send(t, "GET", list+"cursor="+url.QueryEscape(cursor), nil).Invalid("validation-failed",
				map[string]string{"?cursor": "bad-cursor"})
		}
		cursors[list] = own
	}
	master.Get(t, "/lines?sort=expiry&cursor="+cursors["/lines?status=1&"]) // the same order, requested
	// A cursor shows an account nothing that it does not see anyway.
	expect.Elements(t, master.Get(t, "/lines?cursor="+admin.Get(t, "/lines?limit=1").Next()).IDs(),
		master.Get(t, "/lines").IDs()[1:])
}

// TestBadQueries names each parameter that is invalid. FuzzValues reads other values.
func TestBadQueries(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	preview := api.Path("/lines/extend-preview", v.Line.ID)
	numbers, ids, flags := []string{"0", "501"}, []string{"", "x"}, []string{"2"}
	times, texts := []string{"2026-01-31"}, []string{strings.Repeat("é", 65)}
	for path, parameters := range map[string]map[string][]string{
		"/users": {"limit bad-value": numbers, "master bad-value": ids, "tree bad-value": ids, "q too-long": texts,
			"username bad-username": {"a b"}},
		"/lines": {"limit bad-value": numbers, "owner bad-value": ids, "tree bad-value": ids, "status bad-value": flags,
			"isTrial bad-value": flags, "effective bad-value": {"", "Running"}, "suspended bad-value": {"", "1"},
			"sort bad-value": {"", "ID", "-id"}, "expires_after bad-time": times, "expires_before bad-time": times,
			"q too-long": texts, "q control-character": {"a\x00", "a\nb", "\xff"}, "username too-long": texts},
		"/exports/lines": {"format bad-value": {"json"}, "language bad-value": {"", "pt-BR"}, "passwords bad-value": flags,
			"time_zone bad-value": {"UTC"}},
		"/exports/ledger": {"account bad-value": ids, "from bad-time": times, "to bad-time": times},
		"/events": {"limit bad-value": numbers, "account bad-value": ids, "tree bad-value": ids, "line bad-value": ids,
			"movement bad-value": ids, "order bad-value": {"", "ASC"}, "wait bad-value": {"", "-1", "10", "05", "5s"},
			"type bad-value": {"", "*", "line", "line.", ".*", "line*", "line.activated.*", "Line.*", "gift.given"}},
		"/reports/summary": {"account bad-value": ids, "tree bad-value": ids, "days bad-value": {"0", "367"}},
		preview:            {"credits not-a-number": {"", "abc", " 1", "1,5"}},
		api.Path("/users", v.Master.ID, "/ledger"): {"limit bad-value": numbers, "from bad-time": times,
			"to bad-time": times},
		api.Path("/users", v.Master.ID, "/balance"): {"at bad-time": times},
	} {
		for parameter, values := range parameters {
			name, code, _ := strings.Cut(parameter, " ")
			for _, value := range values {
				v.Admin.Send(t, "GET", api.Query(path, name, value), nil).Invalid("validation-failed",
					map[string]string{"?" + name: code})
			}
		}
	}
	v.Admin.Send(t, "GET", preview+"?credits=4", nil).
		Invalid("unknown-price", map[string]string{"?credits": "unknown-price"})
	v.Admin.Send(t, "GET", "/lines/extend-preview/x", nil).Refused(404, "not-found")
	v.Admin.Send(t, "GET", api.Query("/lines", "owner", "x", "status", 2, "expires_after", "x", "limit", 0, "cursor", "x"),
		nil).Invalid("validation-failed", map[string]string{"?owner": "bad-value", "?status": "bad-value",
		"?expires_after": "bad-time", "?limit": "bad-value", "?cursor": "bad-cursor"}) // all of them at once
	v.Admin.Get(t, "/events?order=desc&wait=0").Is(200)
	v.Admin.Send(t, "GET", "/events?order=desc&wait=1", nil).Invalid("validation-failed",
		map[string]string{"?wait": "bad-value"})
	v.Admin.Send(t, "GET", api.Query("/exports/ledger", "from", "2026-02-01T00:00:00Z", "to", "2026-01-31T21:00:00-03:00"), nil).
		Invalid("validation-failed", map[string]string{"?to": "bad-value"})
	for query, name := range map[string]string{"language=en&time_zone=Mars/Base": "time_zone",
		"language=en&time_zone=Local": "time_zone", "language=en&time_zone=": "time_zone", "language=en&format=ndjson": "language"} {
		v.Admin.Send(t, "GET", "/exports/users?"+query, nil).
			Invalid("validation-failed", map[string]string{"?" + name: "bad-value"})
	}
	// A value is never ignored, because the answer would differ.
	v.Admin.Send(t, "GET", "/lines?status=%zz", nil).Refused(422, "validation-failed")
	// A summary has no empty page.
	v.Seller.Send(t, "GET", "/reports/summary?tree=1", nil).Refused(404, "not-found")
}
