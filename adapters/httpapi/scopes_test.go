package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"resellerd/domain/principal"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestEveryScopeOfEveryOperation requests every operation as its owner, as a member of the staff with only its scope,
// and as an API key with all other scopes. A caller without the scope is refused before the body is read; all others
// are refused for the body.
func TestEveryScopeOfEveryOperation(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	v := api.NewFixture(t, srv.Service)
	v.Admin.Fund(t, v.Seller.ID, 1).Is(200)
	alone, without := map[string]caller{}, map[string]caller{}
	for i, s := range principal.Scopes() {
		alone[string(s)] = v.Master.ByMember(t, fields{"scopes": []principal.Scope{s}})
		without[string(s)] = v.Master.ByKey(t, fields{"scopes": slices.Delete(slices.Clone(principal.Scopes()), i, i+1)})
	}
	alone[""], without[""] = v.Master.ByMember(t, fields{"scopes": []string{}}), v.Master.Scoped(t)
	signedIn := v.Master.SignIn(t).Caller
	for _, row := range api.Table() {
		if row.ID == "signOut" || row.ID == "endSession" { // who may ask for these is in TestWhereASessionIsInvalid
			continue
		}
		op := v.Operation(row.ID)
		for name, who := range map[string]struct {
			caller
			lacks, key, session bool
		}{
			"the owner's token":       {caller: v.Master.Caller},
			"the owner, signed in":    {caller: signedIn, session: true},
			"a member with its scope": {caller: alone[row.Scope], session: true},
			"a key without its scope": {caller: without[row.Scope], lacks: row.Scope != "", key: true},
			"a member with no scope":  {caller: alone[""], lacks: row.Scope != "", session: true},
		} {
			var body any
			if row.Method != http.MethodGet {
				body = strings.Repeat("x", 64<<10+1)
			}
			if row.ID == "importLines" {
				body = strings.Repeat("x", 1<<20+1)
			}
			a := who.Send(t, op.Method, op.Path, body)
			a.Request += " by " + name
			switch {
			case row.By == "": // anybody
				expect.Equal(t, a.Status == 401 || a.Status == 403, false, "%s: %s", a.Request, a.Body)
			case row.By == "session" && !who.session:
				a.Refused(401, "missing-session")
			case row.By == "token session" && who.key:
				a.Refused(403, "not-allowed")
			case who.lacks:
				a.Refused(403, "insufficient-scope").Has(fields{"required_scope": row.Scope,
					"detail": fmt.Sprintf("This needs the scope %s.", row.Scope)})
			case row.ID == "importLines" || row.For == api.Operator && row.Method == http.MethodGet: // only an admin's
				a.Refused(403, "not-allowed")
			case row.Method == http.MethodGet:
				a.Is(200)
			default:
				a.Refused(413, "body-too-large")
			}
		}
	}
	v.Master.Get(t, "/users/logged").Has(fields{"credits": "100"})
}

// TestCreditsOfANewAccountNeedTheirOwnScope, in addition to the scope that creates the account.
func TestCreditsOfANewAccountNeedTheirOwnScope(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "10")
	body := api.NewReseller(fields{"credits": "1"})
	for has, lacks := range map[string]string{"users:write": "credits:move", "credits:move": "users:write"} {
		master.Scoped(t, has).Send(t, "POST", "/users", body).Refused(403, "insufficient-scope").
			Has(fields{"required_scope": lacks})
	}
	master.ByKey(t, fields{"role": "manager"}).Send(t, "POST", "/users", body).Is(201).Has(fields{"credits": "1"})
}

// TestWebhooksNeedTheScopeOfEvents, in addition to the scope that manages them, if a URL gets more events than before.
func TestWebhooksNeedTheScopeOfEvents(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "10")
	at := api.Path("/webhooks", master.MakeWebhook(t, nil).ID())
	by := master.Scoped(t, "manage")
	for _, a := range []answer{
		by.Send(t, "POST", "/webhooks", api.NewWebhook(nil)),
		by.Send(t, "PATCH", at, fields{"url": "https://elsewhere.example.com"}),
		by.Send(t, "PATCH", at, fields{"types": []string{"*"}}),
	} {
		a.Refused(403, "insufficient-scope").Has(fields{"required_scope": "events:read"})
	}
	by.Send(t, "POST", at+"/rotate", fields{"overlap_hours": 1}).Is(200)
	by = master.Scoped(t, "manage", "events:read")
	by.Send(t, "PATCH", api.Path("/webhooks", by.MakeWebhook(t, nil).ID()), fields{"types": []string{"line.*"}}).Is(200)
}

// TestBoundedKeysCannotCreateWebhooks: an API key with an expiry or addresses can't create or widen webhooks.
func TestBoundedKeysCannotCreateWebhooks(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "10")
	at := api.Path("/webhooks", master.MakeWebhook(t, nil).ID())
	for name, bound := range map[string]fields{
		"an end":    {"expires_at": "2027-01-01T00:00:00Z"},
		"addresses": {"allowed_addresses": []string{"127.0.0.1"}},
	} {
		by := master.ByKey(t, api.With(bound, fields{"scopes": []string{"manage", "events:read"}}))
		by.Send(t, "POST", "/webhooks", api.NewWebhook(nil)).Refused(403, "beyond-own-rights")
		by.Send(t, "PATCH", at, fields{"url": "https://elsewhere.example.com"}).Refused(403, "beyond-own-rights")
		by.Send(t, "PATCH", at, fields{"description": name, "types": []string{"*"}, "enabled": false}).Is(200)
		by.Send(t, "PATCH", at, fields{"enabled": true}).Refused(403, "beyond-own-rights")
		master.Send(t, "PATCH", at, fields{"enabled": true}).Is(200)
	}
}

// TestPrincipalsCannotTakeOverTheirOwner: they can't set the password of the owner, or of an administrator, and the
// refusal does not reveal whether the given password is the present one. Principals with fewer rights also can't set
// the password of an account below, or create an account, since they would know its password.
func TestPrincipalsCannotTakeOverTheirOwner(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	srv.admin(t, "operator", "an operator's password")
	second := srv.SignIn(t, "operator", "an operator's password")
	master := srv.Admin(t).Master(t, "10")
	below := master.Reseller(t, "0")
	// A change of the contact data with a name, or a password, is refused like an update.
	update := func(by caller, a api.Reseller, password string, status int, code string) {
		t.Helper()
		a.Password = password
		by.Send(t, "PATCH", api.Path("/users", a.ID), a.Update()).Refused(status, code)
		for _, body := range []fields{{"username": a.Username}, {"password": password}} {
			by.Send(t, "PATCH", api.Path("/users", a.ID, "/contact"), body).Refused(status, code)
		}
	}
	first := api.Reseller{ID: 1, Username: api.AdminName}
	manager := fields{"role": "manager"}
	for _, by := range []caller{master.ByKey(t, manager), master.ByMember(t, manager)} {
		update(by, master, master.Password, 403, "not-allowed")
		update(by, master, "another password", 403, "not-allowed")
		update(by, first, "another password", 404, "not-found")
		by.Send(t, "PATCH", api.Path("/users", master.ID, "/contact"), fields{"notes": "known"}).Is(200)
		by.Send(t, "PATCH", api.Path("/users", below.ID), below.Update()).Is(200)
	}
	update(second.ByKey(t, manager), first, api.AdminPassword, 403, "not-allowed")
	update(second.ByMember(t, manager), first, "another password", 403, "not-allowed")

	scopes := slices.DeleteFunc(append(principal.Manager.Scopes(), principal.Manage),
		func(s principal.Scope) bool { return s == principal.LinesPasswords })
	for name, rights := range map[string]fields{
		"a scope is missing": {"scopes": scopes},
		"it has an end":      {"role": "manager", "expires_at": "2027-01-01T00:00:00Z"},
	} {
		by := master.ByKey(t, rights)
		update(by, below, below.Password, 403, "beyond-own-rights")
		update(by, below, "another password", 403, "beyond-own-rights")
		by.Send(t, "POST", "/users", api.NewReseller(nil)).Refused(403, "beyond-own-rights")
		by.Send(t, "PATCH", api.Path("/users", below.ID, "/contact"), fields{"notes": name}).Is(200)
	}
	for _, r := range []api.Reseller{master, below, {Username: api.AdminName, Password: api.AdminPassword}} {
		srv.Login(t, r.Username, r.Password)
	}
}
