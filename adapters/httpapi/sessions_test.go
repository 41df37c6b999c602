package httpapi_test

import (
	"fmt"
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

// TestSignIn: the answer shows the account of the session, and its end.
func TestSignIn(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	a := srv.Admin(t).Create(t, fields{"is_master": 1, "language": "pt-BR"})
	begun := srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(a)).Is(201).Exactly(
		fields{"id": a.ID, "username": a.Username, "is_admin": 0, "is_master": 1, "language": "pt-BR",
			"expires_at": api.ISO, "ends_at": api.ISO, "totp": false})
	expect.Equal(t, begun.Instant("ends_at").Sub(begun.Instant("expires_at")), 7*24*time.Hour-12*time.Hour,
		"from its expiry to its end")
	cookie := begun.SetCookie()
	expect.Equal(t, cookie.String(), fmt.Sprintf("%s=%s; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict",
		api.CookieName(""), cookie.Value), "the cookie")
	by := srv.BySession(begun)
	by.Get(t, "/auth/session").Exactly(begun.Fields)
	by.Send(t, "DELETE", "/auth/session", nil, "Idempotency-Key", "a b").Is(200)
	by.Send(t, "DELETE", "/auth/session", nil).SessionEnded()
	a.Get(t, "/users/logged")
}

// TestCookieOfABrowserElsewhere signs in as a browser that uses a host name, through a proxy with HTTPS.
func TestCookieOfABrowserElsewhere(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, httpapi.Options{BasePath: "/panel"})
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
	set := ask("POST", "/panel/auth/session", fmt.Sprintf(`{"username":%q,"password":%q}`, api.AdminName,
		api.AdminPassword), "").Header.Get("Set-Cookie")
	const name, rights = "__Host-resellerd-ae4c78a3", "; HttpOnly; Secure; SameSite=Strict"
	secret := regexp.MustCompile(`^` + name + `=([A-Za-z0-9_-]{43}); Path=/; Max-Age=604800` + rights + `$`).
		FindStringSubmatch(set)
	if secret == nil {
		t.Fatalf("the cookie is %s", set)
	}
	pair := name + "=" + secret[1]
	for cookie, want := range map[string]int{
		"theme=dark; " + pair + "; a=b":          200,
		"resellerd-ae4c78a3=" + secret[1]:        401, // which needs no HTTPS
		"__Host-resellerd-e3b0c442=" + secret[1]: 401, // of another base path
		"__host-resellerd-ae4c78a3=" + secret[1]: 401,
	} {
		expect.Equal(t, ask("GET", "/panel/users/logged", "", cookie).StatusCode, want, "by %s", cookie)
	}
	expect.Equal(t, ask("DELETE", "/panel/auth/session", "", pair).StatusCode, http.StatusOK, "signed out")
	got := ask("GET", "/panel/prices", "", pair)
	expect.Equal(t, got.StatusCode, http.StatusUnauthorized, "by a session that has ended")
	expect.Equal(t, got.Header.Get("Set-Cookie"), name+"=; Path=/; Max-Age=0"+rights, "the cookie is cleared")
}

// TestWhereASessionIsInvalid sends requests without a session, or with an invalid one.
func TestWhereASessionIsInvalid(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	by := r.SignIn(t)
	id := by.Get(t, "/auth/sessions").List()[0].Text("id")
	name := api.CookieName("") + "="
	secret := strings.TrimPrefix(by.Cookie, name)
	for _, nobody := range []caller{srv.Nobody(), srv.As(r.Token), {Server: srv.Service, Cookie: "other=" + secret}} {
		a := nobody.Send(t, "DELETE", "/auth/sessions/"+id, nil).Refused(401, "missing-session")
		expect.Equal(t, a.Header.Get("WWW-Authenticate"), "Bearer", "%s: WWW-Authenticate", a.Request)
		expect.Equal(t, a.SetCookie() == nil, true, "%s: there is no cookie", a.Request)
	}
	for situation, cookie := range map[string]string{
		"an id":                name + id,
		"nothing":              name,
		"another case":         name + strings.ToUpper(secret),
		"more":                 name + secret + "A",
		"beside another":       by.Cookie + "; " + name + strings.Repeat("A", 43),
		"of another service":   serve(t).Admin(t).Reseller(t, "0").SignIn(t).Cookie,
		"something to look up": name + "'; DROP TABLE sessions; --" + strings.Repeat("x", 17),
	} {
		a := caller{Server: srv.Service, Cookie: cookie}.Send(t, "GET", "/users/logged", nil)
		a.Request += ": " + situation
		a.SessionEnded()
	}
	by.Get(t, "/users/logged")
	// An invalid session does no harm to operations that need no credential.
	stale := caller{Server: srv.Service, Cookie: name + strings.Repeat("A", 43)}
	expect.Equal(t, stale.Get(t, "/healthz").SetCookie() == nil, true, "there is no cookie")
	stale.Send(t, "POST", "/auth/static-token", credentialsOf(r)).Is(200)
	stale.Send(t, "POST", "/auth/session", credentialsOf(r)).Is(201)
}

func TestTwoCredentials(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	both := v.Seller.SignIn(t).Caller
	both.Token = v.Seller.Token
	for _, op := range slices.Concat(v.Operations(), v.Reads()) {
		op.By(t, both).Refused(400, "two-credentials")
	}
	both.Send(t, "GET", "/users", nil, "Authorization", "Basic x").Refused(400, "two-credentials")
	both.Send(t, "POST", "/auth/session", credentialsOf(v.Seller)).Is(201) // neither needs a code
	v.Unchanged(t)
}

func TestOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	v := api.NewFixture(t, srv.Service)
	by := v.Seller.SignIn(t)
	own := "http://" + srv.Address
	for _, op := range slices.Concat(v.Operations(), v.Reads()) {
		op.By(t, by.Caller, "Sec-Fetch-Site", "cross-site").Refused(403, "cross-origin")
	}
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "same-site"}, {"Origin", "null"}, {"Origin", own + ".example.net"},
		{"Sec-Fetch-Site", "cross-site", "Origin", own},
	} {
		by.Send(t, "HEAD", "/users/logged", nil, headers...).Is(403)
		by.Send(t, "POST", "/lines/test", nil, headers...).Refused(403, "cross-origin")
		a := srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(v.Seller), headers...).Refused(403, "cross-origin")
		expect.Equal(t, a.SetCookie() == nil, true, "%q: there is no cookie", headers)
		// A caller with a token needs no protection of browsers, and public operations stay public.
		v.Seller.Send(t, "GET", "/users/logged", nil, headers...).Is(200)
		by.Send(t, "GET", "/openapi.json", nil, headers...).Is(200)
	}
	v.Unchanged(t)
	for _, headers := range [][]string{{}, {"Sec-Fetch-Site", "none"}, {"Origin", own},
		{"Sec-Fetch-Site", "same-origin", "Origin", "https://the.proxys.own.name"}} {
		by.Send(t, "POST", "/lines/test", nil, headers...).Is(201)
		srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(v.Seller), headers...).Is(201)
	}
}

func TestSessionsOfAnAccount(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r, stranger := srv.Admin(t).Reseller(t, "0"), srv.Admin(t).Reseller(t, "0").SignIn(t)
	phone := srv.SignIn(t, r.Username, r.Password, "User-Agent", "a phone")
	desk := srv.SignIn(t, r.Username, r.Password, "User-Agent", "a désk")
	form := fields{"id": regexp.MustCompile(`^[0-9a-f]{32}$`), "address": "127.0.0.1", "created_at": api.ISO,
		"last_used_at": api.ISO, "staff": nil}
	listed := desk.Get(t, "/auth/sessions").List()
	listed[0].Exactly(api.With(form, fields{"device": "", "current": true}))
	listed[1].Exactly(api.With(form, fields{"device": "a phone", "current": false}))

	id := func(i int) string { return "/auth/sessions/" + listed[i].Text("id") }
	absent := api.Anonymous(desk.Send(t, "DELETE", "/auth/sessions/"+strings.Repeat("0", 32), nil))
	for _, a := range []answer{desk.Send(t, "DELETE", id(1)+"0", nil), stranger.Send(t, "DELETE", id(1), nil)} {
		a.Refused(404, "not-found")
		expect.Equal(t, api.Anonymous(a), absent, "%s, and an absent one", a.Request)
	}
	ended := desk.Send(t, "DELETE", id(1), nil).Is(200).Exactly(fields{"status": 200, "message": "The session has ended."})
	expect.Equal(t, ended.SetCookie() == nil, true, "the session of the request still has its cookie")
	phone.Send(t, "GET", "/users/logged", nil).SessionEnded()
	cookie := desk.Send(t, "DELETE", id(0), nil).Is(200).SetCookie()
	expect.Equal(t, cookie != nil && cookie.MaxAge < 0, true, "the cookie of the request's session is cleared: %v", cookie)
	desk.Send(t, "GET", "/users/logged", nil).SessionEnded()
	stranger.Get(t, "/users/logged")
}

// TestSessionFixation puts an attacker's cookie into another browser before that browser signs in.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	victim, attacker := srv.Admin(t).Master(t, "10"), srv.Admin(t).Reseller(t, "0")
	browser := attacker.SignIn(t).Caller
	begun := browser.Send(t, "POST", "/auth/session", credentialsOf(victim)).Is(201).Has(fields{"id": victim.ID})
	shared := strings.HasSuffix(browser.Cookie, begun.SetCookie().Value)
	expect.Equal(t, shared, false, "the victim is signed in by the attacker's cookie")
	browser.Send(t, "GET", "/users/logged", nil).SessionEnded()
	// A failed sign-in does not change the browser's session.
	by := victim.SignIn(t)
	by.Send(t, "POST", "/auth/session", fields{"username": attacker.Username, "password": "wrong password"}).Refused(401,
		"invalid-credentials")
	by.Get(t, "/users/logged").Has(fields{"id": victim.ID})
}
