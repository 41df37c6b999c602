package httpapi_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// passwords is the body of a change of the own password.
func passwords(present, next string) fields { return fields{"password": present, "new_password": next} }

// TestFailedLogins have the same answer, and delay more attempts. Logins of programs, sign-ins of browsers and changes
// of a password count together.
func TestFailedLogins(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r, other := srv.Admin(t).Reseller(t, "0"), srv.Admin(t).Reseller(t, "0")
	paths := []string{"/auth/static-token", "/auth/session"}
	login := func(path, username, password string) answer {
		return srv.Nobody().Send(t, "POST", path, fields{"username": username, "password": password})
	}
	for _, path := range paths {
		wrong := api.Anonymous(login(path, r.Username, "a wrong password").Refused(401, "invalid-credentials"))
		for name, a := range map[string]answer{
			"an unknown name":    login(path, api.Unique("unknown"), r.Password),
			"an invalid name":    login(path, "not a name", r.Password),
			"a password of 1 kB": login(path, other.Username, strings.Repeat("x", 1000)),
		} {
			a.Refused(401, "invalid-credentials")
			expect.Equal(t, api.Anonymous(a), wrong, "%s, and a wrong password", name)
		}
	}
	browser := r.SignIn(t)
	by := []caller{r.Caller, browser.Caller}
	for i := range 4 {
		login(paths[i%2], r.Username, "a wrong password").Refused(401, "invalid-credentials")
		a := by[i%2].Send(t, "PATCH", "/auth/password", passwords("a wrong password", "another password"))
		a.Refused(401, "invalid-credentials")
		expect.Equal(t, a.Header.Get("WWW-Authenticate"), "Bearer", "%s: WWW-Authenticate", a.Request)
		expect.Equal(t, a.SetCookie() == nil, true, "%s: there is no cookie", a.Request)
	}
	for _, a := range []answer{login(paths[0], r.Username, r.Password),
		login(paths[1], strings.ToUpper(r.Username), "a wrong password"),
		browser.Send(t, "PATCH", "/auth/password", passwords(r.Password, "another password"))} {
		wait, err := strconv.Atoi(a.Refused(429, "too-many-attempts").Header.Get("Retry-After"))
		expect.Equal(t, err == nil && wait >= 1 && wait <= 60, true, "%s: Retry-After %d, %v", a.Request, wait, err)
	}
	other.Login(t)
	r.Trial(t) // a token in hand is not limited
	srv.clock.Advance(time.Minute)
	login(paths[0], r.Username, r.Password).Is(200) // the failures count no more
}

// TestRevokeToken revokes a token: a new one replaces it, and everything else is unchanged.
func TestRevokeToken(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "10")
	was := srv.Admin(t).Get(t, api.Path("/users", master.ID))
	master.Send(t, "DELETE", "/auth/static-token", "{", "Content-Type", "text/plain").Is(200). // whose body says nothing
													Exactly(fields{"status": 200, "message": api.Anything})
	master.Send(t, "GET", "/users/logged", nil).Refused(401, "invalid-token")
	srv.Admin(t).Get(t, api.Path("/users", master.ID)).Exactly(api.With(was.Fields, fields{"updatedAt": api.ISO}))
	again := master.Login(t)
	expect.Equal(t, again.Token == master.Token, false, "the revoked token came back")
	expect.Equal(t, again.Login(t).Token, again.Token, "the token of another login")
	srv.audit(t)
}

// TestChangeOfThePassword ends all tokens and sessions of the old password, except the session of the request.
func TestChangeOfThePassword(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	asking, other := r.SignIn(t), r.SignIn(t)
	change := func(by caller, present, next string) answer {
		return by.Send(t, "PATCH", "/auth/password", passwords(present, next), "Idempotency-Key", strings.ReplaceAll(next, " ", "-"))
	}
	change(asking.Caller, r.Password, r.Password).Is(200).Exactly(fields{"status": 200, "message": api.Anything})
	for _, by := range []caller{r.Caller, asking.Caller, other.Caller} { // equal to the present one: no change
		by.Get(t, "/users/logged")
	}
	first := change(asking.Caller, r.Password, "another password").Is(200).Replayed(false)
	r.Send(t, "GET", "/users/logged", nil).Refused(401, "invalid-token")
	other.Send(t, "GET", "/users/logged", nil).SessionEnded()
	change(asking.Caller, r.Password, "another password").Same(first)
	expect.Equal(t, len(asking.Get(t, "/auth/sessions").List()), 1, "sessions that are left")
	srv.audit(t)
}
