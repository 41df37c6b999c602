package acceptance

import (
	"bytes"
	"strings"
	"testing"
)

// same expects that an answer is the recorded one, byte for byte.
func (a answer) same(first answer) {
	a.t.Helper()
	a.is(first.status).replayed(true)
	if !bytes.Equal(a.body, first.body) {
		a.t.Errorf("%s: the replay is %s, the answer was %s", a.request, a.body, first.body)
	}
	if a.header.Get("Content-Type") != first.header.Get("Content-Type") {
		a.t.Errorf("%s: the replay has another Content-Type", a.request)
	}
	if a.header.Get("X-Request-Id") == first.header.Get("X-Request-Id") {
		a.t.Errorf("%s: the replay has the request id of the first request", a.request)
	}
}

func TestReplayOfEveryOperation(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		v.admin.send(t, "PATCH", path("/users/credits", v.seller.id), fields{"credits": 1}).is(200)
		for _, op := range v.operations() {
			var body any
			if op.body != nil {
				body = op.body
			}
			key := unique("operation")
			first := v.admin.send(t, op.method, op.path, body, "Idempotency-Key", key).replayed(false)
			if first.status >= 300 {
				t.Errorf("%s: status %d: %s", first.request, first.status, first.body)
			}
			v.admin.send(t, op.method, op.path, body, "Idempotency-Key", key).same(first)
			v.admin.send(t, op.method, op.path, body, "Idempotency-Key", `"`+key+`"`).same(first)
		}
	})
}

func TestRetriesAtOnceTakeEffectOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.admin(t).master(t, "100")
		r := master.reseller(t, "0")
		answers := make([]answer, 24)
		atOnce(len(answers), func(i int) {
			answers[i] = master.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 3, "notes": "once"}, "Idempotency-Key", "top-up-1")
		})
		var first []answer
		for _, a := range answers {
			a.is(200).has(fields{"credits": 3})
			if a.header.Get("Idempotency-Replayed") == "" {
				first = append(first, a)
			}
			if !bytes.Equal(a.body, answers[0].body) {
				t.Errorf("answers differ: %s and %s", a.body, answers[0].body)
			}
		}
		if len(first) != 1 {
			t.Errorf("%d of 24 retries took effect, want 1", len(first))
		}
		if got := master.balance(t, r.id); got != "97" {
			t.Errorf("the master holds %s, want 97", got)
		}
	})
}

func TestKeyOfAnotherRequest(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.admin(t).master(t, "100")
		r, other := master.reseller(t, "0"), master.reseller(t, "0")
		key := []string{"Idempotency-Key", "one-request"}
		first := master.send(t, "PATCH", path("/users/credits", r.id), `{"credits":1}`, key...).is(200)
		for _, c := range []struct {
			name               string
			method, path, body string
		}{
			{"another amount", "PATCH", path("/users/credits", r.id), `{"credits":2}`},
			{"the same amount in other bytes", "PATCH", path("/users/credits", r.id), `{"credits": 1}`},
			{"another account", "PATCH", path("/users/credits", other.id), `{"credits":1}`},
			{"a query", "PATCH", path("/users/credits", r.id) + "?again", `{"credits":1}`},
			{"another operation", "POST", "/lines/test", `{"credits":1}`},
			{"another method", "DELETE", path("/lines", 1), ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				master.send(t, c.method, c.path, c.body, key...).refused(422, "idempotency-key-reused").replayed(false)
			})
		}
		master.send(t, "PATCH", path("/users/credits", r.id), `{"credits":1}`, key...).same(first)
		if got := master.balance(t, r.id); got != "99" {
			t.Errorf("the master holds %s, want 99", got)
		}
		// Keys are an account's own.
		srv.admin(t).send(t, "PATCH", path("/users/credits", r.id), `{"credits":1}`, "Idempotency-Key", unique("own")).is(200).has(fields{"credits": 2})
		second := srv.admin(t).master(t, "5")
		below := second.reseller(t, "0")
		second.send(t, "PATCH", path("/users/credits", below.id), `{"credits":1}`, key...).is(200).replayed(false).has(fields{"credits": 1})
	})
}

func TestRefusalsAreNotRecorded(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "0")
		l := r.trial(t)
		activate := func() answer {
			return r.send(t, "PATCH", path("/lines/active", l.id), l.activation(1), "Idempotency-Key", "activate")
		}
		activate().refused(402, "insufficient-credits").replayed(false)
		activate().refused(402, "insufficient-credits").replayed(false)
		srv.admin(t).send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 1}).is(200)
		first := activate().is(201).replayed(false)
		activate().same(first)
		r.send(t, "DELETE", path("/lines", l.id), nil).is(200)
		activate().same(first)

		// A refused request leaves its key free for another.
		r.send(t, "PATCH", path("/lines", l.id), l.edit(), "Idempotency-Key", "free").refused(404, "not-found")
		r.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "free").is(201).replayed(false)
	})
}

func TestKeys(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		r := sharedServer(t, s).admin(t).reseller(t, "0")
		for _, key := range []string{
			"a b", "ü", `"open`, `open"`, `"a"b"`, `""`, "\"a b\"", "a\tb", strings.Repeat("x", 256), `"` + strings.Repeat("x", 256) + `"`,
		} {
			r.send(t, "POST", "/lines/test", nil, "Idempotency-Key", key).refused(400, "bad-idempotency-key")
			r.send(t, "DELETE", "/lines/1", nil, "Idempotency-Key", key).refused(400, "bad-idempotency-key")
		}
		for _, key := range []string{"x", "8e03978e-40d5-43dd-bc93-6894a57f9324", strings.Repeat("x", 255), "a,b;c=d/"} {
			first := r.send(t, "POST", "/lines/test", nil, "Idempotency-Key", key).is(201).replayed(false)
			r.send(t, "POST", "/lines/test", nil, "Idempotency-Key", `"`+key+`"`).same(first)
		}
		upper := r.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "X").is(201)
		upper.replayed(false) // keys are compared with case
	})
}

func TestRevocationBeatsReplay(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "0")
		trial := r.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "trial").is(201)
		change := with(r.update(), fields{"password": "another password"})
		changed := r.send(t, "PATCH", path("/users", r.id), change, "Idempotency-Key", "password").is(200)
		r.send(t, "PATCH", path("/users", r.id), change, "Idempotency-Key", "password").refused(401, "invalid-token")
		r.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "trial").refused(401, "invalid-token")

		renewed := caller{srv, srv.login(t, r.username, "another password")}
		renewed.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "trial").same(trial)
		renewed.send(t, "PATCH", path("/users", r.id), change, "Idempotency-Key", "password").same(changed)
	})
}

func TestReplayAfterRestart(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		create := newReseller(fields{"credits": "5"})
		created := srv.admin(t).send(t, "POST", "/users", create, "Idempotency-Key", "create").is(201)
		topUp := func() answer {
			return srv.admin(t).send(t, "PATCH", path("/users/credits", created.id()), fields{"credits": 1}, "Idempotency-Key", "top-up")
		}
		first := topUp().is(200)
		srv.restart(t)
		topUp().same(first)
		srv.admin(t).send(t, "POST", "/users", create, "Idempotency-Key", "create").same(created)
		srv.admin(t).send(t, "PATCH", path("/users/credits", created.id()), fields{"credits": 1}).is(200).has(fields{"credits": 7})
	})
}
