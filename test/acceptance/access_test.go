package acceptance

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestWhoMayDoWhat asks for every operation on the records of one account, a
// master or a reseller, as everybody around it.
func TestWhoMayDoWhat(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		admin := srv.admin(t)
		above := admin.master(t, "1000")
		master := above.master(t, "100")
		sibling := above.master(t, "100")
		seller := master.reseller(t, "20")
		neighbour := master.reseller(t, "20")
		revoked := admin.master(t, "100")
		revoked.send(t, "PATCH", path("/users", revoked.id), with(revoked.update(), fields{"password": "another password"})).is(200)

		who := []struct {
			name string
			caller
		}{
			{"admin", admin},
			{"above", above.caller},
			{"master", master.caller},
			{"sibling", sibling.caller},
			{"seller", seller.caller},
			{"neighbour", neighbour.caller},
			{"nobody", srv.nobody()},
			{"bad token", caller{srv, "not.a.token"}},
			{"altered token", caller{srv, altered(master.token)}},
			{"revoked token", revoked.caller},
		}
		const absent, forbidden = 404, 403
		codes := map[int]string{absent: "not-found", forbidden: "not-allowed"}
		type rights [6]int // statuses of the first six
		create := func() operation { return operation{"POST", "/users", newReseller(nil)} }
		update := func(a account) func() operation {
			return func() operation { return operation{"PATCH", path("/users", a.id), a.update()} }
		}
		fund := func(id int64) func() operation {
			return func() operation { return operation{"PATCH", path("/users/credits", id), fields{"credits": "0.0001"}} }
		}
		activate := func(owner account) func() operation {
			return func() operation {
				l := owner.trial(t)
				return operation{"PATCH", path("/lines/active", l.id), l.activation(0.5)}
			}
		}
		edit := func(owner account) func() operation {
			l := owner.official(t)
			return func() operation { return operation{"PATCH", path("/lines", l.id), l.edit()} }
		}
		remove := func(owner account) func() operation {
			return func() operation { return operation{"DELETE", path("/lines", owner.trial(t).id), nil} }
		}
		for _, c := range []struct {
			name      string
			operation func() operation
			rights
		}{
			// admin, above, master, sibling, seller, neighbour
			{"create a reseller", create, rights{201, 201, 201, 201, forbidden, forbidden}},
			{"issue a trial", func() operation { return operation{"POST", "/lines/test", nil} }, rights{201, 201, 201, 201, 201, 201}},
			{"update a master", update(master), rights{200, 200, 200, absent, absent, absent}},
			{"update a reseller", update(seller), rights{200, 200, 200, absent, 200, absent}},
			{"fund a master", fund(master.id), rights{200, 200, forbidden, absent, absent, absent}},
			{"fund a reseller", fund(seller.id), rights{200, 200, 200, absent, forbidden, absent}},
			{"fund an admin", fund(1), rights{forbidden, absent, absent, absent, absent, absent}},
			{"activate a master's line", activate(master), rights{201, 201, 201, absent, absent, absent}},
			{"activate a reseller's line", activate(seller), rights{201, 201, 201, absent, 201, absent}},
			{"edit a master's line", edit(master), rights{200, 200, 200, absent, absent, absent}},
			{"edit a reseller's line", edit(seller), rights{200, 200, 200, absent, 200, absent}},
			{"delete a master's line", remove(master), rights{200, 200, 200, absent, absent, absent}},
			{"delete a reseller's line", remove(seller), rights{200, 200, 200, absent, 200, absent}},
		} {
			for i, w := range who {
				t.Run(c.name+" as "+w.name, func(t *testing.T) {
					op := c.operation()
					var body any
					if op.body != nil {
						body = op.body
					}
					a := w.send(t, op.method, op.path, body)
					switch {
					case w.name == "nobody":
						a.refused(401, "missing-token")
					case i >= len(c.rights):
						a.refused(401, "invalid-token")
					case codes[c.rights[i]] != "":
						a.refused(c.rights[i], codes[c.rights[i]])
					default:
						a.is(c.rights[i])
					}
				})
			}
		}
	})
}

// altered returns the token with another signature.
func altered(token string) string {
	at := strings.LastIndex(token, ".") + 1
	other := "A"
	if token[at] == 'A' {
		other = "B"
	}
	return token[:at] + other + token[at+1:]
}

// TestOutOfSightIsAbsent compares what is said of another's records with what is
// said of none.
func TestOutOfSightIsAbsent(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		stranger := v.admin.master(t, "100")
		for _, op := range v.operations() {
			prefix, _, found := cutLast(op.path)
			if !found {
				continue
			}
			var body any
			if op.body != nil {
				body = op.body
			}
			other := stranger.send(t, op.method, op.path, body).refused(404, "not-found")
			none := stranger.send(t, op.method, prefix+"999999999", body).refused(404, "not-found")
			if anonymous(other) != anonymous(none) {
				t.Errorf("%s: out of sight answers %s, absent %s", op.path, other.body, none.body)
			}
		}
		v.unchanged(t)
	})
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
		r, other := srv.admin(t).reseller(t, "0"), srv.admin(t).reseller(t, "0")
		login := func(username, password string) answer {
			return srv.nobody().send(t, "POST", "/auth/static-token", fields{"username": username, "password": password})
		}
		limited := func(a answer) {
			t.Helper()
			a.refused(429, "too-many-attempts")
			if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
				t.Errorf("Retry-After is %q, want 1 to 60 seconds", a.header.Get("Retry-After"))
			}
		}
		unknown := unique("unknown")
		for range 10 {
			login(r.username, "a wrong password").refused(401, "invalid-credentials")
			login(unknown, "a wrong password").refused(401, "invalid-credentials")
		}
		limited(login(r.username, "a wrong password"))
		limited(login(r.username, r.password))
		limited(login(strings.ToUpper(r.username), r.password))
		limited(login(unknown, "a wrong password"))
		srv.login(t, other.username, other.password)
		r.send(t, "POST", "/lines/test", nil).is(201) // a token in hand is not limited

		attacked := srv.admin(t).reseller(t, "0")
		answers := make([]answer, 30)
		atOnce(len(answers), func(i int) { answers[i] = login(attacked.username, "a wrong password") })
		if got := count(answers); got[401] != 10 || got[429] != 20 {
			t.Errorf("30 wrong logins at once ended in %v, want 10 of 401 and 20 of 429", got)
		}
	})
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

// TestBlockedTree blocks a master by the records themselves: it and all below
// get nothing done, and whoever is above still acts on them.
func TestBlockedTree(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		if s.block == nil {
			t.Skip("the records of this storage can't be reached past the program")
		}
		srv := startServer(t, s, nil)
		above := srv.admin(t).master(t, "100")
		blocked := above.master(t, "50")
		below := blocked.reseller(t, "10")
		kept := below.trial(t)
		below.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "recorded").is(201)
		srv.stop(t)
		s.block(t, srv.dir, blocked.id, true)
		srv.start(t)

		for _, a := range []account{blocked, below} {
			for _, answer := range []answer{
				a.send(t, "POST", "/lines/test", nil),
				a.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "recorded"),
				a.send(t, "POST", "/users", newReseller(nil)),
				a.send(t, "PATCH", path("/users", a.id), a.update()),
				a.send(t, "PATCH", path("/users", 999_999_999), a.update()),
				a.send(t, "PATCH", path("/users/credits", below.id), fields{"credits": 1}),
				a.send(t, "PATCH", path("/lines/active", kept.id), kept.activation(1)),
				a.send(t, "PATCH", path("/lines", kept.id), kept.edit()),
				a.send(t, "DELETE", path("/lines", kept.id), nil),
				srv.nobody().send(t, "POST", "/auth/static-token", fields{"username": a.username, "password": a.password}),
			} {
				answer.refused(403, "account-blocked")
			}
			a.send(t, "POST", "/users", "{}").refused(422, "validation-failed")
			srv.nobody().send(t, "POST", "/auth/static-token", fields{"username": a.username, "password": "a wrong password"}).
				refused(401, "invalid-credentials")
		}
		above.send(t, "PATCH", path("/users/credits", below.id), fields{"credits": 1}).is(200).has(fields{"credits": 11})
		above.send(t, "PATCH", path("/users", blocked.id), blocked.update()).is(200)
		above.send(t, "PATCH", path("/lines/active", kept.id), kept.activation(1)).is(201).has(fields{"owner": below.id})

		srv.stop(t)
		s.block(t, srv.dir, blocked.id, false)
		srv.start(t)
		for _, a := range []account{blocked, below} {
			a.trial(t)
			srv.login(t, a.username, a.password)
		}
		srv.audit(t)
	})
}
