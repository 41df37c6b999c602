package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// served is what a consumer has been told: lines by their ids.
type served map[int64]fields

// follow applies all pages from a cursor on, and returns the cursor to go on with and how many pages there were.
func (s served) follow(t *testing.T, by caller, cursor string, limit int) (next string, pages int) {
	t.Helper()
	for {
		query := fmt.Sprintf("/entitlements?limit=%d", limit)
		if cursor != "" {
			query += "&cursor=" + cursor
		}
		page := by.Get(t, query)
		if len(page.List()) > limit {
			t.Fatalf("a page of %d has %d lines", limit, len(page.List()))
		}
		for _, e := range page.List() {
			line, _ := e.Fields["line"].(json.Number).Int64()
			if s[line] = e.Fields; e.Fields["deleted"] == true {
				delete(s, line)
			}
		}
		cursor, pages = page.Next(), pages+1
		if page.Fields["has_more"] == false {
			return cursor, pages
		}
	}
}

// is holds what a consumer was told against who is served, and against what one is told that begins now.
func (s served) is(t *testing.T, by caller, enabled map[int64]bool) {
	t.Helper()
	got, anew := map[int64]bool{}, served{}
	for line, e := range s {
		got[line] = e["enabled"] == true
	}
	expect.DeepEqual(t, got, enabled, "it was told of")
	anew.follow(t, by, "", 500)
	expect.Equal(t, string(api.Encode(t, s)), string(api.Encode(t, anew)), "it was told, and one that begins now")
}

// TestEntitlements are followed by pages of each length, from the cursor on, to the end of a line that is deleted.
func TestEntitlements(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 2, 500} {
		shop := serve(t).Admin(t).Master(t, "100").Reseller(t, "50")
		key := shop.Scoped(t, "entitlements:read")
		trial, first, second := shop.Trial(t), shop.Official(t), shop.Official(t)
		told, want := served{}, map[int64]bool{trial.ID: true, first.ID: true, second.ID: true}
		cursor, _ := told.follow(t, key, "", limit)
		told.is(t, key, want)
		shop.Send(t, "PUT", api.Path("/lines", first.ID, "/suspension"), nil).Is(200)
		shop.Send(t, "PATCH", api.Path("/lines", second.ID, "/details"),
			fields{"external_id": "crm-1042", "metadata": fields{"plan": "gold"}}).Is(200)
		shop.DeleteLine(t, trial.ID).Is(200)
		want[first.ID] = false
		delete(want, trial.ID)
		cursor, _ = told.follow(t, key, cursor, limit)
		told.is(t, key, want)
		if again, pages := told.follow(t, key, cursor, limit); again != cursor || pages != 1 {
			t.Errorf("after nothing the cursor is %s in %d pages, want %s", again, pages, cursor)
		}
	}
}

// TestAPageOfEntitlementsHasABound has pages end before their body passes 1 MiB, and lose nothing.
func TestAPageOfEntitlementsHasABound(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	shop := srv.Admin(t).Reseller(t, "0")
	most := map[string]string{}
	for i := range 8 {
		most[fmt.Sprintf("m%d", i)] = strings.Repeat(`"`, 250)
	}
	want := map[int64]bool{}
	for range 400 {
		l := shop.Send(t, "POST", "/lines/test", fields{"metadata": most}).Is(201)
		want[l.ID()] = true
	}
	key := shop.Scoped(t, "entitlements:read")
	first := key.Get(t, "/entitlements?limit=5000")
	if len(first.Body) > 1<<20 || len(first.Body) < 1<<19 || first.Fields["has_more"] != true {
		t.Errorf("the first page has %d bytes and %d lines", len(first.Body), len(first.List()))
	}
	told := served{}
	told.follow(t, key, "", 5000)
	told.is(t, key, want)
}

// TestEntitlementsOfABlockedAccount are told to keys that may do nothing else.
func TestEntitlementsOfABlockedAccount(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	shop := srv.Admin(t).Reseller(t, "0")
	l := shop.Trial(t)
	alone, more := shop.Scoped(t, "entitlements:read"), shop.Scoped(t, "entitlements:read", "lines:read")
	radius := "/radius/users/" + l.Username
	for _, lines := range []string{"run", "suspend"} {
		srv.Admin(t).Send(t, "PUT", api.Path("/users", shop.ID, "/block"), fields{"lines": lines}).Is(200)
		alone.Get(t, "/entitlements").List()[0].Has(fields{"enabled": lines == "run"})
		switch a := alone.Send(t, "GET", radius, nil); lines {
		case "run":
			a.Is(200)
		default:
			a.Refused(403, "line-not-served").Has(fields{"effective": "owner_blocked"})
		}
		alone.Send(t, "GET", "/users/logged", nil).Refused(403, "account-blocked")
		for _, by := range []caller{shop.Caller, more} {
			by.Send(t, "GET", "/entitlements", nil).Refused(403, "account-blocked")
			by.Send(t, "GET", radius, nil).Refused(403, "account-blocked")
		}
	}
}

// TestLettingInRunsNothing gives passwords that FreeRADIUS would expand, and names that have to be encoded in a path.
func TestLettingInRunsNothing(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "100")
	for name, c := range map[string]struct{ path, password, sent string }{
		"plain":      {"plain", "pä ss wörd", "pä ss wörd"},
		"runs":       {"runs", "%{echo:/bin/true}", "%%{echo:/bin/true}"},
		"escapes":    {"escapes", `a\n\\b%%"\101`, `a\\n\\\\b%%%%"\\101`},
		"a/b?c#d%41": {"a%2Fb%3Fc%23d%2541", "5566", "5566"},
		"/a//b":      {"%2Fa%2F%2Fb", "5566", "5566"},
	} {
		l := master.Trial(t)
		master.Send(t, "PATCH", api.Path("/lines/active", l.ID),
			api.With(l.Activation(1), fields{"username": name, "password": c.password})).Is(201)
		master.Get(t, "/radius/users/"+c.path).Has(fields{"control:Cleartext-Password": c.sent})
	}
}

// TestLettingCustomersIn asks for every state of a line.
func TestLettingCustomersIn(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "100")
	shop, sibling := master.Reseller(t, "50"), srv.Admin(t).Reseller(t, "0")
	l := shop.Official(t)
	ask := func(by caller, name string) answer { return by.Send(t, "GET", "/radius/users/"+name, nil) }
	out := func(effect string) {
		t.Helper()
		ask(master.Caller, l.Username).Refused(403, "line-not-served").Has(fields{"effective": effect})
		ask(master.Caller, l.Username+"?reply_message=true").Is(200).Has(fields{
			"control:Cleartext-Password": nil, "control:Auth-Type": "Reject", "reply:Reply-Message": map[string]string{
				"suspended": "Your access is suspended.", "owner_blocked": "Your access is blocked.",
				"expired": "Your access has expired.",
			}[effect],
		})
		master.Get(t, api.Path("/lines", l.ID)).Has(fields{"status": 0, "effective": effect})
	}
	in := ask(master.Caller, strings.ToUpper(l.Username)).Is(200)
	expires := master.Get(t, api.Path("/lines", l.ID)).Instant("expDate")
	in.Has(fields{"control:Cleartext-Password": l.Password})
	with := ask(master.Caller, l.Username+"?reply_message=true").Is(200)
	with.Exactly(fields{"control:Cleartext-Password": l.Password,
		"reply:Session-Timeout": with.Fields["reply:Session-Timeout"]})
	ask(sibling.Caller, l.Username+"?reply_message=true").Refused(404, "not-found")
	left, _ := in.Fields["reply:Session-Timeout"].(json.Number).Int64()
	if ends := expires.Sub(srv.clock.Now()); time.Duration(left)*time.Second > ends+time.Second ||
		time.Duration(left+2)*time.Second < ends {
		t.Errorf("the session may last %d s, and the line runs for %s", left, ends)
	}
	ask(sibling.Caller, l.Username).Refused(404, "not-found").AsAbsent(api.Op("GET", "/radius/users/"+l.Username, nil),
		sibling.Caller)
	for _, name := range []string{"nobody", "no%20name", "%00", "a%2Fb"} {
		ask(master.Caller, name).Is(404)
	}
	master.Send(t, "PUT", api.Path("/lines", l.ID, "/suspension"), nil).Is(200)
	out("suspended")
	master.Send(t, "DELETE", api.Path("/lines", l.ID, "/suspension"), nil).Is(200)
	srv.Admin(t).Send(t, "PUT", api.Path("/users", shop.ID, "/block"), fields{"lines": "suspend"}).Is(200)
	out("owner_blocked")
	srv.Admin(t).Unblock(t, shop.ID).Is(200)
	srv.clock.Set(expires)
	out("expired")
}

// TestTermsOfABlock are what was asked for, and are kept until they are changed.
func TestTermsOfABlock(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	shop := srv.Admin(t).Reseller(t, "0")
	var since string
	for _, c := range []struct {
		body any
		want map[string]any
	}{
		{nil, map[string]any{"lines": "run", "reason": nil}},
		{fields{"lines": "suspend"}, map[string]any{"lines": "suspend", "reason": nil}},
		{fields{"lines": "suspend", "reason": " unpaid "}, map[string]any{"lines": "suspend", "reason": "unpaid"}},
		{fields{"lines": "run", "reason": nil}, map[string]any{"lines": "run", "reason": nil}},
		{fields{"reason": "fraud"}, map[string]any{"lines": "run", "reason": "fraud"}},
	} {
		a := srv.Admin(t).Send(t, "PUT", api.Path("/users", shop.ID, "/block"), c.body).Is(200)
		if since == "" {
			since = a.Text("updatedAt")
		}
		c.want["at"] = since
		a.Has(fields{"block": c.want})
		srv.Admin(t).Get(t, api.Path("/users", shop.ID)).Has(fields{"block": c.want})
	}
}
