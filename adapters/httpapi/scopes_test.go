package httpapi_test

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/domain/principal"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestEveryScopeOfEveryOperation asks for every operation by keys, and as staff, with each scope alone, with all others
// and with none, and as their owner. Who lacks the scope is told so before the body is read; all others come to what is
// wrong with that.
func TestEveryScopeOfEveryOperation(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	v := api.NewFixture(t, srv.Service)
	v.Admin.Fund(t, v.Seller.ID, 1).Is(200)
	var all []string
	for _, s := range principal.Scopes() {
		all = append(all, string(s))
	}
	type asking struct {
		name   string
		scopes []string
		caller
		key, session bool
	}
	everybody := []asking{
		{"the owner's token", all, v.Master.Caller, false, false},
		{"the owner, signed in", all, srv.SignIn(t, v.Master.Username, v.Master.Password), false, true},
	}
	sets := map[string][]string{"no scope": {}, "every scope": all}
	for i, s := range all {
		sets["nothing but "+s] = []string{s}
		sets["all but "+s] = slices.Delete(slices.Clone(all), i, i+1)
	}
	for name, scopes := range sets {
		everybody = append(everybody,
			asking{"a key with " + name, scopes, v.Master.Scoped(t, scopes...), true, false},
			asking{"a member with " + name, scopes, v.Master.ByMember(t, fields{"scopes": scopes}), false, true})
	}
	tooLong := strings.Repeat("x", 64<<10+1)
	for _, row := range api.Table() {
		scope, by := row.Scope, row.By
		if row.ID == "signOut" || row.ID == "endSession" { // by whom that may be asked for is in TestSessionOnlyOperations
			continue
		}
		op := v.Operation(row.ID)
		for _, who := range everybody {
			var body any
			if row.Method != http.MethodGet {
				body = tooLong
				if row.ID == "importLines" {
					body = strings.Repeat(tooLong, 16)
				}
			}
			a := who.Send(t, op.Method, op.Path, body)
			refused := func(status int, code string) {
				t.Helper()
				if a.Refused(status, code); t.Failed() {
					t.Fatalf("by %s", who.name)
				}
			}
			switch {
			case by == "": // anybody
				if a.Status == 401 || a.Status == 403 {
					t.Fatalf("%s by %s: %s", a.Request, who.name, a.Body)
				}
			case by == "session" && !who.session:
				refused(401, "missing-session")
			case by == "token session" && who.key:
				refused(403, "not-allowed")
			case scope != "" && !slices.Contains(who.scopes, scope):
				refused(403, "insufficient-scope")
				a.Has(fields{"required_scope": scope, "detail": fmt.Sprintf("This needs the scope %s.", scope)})
			case row.Method == http.MethodGet:
				if a.Status != 200 && (row.For != api.Operator || a.Fields["code"] != "not-allowed") {
					t.Fatalf("%s by %s: %d %s", a.Request, who.name, a.Status, a.Body)
				}
			case row.ID == "importLines": // the account is no admin's, which is decided before the body is read
				refused(403, "not-allowed")
			default:
				refused(413, "body-too-large")
			}
		}
	}
	v.Master.Get(t, "/users/logged").Has(fields{"credits": "100"})
}

// TestCreditsOfANewAccountNeedTheirOwnScope beside the one to make it.
func TestCreditsOfANewAccountNeedTheirOwnScope(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "10")
	for _, by := range []caller{master.Scoped(t, "users:write"),
		master.ByMember(t, fields{"scopes": []string{"users:write", "manage"}})} {
		by.Send(t, "POST", "/users", api.NewReseller(fields{"credits": "1"})).Refused(403, "insufficient-scope").Has(
			fields{"required_scope": "credits:move"})
		by.Send(t, "POST", "/users", api.NewReseller(nil)).Refused(403, "beyond-own-rights")
	}
	master.ByKey(t, fields{"role": "manager"}).Send(t, "POST", "/users", api.NewReseller(fields{"credits": "1"})).Is(201).
		Has(fields{"credits": "1"})
	master.Scoped(t, "credits:move").Send(t, "POST", "/users", api.NewReseller(fields{"credits": "1"})).Refused(403,
		"insufficient-scope").Has(fields{"required_scope": "users:write"})
	expect.Equal(t, master.Credits(t), "9", "the master holds")
}

// TestWebhooksNeedTheScopeOfWhatTheyTell beside the one to manage them, where an address is told of more than before.
func TestWebhooksNeedTheScopeOfWhatTheyTell(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "10")
	made := master.MakeWebhook(t, nil)
	at := api.Path("/webhooks", made.ID())
	for _, by := range []caller{master.Scoped(t, "manage"),
		master.ByMember(t, fields{"scopes": []string{"manage", "lines:read"}})} {
		for _, a := range []answer{
			by.Send(t, "POST", "/webhooks", api.NewWebhook(nil)),
			by.Send(t, "PATCH", at, fields{"url": "https://elsewhere.example.com"}),
			by.Send(t, "PATCH", at, fields{"types": []string{"*"}}),
		} {
			a.Refused(403, "insufficient-scope").Has(fields{"required_scope": "events:read"})
		}
		by.Send(t, "PATCH", api.Path("/webhooks", 999_999_999), fields{"description": "known"}).Refused(404, "not-found")
		by.Send(t, "POST", api.Path("/webhooks", made.ID(), "/rotate"), fields{"overlap_hours": 1}).Is(200)
		by.Get(t, at)
	}
	by := master.Scoped(t, "manage", "events:read")
	by.Send(t, "PATCH", api.Path("/webhooks", by.MakeWebhook(t, nil).ID()), fields{"types": []string{"line.*"}}).Is(200)
	master.Scoped(t, "events:read").Send(t, "PATCH", at, fields{"description": "known"}).Refused(403,
		"insufficient-scope").Has(fields{"required_scope": "manage"})
	master.Scoped(t, "manage").Send(t, "DELETE", at, nil).Is(200)
}

// TestAWebhookDoesNotOutliveItsMaker: a key with an end, or with addresses, makes none and widens none.
func TestAWebhookDoesNotOutliveItsMaker(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "10")
	at := api.Path("/webhooks", master.MakeWebhook(t, nil).ID())
	scopes := []string{"manage", "events:read"}
	for name, bound := range map[string]fields{
		"an end":    {"scopes": scopes, "expires_at": "2027-01-01T00:00:00Z"},
		"addresses": {"scopes": scopes, "allowed_addresses": []string{"127.0.0.1"}},
	} {
		by := master.ByKey(t, bound)
		change := func(body fields) answer {
			a := by.Send(t, "PATCH", at, body)
			a.Request += fmt.Sprint(" by a key with ", name, ": ", body)
			return a
		}
		by.Send(t, "POST", "/webhooks", api.NewWebhook(nil)).Refused(403, "beyond-own-rights")
		for _, more := range []fields{{"url": "https://elsewhere.example.com"}, {"types": []string{"line.*"}},
			{"scope": "own"}, {"enabled": false, "url": "https://elsewhere.example.com"}} {
			change(more).Refused(403, "beyond-own-rights")
		}
		change(fields{"description": name, "types": []string{"*"}}).Is(200)
		change(fields{"enabled": false}).Is(200)
		change(fields{"enabled": true}).Refused(403, "beyond-own-rights")
		master.Send(t, "PATCH", at, fields{"enabled": true}).Is(200)
	}
	master.ByKey(t, fields{"scopes": scopes, "spend_limit": fields{"credits": 1, "per": "day"}}).MakeWebhook(t, nil)
}

// TestNobodyTakesOverTheirOwner by the password with which the owner, or an admin, signs in; whether the password that
// is given is the present one is not told either.
func TestNobodyTakesOverTheirOwner(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	srv.admin(t, "operator", "an operator's password")
	second := srv.SignIn(t, "operator", "an operator's password")
	master := srv.Admin(t).Master(t, "10")
	below := master.Reseller(t, "0")
	// A change of contacts with a name, or a password, is refused as the update is.
	update := func(by caller, a api.Reseller, password string) answer {
		a.Password = password
		updated := by.Send(t, "PATCH", api.Path("/users", a.ID), a.Update())
		for _, body := range []fields{{"username": a.Username}, {"password": password}} {
			contact := by.Send(t, "PATCH", api.Path("/users", a.ID, "/contact"), body)
			expect.Equal(t, contact.Status, updated.Status, "%s, as the update: %s", contact.Request, contact.Body)
			expect.Equal(t, contact.Fields["code"], updated.Fields["code"], "%s, as the update", contact.Request)
		}
		return updated
	}
	first := api.Reseller{ID: 1, Username: api.AdminName}
	for _, by := range []caller{master.ByKey(t, fields{"role": "manager"}),
		master.ByMember(t, fields{"role": "manager"})} {
		for _, password := range []string{master.Password, "another password"} {
			update(by, master, password).Refused(403, "not-allowed")
		}
		by.Send(t, "PATCH", api.Path("/users", master.ID, "/contact"), fields{"notes": "known"}).Is(200)
		update(by, below, "another password").Is(200)
		update(by, first, "another password").Refused(404, "not-found")
	}
	for _, by := range []caller{second.ByKey(t, fields{"role": "manager"}),
		second.ByMember(t, fields{"role": "manager"})} {
		for _, password := range []string{api.AdminPassword, "another password"} {
			update(by, first, password).Refused(403, "not-allowed")
		}
		update(by, master, master.Password).Is(200)
	}
	srv.Login(t, master.Username, master.Password)
	srv.Login(t, api.AdminName, api.AdminPassword)

	// Nor who is below, by those who may do less: nor do they learn whether the password is the present one. Nor do they
	// make an account, whose password they would know as well.
	below.Password = "another password"
	limit := fields{"credits": 1000, "per": "day"}
	for name, rights := range map[string]fields{
		"a scope is missing": {
			"scopes": []string{"lines:read", "lines:write", "lines:spend", "lines:delete", "users:read", "users:write",
				"credits:move", "ledger:read", "events:read", "entitlements:read", "manage"}},
		"it has a limit":   {"role": "manager", "spend_limit": limit},
		"it has an end":    {"role": "manager", "expires_at": "2027-01-01T00:00:00Z"},
		"it is bound":      {"role": "manager", "allowed_addresses": []string{"127.0.0.1"}},
		"a member's limit": {"role": "manager", "spend_limit": limit},
	} {
		by := master.ByKey
		if name == "a member's limit" {
			by = master.ByMember
		}
		c := by(t, rights)
		for _, password := range []string{below.Password, "yet another password"} {
			a := update(c, below, password)
			a.Request += ": " + name
			a.Refused(403, "beyond-own-rights")
		}
		for _, isMaster := range []int{0, 1} {
			c.Send(t, "POST", "/users", api.NewReseller(fields{"is_master": isMaster})).Refused(403, "beyond-own-rights")
		}
		c.Send(t, "PATCH", api.Path("/users", below.ID, "/contact"), fields{"notes": name}).Is(200)
		update(c, api.Reseller{ID: 999_999_999, Username: "nobody", Password: "nobody's"}, "nobody's").Refused(404,
			"not-found")
	}
	srv.Login(t, below.Username, below.Password)
}

// TestTheTableOfScopes in the README is the document's.
func TestTheTableOfScopes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	must(t, err)
	_, table, found := strings.Cut(string(text), "| Scope | Needed by |\n|---|---|\n")
	if table, _, _ = strings.Cut(table, "\n\n"); !found {
		t.Fatal("there is no table of scopes")
	}
	shown := map[string]string{} // by the operation
	var scopes []string
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(row, "|")
		scope := strings.Trim(cells[1], " `")
		scopes = append(scopes, scope)
		needing, _, _ := strings.Cut(cells[2], ", and ") // what is no operation by itself
		for _, span := range regexp.MustCompile("`([A-Z]+ )?(/[^`]*)`").FindAllStringSubmatch(needing, -1) {
			shown[span[1]+span[2]] = scope
		}
	}
	var known []string
	for _, s := range principal.Scopes() {
		known = append(known, string(s))
	}
	expect.Elements(t, scopes, append(known, "none"), "the scopes of the table")
	for _, row := range api.Table() {
		if row.By != api.EveryCredential {
			continue
		}
		first, _, _ := strings.Cut(row.Path[1:], "/")
		got := cmp.Or(shown[row.Name()], shown["/"+first])
		expect.Equal(t, got, cmp.Or(row.Scope, "none"), "the table has %s under", row.Name())
		delete(shown, row.Name())
	}
	for name := range shown {
		expect.Lacks(t, name, " ", "the name of an operation")
	}
}
