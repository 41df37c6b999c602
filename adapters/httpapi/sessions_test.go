package httpapi_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
	"resellerd/test/expect"
)

func credentialsOf(a api.Reseller) fields {
	return fields{"username": a.Username, "password": a.Password}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	for role, a := range map[string]api.Reseller{
		"admin":    {Caller: srv.Admin(t), ID: 1, Username: api.AdminName, Password: api.AdminPassword},
		"master":   srv.Admin(t).Create(t, fields{"is_master": 1, "language": "pt-BR"}),
		"standard": srv.Admin(t).Reseller(t, "0"),
	} {
		begun := srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(a), "Idempotency-Key", "ignored").Is(201).
			Replayed(false)
		record := srv.Admin(t).Get(t, api.Path("/users", a.ID))
		begun.Exactly(fields{
			"id": a.ID, "username": a.Username, "is_admin": record.Fields["is_admin"], "is_master": record.Fields["is_master"],
			"language": record.Text("language"), "expires_at": api.ISO, "ends_at": api.ISO, "totp": false,
		})
		expect.Equal(t, begun.Instant("ends_at").Sub(begun.Instant("expires_at")), 7*24*time.Hour-12*time.Hour,
			"%s: from its expiry to its end", role)
		cookie := begun.SetCookie()
		expect.Equal(t, cookie.String(), fmt.Sprintf("%s=%s; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict",
			api.CookieName(""), cookie.Value), "%s: the cookie", role)
		form := regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
		expect.Equal(t, form.MatchString(cookie.Value), true, "%s: the secret %q", role, cookie.Value)
		by := srv.BySession(begun)
		by.Get(t, "/auth/session").Exactly(begun.Fields)
		by.Send(t, "HEAD", "/auth/session", nil).Is(200)
		by.Get(t, "/users/logged").Exactly(record.Fields)
		by.Send(t, "DELETE", "/auth/session", nil, "Idempotency-Key", "a b").Is(200).Exactly(
			fields{"status": 200, "message": "You are signed out."})
		by.Send(t, "DELETE", "/auth/session", nil).SessionEnded()
		by.Send(t, "GET", "/users/logged", nil).SessionEnded()
		a.Get(t, "/users/logged")
	}
}

// TestCookieOfABrowserElsewhere signs in as a browser that asks by a name, through a proxy that speaks HTTPS.
func TestCookieOfABrowserElsewhere(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, httpapi.Options{BasePath: "/panel"})
	srv.BasePath = "/panel"
	ask := func(method, path, body, cookie string) *http.Response {
		r := httptest.NewRequest(method, "http://panel.example"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
		}
		w := httptest.NewRecorder()
		srv.handler.ServeHTTP(w, r)
		return w.Result()
	}
	begun := ask("POST", "/panel/auth/session", fmt.Sprintf(`{"username":%q,"password":%q}`, api.AdminName,
		api.AdminPassword), "")
	set := begun.Header.Get("Set-Cookie")
	if !regexp.MustCompile(
		`^__Host-resellerd-ae4c78a3=[A-Za-z0-9_-]{43}; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Strict$`).
		MatchString(set) {
		t.Fatalf("%d: %s", begun.StatusCode, set)
	}
	pair, _, _ := strings.Cut(set, ";")
	_, secret, _ := strings.Cut(pair, "=")
	for cookie, want := range map[string]int{
		pair:                                  200,
		"theme=dark; " + pair + "; a=b":       200,
		"resellerd-ae4c78a3=" + secret:        401, // which needs no HTTPS
		"__Host-resellerd-e3b0c442=" + secret: 401, // of another base path
		"__host-resellerd-ae4c78a3=" + secret: 401,
	} {
		if got := ask("GET", "/panel/users/logged", "", cookie); got.StatusCode != want || want == 401 &&
			got.Header.Get("Set-Cookie") != "" {
			t.Errorf("by %s: %d, Set-Cookie %q, want %d", cookie, got.StatusCode, got.Header.Get("Set-Cookie"), want)
		}
	}
	ended := ask("DELETE", "/panel/auth/session", "", pair)
	const cleared = "__Host-resellerd-ae4c78a3=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict"
	expect.Equal(t, ended.StatusCode, http.StatusOK, "signed out")
	expect.Equal(t, ended.Header.Get("Set-Cookie"), cleared, "signed out")
	got := ask("GET", "/panel/prices", "", pair)
	expect.Equal(t, got.StatusCode, http.StatusUnauthorized, "by a session that has ended")
	expect.Equal(t, got.Header.Get("Set-Cookie"), cleared, "by a session that has ended")
}

// TestWhereASessionCountsForNothing asks without one, or with what is no good.
func TestWhereASessionCountsForNothing(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	by := r.SignIn(t)
	id := by.Get(t, "/auth/sessions").List()[0].Text("id")
	secret := strings.TrimPrefix(by.Cookie, api.CookieName("")+"=")
	operations := []operation{
		api.Op("GET", "/auth/session", nil), api.Op("DELETE", "/auth/session", nil), api.Op("GET", "/auth/sessions", nil),
		api.Op("DELETE", "/auth/sessions/"+id, nil),
	}
	for _, op := range operations {
		for _, nobody := range []caller{srv.Nobody(), srv.As(r.Token), srv.As("x"),
			{Server: srv.Service, Cookie: "other=" + secret}} {
			a := op.By(t, nobody).Refused(401, "missing-session")
			expect.Equal(t, a.Header.Get("WWW-Authenticate"), "Bearer", "%s: WWW-Authenticate", a.Request)
			expect.Equal(t, a.SetCookie() == nil, true, "%s: there is no cookie", a.Request)
		}
	}
	operations = append(operations, api.Op("GET", "/users/logged", nil), api.Op("POST", "/lines/test", nil),
		api.Op("GET", "/lines/1", nil))
	other := serve(t)
	name := api.CookieName("") + "="
	for situation, cookie := range map[string]string{
		"an id":                       name + id,
		"an id of the right length":   name + id + id[:11],
		"nothing":                     name,
		"another secret":              name + strings.Repeat("A", 43),
		"another case":                name + strings.ToUpper(secret),
		"more":                        name + secret + "A",
		"less":                        name + secret[1:],
		"a long one":                  name + strings.Repeat("A", 8000),
		"quotes":                      name + `"` + secret + `"`,
		"a token":                     name + r.Token,
		"twice":                       by.Cookie + "; " + by.Cookie,
		"beside another":              by.Cookie + "; " + name + strings.Repeat("A", 43),
		"behind another":              name + strings.Repeat("A", 43) + "; " + by.Cookie,
		"of another service":          other.Admin(t).Reseller(t, "0").SignIn(t).Cookie,
		"something to look up":        name + "'; DROP TABLE sessions; --" + strings.Repeat("x", 17),
		"what a store may stumble on": name + "%00%ff$ne" + strings.Repeat("x", 34),
	} {
		for _, op := range operations {
			a := op.By(t, caller{Server: srv.Service, Cookie: cookie})
			a.Request += ": " + situation
			a.SessionEnded()
		}
	}
	by.Get(t, "/users/logged")
	// Where a session is nobody's business it does no harm.
	stale := caller{Server: srv.Service, Cookie: name + strings.Repeat("A", 43)}
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json"} {
		expect.Equal(t, stale.Get(t, path).SetCookie() == nil, true, "%s: there is no cookie", path)
	}
	stale.Send(t, "POST", "/auth/static-token", credentialsOf(r)).Is(200)
	stale.Send(t, "GET", "/nowhere", nil).Refused(404, "unknown-route")
	stale.Send(t, "POST", "/auth/session", credentialsOf(r)).Is(201)
}

func TestTwoCredentials(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	both := v.Seller.SignIn(t).Caller
	both.Token = v.Seller.Token
	reads := []operation{api.Op("GET", "/auth/session", nil), api.Op("DELETE", "/auth/session", nil),
		api.Op("GET", "/auth/sessions", nil), api.Op("GET", "/users", nil), api.Op("GET", "/prices", nil)}
	for _, op := range slices.Concat(v.Operations(), v.Reads(), reads) {
		op.By(t, both).Refused(400, "two-credentials")
		for _, other := range []string{"Bearer x", "Basic x", "x"} {
			op.By(t, both, "Authorization", other).Refused(400, "two-credentials")
		}
	}
	both.Send(t, "POST", "/auth/session", credentialsOf(v.Seller)).Is(201) // which neither is asked for
	v.Unchanged(t)
}

func TestOtherOriginsMayNothing(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	v := api.NewFixture(t, srv.Service)
	by := v.Seller.SignIn(t)
	others := [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "x"},
		{"Origin", "https://example.net"}, {"Origin", "null"}, {"Origin", "http://" + srv.Address + ".example.net"},
		{"Origin", "http://127.0.0.1:1"},
		{"Sec-Fetch-Site", "cross-site", "Origin", "http://" + srv.Address},
	}
	own := [][]string{
		{}, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", "http://" + srv.Address},
		{"Sec-Fetch-Site", "same-origin", "Origin", "https://the.proxys.own.name"},
	}
	browsers := []operation{api.Op("GET", "/auth/session", nil), api.Op("DELETE", "/auth/session", nil),
		api.Op("GET", "/auth/sessions", nil), api.Op("HEAD", "/users/logged", nil), api.Op("GET", "/users", nil)}
	for _, headers := range others {
		for _, op := range slices.Concat(v.Operations(), v.Reads(), browsers) {
			if a := op.By(t, by.Caller, headers...); op.Method == http.MethodHead {
				a.Is(403)
			} else {
				a.Refused(403, "cross-origin")
			}
		}
		a := srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(v.Seller), headers...).Refused(403, "cross-origin")
		expect.Equal(t, a.SetCookie() == nil, true, "%q: there is no cookie", headers)
		by.Send(t, "POST", "/auth/session", credentialsOf(v.Seller), headers...).Refused(403, "cross-origin")
		// Who has a token needs no browser's protection, and what is public is public.
		v.Seller.Send(t, "GET", "/users/logged", nil, headers...).Is(200)
		by.Send(t, "GET", "/openapi.json", nil, headers...).Is(200)
		srv.Nobody().Send(t, "POST", "/auth/static-token", credentialsOf(v.Seller), headers...).Is(200)
	}
	v.Unchanged(t)
	for _, headers := range own {
		by.Send(t, "GET", "/users/logged", nil, headers...).Is(200)
		by.Send(t, "POST", "/lines/test", nil, headers...).Is(201)
		srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(v.Seller), headers...).Is(201)
	}
}

// TestPrecedenceOfSessions sends requests that two rules refuse: the first answers.
func TestPrecedenceOfSessions(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, httpapi.Options{RequestsPerMinute: 6})
	master := srv.Admin(t).Master(t, "0")
	r := master.Reseller(t, "0")
	by := r.SignIn(t)
	ended := caller{Server: srv.Service, Cookie: api.CookieName("") + "=x"}
	both, endedAndToken := by.Caller, ended
	both.Token, endedAndToken.Token = r.Token, r.Token
	nobody := srv.Nobody()
	big := strings.Repeat("x", 64<<10+1)
	foreign := []string{"Sec-Fetch-Site", "cross-site"}
	for _, c := range []refused{
		{"route before origin", by.Send(t, "GET", "/nowhere", nil, foreign...), 404, "unknown-route"},
		{"method before origin", by.Send(t, "PUT", "/auth/session", nil, foreign...), 405, "method-not-allowed"},
		{"origin before two credentials", both.Send(t, "GET", "/users", nil, foreign...), 403, "cross-origin"},
		{"origin before a session that has ended", ended.Send(t, "GET", "/users", nil, foreign...), 403, "cross-origin"},
		{"origin before the body", nobody.Send(t, "POST", "/auth/session", "{", foreign...), 403, "cross-origin"},
		{"two credentials before a session that has ended", endedAndToken.Send(t, "GET", "/users", nil), 400,
			"two-credentials"},
		{"two credentials before the body", both.Send(t, "POST", "/lines/test", big), 400, "two-credentials"},
		{"a session that has ended before the id", ended.Send(t, "DELETE", "/auth/sessions/x", nil), 401, "session-ended"},
		{"a session that has ended before the body", ended.Send(t, "POST", "/lines/test", big), 401, "session-ended"},
		{"no session before the id", nobody.Send(t, "DELETE", "/auth/sessions/x", nil), 401, "missing-session"},
		{"fields before the password", nobody.Send(t, "POST", "/auth/session", fields{"username": r.Username}), 422,
			"validation-failed"},
	} {
		c.got.Request += ", " + c.name
		c.got.Refused(c.status, c.code)
	}
	srv.Admin(t).Block(t, master.ID).Is(200)
	by.Send(t, "POST", "/lines/test", "[").Refused(400, "malformed-body")
	by.Send(t, "GET", "/lines/1", nil).Refused(403, "account-blocked") // before sight
	by.Send(t, "DELETE", "/auth/sessions/x", nil).Refused(404, "not-found")
	by.Send(t, "DELETE", "/auth/sessions/"+strings.Repeat("0", 32), nil).Refused(403, "account-blocked")
	for range 4 { // what the six that the account has in a minute leave: ends of sessions do not count
		by.Send(t, "GET", "/auth/session", nil).Refused(403, "account-blocked")
	}
	by.Send(t, "GET", "/auth/session", nil).Refused(429, "too-many-requests")
	r.Send(t, "GET", "/lines", nil).Refused(429, "too-many-requests") // sessions and tokens count together
	ended.Send(t, "GET", "/users", nil).SessionEnded()                // which is nobody's request
	srv.Admin(t).Send(t, "PATCH", api.Path("/users", r.ID), api.With(r.Update(), fields{"password": "another password"})).
		Is(200)
	by.Send(t, "GET", "/lines", nil).SessionEnded() // a dead one is told so, whatever its account has left
}

func TestSessionsOfAnAccount(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r, stranger := srv.Admin(t).Reseller(t, "0"), srv.Admin(t).Reseller(t, "0").SignIn(t)
	at := srv.clock.Now()
	phone := srv.SignIn(t, r.Username, r.Password, "User-Agent", "a phone")
	desk := srv.SignIn(t, r.Username, r.Password, "User-Agent", "a désk")
	form := fields{"id": regexp.MustCompile(`^[0-9a-f]{32}$`), "address": "127.0.0.1", "created_at": api.ISO,
		"last_used_at": api.ISO, "staff": nil}
	listed := desk.Get(t, "/auth/sessions").List()
	if len(listed) != 2 {
		t.Fatalf("%d sessions are listed", len(listed))
	}
	listed[0].Exactly(api.With(form, fields{"device": "", "current": true}))
	listed[1].Exactly(api.With(form, fields{"device": "a phone", "current": false}))
	if created := listed[1].Instant("created_at"); created.Before(at) || created.Sub(at) > time.Second ||
		!created.Equal(listed[1].Instant("last_used_at")) {
		t.Errorf("it began at %s, and not at %s", created, at)
	}
	srv.clock.Advance(11 * time.Minute)
	began := listed[1].Instant("created_at")
	used := phone.Get(t, "/auth/sessions").List()[1].Has(fields{"current": true}).Instant("last_used_at")
	expect.Equal(t, used.Sub(began) >= 11*time.Minute, true, "it was used at %s, after %s", used, began)
	expires := phone.Get(t, "/auth/session").Instant("expires_at")
	expect.Equal(t, expires.Sub(began) >= 12*time.Hour+11*time.Minute, true, "it expires at %s", expires)

	id := func(i int) string { return "/auth/sessions/" + listed[i].Text("id") }
	absent := desk.Send(t, "DELETE", "/auth/sessions/"+strings.Repeat("0", 32), nil).Refused(404, "not-found")
	for _, path := range []string{"x", "1", listed[1].Text("id") + "0", strings.ToUpper(listed[1].Text("id")),
		strings.Repeat("0", 31) + "g"} {
		a := desk.Send(t, "DELETE", "/auth/sessions/"+path, nil).Refused(404, "not-found")
		expect.Equal(t, api.Anonymous(a), api.Anonymous(absent), "%s, and an absent one", a.Request)
	}
	a := stranger.Send(t, "DELETE", id(1), nil).Refused(404, "not-found")
	expect.Equal(t, api.Anonymous(a), api.Anonymous(absent), "another's, and an absent one")
	ended := desk.Send(t, "DELETE", id(1), nil).Is(200).Exactly(fields{"status": 200, "message": "The session has ended."})
	expect.Equal(t, ended.SetCookie() == nil, true, "the session that asked keeps its cookie")
	desk.Send(t, "DELETE", id(1), nil).Refused(404, "not-found")
	phone.Send(t, "GET", "/users/logged", nil).SessionEnded()
	own := desk.Send(t, "DELETE", id(0), nil).Is(200)
	if cookie := own.SetCookie(); cookie == nil || cookie.MaxAge >= 0 {
		t.Errorf("the cookie of the session that asked is not cleared: %v", cookie)
	}
	desk.Send(t, "GET", "/users/logged", nil).SessionEnded()
	stranger.Get(t, "/users/logged")
	r.Get(t, "/users/logged")

	// Of 21 the oldest ends.
	var all []caller
	for range 21 {
		all = append(all, srv.SignIn(t, r.Username, r.Password))
	}
	all[0].Send(t, "GET", "/users/logged", nil).SessionEnded()
	expect.Equal(t, len(all[1].Get(t, "/auth/sessions").List()), 20, "sessions that are listed")
}

// TestSessionFixation has somebody put a cookie of his own into another's browser before that signs in.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	victim, attacker := srv.Admin(t).Master(t, "10"), srv.Admin(t).Reseller(t, "0")
	planted := attacker.SignIn(t)
	made := caller{Server: srv.Service, Cookie: api.CookieName("") + "=" + strings.Repeat("A", 43)}
	for _, browser := range []caller{planted.Caller, made} {
		begun := browser.Send(t, "POST", "/auth/session", credentialsOf(victim)).Is(201).Has(fields{"id": victim.ID})
		shared := strings.HasSuffix(browser.Cookie, begun.SetCookie().Value)
		expect.Equal(t, shared, false, "the victim is signed in by the attacker's cookie")
		browser.Send(t, "GET", "/users/logged", nil).SessionEnded()
		srv.BySession(begun).Get(t, "/users/logged").Has(fields{"id": victim.ID})
	}
	// A sign-in that fails leaves the session that the browser has.
	by := victim.SignIn(t)
	by.Send(t, "POST", "/auth/session", fields{"username": attacker.Username, "password": "wrong password"}).Refused(401,
		"invalid-credentials")
	by.Get(t, "/users/logged").Has(fields{"id": victim.ID})
}

// TestTheLogHasNoCookie looks for what a request must not leave there.
func TestTheLogHasNoCookie(t *testing.T) {
	var log bytes.Buffer
	srv := serveWith(t,
		httpapi.Options{Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	r := srv.Admin(t).Reseller(t, "0")
	log.Reset()
	by := r.SignIn(t)
	by.Get(t, "/users/logged")
	by.Send(t, "GET", "/lines/9", nil).Refused(404, "not-found")
	by.Send(t, "DELETE", "/auth/session", nil).Is(200)
	by.Send(t, "GET", "/users/logged", nil).SessionEnded()
	must(t, srv.store.Close())
	by.Send(t, "GET", "/users/logged", nil).Refused(503, "store-unavailable")
	written := log.String()
	for _, secret := range []string{strings.TrimPrefix(by.Cookie, api.CookieName("")+"="), r.Password, "resellerd-"} {
		expect.Lacks(t, written, secret, "the log")
	}
	expect.Equal(t, strings.Count(written, fmt.Sprintf(`"account":%d`, r.ID)), 3, "accounts in\n%s", written)
}
