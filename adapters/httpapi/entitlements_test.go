package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
)

// TestEntitlements follows the feed page by page from the cursor. Tests of application/lines have its content.
func TestEntitlements(t *testing.T) {
	t.Parallel()
	shop := serve(t).Admin(t).Master(t, "100").Reseller(t, "50")
	key := shop.Scoped(t, "entitlements:read")
	trial, official := shop.Trial(t), shop.Official(t)
	page := key.Get(t, "/entitlements?limit=1").Has(fields{"has_more": true})
	page.List()[0].Has(fields{"line": trial.ID, "enabled": true})
	page = key.Get(t, "/entitlements?limit=1&cursor="+page.Next())
	page.List()[0].Has(fields{"line": official.ID})
	for page.Fields["has_more"] == true {
		page = key.Get(t, "/entitlements?limit=1&cursor="+page.Next())
	}
	shop.DeleteLine(t, trial.ID).Is(200)
	shop.Send(t, "PUT", api.Path("/lines", official.ID, "/suspension"), nil).Is(200)
	page = key.Get(t, "/entitlements?cursor="+page.Next()).Has(fields{"has_more": false})
	page.List()[0].Has(fields{"line": trial.ID, "deleted": true})
	page.List()[1].Has(fields{"line": official.ID, "enabled": false})
}

// TestAuthorizationRunsNoCommand uses passwords that FreeRADIUS would expand, and names that must be encoded in a path.
func TestAuthorizationRunsNoCommand(t *testing.T) {
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

// TestCustomersAreAuthorized in each state of a line, by the rules of application/lines.
func TestCustomersAreAuthorized(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "100")
	shop, sibling := master.Reseller(t, "50"), srv.Admin(t).Reseller(t, "0")
	l := shop.Official(t)
	at := "/radius/users/" + l.Username
	out := func(effect, says string) {
		t.Helper()
		master.Send(t, "GET", at, nil).Refused(403, "line-not-served").Has(fields{"effective": effect})
		master.Get(t, at+"?reply_message=true").Has(fields{"control:Cleartext-Password": nil,
			"control:Auth-Type": "Reject", "reply:Reply-Message": says})
	}
	ends := master.Get(t, api.Path("/lines", l.ID)).Instant("expDate")
	in := master.Get(t, "/radius/users/"+strings.ToUpper(l.Username)+"?reply_message=true")
	in.Exactly(fields{"control:Cleartext-Password": l.Password, "reply:Session-Timeout": in.Fields["reply:Session-Timeout"],
		"control:Simultaneous-Use": 1})
	left, _ := in.Fields["reply:Session-Timeout"].(json.Number).Int64()
	if d := ends.Sub(srv.clock.Now()) - time.Duration(left)*time.Second; d < -time.Second || d > 2*time.Second {
		t.Errorf("the session may last %d s, %s less than the line runs", left, d)
	}
	sibling.Send(t, "GET", at, nil).Refused(404, "not-found").AsAbsent(api.Op("GET", at, nil), sibling.Caller)
	master.Send(t, "GET", "/radius/users/a%2Fb", nil).Is(404)
	master.Send(t, "PUT", api.Path("/lines", l.ID, "/suspension"), nil).Is(200)
	out("suspended", "Your access is suspended.")
	master.Send(t, "DELETE", api.Path("/lines", l.ID, "/suspension"), nil).Is(200)
	srv.Admin(t).Send(t, "PUT", api.Path("/users", shop.ID, "/block"), fields{"lines": "suspend"}).Is(200)
	out("owner_blocked", "Your access is blocked.")
	srv.Admin(t).Unblock(t, shop.ID).Is(200)
	srv.clock.Set(ends)
	out("expired", "Your access has expired.")
}
