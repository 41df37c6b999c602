package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/domain/principal"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// loopback trusts proxies on this machine.
var loopback = httpapi.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

// from is the header in which a proxy sends an address.
func from(address string) []string { return []string{"X-Forwarded-For", address} }

// TestLifeOfAKey creates an API key, uses it, changes it and revokes it.
func TestLifeOfAKey(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	master := srv.Admin(t).Master(t, "10")
	made := master.MakeKey(t, fields{
		"name": " the shop ", "role": "cashier", "expires_at": "2027-01-31T10:00:00.1239+01:00",
		"spend_limit":       fields{"credits": 50, "per": "day"},
		"allowed_addresses": []string{"198.51.100.7/24", "2001:DB8::1", "::ffff:192.0.2.0/120"},
	}).Has(fields{"name": "the shop", "expires_at": "2027-01-31T09:00:00.123Z", "spent": "0",
		"spend_limit":       map[string]any{"credits": "50", "per": "day"},
		"allowed_addresses": []any{"198.51.100.0/24", "2001:db8::1", "192.0.2.0/24"}})
	key, at := srv.As(made.Text("key")), api.Path("/keys", made.ID())
	delete(made.Fields, "key") // which is shown once
	master.Get(t, at).Exactly(made.Fields)
	master.Get(t, "/keys").List()[0].Exactly(made.Fields)

	key.Send(t, "GET", "/lines", nil, from("192.0.2.200")...).Is(200)
	master.Get(t, at).Has(fields{"last_used_address": "192.0.2.200", "last_used_at": api.ISO})

	changed := master.Send(t, "PATCH", at, fields{"scopes": []string{"users:read", "lines:read", "users:read"},
		"expires_at": nil, "allowed_addresses": nil, "spend_limit": nil, "name": "shop"}).Is(200)
	changed.Has(fields{"role": nil, "scopes": []any{"lines:read", "users:read"}, "expires_at": nil,
		"allowed_addresses": []any{}, "spend_limit": nil, "name": "shop"})
	key.Get(t, "/users")
	key.Send(t, "POST", "/lines/test", nil).Refused(403, "insufficient-scope")
	master.Send(t, "DELETE", at, nil).Is(200).Exactly(fields{"status": 200, "message": "The API key is revoked."})
	key.Send(t, "GET", "/users/logged", nil).Refused(401, "key-revoked")
	master.Send(t, "GET", at, nil).Refused(404, "not-found")
	srv.audit(t)
}

// TestLifeOfAMemberOfTheStaff adds a member, signs the member in, and removes it.
func TestLifeOfAMemberOfTheStaff(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	owner := srv.Admin(t).Master(t, "10")
	body := api.NewMember(fields{"username": api.Unique("Ana"), "role": "support"})
	name := body["username"].(string)
	made := owner.Send(t, "POST", "/staff", body).Is(201)
	at := api.Path("/staff", made.ID())
	owner.Get(t, at).Exactly(made.Fields)
	owner.Get(t, "/staff").List()[0].Exactly(made.Fields)
	owner.Send(t, "POST", "/users", api.NewReseller(fields{"username": strings.ToLower(name)})).
		Refused(409, "username-taken")

	// A member signs in with a session, and has no token.
	srv.Nobody().Send(t, "POST", "/auth/static-token", api.Fields{"username": name, "password": body["password"]}).
		Refused(401, "invalid-credentials")
	signIn := func() caller { return srv.SignIn(t, name, body["password"].(string)) }
	ana, signedIn := signIn(), owner.SignIn(t)
	staff := map[string]any{"id": made.Fields["id"], "username": name, "role": "support", "scopes": made.Fields["scopes"]}
	ana.Get(t, "/auth/session").Has(fields{"id": owner.ID, "username": owner.Username, "is_master": 1, "staff": staff})
	expect.Equal(t, signedIn.Get(t, "/auth/session").Fields["staff"], nil, "the owner as staff")
	ana.Send(t, "POST", "/lines/test", nil).Is(201).Has(fields{"owner": owner.ID})

	// A member sees its own sessions, and the owner can end any of them.
	expect.Equal(t, len(ana.Get(t, "/auth/sessions").List()), 1, "sessions that a member sees")
	all := signedIn.Get(t, "/auth/sessions").List()
	ana.Send(t, "DELETE", "/auth/sessions/"+all[0].Text("id"), nil).Refused(404, "not-found")
	signedIn.Send(t, "DELETE", "/auth/sessions/"+all[1].Text("id"), nil).Is(200)
	ana.Send(t, "GET", "/lines", nil).SessionEnded()

	// A new password ends the member's sessions.
	ana = signIn()
	body["password"] = "another of ana's"
	owner.Send(t, "PATCH", at, fields{"password": body["password"]}).Is(200)
	ana.Send(t, "GET", "/lines", nil).SessionEnded()

	// A change, or the removal, takes effect at once.
	ana = signIn()
	owner.Send(t, "PATCH", at, fields{"username": api.Unique("beto"), "scopes": []string{"users:read"}}).Is(200).
		Has(fields{"role": nil, "scopes": []any{"users:read"}})
	ana.Send(t, "GET", "/lines", nil).Refused(403, "insufficient-scope")
	owner.Send(t, "DELETE", at, nil).Is(200)
	ana.Send(t, "GET", "/users", nil).SessionEnded()
	srv.audit(t)
}

// TestPrecedenceOfKeys sends requests with API keys that several rules refuse: the first rule decides the answer.
func TestPrecedenceOfKeys(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	master := srv.Admin(t).Master(t, "10")
	here, elsewhere := from("192.0.2.1"), from("198.51.100.1")
	key := func(expires any, scopes ...string) (caller, string) {
		made := master.MakeKey(t, fields{"scopes": append([]string{}, scopes...), "expires_at": expires,
			"allowed_addresses": []string{"192.0.2.0/24"}})
		return srv.As(made.Text("key")), api.Path("/keys", made.ID())
	}
	good, _ := key(nil, "credits:move")
	scopeless, _ := key(nil)
	expired, _ := key("2026-02-28T13:00:00Z")
	revoked, gone := key("2026-02-28T13:00:00Z")
	master.Send(t, "DELETE", gone, nil).Is(200)
	srv.clock.Advance(2 * time.Hour)
	big := strings.Repeat("x", 64<<10+1)
	funding := func(by caller, headers []string) answer {
		return by.Send(t, "PATCH", "/users/credits/x", big, headers...)
	}
	for _, c := range []refused{
		{"secret before all that is known of a key", funding(srv.As(revoked.Token+"x"), elsewhere), 401, "invalid-token"},
		{"revoked before expired", funding(revoked, elsewhere), 401, "key-revoked"},
		{"expired before the address", funding(expired, elsewhere), 401, "key-expired"},
		{"address before the scope", funding(scopeless, elsewhere), 403, "address-not-allowed"},
		{"scope before id and size", funding(scopeless, here), 403, "insufficient-scope"},
		{"id before size", funding(good, here), 404, "not-found"},
	} {
		c.got.Request += ", " + c.name
		c.got.Refused(c.status, c.code)
	}
	// A client that is not a trusted proxy can't choose its address.
	serve(t).Admin(t).ByKey(t, fields{"allowed_addresses": []string{"192.0.2.0/24"}}).Send(t, "GET", "/lines", nil,
		here...).Refused(403, "address-not-allowed")
}

// TestPrincipalsOfABlockedAccountAreRefused like the account itself.
func TestPrincipalsOfABlockedAccountAreRefused(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	above := srv.Admin(t).Master(t, "10")
	master := above.Master(t, "10")
	body := api.NewMember(fields{"role": "manager"})
	master.Send(t, "POST", "/staff", body).Is(201)
	signIn := func() answer {
		return srv.Nobody().Send(t, "POST", "/auth/session",
			fields{"username": body["username"], "password": body["password"]})
	}
	all := []caller{master.ByKey(t, fields{"role": "manager"}), srv.BySession(signIn().Is(201))}
	first := all[0].Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Is(201)
	srv.Admin(t).Block(t, above.ID).Is(200)
	for _, by := range all {
		by.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Refused(403, "account-blocked")
	}
	signIn().Refused(403, "account-blocked")
	srv.Admin(t).Unblock(t, above.ID).Is(200)
	all[0].Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Same(first)
}

// TestNoAnswerShowsALinesPasswordWithoutTheScope sends every operation with the scope and with all scopes but this one,
// once alone, and once under an idempotency key that already has an answer for the owner. Only an API key whose single
// scope is entitlements:read sees passwords without lines:passwords.
func TestNoAnswerShowsALinesPasswordWithoutTheScope(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	owner := api.Reseller{Caller: srv.Admin(t), ID: 1, Username: api.AdminName, Password: api.AdminPassword}
	owner.Webhook, owner.Key, owner.Member = owner.MakeWebhook(t, nil).ID(), owner.MakeKey(t, nil).ID(),
		owner.MakeMember(t, nil).ID()
	below := owner.Reseller(t, "100")
	const planted = "PLANTED-PASSWORD"
	lineOf := func(row api.Row) line {
		l := owner.Trial(t)
		l.Password = planted
		if row.Of != api.ATrial || row.ID == "describeLine" {
			owner.Activate(t, l, 0.5).Is(201)
		}
		return l
	}
	example := func(row api.Row, l line) operation {
		op := row.Example(owner, below, l)
		switch row.ID {
		case "describeLine":
			op.Body = fields{"external_id": api.Unique("crm")}
		case "importLines":
			op.Body["password"] = planted
		}
		return op
	}
	blind := principal.Manager.Scopes()
	blind = slices.DeleteFunc(blind, func(s principal.Scope) bool { return s == principal.LinesPasswords })
	served := fields{"scopes": []string{"entitlements:read"}}
	everybody := []struct {
		name string
		caller
		sees int // the operations in whose answers there is a password
	}{
		{"the owner", owner.Caller, 10},
		{"a key without lines:passwords", owner.ByKey(t, fields{"scopes": blind}), 0},
		{"entitlements:read", owner.ByKey(t, served), 2},
		{"a member, entitlements:read", owner.ByMember(t, served), 0},
	}
	l := lineOf(api.RowOf("getLine"))
	for _, who := range everybody {
		var showing []string
		for _, row := range api.Table() {
			if row.By == "" || row.By == "session" || row.ID == "revokeToken" || row.ID == "changePassword" {
				continue // which is about the caller's own credential
			}
			if row.Method != http.MethodGet {
				l = lineOf(row)
			}
			answers := []answer{example(row, l).By(t, who.caller)}
			if row.Keyed {
				op, key := example(row, lineOf(row)), []string{"Idempotency-Key", api.Unique("owner's")}
				op.By(t, owner.Caller, key...)
				answers = append(answers, op.By(t, who.caller, key...))
			}
			if row.Method == http.MethodDelete || row.Of == api.ATrial {
				l = lineOf(api.RowOf("getLine"))
			}
			for _, a := range answers {
				if bytes.Contains(a.Body, []byte(planted)) && !slices.Contains(showing, row.ID) {
					showing = append(showing, row.ID)
				}
			}
		}
		expect.Equal(t, len(showing), who.sees, "%s sees passwords in the answers of %s", who.name, showing)
	}
	journal := owner.Get(t, "/events?limit=500&order=desc").Body
	expect.Equal(t, bytes.Contains(journal, []byte(planted)), false, "the journal has a password")
}

// TestAnswersUnderAnIdempotencyKeyOfTheAccount are replayed only to callers that may see all of the answer.
func TestAnswersUnderAnIdempotencyKeyOfTheAccount(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "100")
	strong, blind := master.ByKey(t, fields{"role": "cashier"}), master.Scoped(t, "lines:write")
	trial := func(by caller, key string) answer {
		return by.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", key)
	}
	first := trial(master.Caller, "owner's").Is(201)
	trial(strong, "owner's").Same(first)
	trial(master.ByMember(t, fields{"role": "support"}), "owner's").Same(first)
	trial(blind, "owner's").Refused(422, "idempotency-key-reused").Replayed(false)

	// An API key is shown again to callers that could have created it.
	makeKey := func(by caller) answer {
		return by.Send(t, "POST", "/keys", api.NewKey(fields{"role": "manager"}), "Idempotency-Key", "key")
	}
	first = makeKey(master.Caller).Is(201)
	makeKey(master.SignIn(t).Caller).Same(first)
	makeKey(master.Scoped(t, "manage", "lines:passwords")).Refused(403, "beyond-own-rights")
}

// TestPrincipalsCannotGrantMoreThanTheirRights creates, changes and removes principals as a principal. Tests of
// domain/principal have the rules.
func TestPrincipalsCannotGrantMoreThanTheirRights(t *testing.T) {
	t.Parallel()
	master := serveWith(t, loopback).Admin(t).Master(t, "100")
	key := master.ByKey(t, fields{
		"scopes": []string{"manage", "lines:read", "users:read"}, "expires_at": "2027-01-01T00:00:00Z",
		"allowed_addresses": []string{"192.0.2.0/24"}, "spend_limit": fields{"credits": "10", "per": "day"},
	})
	within := fields{"scopes": []string{"manage", "lines:read"}, "expires_at": "2026-12-31T00:00:00Z",
		"allowed_addresses": []string{"192.0.2.128/25"}, "spend_limit": fields{"credits": 10, "per": "day"}}
	ask := func(method, path string, body fields) answer {
		t.Helper()
		return key.Send(t, method, path, body, from("192.0.2.1")...)
	}
	below := api.Path("/keys", ask("POST", "/keys", api.NewKey(within)).Is(201).ID())
	stronger := api.Path("/keys", master.MakeKey(t, fields{"scopes": []string{"lines:read", "lines:spend"}}).ID())
	member := api.Path("/staff", master.MakeMember(t, fields{"role": "support"}).ID())
	for why, beyond := range map[string]fields{
		"lines:delete.":                 {"scopes": []string{"lines:read", "lines:delete"}},
		"an expiry after your own.":     {"expires_at": nil},
		"addresses outside your own.":   {"allowed_addresses": []string{}},
		"a spend limit above your own.": {"spend_limit": nil},
	} {
		for _, a := range []answer{ask("POST", "/keys", api.With(api.NewKey(within), beyond)), ask("PATCH", below, beyond)} {
			a.Refused(403, "beyond-own-rights").Has(fields{"detail": "This goes beyond your own rights: " + why})
		}
	}
	limit := fields{"spend_limit": fields{"credits": 1, "per": "day"}}
	for _, op := range []operation{api.Op("PATCH", stronger, limit), api.Op("DELETE", stronger, nil),
		api.Op("PATCH", member, limit), api.Op("PATCH", member, fields{"password": "taken over"}),
		api.Op("DELETE", member, nil), api.Op("DELETE", member+"/totp", nil)} {
		ask(op.Method, op.Path, op.Body).Refused(403, "beyond-own-rights")
	}
	ask("DELETE", below, nil).Is(200)
	master.ByMember(t, fields{"scopes": []string{"manage"}}).Send(t, "POST", "/staff", api.NewMember(nil)).
		Refused(403, "beyond-own-rights")
}

// TestSpendLimits count the cost of lines and credits for other accounts, per principal, until midnight.
func TestSpendLimits(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "40")
	below := master.Reseller(t, "0")
	made := master.MakeKey(t, fields{"role": "manager", "spend_limit": fields{"credits": "10", "per": "day"}})
	key, at := srv.As(made.Text("key")), api.Path("/keys", made.ID())
	l := key.Trial(t)
	key.Activate(t, l, 2).Is(201)
	key.Extend(t, l.ID, 1, "Idempotency-Key", "extension").Is(200)
	key.Extend(t, l.ID, 1, "Idempotency-Key", "extension").Is(200).Replayed(true)
	key.Fund(t, below.ID, 2).Is(200)
	key.Reclaim(t, below.ID, "0.5").Is(200) // which counts for nothing
	master.Get(t, at).Has(fields{"spent": "5", "resets_at": "2026-03-01T00:00:00.000Z"})
	for _, a := range []answer{key.Extend(t, l.ID, 10), key.Activate(t, key.Trial(t), 10), key.Fund(t, below.ID, 10)} {
		a.Refused(429, "spend-limit-reached").Has(fields{"limit": "10", "spent": "5", "required": "10",
			"resets_at": "2026-03-01T00:00:00.000Z",
			"detail":    "Required credits: 10. Spent today: 5 of 10."})
	}
	key.Extend(t, l.ID, 5).Is(200) // uses up the rest of the limit
	key.Fund(t, below.ID, "0.0001").Refused(429, "spend-limit-reached")
	srv.clock.Advance(12 * time.Hour)
	key.Fund(t, below.ID, "0.5").Is(200)
	master.Get(t, at).Has(fields{"spent": "0.5", "resets_at": "2026-03-02T00:00:00.000Z"})
	srv.audit(t)
}

// TestLongAnswersAreCounted for the account: the owner reads two, the maximum, and its API key requests another one.
func TestLongAnswersAreCounted(t *testing.T) {
	for _, request := range []string{"GET /lines?limit=500", "GET /users?limit=500", "GET /users/1/ledger?limit=500",
		"GET /reports/summary?days=366", "GET /entitlements?limit=5000", "GET /events?limit=500", "POST /bulk"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWhole(t)
			key := w.byKey()
			key.ask(t.Context(), "GET /prices") // which stores its last use
			let := make(chan struct{})
			w.store.first = func(context.Context) error {
				<-let
				return nil
			}
			var reading sync.WaitGroup
			for range 2 {
				reading.Go(func() { expect.Equal(t, w.ask(t.Context(), request).Code, http.StatusOK, "%s", request) })
			}
			synctest.Wait()
			w.store.first = func(context.Context) error { return nil }
			another := key.ask(t.Context(), request)
			expect.Equal(t, another.Code, http.StatusServiceUnavailable, "%s", request)
			expect.Equal(t, another.Header().Get("Retry-After"), "1", "%s: Retry-After", request)
			expect.Contains(t, another.Body.String(), "too-many-answers", "%s", request)
			expect.Equal(t, key.ask(t.Context(), "GET /users/logged").Code, http.StatusOK, "what is short")
			close(let)
			reading.Wait()
			expect.Equal(t, key.ask(t.Context(), request).Code, http.StatusOK, "%s, once the others are over", request)
			expect.Lacks(t, w.log.String(), `"level":"WARN"`, "the log of a refusal")
		})
	}
}

// byKey is a caller with a new API key instead of the token.
func (w *whole) byKey() *whole {
	w.t.Helper()
	var made struct{ Key string }
	if err := json.Unmarshal(w.ask(w.t.Context(), "POST /keys").Body.Bytes(), &made); err != nil || made.Key == "" {
		w.t.Fatalf("there is no key: %v", err)
	}
	other := *w
	other.token = made.Key
	return &other
}
