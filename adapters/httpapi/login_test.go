package httpapi_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
)

func TestAuthorizationHeader(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	ask := func(value string) answer {
		return srv.Nobody().Send(t, "POST", "/lines/test", nil, "Authorization", value)
	}
	ask("Bearer " + r.Token).Is(201)
	ask("bearer " + r.Token).Is(201)  // RFC 9110, 11.1: case does not matter
	ask("Bearer  " + r.Token).Is(201) // 11.4: and there may be several spaces
	for _, value := range []string{
		r.Token, "Bearer", "Bearer  ", "Basic " + r.Token, "Bearer x", "Bearer " + r.Token + "x", "Bearer " +
			strings.ToUpper(r.Token),
		"Bearer " + r.Token + " " + r.Token, "Bearer " + r.Token + "," + r.Token, "Bearer " + strings.Repeat("x", 8000),
		"Bearer a.b.c",
		"Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + strings.Split(r.Token+"..", ".")[1] + ".",
	} {
		a := ask(value).Is(401)
		known := slices.Contains([]any{"missing-token", "invalid-token"}, a.Fields["code"])
		expect.Equal(t, known, true, "Authorization %q: %s", value, a.Body)
		expect.Equal(t, a.Header.Get("WWW-Authenticate"), "Bearer", "Authorization %q: WWW-Authenticate", value)
	}
	// The token of one service is good for no other.
	other := serve(t)
	other.As(r.Token).Send(t, "POST", "/lines/test", nil).Refused(401, "invalid-token")
	other.As(srv.Admin(t).Token).Send(t, "POST", "/lines/test", nil).Refused(401, "invalid-token")
}

// TestFailedLogins are all answered alike, count together whether they are of programs or of browsers, and hold off.
func TestFailedLogins(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r, other := srv.Admin(t).Reseller(t, "0"), srv.Admin(t).Reseller(t, "0")
	paths := []string{"/auth/static-token", "/auth/session"}
	login := func(path, username, password string) answer {
		return srv.Nobody().Send(t, "POST", path, fields{"username": username, "password": password})
	}
	for i, path := range paths {
		wrong := login(path, r.Username, "a wrong password").Refused(401, "invalid-credentials")
		for name, a := range map[string]answer{
			"an unknown name":              login(path, api.Unique("unknown"), r.Password),
			"a name that nobody can have":  login(path, "not a name", r.Password),
			"a long name":                  login(path, strings.Repeat("x", 1000), r.Password),
			"a password nobody can have":   login(path, other.Username, []string{"x", "\x07"}[i]),
			"a long password":              login(path, other.Username, strings.Repeat("x", 1000)),
			"the password in another case": login(path, other.Username, strings.ToUpper(other.Password)),
		} {
			a.Refused(401, "invalid-credentials")
			expect.Equal(t, api.Anonymous(a), api.Anonymous(wrong), "%s, and a wrong password", name)
		}
	}
	for i := range 8 {
		login(paths[i%2], r.Username, "a wrong password").Refused(401, "invalid-credentials")
	}
	other.Login(t)
	for _, path := range paths {
		for name, password := range map[string]string{r.Username: r.Password,
			strings.ToUpper(r.Username): "a wrong password"} {
			a := login(path, name, password).Refused(429, "too-many-attempts")
			if wait, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
				t.Errorf("Retry-After is %q, want 1 to 60 seconds", a.Header.Get("Retry-After"))
			}
		}
	}
	r.Trial(t)                     // a token in hand is not limited
	srv.clock.Advance(time.Minute) // and then the failures count no more
	login(paths[0], r.Username, r.Password).Is(200)
	login(paths[1], r.Username, r.Password).Is(201)
}

// TestTheBlockedLogInWithoutFailing gives the right password of a blocked account more often than one may fail.
func TestTheBlockedLogInWithoutFailing(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	r := admin.Reseller(t, "0")
	admin.Block(t, r.ID).Is(200)
	for i := range 12 {
		path := []string{"/auth/static-token", "/auth/session"}[i%2]
		admin.Server.Nobody().Send(t, "POST", path, credentialsOf(r)).Refused(403, "account-blocked")
	}
	admin.Unblock(t, r.ID).Is(200)
	r.Login(t)
}

func TestRevokeToken(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	master := admin.Master(t, "10")
	below := master.Reseller(t, "1")
	l := master.Trial(t)
	tokens := []string{master.Token}
	for range 3 {
		was := admin.Get(t, api.Path("/users", master.ID))
		master.Send(t, "DELETE", "/auth/static-token", nil).Is(200).Exactly(fields{"status": 200, "message": api.Anything})
		for _, token := range tokens {
			srv.As(token).Dead(t)
		}
		admin.Get(t, api.Path("/users", master.ID)).Exactly(api.With(was.Fields, fields{"updatedAt": api.ISO}))
		master = master.Login(t)
		if slices.Contains(tokens, master.Token) {
			t.Fatal("a revoked token came back")
		}
		tokens = append(tokens, master.Token)
		expect.Equal(t, master.Login(t).Token, master.Token, "the token of another login")
		master.Get(t, api.Path("/lines", l.ID)).Has(fields{"password": l.Password})
	}
	below.Trial(t) // nobody else notices
	admin.Trial(t)

	// A body, if there is one, says nothing.
	master.Send(t, "DELETE", "/auth/static-token", "{", "Content-Type", "text/plain").Is(200)

	admin.Send(t, "DELETE", "/auth/static-token", nil).Is(200) // an admin's too
	admin.Dead(t)
	srv.AdminToken = srv.Login(t, api.AdminName, api.AdminPassword)

	blocked := srv.Admin(t).Reseller(t, "0")
	srv.Admin(t).Block(t, blocked.ID).Is(200)
	blocked.Send(t, "DELETE", "/auth/static-token", nil).Refused(403, "account-blocked")
	srv.audit(t)
}
