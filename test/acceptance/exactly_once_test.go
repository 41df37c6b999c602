package acceptance

import (
	"bytes"
	"fmt"
	"strconv"
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
		v.admin.send(t, "PATCH", path("/users/credits", v.seller.id), fields{"credits": 1.5}).is(200)
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

// TestRetriesAtOnceOfEveryOperation sends each operation that changes an account, a
// line or a balance 24 times at the same time under one key: it runs once.
func TestRetriesAtOnceOfEveryOperation(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		admin := srv.admin(t)
		master := admin.master(t, "100")
		r := master.reseller(t, "20")
		official, trial, gone := r.official(t), r.trial(t), r.trial(t)
		movements := func() string { return fmt.Sprint(admin.get(t, "/ledger/proof").fields["movements"]) }
		for _, c := range []struct {
			operation
			moves   int    // movements that it makes
			credits string // of the reseller, after it
		}{
			{operation{"POST", path("/users", r.id, "/credits/reclaim"), fields{"credits": 4, "notes": "once"}}, 1, "15.5"},
			{operation{"PATCH", path("/users/credits", r.id), fields{"credits": 3, "notes": "once"}}, 1, "18.5"},
			{operation{"PATCH", path("/lines/extend", official.id), fields{"credits": 2}}, 1, "16.5"},
			{operation{"PATCH", path("/lines/active", trial.id), trial.activation(1)}, 1, "15.5"},
			{operation{"POST", "/users", newReseller(fields{"credits": 2})}, 1, "15.5"},
			{operation{"POST", "/lines/test", fields{}}, 0, "15.5"},
			{operation{"PATCH", path("/lines", official.id), official.edit()}, 0, "15.5"},
			{operation{"PUT", path("/users", r.id, "/block"), nil}, 0, "15.5"},
			{operation{"DELETE", path("/users", r.id, "/block"), nil}, 0, "15.5"},
			{operation{"PATCH", path("/users", r.id), with(r.update(), fields{"notes": "once"})}, 0, "15.5"},
			{operation{"DELETE", path("/lines", gone.id), nil}, 0, "15.5"},
		} {
			t.Run(c.method+" "+c.path, func(t *testing.T) {
				before, _ := strconv.Atoi(movements())
				key := unique("at-once")
				answers := make([]answer, 24)
				atOnce(len(answers), func(i int) { answers[i] = c.by(t, master.caller, "Idempotency-Key", key) })
				firsts, first := 0, answers[0]
				for _, a := range answers {
					if a.header.Get("Idempotency-Replayed") == "" {
						firsts, first = firsts+1, a
					}
					if a.status >= 300 || a.status != answers[0].status || !bytes.Equal(a.body, answers[0].body) {
						t.Errorf("answers differ: %d %s and %d %s", a.status, a.body, answers[0].status, answers[0].body)
					}
				}
				if firsts != 1 {
					t.Errorf("%d of 24 retries took effect, want 1", firsts)
				}
				if got := movements(); got != strconv.Itoa(before+c.moves) {
					t.Errorf("there are %s movements, want %d more than %d", got, c.moves, before)
				}
				admin.get(t, path("/users", r.id)).has(fields{"credits": c.credits})
				// Long after, it still has no further effect.
				c.by(t, master.caller, "Idempotency-Key", key).same(first)
				admin.get(t, path("/users", r.id)).has(fields{"credits": c.credits})
			})
		}
		if got := master.get(t, path("/users", r.id, "/ledger")).list()[0].text("kind"); got != "activation" {
			t.Errorf("the newest entry is of kind %s, want activation", got)
		}
		srv.audit(t)
	})
}

// TestKeysBetweenOperations sends what one operation was asked under a key to the
// others that take the same body, or none: it is another request.
func TestKeysBetweenOperations(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.admin(t).master(t, "100")
		r := master.reseller(t, "10")
		l := r.official(t)
		for _, pair := range [][2]operation{
			{{"PATCH", path("/users/credits", r.id), fields{"credits": 1}}, {"POST", path("/users", r.id, "/credits/reclaim"), fields{"credits": 1}}},
			{{"PATCH", path("/lines/extend", l.id), fields{"credits": 1}}, {"PATCH", path("/users/credits", r.id), fields{"credits": 1}}},
			{{"PUT", path("/users", r.id, "/block"), nil}, {"DELETE", path("/users", r.id, "/block"), nil}},
			{{"DELETE", path("/users", r.id, "/block"), nil}, {"DELETE", path("/lines", l.id), nil}},
			{{"DELETE", path("/users", r.id, "/block"), nil}, {"DELETE", "/auth/static-token", nil}},
		} {
			key := unique("pair")
			first := pair[0].by(t, master.caller, "Idempotency-Key", key).is(200)
			pair[1].by(t, master.caller, "Idempotency-Key", key).refused(422, "idempotency-key-reused").replayed(false)
			pair[0].by(t, master.caller, "Idempotency-Key", key).same(first)
		}
		master.get(t, path("/users", r.id)).has(fields{"credits": "9.5", "block_reseller": 0})

		// A block that was lifted is not set again by the repetition of its request.
		block, lift := operation{"PUT", path("/users", r.id, "/block"), nil}, operation{"DELETE", path("/users", r.id, "/block"), nil}
		first := block.by(t, master.caller, "Idempotency-Key", "block").is(200)
		lift.by(t, master.caller).is(200)
		block.by(t, master.caller, "Idempotency-Key", "block").same(first)
		r.trial(t)

		// Refusals are not recorded: what was missing comes in between.
		extend := operation{"PATCH", path("/lines/extend", l.id), fields{"credits": 10}}
		extend.by(t, r.caller, "Idempotency-Key", "cured").refused(402, "insufficient-credits").replayed(false)
		master.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 1}).is(200)
		cured := extend.by(t, r.caller, "Idempotency-Key", "cured").is(200).replayed(false)
		extend.by(t, r.caller, "Idempotency-Key", "cured").same(cured)
		reclaim := operation{"POST", path("/users", r.id, "/credits/reclaim"), fields{"credits": 1}}
		reclaim.by(t, master.caller, "Idempotency-Key", "cured").refused(402, "insufficient-credits").replayed(false)
		master.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 1}).is(200)
		taken := reclaim.by(t, master.caller, "Idempotency-Key", "cured").is(200).replayed(false)
		reclaim.by(t, master.caller, "Idempotency-Key", "cured").same(taken)

		// Reads take no key and ignore one.
		for _, key := range []string{"a b", "cured"} {
			for range 2 {
				r.send(t, "GET", "/users/logged", nil, "Idempotency-Key", key).is(200).replayed(false)
			}
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
