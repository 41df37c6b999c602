package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
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

func TestPrices(t *testing.T) {
	t.Parallel()
	serve(t).Admin(t).Reseller(t, "0").Get(t, "/prices").Exactly(fields{"prices": priceList()})
}

func TestFiltersOfAccounts(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	stem := api.Unique("Ündine") // of names that nobody else has
	named := func(by caller, name string) api.Reseller {
		return by.Create(t, fields{"username": name, "is_master": 1, "credits": "0"})
	}
	top := named(admin, stem)
	a, b := named(top.Caller, stem+".a"), named(top.Caller, stem+".B")
	a1, a2 := named(a.Caller, stem+".a.1"), named(a.Caller, api.Unique("other"))
	a11 := named(a1.Caller, stem+".a.1.1")
	outside := admin.Reseller(t, "0")
	leaf := b.Create(t, fields{"username": api.Unique("leaf")})
	const none = 999_999_999
	for _, c := range []struct {
		by   caller
		path string
		want []int64
	}{
		{top.Caller, "/users", []int64{top.ID, a.ID, b.ID, a1.ID, a2.ID, a11.ID, leaf.ID}},
		{a.Caller, "/users", []int64{a.ID, a1.ID, a2.ID, a11.ID}},
		{leaf.Caller, "/users", []int64{leaf.ID}},
		{admin, api.Query("/users", "tree", top.ID), []int64{top.ID, a.ID, b.ID, a1.ID, a2.ID, a11.ID, leaf.ID}},
		{top.Caller, api.Query("/users", "tree", a.ID), []int64{a.ID, a1.ID, a2.ID, a11.ID}},
		{top.Caller, api.Query("/users", "tree", leaf.ID), []int64{leaf.ID}},
		{admin, api.Query("/users", "master", top.ID), []int64{a.ID, b.ID}},
		{top.Caller, api.Query("/users", "master", a.ID), []int64{a1.ID, a2.ID}},
		{top.Caller, api.Query("/users", "master", a.ID, "username", stem), []int64{a1.ID}},
		{top.Caller, api.Query("/users", "master", leaf.ID), nil},
		{top.Caller, api.Query("/users", "master", a.ID, "tree", b.ID), nil},
		{top.Caller, api.Query("/users", "master", a.ID, "tree", a.ID), []int64{a1.ID, a2.ID}},
		{top.Caller, api.Query("/users", "master", a.ID, "tree", a1.ID), []int64{a1.ID}},
		{admin, api.Query("/users", "username", stem), []int64{top.ID, a.ID, b.ID, a1.ID, a11.ID}},
		{admin, api.Query("/users", "username", strings.ToLower(stem)+".A"), []int64{a.ID, a1.ID, a11.ID}},
		{admin, api.Query("/users", "username", strings.ToUpper(stem)+".b"), []int64{b.ID}},
		{admin, api.Query("/users", "username", stem+".a.1.1"), []int64{a11.ID}},
		{admin, api.Query("/users", "username", stem+".a.1.1x"), nil},
		{a.Caller, api.Query("/users", "username", stem), []int64{a.ID, a1.ID, a11.ID}},
		{b.Caller, api.Query("/users", "username", stem+".a"), nil},
		{top.Caller, api.Query("/users", "username", ""), []int64{top.ID, a.ID, b.ID, a1.ID, a2.ID, a11.ID, leaf.ID}},

		// What is out of sight, or nothing, gives an empty page.
		{a.Caller, api.Query("/users", "tree", top.ID), nil},
		{a.Caller, api.Query("/users", "tree", b.ID), nil},
		{a.Caller, api.Query("/users", "tree", outside.ID), nil},
		{a.Caller, api.Query("/users", "tree", 1), nil},
		{a.Caller, api.Query("/users", "tree", none), nil},
		{admin, api.Query("/users", "tree", none), nil},
		{admin, api.Query("/users", "tree", 0), nil},
		{a.Caller, api.Query("/users", "master", top.ID), nil}, // it is below top itself, and does not see top
		{a.Caller, api.Query("/users", "master", 1), nil},
		{a.Caller, api.Query("/users", "master", none), nil},
		{admin, api.Query("/users", "master", 0), nil},
		{leaf.Caller, api.Query("/users", "tree", b.ID), nil},
		{leaf.Caller, api.Query("/users", "username", stem), nil},

		{top.Caller, api.Query("/users", "unknown", "x", "owner", "x", "Limit", 0, "tree", a1.ID), []int64{a1.ID, a11.ID}}, // ignored
	} {
		c.by.Selects(t, c.path, c.want...)
	}
	if first := admin.Get(t, api.Query("/users", "limit", 1)).IDs(); !slices.Equal(first, []int64{1}) {
		t.Errorf("the first of all accounts is %v, want the admin", first)
	}
}

func TestFiltersOfLines(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	top := admin.Master(t, "1000")
	a := top.Master(t, "100")
	b := top.Reseller(t, "100")
	leaf := a.Reseller(t, "10")
	outside := admin.Reseller(t, "10")
	stem := api.Unique("Längst")
	// expiry is when each line ends.
	expiry := map[int64]string{}
	grant := func(owner api.Reseller, credits any, name string) int64 {
		t.Helper()
		l := owner.Trial(t)
		var record answer
		if credits == nil {
			record = owner.Get(t, api.Path("/lines", l.ID))
		} else {
			record = owner.Send(t, "PATCH", api.Path("/lines/active", l.ID), api.With(l.Activation(credits), fields{"username": name})).Is(201)
		}
		expiry[l.ID] = record.Text("expDate")
		return l.ID
	}
	later := grant(top, 10, stem+".1")
	soon := grant(top, 1, stem+".2")
	trialOfA := grant(a, nil, "")
	ofA := grant(a, 3, stem+".A")
	ofB := grant(b, 5, api.Unique("other"))
	ofLeaf := grant(leaf, 0.5, stem+".a.leaf")
	trialOfLeaf := grant(leaf, nil, "")
	elsewhere := grant(outside, 1, stem+".x")
	const none = 999_999_999
	day := func(at string, shift time.Duration) string {
		instant, err := time.Parse(api.ISOMillis, at)
		if err != nil {
			t.Fatal(err)
		}
		return instant.Add(shift).Format(api.ISOMillis)
	}
	for _, c := range []struct {
		by   caller
		path string
		want []int64
	}{
		{top.Caller, "/lines", []int64{later, soon, trialOfA, ofA, ofB, ofLeaf, trialOfLeaf}},
		{a.Caller, "/lines", []int64{trialOfA, ofA, ofLeaf, trialOfLeaf}},
		{leaf.Caller, "/lines", []int64{ofLeaf, trialOfLeaf}},
		{admin, api.Query("/lines", "tree", top.ID), []int64{later, soon, trialOfA, ofA, ofB, ofLeaf, trialOfLeaf}},
		{admin, api.Query("/lines", "tree", a.ID), []int64{trialOfA, ofA, ofLeaf, trialOfLeaf}},
		{admin, api.Query("/lines", "owner", a.ID), []int64{trialOfA, ofA}},
		{top.Caller, api.Query("/lines", "owner", top.ID), []int64{later, soon}},
		{top.Caller, api.Query("/lines", "owner", leaf.ID, "tree", a.ID), []int64{ofLeaf, trialOfLeaf}},
		{top.Caller, api.Query("/lines", "owner", leaf.ID, "tree", b.ID), nil},
		{top.Caller, api.Query("/lines", "isTrial", 1), []int64{trialOfA, trialOfLeaf}},
		{top.Caller, api.Query("/lines", "isTrial", 0), []int64{later, soon, ofA, ofB, ofLeaf}},
		{top.Caller, api.Query("/lines", "isTrial", 0, "owner", a.ID), []int64{ofA}},
		{admin, api.Query("/lines", "username", stem), []int64{later, soon, ofA, ofLeaf, elsewhere}},
		{top.Caller, api.Query("/lines", "username", strings.ToUpper(stem)), []int64{later, soon, ofA, ofLeaf}},
		{top.Caller, api.Query("/lines", "username", stem+".a"), []int64{ofA, ofLeaf}},
		{top.Caller, api.Query("/lines", "username", stem+".a", "owner", leaf.ID), []int64{ofLeaf}},
		{b.Caller, api.Query("/lines", "username", stem), nil},

		// By expiry where a status or a window is asked.
		{top.Caller, api.Query("/lines", "status", 1), []int64{trialOfA, trialOfLeaf, ofLeaf, soon, ofA, ofB, later}},
		{top.Caller, api.Query("/lines", "status", 0), nil},
		{top.Caller, api.Query("/lines", "status", 1, "isTrial", 0), []int64{ofLeaf, soon, ofA, ofB, later}},
		{a.Caller, api.Query("/lines", "status", 1), []int64{trialOfA, trialOfLeaf, ofLeaf, ofA}},
		{top.Caller, api.Query("/lines", "status", 1, "username", stem), []int64{ofLeaf, soon, ofA, later}},
		{top.Caller, api.Query("/lines", "expires_after", expiry[soon]), []int64{soon, ofA, ofB, later}}, // at that instant or later
		{top.Caller, api.Query("/lines", "expires_before", expiry[soon]), []int64{trialOfA, trialOfLeaf, ofLeaf}},
		{top.Caller, api.Query("/lines", "expires_after", expiry[ofLeaf], "expires_before", expiry[ofA]), []int64{ofLeaf, soon}},
		{top.Caller, api.Query("/lines", "expires_after", day(expiry[ofLeaf], time.Millisecond), "expires_before", day(expiry[ofA], time.Millisecond)), []int64{soon, ofA}},
		{top.Caller, api.Query("/lines", "expires_after", expiry[ofA], "expires_before", expiry[soon]), nil},
		{top.Caller, api.Query("/lines", "expires_after", "2001-01-01T00:00:00+05:30", "isTrial", 1), []int64{trialOfA, trialOfLeaf}},
		{top.Caller, api.Query("/lines", "expires_after", "9999-12-31T23:59:59.999999999Z"), nil},
		{top.Caller, api.Query("/lines", "expires_before", "0001-01-01T00:00:00Z"), nil},
		{top.Caller, api.Query("/lines", "expires_before", expiry[ofA], "status", 1, "isTrial", 0, "owner", top.ID), []int64{soon}},

		// What is out of sight, or nothing, gives an empty page.
		{a.Caller, api.Query("/lines", "owner", top.ID), nil},
		{a.Caller, api.Query("/lines", "owner", b.ID), nil},
		{a.Caller, api.Query("/lines", "tree", top.ID), nil},
		{a.Caller, api.Query("/lines", "tree", outside.ID), nil},
		{a.Caller, api.Query("/lines", "owner", outside.ID, "status", 1), nil},
		{a.Caller, api.Query("/lines", "owner", 1), nil},
		{a.Caller, api.Query("/lines", "tree", 1), nil},
		{leaf.Caller, api.Query("/lines", "owner", a.ID), nil},
		{admin, api.Query("/lines", "owner", none), nil},
		{admin, api.Query("/lines", "tree", none), nil},
		{admin, api.Query("/lines", "owner", 0), nil},
		{admin, api.Query("/lines", "tree", 0), nil},

		{leaf.Caller, api.Query("/lines", "unknown", "x", "master", "x", "istrial", "x", "Status", 5), []int64{ofLeaf, trialOfLeaf}}, // ignored
	} {
		c.by.Selects(t, c.path, c.want...)
	}

	// A status and a window select what both do, whichever ends, or begins, first.
	srv.clock.Set(fixture.Time(expiry[soon]))
	for _, c := range []struct {
		status        int
		bound, expiry string
		want          []int64
	}{
		{0, "expires_before", expiry[soon], []int64{trialOfA, trialOfLeaf, ofLeaf}},
		{0, "expires_before", expiry[later], []int64{trialOfA, trialOfLeaf, ofLeaf, soon}},
		{0, "expires_after", expiry[ofLeaf], []int64{ofLeaf, soon}},
		{1, "expires_before", expiry[later], []int64{ofA, ofB}},
		{1, "expires_after", expiry[ofLeaf], []int64{ofA, ofB, later}},
		{1, "expires_after", expiry[ofB], []int64{ofB, later}},
	} {
		top.Selects(t, api.Query("/lines", "status", c.status, c.bound, c.expiry), c.want...)
	}
}

// TestPagesAreStable goes through lists while lines and accounts are added and deleted around the cursor: what is there
// throughout is shown exactly once, in order.
func TestPagesAreStable(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	top := admin.Master(t, "100")
	below := top.Reseller(t, "50")
	var kept []int64
	var passing [4][]int64 // for each walk, lines that go away meanwhile
	for i := range 72 {
		owner := []api.Reseller{top, below}[i%2]
		l := owner.Trial(t)
		switch {
		case i%3 == 0:
			passing[i/3%4] = append(passing[i/3%4], l.ID)
			continue
		case i%5 == 0:
			owner.Activate(t, l, 0.5).Is(201)
		}
		kept = append(kept, l.ID)
	}
	for walk, c := range []struct {
		by    caller
		path  string
		limit int
	}{
		{top.Caller, "/lines", 7},
		{admin, api.Query("/lines", "tree", top.ID), 1},
		{top.Caller, api.Query("/lines", "status", 1), 7},
		{top.Caller, api.Query("/lines", "expires_before", "2200-01-01T00:00:00Z"), 6},
	} {
		going, added := passing[walk], 0
		got := c.by.Walk(t, c.path, c.limit, func() {
			if len(going) > 0 { // from both ends
				top.DeleteLine(t, going[0]).Is(200)
				if going = going[1:]; len(going) > 0 {
					top.DeleteLine(t, going[len(going)-1]).Is(200)
					going = going[:len(going)-1]
				}
			}
			if added++; added < 6 { // the list ends once no more are added
				below.Trial(t)
			}
		})
		if len(going) > 0 || added < 6 {
			t.Errorf("%s: it went by without the changes that it is to stand", c.path)
		}
		if sorted := slices.Compact(slices.Sorted(slices.Values(got))); len(sorted) != len(got) {
			t.Errorf("%s: lines are shown twice: %v", c.path, got)
		}
		shown := slices.DeleteFunc(slices.Clone(got), func(id int64) bool { return !slices.Contains(kept, id) })
		if len(shown) != len(kept) {
			t.Errorf("%s: of %d lines that are there throughout %d are shown", c.path, len(kept), len(shown))
		}
		if byID := !strings.Contains(c.path, "status") && !strings.Contains(c.path, "expires"); byID && !slices.IsSorted(got) {
			t.Errorf("%s: not in the order of ids: %v", c.path, got)
		}
	}

	// In one go and page by page a list is the same.
	for _, path := range []string{"/lines", "/lines?status=1", "/lines?isTrial=1", "/lines?isTrial=0&status=1", "/users", "/users?tree=" + fmt.Sprint(top.ID)} {
		whole := top.Get(t, path+map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]+"limit=500")
		if whole.Next() != "" || len(whole.IDs()) == 0 {
			t.Errorf("%s: not one page with something in it: %s", path, whole.Body)
		}
		for _, limit := range []int{1, 3, len(whole.IDs())} {
			if got := top.Walk(t, path, limit, func() {}); !slices.Equal(got, whole.IDs()) {
				t.Errorf("%s by %d: %v, in one go %v", path, limit, got, whole.IDs())
			}
		}
		if path == "/lines?status=1" {
			ends := ""
			for _, r := range whole.List() {
				if at := r.Text("expDate"); at < ends {
					t.Errorf("%s: a line that ends %s comes after one that ends %s", path, at, ends)
				} else {
					ends = at
				}
			}
		}
	}

	var accounts []int64
	for range 12 {
		accounts = append(accounts, top.Send(t, "POST", "/users", api.NewReseller(nil)).Is(201).ID())
	}
	got := top.Walk(t, fmt.Sprintf("/users?master=%d", top.ID), 5, func() { top.Reseller(t, "0") })
	if !slices.IsSorted(got) || len(got) < 13 || !slices.Equal(got[:13], append([]int64{below.ID}, accounts...)) {
		t.Errorf("accounts while more are made: %v, want first %d and %v", got, below.ID, accounts)
	}
}

// TestLimits asks for as many records as there are and more.
func TestLimits(t *testing.T) {
	t.Parallel()
	r := serve(t).Admin(t).Reseller(t, "0")
	const all = 52
	api.AtOnce(all, func(int) { r.Trial(t) })
	for limit, want := range map[string]int{"": 50, "?limit=1": 1, "?limit=50": 50, "?limit=51": 51, "?limit=52": all, "?limit=53": all, "?limit=500": all} {
		a := r.Get(t, "/lines"+limit)
		if got := len(a.IDs()); got != want || (a.Next() == "") != (want == all) {
			t.Errorf("%s: %d lines and the cursor %q, want %d of %d lines", a.Request, got, a.Next(), want, all)
		}
	}
}

// TestCursorsAreOpaque sends cursors that no answer gave for the query.
func TestCursorsAreOpaque(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	master := admin.Master(t, "10")
	r := master.Reseller(t, "5")
	for range 3 {
		r.Official(t)
	}
	statement := api.Path("/users", master.ID, "/ledger")
	master.Fund(t, r.ID, 1).Is(200)
	cursors := map[string]string{}
	lists := []string{"/users", "/lines", "/lines?status=1", statement}
	for _, list := range lists {
		separator := "?"
		if strings.Contains(list, "?") {
			separator = "&"
		}
		cursors[list] = master.Get(t, list+separator+"limit=1").Next()
		if cursors[list] == "" {
			t.Fatalf("%s: no cursor", list)
		}
		if cursors[list] != url.QueryEscape(cursors[list]) {
			t.Errorf("%s: the cursor %q needs escaping", list, cursors[list])
		}
		ask := func(cursor string) answer {
			return master.Send(t, "GET", list+separator+"cursor="+url.QueryEscape(cursor), nil)
		}
		bad := func(cursor string) {
			t.Helper()
			ask(cursor).Invalid("validation-failed", map[string]string{"?cursor": "bad-cursor"})
		}
		for _, cursor := range []string{
			"", "x", "0", "1", "-1", "null", "next", "%", "é", "a b", "AAAA", strings.Repeat("A", 4000), "' OR 1=1 --", "\x00",
			cursors[list] + "x", cursors[list] + "=", " " + cursors[list], cursors[list][1:], strings.ToUpper(cursors[list]) + "A",
		} {
			bad(cursor)
		}
		for other, cursor := range cursors {
			if other != list {
				bad(cursor)
			}
		}
		// Whatever is made of a cursor, it is either refused or a place in the list.
		for i := range cursors[list] {
			for _, c := range "A9z_-" {
				altered := []byte(cursors[list])
				altered[i] = byte(c)
				if a := ask(string(altered)); a.Status == 200 {
					a.List()
				} else {
					a.Invalid("validation-failed", map[string]string{"?cursor": "bad-cursor"})
				}
			}
		}
	}
	// A cursor gives nobody more to see than it has anyway.
	for _, list := range []string{"/users", "/lines"} {
		first := admin.Get(t, list+"?limit=1").Next()
		seen := master.Get(t, list).IDs()
		for _, id := range master.Get(t, list+"?cursor="+first).IDs() {
			if !slices.Contains(seen, id) {
				t.Errorf("%s: with the admin's cursor a master sees %d", list, id)
			}
		}
	}
}

func TestBadQueries(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	statement := api.Path("/users", v.Master.ID, "/ledger")
	preview := api.Path("/lines/extend-preview", v.Line.ID)
	numbers := []string{"", "0", "-1", "501", "1.0", "1e1", "0x1", "ten", " 1", "1 ", "99999999999999999999", "１"}
	ids := []string{"", "-1", "+1", "01", "1.0", "x", " 1", "1 ", "99999999999999999999", "9223372036854775808", "٣", "null", "1,2", "1;2"}
	flags := []string{"", "2", "-1", "true", "01", "1.0", "yes", "null"}
	times := []string{
		"", "now", "2026-01-31", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-02-30T00:00:00Z", "2026-01-31T24:00:00Z",
		"2026-01-31T09:30Z", "1769851800", "2026-01-31T09:30:00+0530", "20260131T093000Z",
	}
	names := map[string]string{strings.Repeat("é", 65): "too-long", strings.Repeat("x", 4000): "too-long", "a b": "bad-username", "a\x00": "bad-username", "a\u200b": "bad-username"}
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
		{"/lines", "isTrial", "bad-value", flags},
		{"/lines", "expires_after", "bad-time", times},
		{"/lines", "expires_before", "bad-time", times},
	} {
		for _, value := range c.values {
			v.Admin.Send(t, "GET", api.Query(c.path, c.name, value), nil).Invalid("validation-failed", map[string]string{"?" + c.name: c.code})
		}
	}
	for value, code := range names {
		for _, list := range []string{"/users", "/lines"} {
			v.Admin.Send(t, "GET", api.Query(list, "username", value), nil).Invalid("validation-failed", map[string]string{"?username": code})
		}
	}
	// Every number that a body refuses, a query does too.
	v.Admin.Send(t, "GET", preview, nil).Invalid("validation-failed", map[string]string{"?credits": "required"})
	v.Admin.Send(t, "GET", preview+"?Credits=1", nil).Invalid("validation-failed", map[string]string{"?credits": "required"})
	for _, bad := range badNumbers() {
		if text, ok := bad.value.(string); ok && len(text) < 100 {
			v.Admin.Send(t, "GET", api.Query(preview, "credits", text), nil).Invalid("validation-failed", map[string]string{"?credits": bad.code})
		}
	}
	for _, text := range []string{"4", "0", "-1", "0.50001", "1e999999999"} {
		a := v.Admin.Send(t, "GET", api.Query(preview, "credits", text), nil).Invalid("unknown-price", map[string]string{"?credits": "unknown-price"})
		if prices, _ := a.Fields["prices"].([]any); len(prices) != 6 {
			t.Errorf("%s: %d prices, want 6", a.Request, len(prices))
		}
	}

	// All of them are named at once.
	v.Admin.Send(t, "GET", api.Query("/lines", "owner", "x", "tree", "y", "status", 2, "isTrial", 2, "expires_after", "x", "expires_before", "x",
		"username", "a b", "limit", 0, "cursor", "x"), nil).Invalid("validation-failed", map[string]string{
		"?owner": "bad-value", "?tree": "bad-value", "?status": "bad-value", "?isTrial": "bad-value", "?expires_after": "bad-time",
		"?expires_before": "bad-time", "?username": "bad-username", "?limit": "bad-value", "?cursor": "bad-cursor",
	})
	v.Admin.Send(t, "GET", api.Query("/users", "master", "x", "tree", "", "username", "\n", "limit", "x", "cursor", ""), nil).
		Invalid("validation-failed", map[string]string{
			"?master": "bad-value", "?tree": "bad-value", "?username": "bad-username", "?limit": "bad-value", "?cursor": "bad-cursor",
		})
	v.Admin.Send(t, "GET", api.Query(statement, "limit", 501, "cursor", "x"), nil).
		Invalid("validation-failed", map[string]string{"?limit": "bad-value", "?cursor": "bad-cursor"})

	// A value is never dropped without a word, for the answer would be another.
	for _, raw := range []string{"status=%zz", "owner=%", "owner=1;x", "tree=5&limit=%f"} {
		v.Admin.Send(t, "GET", "/lines?"+raw, nil).Refused(422, "validation-failed")
	}

	// The token goes before the id, the id before the query, the query before everything that the records say.
	srv := v.Admin.Server
	srv.Nobody().Send(t, "GET", "/lines?limit=0", nil).Refused(401, "missing-token")
	v.Admin.Send(t, "GET", "/users/x/ledger?limit=0", nil).Refused(404, "not-found")
	v.Admin.Send(t, "GET", "/users/999999999/ledger?limit=0", nil).Refused(422, "validation-failed")
	stranger := v.Admin.Master(t, "0")
	stranger.Send(t, "GET", statement+"?limit=0", nil).Refused(422, "validation-failed")
	stranger.Send(t, "GET", preview+"?credits=4", nil).Refused(422, "unknown-price")
	stranger.Send(t, "GET", preview+"?credits=1", nil).Refused(404, "not-found")
	v.Unchanged(t)
}

// TestStatusIsDerived lets a trial end: from then on every read says so, and no job had to run.
func TestStatusIsDerived(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "10")
	official := r.Official(t)
	trial := r.Send(t, "POST", "/lines/test", nil).Is(201).Has(fields{"status": 1})
	l := trial.Line()
	ends := trial.Instant("expDate")
	srv.clock.Set(ends.Add(-2 * time.Millisecond)) // it goes on by one with the request
	r.Get(t, api.Path("/lines", l.ID)).Has(fields{"status": 1})
	srv.clock.Set(ends.Add(-time.Millisecond))
	record := r.Get(t, api.Path("/lines", l.ID)).Has(fields{"status": 0})
	// Nothing but the status is another, and all reads agree.
	want := api.With(trial.Fields, fields{"status": 0})
	delete(want, "code")
	record.Exactly(want)
	r.Selects(t, api.Query("/lines", "status", 1, "isTrial", 0), official.ID)
	if expired := r.Get(t, api.Query("/lines", "status", 0)); !slices.Contains(expired.IDs(), l.ID) || slices.Contains(expired.IDs(), official.ID) {
		t.Errorf("the expired lines are %v, want %d among them and not %d", expired.IDs(), l.ID, official.ID)
	} else {
		for _, r := range expired.List() {
			r.Has(fields{"status": 0})
		}
	}
	if running := r.Get(t, api.Query("/lines", "status", 1)).IDs(); slices.Contains(running, l.ID) {
		t.Errorf("the running lines are %v, want %d not among them", running, l.ID)
	}
	r.Activate(t, l, 1).Is(201).Has(fields{"status": 1})
	r.Get(t, api.Path("/lines", l.ID)).Has(fields{"status": 1})
}

// TestStatementPages goes through a statement page by page, from the newest entry
// on, while more are added: nothing is shown twice and nothing is left out.
func TestStatementPages(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	r := admin.Reseller(t, "1")
	const entries = 57
	for range entries - 1 {
		admin.Fund(t, r.ID, 1).Is(200)
	}
	ledger := api.Path("/users", r.ID, "/ledger")
	seqs := func(a answer) (got []int) {
		t.Helper()
		for _, e := range a.List() {
			seq, _ := strconv.Atoi(e.Fields["seq"].(json.Number).String())
			got = append(got, seq)
			e.Has(fields{"balance": fmt.Sprint(seq), "amount": "1"})
		}
		return got
	}
	down := func(from, to int) (want []int) {
		for seq := from; seq >= to; seq-- {
			want = append(want, seq)
		}
		return want
	}
	expect := func(a answer, from, to int) string {
		t.Helper()
		if got := seqs(a); !slices.Equal(got, down(from, to)) {
			t.Errorf("%s: numbers %v, want %d down to %d", a.Request, got, from, to)
		}
		return a.Next()
	}
	next := expect(r.Get(t, ledger), entries, entries-49) // 50 where nothing is asked
	admin.Fund(t, r.ID, 1).Is(200)
	if end := expect(r.Get(t, ledger+"?cursor="+next), entries-50, 1); end != "" {
		t.Errorf("there is a page after the first entry: %q", end)
	}
	if end := expect(r.Get(t, ledger+"?limit=500"), entries+1, 1); end != "" {
		t.Errorf("there is a page after everything: %q", end)
	}
	if end := expect(r.Get(t, fmt.Sprintf("%s?limit=%d", ledger, entries+1)), entries+1, 1); end != "" {
		t.Errorf("there is a page after exactly everything: %q", end)
	}
	cursor, at := "", entries+1
	for at > 0 {
		to := max(at-7+1, 1)
		cursor = "&cursor=" + expect(r.Get(t, ledger+"?limit=7"+cursor), at, to)
		at = to - 1
		admin.Fund(t, r.ID, 1).Is(200)
	}
	if cursor != "&cursor=" {
		t.Errorf("there is a page after the last: %q", cursor)
	}
}
