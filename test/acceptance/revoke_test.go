package acceptance

import (
	"bytes"
	"slices"
	"testing"
)

// dead expects that a token does nothing any more, whatever is asked.
func (c caller) dead(t *testing.T) {
	t.Helper()
	for _, op := range []operation{
		{"GET", "/users/logged", nil}, {"GET", "/users", nil}, {"GET", "/users/1", nil}, {"GET", "/users/1/ledger", nil},
		{"GET", "/lines", nil}, {"GET", "/lines/1", nil}, {"GET", "/lines/extend-preview/1?credits=1", nil},
		{"GET", "/prices", nil}, {"GET", "/ledger/proof", nil},
		{"POST", "/users", newReseller(nil)}, {"POST", "/lines/test", nil}, {"PATCH", "/users/credits/1", fields{"credits": 1}},
		{"POST", "/users/1/credits/reclaim", fields{"credits": 1}}, {"PUT", "/users/1/block", nil}, {"DELETE", "/users/1/block", nil},
		{"PATCH", "/lines/extend/1", fields{"credits": 1}}, {"DELETE", "/lines/1", nil}, {"DELETE", "/auth/static-token", nil},
	} {
		a := op.by(t, c).refused(401, "invalid-token")
		if got := a.header.Get("WWW-Authenticate"); got != "Bearer" {
			t.Errorf("%s: WWW-Authenticate is %q", a.request, got)
		}
	}
}

func (a account) login(t *testing.T) account {
	t.Helper()
	a.token = a.server.login(t, a.username, a.password)
	return a
}

func TestRevokeToken(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		admin := srv.admin(t)
		master := admin.master(t, "10")
		below := master.reseller(t, "1")
		l := master.trial(t)
		tokens := []string{master.token}
		for range 3 {
			was := admin.get(t, path("/users", master.id))
			master.send(t, "DELETE", "/auth/static-token", nil).is(200).exactly(fields{"status": 200, "message": anything})
			for _, token := range tokens {
				caller{srv, token}.dead(t)
			}
			admin.get(t, path("/users", master.id)).exactly(with(was.fields, fields{"updatedAt": iso}))
			master = master.login(t)
			if slices.Contains(tokens, master.token) {
				t.Fatal("a revoked token came back")
			}
			tokens = append(tokens, master.token)
			if again := master.login(t); again.token != master.token {
				t.Error("two logins give two tokens")
			}
			master.get(t, path("/lines", l.id)).has(fields{"password": l.password})
		}
		below.trial(t) // nobody else notices
		admin.trial(t)

		// A body, if there is one, says nothing.
		master.send(t, "DELETE", "/auth/static-token", "{", "Content-Type", "text/plain").is(200)
		master = master.login(t)

		admin.send(t, "DELETE", "/auth/static-token", nil).is(200) // an admin's too
		admin.dead(t)
		srv.adminToken = srv.login(t, adminName, adminPassword)

		blocked := srv.admin(t).reseller(t, "0")
		srv.admin(t).send(t, "PUT", path("/users", blocked.id, "/block"), nil).is(200)
		blocked.send(t, "DELETE", "/auth/static-token", nil).refused(403, "account-blocked")
		if s.durable {
			srv.restart(t)
			for _, token := range tokens[:len(tokens)-1] {
				caller{srv, token}.send(t, "GET", "/users/logged", nil).refused(401, "invalid-token")
			}
			if again := master.login(t); again.token != master.token {
				t.Error("the token is another after a restart")
			}
		}
		srv.audit(t)
	})
}

// TestRevokeTokenOnce revokes under a key: a repetition neither passes with the
// dead token nor kills the new one.
func TestRevokeTokenOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		r := sharedServer(t, s).admin(t).reseller(t, "0")
		key := []string{"Idempotency-Key", "revoke"}
		first := r.send(t, "DELETE", "/auth/static-token", nil, key...).is(200).replayed(false)
		r.send(t, "DELETE", "/auth/static-token", nil, key...).refused(401, "invalid-token")
		renewed := r.login(t)
		for range 2 {
			renewed.send(t, "DELETE", "/auth/static-token", nil, key...).same(first)
		}
		renewed.trial(t)
		renewed.send(t, "DELETE", "/auth/static-token", nil, "Idempotency-Key", "another").is(200).replayed(false)
		renewed.send(t, "GET", "/users/logged", nil).refused(401, "invalid-token")
	})
}

// TestRevokeTokenAtOnce revokes one token 24 times at the same time: one does, and
// comes too late for the others.
func TestRevokeTokenAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		for _, key := range []string{"", "revoke"} {
			r := sharedServer(t, s).admin(t).reseller(t, "0")
			answers := make([]answer, 24)
			atOnce(len(answers), func(i int) {
				answers[i] = r.send(t, "DELETE", "/auth/static-token", nil, "Idempotency-Key", key)
			})
			if got := count(answers); got[200] != 1 || got[401] != 23 {
				t.Errorf("24 revocations of one token at once ended in %v, want one 200 and 23 of 401", got)
			}
			for _, a := range answers {
				if a.status == 200 && key != "" {
					r = r.login(t)
					if replay := r.send(t, "DELETE", "/auth/static-token", nil, "Idempotency-Key", key).is(200).replayed(true); !bytes.Equal(replay.body, a.body) {
						t.Errorf("the replay is %s, the answer was %s", replay.body, a.body)
					}
					r.trial(t)
				}
			}
		}
	})
}
