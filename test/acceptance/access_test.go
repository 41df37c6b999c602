package acceptance

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// altered returns the token with another signature.
func altered(token string) string {
	at := strings.LastIndex(token, ".") + 1
	other := "A"
	if token[at] == 'A' {
		other = "B"
	}
	return token[:at] + other + token[at+1:]
}

func TestAuthorizationHeader(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "0")
		ask := func(value string) answer {
			return srv.nobody().send(t, "POST", "/lines/test", nil, "Authorization", value)
		}
		ask("Bearer " + r.token).is(201)
		ask("bearer " + r.token).is(201) // RFC 9110, 11.1: case does not matter
		for _, value := range []string{
			r.token, "Bearer", "Bearer  ", "Basic " + r.token, "Bearer x", "Bearer " + r.token + "x", "Bearer " + strings.ToUpper(r.token),
			"Bearer " + r.token + " " + r.token, "Bearer " + r.token + "," + r.token, "Bearer " + strings.Repeat("x", 8000), "Bearer a.b.c",
			"Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + strings.Split(r.token+"..", ".")[1] + ".",
		} {
			a := ask(value).is(401)
			if !slices.Contains([]any{"missing-token", "invalid-token"}, a.fields["code"]) {
				t.Errorf("Authorization %q: %s", value, a.body)
			}
			if got := a.header.Get("WWW-Authenticate"); got != "Bearer" {
				t.Errorf("Authorization %q: WWW-Authenticate is %q", value, got)
			}
		}
		// The token of one service is good for no other.
		other := startServer(t, s, nil)
		caller{other, r.token}.send(t, "POST", "/lines/test", nil).refused(401, "invalid-token")
		caller{other, srv.admin(t).token}.send(t, "POST", "/lines/test", nil).refused(401, "invalid-token")
	})
}

func TestWrongLogins(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "0")
		login := func(username, password string) answer {
			return srv.nobody().send(t, "POST", "/auth/static-token", fields{"username": username, "password": password})
		}
		wrong := login(r.username, "a wrong password").refused(401, "invalid-credentials")
		for name, a := range map[string]answer{
			"an unknown name":              login(unique("unknown"), r.password),
			"a name that nobody can have":  login("not a name", r.password),
			"a long name":                  login(strings.Repeat("x", 1000), r.password),
			"a password nobody can have":   login(r.username, "x"),
			"a long password":              login(r.username, strings.Repeat("x", 1000)),
			"the password in another case": login(r.username, strings.ToUpper(r.password)),
		} {
			a.refused(401, "invalid-credentials")
			if anonymous(a) != anonymous(wrong) {
				t.Errorf("%s answers %s, a wrong password %s", name, a.body, wrong.body)
			}
		}
	})
}

func TestLoginLimit(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		login := func(username, password string) answer {
			return srv.nobody().send(t, "POST", "/auth/static-token", fields{"username": username, "password": password})
		}
		var unknown string
		var r, other account
		answers := inAMinute(t, func() (all []answer) {
			unknown, r, other = unique("unknown"), srv.admin(t).reseller(t, "0"), srv.admin(t).reseller(t, "0")
			for range 10 {
				all = append(all, login(r.username, "a wrong password"), login(unknown, "a wrong password"))
			}
			return append(all, login(r.username, "a wrong password"), login(r.username, r.password),
				login(strings.ToUpper(r.username), r.password), login(unknown, "a wrong password"),
				login(other.username, other.password))
		})
		for i, a := range answers {
			switch {
			case i < 20:
				a.refused(401, "invalid-credentials")
			case i < 24:
				a.refused(429, "too-many-attempts")
				if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
					t.Errorf("Retry-After is %q, want 1 to 60 seconds", a.header.Get("Retry-After"))
				}
			default:
				a.is(200)
			}
		}
		r.send(t, "POST", "/lines/test", nil).is(201) // a token in hand is not limited

		answers = inAMinute(t, func() []answer {
			attacked := srv.admin(t).reseller(t, "0")
			all := make([]answer, 30)
			atOnce(len(all), func(i int) { all[i] = login(attacked.username, "a wrong password") })
			return all
		})
		if got := count(answers); got[401] != 10 || got[429] != 20 {
			t.Errorf("30 wrong logins at once ended in %v, want 10 of 401 and 20 of 429", got)
		}
	})
}

// inAMinute returns the answers to what the limit on failed logins looks at. On a
// machine that is busy with other things they say nothing where a login was given
// up, or where the first failures count no more: then it is done anew.
func inAMinute(t *testing.T, do func() []answer) []answer {
	t.Helper()
	for range 5 {
		began := time.Now()
		answers := do()
		if time.Since(began) < 50*time.Second && count(answers)[http.StatusServiceUnavailable] == 0 {
			return answers
		}
	}
	t.Skip("this machine is too busy to fail at ten logins in a minute")
	return nil
}

func TestTokenEndsWithThePassword(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "0")
		other := srv.admin(t).reseller(t, "0")
		change := func(by caller, password string) {
			t.Helper()
			by.send(t, "PATCH", path("/users", r.id), with(r.update(), fields{"password": password})).is(200).has(fields{"password": password})
		}
		change(r.caller, r.password) // the present one: no change
		r.trial(t)
		change(srv.admin(t), r.password)
		r.trial(t)
		if again := srv.login(t, r.username, r.password); again != r.token {
			t.Error("the same password gives another token")
		}

		tokens := []string{r.token}
		for _, password := range []string{"another password", r.password} { // and back
			change(srv.admin(t), password)
			for _, dead := range tokens {
				caller{srv, dead}.send(t, "POST", "/lines/test", nil).refused(401, "invalid-token")
			}
			token := srv.login(t, r.username, password)
			if slices.Contains(tokens, token) {
				t.Error("a token came back with its password")
			}
			caller{srv, token}.trial(t)
			tokens = append(tokens, token)
		}
		other.trial(t)
	})
}
