package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
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
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// loopback trusts whoever asks from this machine to say from where.
var loopback = httpapi.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

// from is the header by which a proxy tells an address.
func from(address string) []string { return []string{"X-Forwarded-For", address} }

// TestKeysInTheirLife makes a key, uses it, changes it and revokes it.
func TestKeysInTheirLife(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	master := srv.Admin(t).Master(t, "10")
	other := srv.Admin(t).Master(t, "10")
	made := master.MakeKey(t, fields{
		"name": " the shop ", "role": "cashier", "expires_at": "2027-01-31T10:00:00.1239+01:00",
		"spend_limit":       fields{"credits": 50, "per": "day"},
		"allowed_addresses": []string{"198.51.100.7/24", "2001:DB8::1", "::ffff:192.0.2.0/120", "192.0.2.1"},
	})
	shown := fields{
		"id": made.ID(), "name": "the shop", "role": "cashier",
		"scopes": []any{"lines:read", "lines:passwords", "lines:write", "lines:spend", "users:read", "ledger:read",
			"events:read", "entitlements:read"},
		"expires_at": "2027-01-31T09:00:00.123Z", "spend_limit": map[string]any{"credits": "50", "per": "day"}, "spent": "0",
		"resets_at":         "2026-03-01T00:00:00.000Z",
		"allowed_addresses": []any{"198.51.100.0/24", "2001:db8::1", "192.0.2.0/24", "192.0.2.1"}, "last_used_at": nil,
		"last_used_address": nil, "created_at": api.ISO,
	}
	made.Exactly(api.With(shown, fields{"key": made.Text("key")}))
	key, at := srv.As(made.Text("key")), api.Path("/keys", made.ID())
	master.Get(t, at).Exactly(shown)
	master.Get(t, "/keys").List()[0].Exactly(shown)

	l := key.Send(t, "POST", "/lines/test", nil, from("198.51.100.9")...).Is(201).Line()
	key.Send(t, "PATCH", api.Path("/lines/active", l.ID), l.Activation(1), from("2001:db8::1")...).Is(201)
	used := master.Get(t, at).Has(fields{"spent": "1", "last_used_address": "198.51.100.9"}) // it is kept once in a minute
	srv.clock.Advance(time.Minute)
	key.Send(t, "GET", "/lines", nil, from("192.0.2.200")...).Is(200)
	again := master.Get(t, at).Has(fields{"last_used_address": "192.0.2.200"}).Instant("last_used_at")
	expect.Equal(t, again.Sub(used.Instant("last_used_at")) >= time.Minute, true, "a minute later it is %s", again)
	srv.clock.Advance(24 * time.Hour)
	master.Get(t, at).Has(fields{"spent": "0", "resets_at": "2026-03-02T00:00:00.000Z"})

	changed := master.Send(t, "PATCH", at, fields{"scopes": []string{"users:read", "lines:read", "users:read"},
		"expires_at": nil, "allowed_addresses": nil, "spend_limit": nil, "name": "shop"}).Is(200)
	changed.Has(fields{"role": nil, "scopes": []any{"lines:read", "users:read"}, "expires_at": nil,
		"allowed_addresses": []any{}, "spend_limit": nil, "name": "shop"})
	master.Send(t, "PATCH", at, fields{}).Is(200).Exactly(changed.Fields)
	key.Get(t, "/users")
	key.Send(t, "POST", "/lines/test", nil).Refused(403, "insufficient-scope")
	master.Send(t, "PATCH", at, fields{"role": "manager"}).Is(200).Has(fields{"role": "manager"})
	key.Send(t, "POST", "/lines/test", nil).Is(201)

	for _, op := range []operation{api.Op("GET", at, nil), api.Op("PATCH", at, fields{"name": "x"}),
		api.Op("DELETE", at, nil)} {
		for _, by := range []caller{other.Caller, srv.Admin(t)} { // an account's own alone
			op.By(t, by).Refused(404, "not-found").AsAbsent(op, by)
		}
		op.Path = strings.Replace(op.Path, "/keys/", "/staff/", 1)
		op.By(t, master.Caller).Refused(404, "not-found") // it is none
	}
	master.Send(t, "DELETE", at, nil).Is(200).Exactly(fields{"status": 200, "message": "The key is revoked."})
	key.Send(t, "GET", "/users/logged", nil).Refused(401, "key-revoked")
	for _, method := range []string{"GET", "DELETE"} {
		master.Send(t, method, at, nil).Refused(404, "not-found")
	}
	expect.Equal(t, len(master.Get(t, "/keys").List()), 0, "keys that are listed")
	srv.audit(t)
}

// TestStaffInTheirLife adds somebody to the staff, has them sign in, and removes them.
func TestStaffInTheirLife(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	owner := srv.Admin(t).Master(t, "10")
	name := api.Unique("Ana")
	body := api.NewMember(fields{"username": name, "password": "ana's own password", "role": "support"})
	made := owner.Send(t, "POST", "/staff", body).Is(201)
	at := api.Path("/staff", made.ID())
	made.Exactly(fields{
		"id": made.ID(), "username": name, "role": "support",
		"scopes": []any{"lines:read", "lines:passwords", "lines:write", "users:read", "ledger:read", "events:read",
			"entitlements:read"},
		"spend_limit": nil, "spent": "0", "resets_at": "2026-03-01T00:00:00.000Z", "last_used_at": nil,
		"last_used_address": nil, "created_at": api.ISO,
	})
	owner.Get(t, at).Exactly(made.Fields)
	owner.Get(t, "/staff").List()[0].Exactly(made.Fields)

	// Names are unique among staff and accounts, whatever their case.
	owner.Send(t, "POST", "/staff", api.NewMember(fields{"username": strings.ToUpper(name)})).Refused(409,
		"username-taken")
	owner.Send(t, "POST", "/staff", api.NewMember(fields{"username": strings.ToUpper(owner.Username)})).Refused(409,
		"username-taken")
	owner.Send(t, "POST", "/users", api.NewReseller(fields{"username": strings.ToLower(name)})).Refused(409,
		"username-taken")
	below := owner.Reseller(t, "0")
	owner.Send(t, "PATCH", api.Path("/users", below.ID), api.With(below.Update(), fields{"username": name})).Refused(409,
		"username-taken")
	owner.Send(t, "PATCH", at, fields{"username": below.Username}).Refused(409, "username-taken")

	// They sign in by a session, and have no token.
	credentials := fields{"username": name, "password": body["password"]}
	wrong := srv.Nobody().Send(t, "POST", "/auth/static-token", fields{"username": below.Username, "password": "wrong"}).
		Refused(401, "invalid-credentials")
	a := srv.Nobody().Send(t, "POST", "/auth/static-token", credentials).Refused(401, "invalid-credentials")
	expect.Equal(t, api.Anonymous(a), api.Anonymous(wrong), "a member, and anybody")
	begun := srv.Nobody().Send(t, "POST", "/auth/session", credentials,
		append(from("192.0.2.7"), "User-Agent", "a till")...).Is(201)
	staff := map[string]any{"id": json.Number(fmt.Sprint(made.ID())), "username": name, "role": "support",
		"scopes": made.Fields["scopes"]}
	begun.Has(fields{"id": owner.ID, "username": owner.Username, "is_master": 1, "staff": staff})
	ana := srv.BySession(begun)
	ana.Get(t, "/auth/session").Exactly(begun.Fields)
	ana.Get(t, "/users/logged").Has(fields{"id": owner.ID})
	expect.Equal(t, owner.SignIn(t).Get(t, "/auth/session").Fields["staff"], nil, "the owner as staff")
	ana.Send(t, "POST", "/lines/test", nil, from("192.0.2.8")...).Is(201).Has(fields{"owner": owner.ID})
	owner.Get(t, at).Has(fields{"last_used_address": "127.0.0.1"}) // as of the first request
	srv.clock.Advance(time.Minute)
	ana.Send(t, "GET", "/lines", nil, from("192.0.2.9")...).Is(200)
	owner.Get(t, at).Has(fields{"last_used_address": "192.0.2.9"})

	// Sessions: they see their own, and their owner sees all and ends any.
	signedIn := owner.SignIn(t)
	for _, c := range []struct {
		by   caller
		want []any
	}{{ana, []any{name}}, {signedIn.Caller, []any{nil, nil, name}}} {
		var got []any
		for _, s := range c.by.Get(t, "/auth/sessions").List() {
			got = append(got, s.Fields["staff"])
		}
		expect.Elements(t, got, c.want, "the sessions listed are of")
	}
	owners := signedIn.Get(t, "/auth/sessions").List()
	ana.Send(t, "DELETE", "/auth/sessions/"+owners[0].Text("id"), nil).Refused(404, "not-found")
	signedIn.Send(t, "DELETE", "/auth/sessions/"+owners[2].Text("id"), nil).Is(200)
	ana.Send(t, "GET", "/lines", nil).SessionEnded()

	// Another password ends their sessions: their own, but for the one that asks.
	signIn := func() caller { return srv.SignIn(t, name, body["password"].(string)) }
	ana, second := signIn(), signIn()
	ana.Send(t, "PATCH", "/auth/password", passwords(body["password"].(string), "another of ana's")).Is(200)
	body["password"] = "another of ana's"
	second.Send(t, "GET", "/lines", nil).SessionEnded()
	ana.Get(t, "/lines")
	owner.Get(t, "/users/logged") // whose own is the same
	srv.Login(t, owner.Username, owner.Password)
	owner.Send(t, "PATCH", at, fields{"password": "a third password"}).Is(200)
	body["password"] = "a third password"
	ana.Send(t, "GET", "/lines", nil).SessionEnded()

	// A change counts at once, and so does the removal.
	ana = signIn()
	renamed := api.Unique("beto")
	owner.Send(t, "PATCH", at, fields{"username": renamed, "scopes": []string{"users:read"}}).Is(200).Has(
		fields{"username": renamed, "role": nil, "scopes": []any{"users:read"}})
	ana.Get(t, "/users")
	ana.Send(t, "GET", "/lines", nil).Refused(403, "insufficient-scope")
	srv.Nobody().Send(t, "POST", "/auth/session", fields{"username": name, "password": body["password"]}).Refused(401,
		"invalid-credentials")
	owner.Create(t, fields{"username": name}) // which is free
	owner.Send(t, "DELETE", at, nil).Is(200)
	ana.Send(t, "GET", "/users", nil).SessionEnded()
	srv.Nobody().Send(t, "POST", "/auth/session", fields{"username": renamed, "password": body["password"]}).Refused(401,
		"invalid-credentials")
	owner.Send(t, "POST", "/staff", api.NewMember(fields{"username": renamed})).Is(201)
	srv.audit(t)
}

// TestKeysThatAreNone are answered as a token that is none, whatever is wrong with them.
func TestKeysThatAreNone(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "0")
	member := master.MakeMember(t, nil).ID()
	key, other := master.MakeKey(t, nil).Text("key"), master.MakeKey(t, nil).Text("key")
	_, secret, _ := strings.Cut(strings.TrimPrefix(key, "rsk_"), "_")
	_, otherSecret, _ := strings.Cut(strings.TrimPrefix(other, "rsk_"), "_")
	want := api.Anonymous(srv.As(api.Altered(master.Token)).Send(t, "GET", "/lines", nil).Refused(401, "invalid-token"))
	for _, text := range []string{
		"rsk_", "rsk_1", "rsk_1_", "rsk__" + secret, "rsk_x_" + secret, "rsk_0_" + secret, "rsk_-1_" + secret,
		"rsk_999999999_" + secret,
		"rsk_99999999999999999999_" + secret, key[:len(key)-1], key + "x", key + "=", strings.ToUpper(key),
		"rsk_" + strings.Repeat("1", 200) + "_" + secret,
		strings.Replace(key, secret, otherSecret, 1), strings.Replace(key, "rsk_", "rsk_0", 1),
		fmt.Sprintf("rsk_%d_%s", member, secret), key + " " + key,
	} {
		a := srv.As(text).Send(t, "GET", "/lines", nil).Refused(401, "invalid-token")
		expect.Equal(t, api.Anonymous(a), want, "%q", text)
		expect.Equal(t, a.Header.Get("WWW-Authenticate"), "Bearer", "%q: WWW-Authenticate", text)
	}
	srv.Nobody().Send(t, "GET", "/lines", nil, "Authorization", "bearer  "+key).Is(200)
	srv.Nobody().Send(t, "GET", "/lines?key="+key, nil).Refused(401, "missing-token")
	both := master.SignIn(t).Caller
	both.Token = key
	both.Send(t, "GET", "/lines", nil).Refused(400, "two-credentials")
}

// TestPrecedenceOfKeys sends requests by keys that several rules refuse: the first answers.
func TestPrecedenceOfKeys(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	master := srv.Admin(t).Master(t, "10")
	below := master.Reseller(t, "0")
	here, elsewhere := from("192.0.2.1"), from("198.51.100.1")
	key := func(expires any, scopes ...string) (caller, string) {
		made := master.MakeKey(t, fields{"scopes": append([]string{}, scopes...), "expires_at": expires,
			"allowed_addresses": []string{"192.0.2.0/24", "2001:db8::/32"}})
		return srv.As(made.Text("key")), api.Path("/keys", made.ID())
	}
	good, _ := key(nil, "credits:move", "lines:read")
	scopeless, _ := key(nil)
	expired, _ := key("2026-02-28T13:00:00Z")
	revoked, gone := key("2026-02-28T13:00:00Z")
	master.Send(t, "DELETE", gone, nil).Is(200)
	srv.clock.Advance(2 * time.Hour)
	big := strings.Repeat("x", 64<<10+1)
	funding := api.Path("/users/credits", below.ID)
	for _, c := range []refused{
		{"secret before all that is known of a key", srv.As(revoked.Token+"x").Send(t, "PATCH", "/users/credits/x", big,
			elsewhere...), 401, "invalid-token"},
		{"revoked before expired", revoked.Send(t, "PATCH", "/users/credits/x", big, elsewhere...), 401, "key-revoked"},
		{"expired before the address", expired.Send(t, "PATCH", "/users/credits/x", big, elsewhere...), 401, "key-expired"},
		{"address before the scope", scopeless.Send(t, "PATCH", "/users/credits/x", big, elsewhere...), 403,
			"address-not-allowed"},
		{"address before id", good.Send(t, "PATCH", "/users/credits/x", big, elsewhere...), 403, "address-not-allowed"},
		{"scope before id", scopeless.Send(t, "PATCH", "/users/credits/x", big, here...), 403, "insufficient-scope"},
		{"scope before size", scopeless.Send(t, "PATCH", funding, big, here...), 403, "insufficient-scope"},
		{"scope before query", scopeless.Send(t, "GET", "/lines?limit=0", nil, here...), 403, "insufficient-scope"},
		{"a network of IPv6", good.Send(t, "PATCH", funding, "{", from("2001:db8:1::7")...), 400, "malformed-body"},
	} {
		c.got.Request += ", " + c.name
		c.got.Refused(c.status, c.code)
	}
	good.Send(t, "HEAD", "/lines", nil, elsewhere...).Is(403)
	// Who is trusted by nobody tells no address of its own.
	untrusting := serve(t)
	local := untrusting.Admin(t).ByKey(t, fields{"allowed_addresses": []string{"192.0.2.0/24"}})
	local.Send(t, "GET", "/lines", nil, here...).Refused(403, "address-not-allowed")
	untrusting.Admin(t).ByKey(t, fields{"allowed_addresses": []string{"127.0.0.1"}}).Send(t, "GET", "/lines", nil,
		here...).Is(200)
}

// TestABlockedAccountsPrincipals get done what it does: nothing.
func TestABlockedAccountsPrincipals(t *testing.T) {
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
	weak := master.Scoped(t, "events:read")
	first := all[0].Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Is(201)
	for _, blocked := range []api.Reseller{master, above} {
		srv.Admin(t).Block(t, blocked.ID).Is(200)
		for _, by := range all {
			by.Send(t, "GET", "/users/logged", nil).Refused(403, "account-blocked")
			by.Send(t, "POST", "/lines/test", nil).Refused(403, "account-blocked")
			by.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Refused(403, "account-blocked")
			by.Send(t, "POST", "/lines/test", "[]").Refused(400, "malformed-body") // which comes first
		}
		weak.Send(t, "GET", "/lines", nil).Refused(403, "insufficient-scope") // likewise
		weak.Send(t, "GET", "/events", nil).Refused(403, "account-blocked")
		signIn().Refused(403, "account-blocked")
		srv.Admin(t).Unblock(t, blocked.ID).Is(200)
	}
	all[0].Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Same(first)
	srv.BySession(signIn().Is(201)).Get(t, "/users/logged")
	weak.Get(t, "/events")
}

// TestNoAnswerShowsALinesPasswordWithoutTheScope asks for every operation by every role, by keys of one scope each and
// by one of none: for itself, and once more under a key whose answer the owner has. Only what serves customers and does
// nothing else sees passwords without lines:passwords.
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
		if row.ID == "activateLine" {
			return l
		}
		owner.Activate(t, l, 0.5).Is(201)
		return l
	}
	example := func(row api.Row, l line) func(by caller, headers ...string) answer {
		op := row.Example(owner, below, l)
		if row.ID == "describeLine" {
			op.Body = fields{"external_id": api.Unique("crm")}
		}
		if row.ID != "importLines" {
			return func(by caller, headers ...string) answer { return op.By(t, by, headers...) }
		}
		rows := fmt.Sprintf(`{"external_id":%q,"username":%q,"password":%q,"expDate":"2027-01-31T09:00:00.000Z"}`,
			api.Unique("crm"), l.Username, planted)
		return func(by caller, headers ...string) answer { return imports(t, by, ndjson, "", rows, headers...) }
	}
	type asking struct {
		name string
		caller
		sees bool
	}
	everybody := []asking{{"the owner", owner.Caller, true}, {"nothing", owner.Scoped(t), false}}
	for _, scope := range principal.Scopes() {
		sees := scope == principal.EntitlementsRead || scope == principal.LinesPasswords
		everybody = append(everybody, asking{string(scope), owner.Scoped(t, string(scope)), sees})
	}
	for _, role := range []principal.Role{principal.ReadOnly, principal.Support, principal.Cashier, principal.Manager} {
		everybody = append(everybody,
			asking{string(role), owner.ByKey(t, fields{"role": role}), role != principal.ReadOnly},
			asking{"a member, " + string(role), owner.ByMember(t, fields{"role": role}), role != principal.ReadOnly})
	}
	everybody = append(everybody,
		asking{"a member, entitlements:read", owner.ByMember(t, fields{"scopes": []string{"entitlements:read"}}), false},
		asking{"entitlements:read and another", owner.Scoped(t, "entitlements:read", "lines:read"), false},
		asking{"entitlements:read and lines:passwords", owner.Scoped(t, "entitlements:read", "lines:passwords"), true})
	showing := map[string][]string{} // operations, by who sees a password in their answers
	l := lineOf(api.RowOf("getLine"))
	for _, who := range everybody {
		for _, row := range api.Table() {
			if row.By == "" || row.By == "session" || row.ID == "revokeToken" || row.ID == "changePassword" {
				continue // which is about the caller's own credential
			}
			if row.Method != http.MethodGet {
				l = lineOf(row)
			}
			answers := []answer{example(row, l)(who.caller)}
			if row.Keyed {
				ask, under := example(row, lineOf(row)), []string{"Idempotency-Key", api.Unique("owner's")}
				ask(owner.Caller, under...)
				answers = append(answers, ask(who.caller, under...))
			}
			if row.Method == http.MethodDelete || row.Of == api.ATrial {
				l = lineOf(api.RowOf("getLine"))
			}
			for _, a := range answers {
				if !bytes.Contains(a.Body, []byte(planted)) {
					continue
				}
				expect.Equal(t, who.sees, true, "%s by %s: %s has a password", a.Request, who.name, a.Body)
				if !slices.Contains(showing[who.name], row.ID) {
					showing[who.name] = append(showing[who.name], row.ID)
				}
			}
		}
	}
	for name, want := range map[string]string{
		"the owner":         "activateLine extendLine getLine editLine describeLine suspendLine resumeLine exportLines listEntitlements letIn",
		"manager":           "activateLine extendLine getLine editLine describeLine suspendLine resumeLine exportLines listEntitlements letIn",
		"support":           "getLine editLine describeLine suspendLine resumeLine exportLines listEntitlements letIn",
		"entitlements:read": "listEntitlements letIn",
	} {
		for id := range strings.FieldsSeq(want) {
			expect.Equal(t, slices.Contains(showing[name], id), true, "%s sees passwords in the answer of %s", name, id)
		}
	}
	journal := owner.Get(t, "/events?limit=500&order=desc").Body
	expect.Equal(t, bytes.Contains(journal, []byte(planted)), false, "the journal has a password")
}

// TestAnswersUnderAKeyOfTheAccount are repeated to who may see the same of it, and to nobody else.
func TestAnswersUnderAKeyOfTheAccount(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "100")
	strong, blind := master.ByKey(t, fields{"role": "cashier"}), master.Scoped(t, "lines:write")
	clerk := master.ByMember(t, fields{"role": "support"})
	trial := func(by caller, key string) answer {
		return by.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", key)
	}
	first := trial(master.Caller, "owner's").Is(201)
	trial(strong, "owner's").Same(first)
	trial(clerk, "owner's").Same(first)
	trial(blind, "owner's").Refused(422, "idempotency-key-reused").Replayed(false)
	first = trial(blind, "blind").Is(201).Has(fields{"password": nil})
	trial(blind, "blind").Same(first)
	trial(master.Scoped(t, "lines:write", "lines:read"), "blind").Same(first)
	for _, by := range []caller{master.Caller, strong, clerk} {
		trial(by, "blind").Refused(422, "idempotency-key-reused")
	}
	trial(master.Scoped(t, "lines:read"), "owner's").Refused(403, "insufficient-scope")

	// A key is shown again to who could have made it.
	makeKey := func(by caller, key string) answer {
		return by.Send(t, "POST", "/keys", api.NewKey(fields{"role": "manager"}), "Idempotency-Key", key)
	}
	manage := master.ByKey(t, fields{"scopes": []string{"manage", "lines:passwords"}})
	first = makeKey(master.Caller, "key").Is(201)
	makeKey(master.SignIn(t).Caller, "key").Same(first)
	makeKey(manage, "key").Refused(403, "beyond-own-rights")
	expect.Equal(t, len(master.Get(t, "/keys").List()), 6, "there")
}

// TestNobodyGivesMoreThanTheyHave makes, changes and removes principals by principals.
func TestNobodyGivesMoreThanTheyHave(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	master := srv.Admin(t).Master(t, "100")
	limited := fields{
		"scopes": []string{"manage", "lines:read", "users:read"}, "expires_at": "2027-01-01T00:00:00Z",
		"allowed_addresses": []string{"192.0.2.0/24", "2001:db8::/32"},
		"spend_limit":       fields{"credits": "10", "per": "day"},
	}
	key := master.ByKey(t, limited)
	scopes := []string{"manage", "lines:read"}
	within := fields{"scopes": scopes, "expires_at": "2026-12-31T00:00:00Z",
		"allowed_addresses": []string{"192.0.2.128/25", "2001:db8:7::1"}, "spend_limit": fields{"credits": 10, "per": "day"}}
	ask := func(method, path string, body fields) answer {
		t.Helper()
		return key.Send(t, method, path, body, from("192.0.2.1")...)
	}
	below := ask("POST", "/keys", api.NewKey(within)).Is(201)
	stronger := master.MakeKey(t, fields{"scopes": []string{"lines:read", "lines:spend"}}).ID()
	member := master.MakeMember(t, fields{"role": "support"}).ID()
	for name, beyond := range map[string]fields{
		"a scope":             {"scopes": []string{"lines:read", "lines:delete"}},
		"no end":              {"expires_at": nil},
		"every address":       {"allowed_addresses": nil},
		"no addresses at all": {"allowed_addresses": []string{}},
		"no limit":            {"spend_limit": nil},
	} {
		made := ask("POST", "/keys", api.With(api.NewKey(within), beyond))
		if delete(beyond, "scopes"); name == "a scope" {
			beyond["scopes"] = []string{"lines:delete"}
		}
		changed := ask("PATCH", api.Path("/keys", below.ID()), beyond)
		for _, a := range []answer{made, changed} {
			a.Request += " with " + name
			a.Refused(403, "beyond-own-rights")
		}
	}
	// they would ask from anywhere
	ask("POST", "/staff", api.NewMember(fields{"scopes": scopes, "spend_limit": fields{"credits": 1, "per": "day"}})).
		Refused(403, "beyond-own-rights")
	for _, c := range []struct{ method, path string }{{"PATCH", api.Path("/keys", stronger)},
		{"DELETE", api.Path("/keys", stronger)}, {"PATCH", api.Path("/staff", member)},
		{"DELETE", api.Path("/staff", member)}, {"DELETE", api.Path("/staff", member, "/totp")}} {
		body := fields{"spend_limit": fields{"credits": 1, "per": "day"}}
		ask(c.method, c.path, body).Refused(403, "beyond-own-rights")
	}
	ask("PATCH", api.Path("/staff", member), fields{"password": "taken over"}).Refused(403, "beyond-own-rights")
	master.Get(t, api.Path("/keys", stronger)).Has(fields{"spend_limit": nil})
	master.Get(t, api.Path("/staff", member)).Has(fields{"spend_limit": nil})
	master.Get(t, api.Path("/keys", below.ID())).Has(fields{"scopes": []any{"lines:read", "manage"},
		"expires_at": "2026-12-31T00:00:00.000Z"})
	ask("PATCH", api.Path("/keys", below.ID()), fields{"scopes": []string{}}).Is(200)
	ask("DELETE", api.Path("/keys", below.ID()), nil).Is(200)

	// A member of the staff does by its session what a key does.
	boss := master.ByMember(t, fields{"scopes": []string{"manage", "lines:read"}})
	boss.MakeKey(t, fields{"scopes": []string{"lines:read"}})
	boss.MakeMember(t, fields{"scopes": []string{"manage"}})
	boss.Send(t, "POST", "/keys", api.NewKey(nil)).Refused(403, "beyond-own-rights")
	boss.Send(t, "POST", "/staff", api.NewMember(nil)).Refused(403, "beyond-own-rights")
	// nor is anybody made less by who is less
	boss.Send(t, "PATCH", api.Path("/staff", member), fields{"scopes": []string{"lines:read"}}).Refused(403,
		"beyond-own-rights")
}

// TestSpendLimits count what lines cost and what is given away, by the principal that does it, until midnight.
func TestSpendLimits(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "40")
	below := master.Reseller(t, "0")
	limit := fields{"credits": "10", "per": "day"}
	made := master.MakeKey(t, fields{"role": "manager", "spend_limit": limit})
	key, at := srv.As(made.Text("key")), api.Path("/keys", made.ID())
	other := master.ByMember(t, fields{"role": "manager", "spend_limit": limit})
	spent := func(want string) {
		t.Helper()
		master.Get(t, at).Has(fields{"spent": want, "resets_at": "2026-03-01T00:00:00.000Z"})
	}
	l := key.Trial(t)
	key.Activate(t, l, 2).Is(201)
	key.Extend(t, l.ID, 1, "Idempotency-Key", "extension").Is(200)
	key.Extend(t, l.ID, 1, "Idempotency-Key", "extension").Is(200).Replayed(true)
	key.Fund(t, below.ID, 2).Is(200)
	key.Send(t, "POST", "/users", api.NewReseller(fields{"credits": "1.5"})).Refused(403, "beyond-own-rights")
	spent("5")
	key.Reclaim(t, below.ID, "0.5").Is(200) // which counts for nothing
	spent("5")
	figures := fields{"limit": "10", "spent": "5", "required": "10", "resets_at": "2026-03-01T00:00:00.000Z",
		"detail": "5 credits of 10 are spent today, and 10 are required."}
	for _, a := range []answer{
		key.Extend(t, l.ID, 10), key.Activate(t, key.Trial(t), 10), key.Fund(t, below.ID, 10),
	} {
		a.Refused(429, "spend-limit-reached").Has(figures)
		after := a.Header.Get("Retry-After")
		expect.Equal(t, after == "43200" || after == "43199", true, "%s: Retry-After %q", a.Request, after)
	}
	key.Fund(t, below.ID, 1000).Refused(429, "spend-limit-reached") // before the balance
	key.Extend(t, l.ID, 5).Is(200)                                  // what is left, to the last
	spent("10")
	key.Fund(t, below.ID, "0.0001").Refused(429, "spend-limit-reached")
	other.Fund(t, below.ID, 10).Is(200) // each counts for itself
	master.Fund(t, below.ID, 15).Is(200)
	other.Reclaim(t, below.ID, 1000).Refused(402, "insufficient-credits")
	master.Send(t, "PATCH", at, fields{"spend_limit": fields{"credits": "10.5", "per": "day"}}).Is(200).Has(
		fields{"spent": "10"})
	key.Fund(t, below.ID, "0.5").Is(200)
	key.Fund(t, below.ID, "0.5").Refused(429, "spend-limit-reached")
	srv.clock.Advance(12 * time.Hour)
	key.Fund(t, below.ID, "0.5").Is(200)
	master.Get(t, at).Has(fields{"spent": "0.5", "resets_at": "2026-03-02T00:00:00.000Z"})
	key.Fund(t, below.ID, 5).Refused(402, "insufficient-credits") // the account's own
	srv.audit(t)
}

// TestTheJournalTellsWhoOfAnAccount did something, to those who may know.
func TestTheJournalTellsWhoOfAnAccount(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "10")
	below := master.Reseller(t, "0")
	made := master.MakeKey(t, fields{"name": "the shop's bot", "role": "manager"})
	member := api.NewMember(fields{"role": "manager"})
	id := master.Send(t, "POST", "/staff", member).Is(201).ID()
	ana := srv.SignIn(t, member["username"].(string), member["password"].(string))
	srv.As(made.Text("key")).Fund(t, below.ID, 1).Is(200)
	ana.Fund(t, below.ID, 1).Is(200)
	ana.Send(t, "PATCH", "/auth/password", passwords(member["password"].(string), "another password")).Is(200)
	master.Send(t, "PATCH", api.Path("/keys", made.ID()), fields{"name": "the bot", "role": "cashier"}).Is(200)
	master.Send(t, "PATCH", api.Path("/staff", id), fields{"password": "a third password"}).Is(200)
	master.Send(t, "DELETE", api.Path("/keys", made.ID()), nil).Is(200)
	master.Send(t, "DELETE", api.Path("/staff", id), nil).Is(200)

	actor := func(kind string, id any, name string) map[string]any {
		if n, is := id.(int64); is {
			id = json.Number(fmt.Sprint(n))
		}
		return map[string]any{"account": json.Number(master.Name()), "kind": kind, "id": id, "name": name,
			"address": "127.0.0.1"}
	}
	owner, key, staff := actor("token", nil, master.Username), actor("key", made.ID(), "the shop's bot"),
		actor("staff", id, member["username"].(string))
	about := func(principal int64) map[string]any {
		return map[string]any{"principal": json.Number(fmt.Sprint(principal))}
	}
	want := []fields{
		{"type": "key.created", "actor": owner, "data": about(made.ID())},
		{"type": "staff.created", "actor": owner, "data": about(id)},
		{"type": "session.started", "actor": staff},
		{"type": "reseller.credited", "actor": key, "account": below.ID},
		{"type": "reseller.credited", "actor": staff, "account": below.ID},
		{"type": "password.changed", "actor": staff, "data": about(id)},
		{"type": "key.updated", "actor": owner, "data": about(made.ID()),
			"changes": map[string]any{"name": true, "role": true}},
		{"type": "staff.updated", "actor": owner, "data": about(id), "changes": map[string]any{"password": true}},
		{"type": "key.revoked", "actor": owner, "data": about(made.ID())},
		{"type": "staff.removed", "actor": owner, "data": about(id)},
	}
	got := master.Get(t, "/events?limit=500").List()
	for i, entry := range got[len(got)-len(want):] {
		entry.Has(want[i])
	}
	// Who is below them sees that it was the account above, and not who of it.
	for i, entry := range below.Get(t, "/events?type=reseller.credited").List() {
		kind := []string{"key", "staff"}[i]
		entry.Has(
			fields{"actor": map[string]any{"account": json.Number(master.Name()), "kind": kind, "id": nil, "name": "",
				"address": nil}})
	}
}

func TestWaitsByKeysCountForTheirAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWhole(t)
		all := []*whole{w, w.byKey(), w.byKey()}
		const waiting = "GET /events?type=line.deleted&wait=9"
		var followers sync.WaitGroup
		for i := range 16 {
			followers.Go(func() { expect.Equal(t, all[i%3].ask(t.Context(), waiting).Code, http.StatusOK, "status") })
		}
		synctest.Wait()
		for _, by := range all {
			a := by.ask(t.Context(), waiting)
			expect.Equal(t, a.Code, http.StatusTooManyRequests)
			expect.Contains(t, a.Body.String(), "too-many-waiting")
		}
		followers.Wait()
	})
}

// TestAnswersToKeysCountForTheirAccount has two lists of its owner be read.
func TestAnswersToKeysCountForTheirAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWhole(t)
		key := w.byKey()
		key.ask(t.Context(), "GET /prices") // by which its use is kept
		w.refuses(key, "GET /lines?limit=500")
		expect.Equal(t, key.ask(t.Context(), "GET /lines?limit=500").Code, http.StatusOK, "status")
	})
}

// TestSummariesHaveAShare: each reads thousands of records, so at most two of an account are under way.
func TestSummariesHaveAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWhole(t)
		w.refuses(w, "GET /reports/summary?days=366")
	})
}

// refuses has two requests be read, as many long ones as an account may have under way, and expects that another one is
// refused.
func (w *whole) refuses(another *whole, request string) {
	w.t.Helper()
	let := make(chan struct{})
	w.store.first = func(context.Context) error {
		<-let
		return nil
	}
	var reading sync.WaitGroup
	for range 2 {
		reading.Go(func() { expect.Equal(w.t, w.ask(w.t.Context(), request).Code, http.StatusOK, "status") })
	}
	synctest.Wait()
	w.store.first = func(context.Context) error { return nil }
	a := another.ask(w.t.Context(), request)
	expect.Equal(w.t, a.Code, http.StatusServiceUnavailable)
	expect.Equal(w.t, strings.Contains(a.Body.String(), "too-many-answers"), true)
	close(let)
	reading.Wait()
}

// byKey asks by a new key in place of the token.
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

// TestASlowStoreFailsAKey within the time of a request: that the store is read for it is a part of that.
func TestASlowStoreFailsAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		by := newWhole(t).byKey()
		by.store.first = func(ctx context.Context) error {
			<-ctx.Done()
			return fmt.Errorf("%w: %w", ports.ErrUnavailable, ctx.Err())
		}
		began := time.Now()
		expect.Equal(t, by.ask(t.Context(), "GET /lines").Code, http.StatusServiceUnavailable, "status")
		expect.Equal(t, time.Since(began), 10*time.Second, "it took")
		by.logged(http.StatusServiceUnavailable, true)
	})
}

// TestAKeyIsShownOnce where it is made, and never again: not in answers, the journal, the log or what is observed.
func TestAKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	var log, observed notes
	h := serveWith(t,
		httpapi.Options{Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Observer: &observed, TrustedProxies: loopback.TrustedProxies})
	master := h.Admin(t).Master(t, "10")
	made := master.MakeKey(t, fields{"role": "manager", "expires_at": "2026-02-28T13:00:00Z",
		"allowed_addresses": []string{"127.0.0.1"}})
	text := made.Text("key")
	_, secret, _ := strings.Cut(strings.TrimPrefix(text, "rsk_"), "_")
	key, at := h.As(text), api.Path("/keys", made.ID())
	var said []answer
	ask := func(by caller, method, path string, body any, headers ...string) {
		said = append(said, by.Send(t, method, path, body, headers...))
	}
	ask(key, "GET", "/lines", nil)
	ask(key, "POST", "/lines/test", nil)
	ask(key, "POST", "/keys", api.NewKey(nil)) // insufficient-scope
	ask(key, "GET", "/lines", nil, from("192.0.2.1")...)
	ask(h.As(text+"x"), "GET", "/lines", nil)
	ask(key, "GET", "/nowhere", nil)
	ask(key, "PUT", "/lines", nil)
	ask(key, "POST", "/lines/test", "{")
	ask(h.Nobody(), "GET", "/lines?limit="+text+"&cursor="+text, nil)
	ask(key, "GET", "/lines?limit="+text+"&cursor="+text, nil)
	ask(key, "POST", "/lines/test", nil, "Idempotency-Key", "a")
	ask(master.Caller, "PATCH", at, fields{"name": "another"})
	ask(master.Caller, "GET", "/keys", nil)
	ask(master.Caller, "GET", at, nil)
	h.clock.Advance(2 * time.Hour)
	ask(key, "GET", "/lines", nil)
	ask(master.Caller, "DELETE", at, nil)
	ask(key, "GET", "/lines", nil)
	ask(h.Admin(t), "GET", "/events?limit=500", nil)
	for _, a := range said {
		said := fmt.Sprint(a.Header) + string(a.Body)
		expect.Lacks(t, said, secret, "%s", a.Request)
	}
	// Who sends it in the place of an id, or of a route, is told so, and the log is not.
	for _, path := range []string{"/keys/" + text, "/" + text, "/lines/" + text + "/details"} {
		master.Send(t, "DELETE", path, nil)
	}
	for place, shown := range map[string]string{"the log": log.String(), "what is observed": observed.String()} {
		if len(shown) < 500 || strings.Contains(shown, secret) || strings.Contains(shown, "rsk_") {
			t.Errorf("%s: %s", place, shown)
		}
	}
}

// notes are what a log, or an observer, was told, from several goroutines.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (n *notes) Write(text []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(text)
}

// String implements fmt.Stringer.
func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// RequestBegins implements httpapi.Observer.
func (n *notes) RequestBegins(r *http.Request) (*http.Request, string) { return r, "" }

// RequestEnded implements httpapi.Observer.
func (n *notes) RequestEnded(_ *http.Request, method, route string, status int, code string, _ time.Duration) {
	fmt.Fprintln(n, method, route, status, code)
}

func TestAKeyDoesNotExpireInThePast(t *testing.T) {
	t.Parallel()
	h := serve(t)
	master := h.Admin(t).Master(t, "0")
	at := func(after time.Duration) string { return h.clock.Now().Add(after).Format(api.ISOMillis) }
	wrong := map[string]string{"expires_at": "expiry-in-past"}
	for _, past := range []string{at(-time.Hour), at(0), "1970-01-01T00:00:00Z", "0001-01-02T00:00:00Z"} {
		master.Send(t, "POST", "/keys", api.NewKey(fields{"expires_at": past})).Invalid("expiry-in-past", wrong)
	}
	created := func() answer {
		return master.Send(t, "POST", "/keys", api.NewKey(fields{"name": "an hour", "expires_at": "2026-02-28T13:00:00Z"}),
			"Idempotency-Key", "hour")
	}
	first := created().Is(201)
	path := api.Path("/keys", first.ID())
	master.Send(t, "PATCH", path, fields{"expires_at": at(-time.Second)}).Invalid("expiry-in-past", wrong)
	h.clock.Advance(2 * time.Hour)
	created().Same(first)
	// Who sends a whole record back changes another member of a key that has expired.
	master.Send(t, "PATCH", path, fields{"name": "expired", "expires_at": "2026-02-28T13:00:00.000Z"}).Is(200).Has(
		fields{"name": "expired"})
	master.Send(t, "PATCH", path, fields{"expires_at": at(-time.Second)}).Invalid("expiry-in-past", wrong)
	master.Send(t, "PATCH", path, fields{"expires_at": at(time.Hour)}).Is(200)
	master.Send(t, "PATCH", path, fields{"expires_at": nil}).Is(200)
}
