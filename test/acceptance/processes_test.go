package acceptance

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// onTwoProcesses runs a test on two processes that share a database, which is what
// MongoDB is for. The test ends in an audit.
func onTwoProcesses(t *testing.T, test func(t *testing.T, one, two *server)) {
	t.Helper()
	t.Parallel()
	mongodb.available(t)
	one := startServer(t, mongodb, nil)
	two := one.in(one.dir)
	two.start(t)
	test(t, one, two)
	two.stop(t)
	one.audit(t)
}

// at asks another process on the same records as the same account.
func (a account) at(s *server) account {
	a.caller = caller{s, a.token}
	return a
}

func TestWhatOneProcessDoesCountsOnTheOther(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		master := one.admin(t).master(t, "100")
		seller := master.reseller(t, "10")
		there := seller.at(two)
		there.get(t, "/users/logged").has(fields{"id": seller.id, "credits": "10"})
		if two.login(t, seller.username, seller.password) != seller.token {
			t.Error("the token of an account is another one on the other process")
		}
		for range 8 {
			l := seller.trial(t)
			there.get(t, path("/lines", l.id)).has(fields{"username": l.username, "password": l.password})
			there.send(t, "DELETE", path("/lines", l.id), nil).is(http.StatusOK)
			seller.send(t, "GET", path("/lines", l.id), nil).refused(http.StatusNotFound, "not-found")

			// The next request there already knows of each of these.
			master.send(t, "PUT", path("/users", seller.id, "/block"), nil).is(http.StatusOK)
			there.send(t, "POST", "/lines/test", nil).refused(http.StatusForbidden, "account-blocked")
			master.at(two).send(t, "DELETE", path("/users", seller.id, "/block"), nil).is(http.StatusOK)
			seller.trial(t)
			there.trial(t)
			one.admin(t).send(t, "PUT", path("/users", master.id, "/block"), nil).is(http.StatusOK)
			there.send(t, "GET", "/users/logged", nil).refused(http.StatusForbidden, "account-blocked")
			two.admin(t).send(t, "DELETE", path("/users", master.id, "/block"), nil).is(http.StatusOK)

			there.send(t, "DELETE", "/auth/static-token", nil).is(http.StatusOK)
			seller.send(t, "GET", "/users/logged", nil).refused(http.StatusUnauthorized, "invalid-token")
			seller.token = one.login(t, seller.username, seller.password)
			there = seller.at(two)
		}
		there.send(t, "PATCH", path("/users", seller.id), with(seller.update(), fields{"password": "quite another password"})).is(http.StatusOK)
		seller.send(t, "GET", "/users/logged", nil).refused(http.StatusUnauthorized, "invalid-token")
		one.login(t, seller.username, "quite another password")
		one.nobody().send(t, "POST", "/auth/static-token", fields{"username": seller.username, "password": seller.password}).is(http.StatusUnauthorized)
	})
}

func TestTwoProcessesSellNoMoreThanThereIs(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		seller := one.admin(t).master(t, "20").reseller(t, "20")
		sellers := []account{seller, seller.at(two)}
		var trials [40]line
		for i := range trials {
			trials[i] = seller.trial(t)
		}
		answers := make([]answer, len(trials))
		atOnce(len(trials), func(i int) {
			answers[i] = sellers[i%2].send(t, "PATCH", path("/lines/active", trials[i].id), trials[i].activation(1))
		})
		for _, a := range answers {
			if a.status == http.StatusPaymentRequired {
				a.refused(http.StatusPaymentRequired, "insufficient-credits").has(fields{"required": "1", "shortfall": "1"})
			}
		}
		if got := count(answers); got[http.StatusCreated] != 20 || got[http.StatusPaymentRequired] != 20 {
			t.Errorf("40 activations by 20 credits: statuses %v, want 20 of 201 and 20 of 402", got)
		}
		for _, s := range sellers {
			if got := s.credits(t); got != "0" {
				t.Errorf("the seller holds %s, want 0", got)
			}
		}
		one.admin(t).get(t, "/ledger/proof").has(fields{"consumed": "20", "issued": "20", "balances": "0"})
	})
}

// TestTwoProcessesActivateALineOnce sends the activation of each trial to both: one
// succeeds, and it is paid for once.
func TestTwoProcessesActivateALineOnce(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		seller := one.admin(t).master(t, "100").reseller(t, "100")
		sellers := []account{seller, seller.at(two)}
		for range 20 {
			l := seller.trial(t)
			answers := make([]answer, 6)
			atOnce(len(answers), func(i int) {
				answers[i] = sellers[i%2].send(t, "PATCH", path("/lines/active", l.id), l.activation("0.5"))
			})
			for _, a := range answers {
				if a.status != http.StatusCreated {
					a.refused(http.StatusConflict, "line-not-trial")
				}
			}
			if got := count(answers); got[http.StatusCreated] != 1 {
				t.Errorf("statuses %v, want one of 201", got)
			}
		}
		if got := seller.credits(t); got != "90" {
			t.Errorf("the seller holds %s after 20 activations, want 90", got)
		}
	})
}

// TestOneKeyOnTwoProcesses sends each request to both at the same time under one
// key.
func TestOneKeyOnTwoProcesses(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		master := one.admin(t).master(t, "1000")
		masters := []account{master, master.at(two)}
		seller := master.reseller(t, "100")
		movements := 2
		for range 5 {
			l := seller.trial(t)
			for _, c := range []struct {
				operation
				moves int
			}{
				{operation{"PATCH", path("/users/credits", seller.id), fields{"credits": 3}}, 1},
				{operation{"POST", path("/users", seller.id, "/credits/reclaim"), fields{"credits": 2}}, 1},
				{operation{"PATCH", path("/lines/active", l.id), l.activation(1)}, 1},
				{operation{"POST", "/users", newReseller(fields{"credits": 1})}, 1},
				{operation{"POST", "/lines/test", fields{}}, 0},
				{operation{"DELETE", path("/lines", l.id), nil}, 0},
			} {
				movements += c.moves
				key := unique("shared")
				answers := make([]answer, 6)
				atOnce(len(answers), func(i int) {
					answers[i] = c.by(t, masters[i%2].caller, "Idempotency-Key", key)
				})
				var first []answer
				for _, a := range answers {
					if a.header.Get("Idempotency-Replayed") == "" {
						first = append(first, a)
					}
					if a.status >= 300 || a.status != answers[0].status || !bytes.Equal(a.body, answers[0].body) {
						t.Errorf("%s: answers differ: %d %s and %d %s", a.request, a.status, a.body, answers[0].status, answers[0].body)
					}
				}
				if len(first) != 1 {
					t.Errorf("%s %s: %d of %d took effect, want 1", c.method, c.path, len(first), len(answers))
				}
			}
		}
		one.admin(t).get(t, "/ledger/proof").has(fields{"movements": movements, "consumed": "5"})
		two.admin(t).get(t, path("/users", seller.id)).has(fields{"credits": "100"}) // 5 times 3 - 2 - 1
		master.get(t, "/users/logged").has(fields{"credits": "890"})                 // 100 at first, and 5 times 3 - 2 + 1
	})
}

// TestTwoProcessesGiveNothingTwice makes accounts and lines on both at the same
// time: no id is given twice, and of two equal names one is taken.
func TestTwoProcessesGiveNothingTwice(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		master := one.admin(t).master(t, "1")
		masters := []account{master, master.at(two)}
		seen := map[string]map[int64]bool{"/users": {}, "/lines/test": {}}
		for range 10 {
			contested := newReseller(nil)
			answers := make([]answer, 12)
			atOnce(len(answers), func(i int) {
				switch by := masters[i%2]; {
				case i < 4:
					answers[i] = by.send(t, "POST", "/users", contested)
				case i < 8:
					answers[i] = by.send(t, "POST", "/users", newReseller(nil))
				default:
					answers[i] = by.send(t, "POST", "/lines/test", nil)
				}
			})
			if got := count(answers[:4]); got[http.StatusCreated] != 1 || got[http.StatusConflict] != 3 {
				t.Errorf("statuses of four accounts of one name: %v, want one of 201 and three of 409", got)
			}
			for _, a := range answers {
				if a.status != http.StatusCreated {
					a.refused(http.StatusConflict, "username-taken")
					continue
				}
				ids := seen[strings.TrimPrefix(a.request, "POST ")]
				if ids[a.id()] {
					t.Errorf("the id %d was given twice", a.id())
				}
				ids[a.id()] = true
			}
		}
		if len(seen["/users"]) != 50 || len(seen["/lines/test"]) != 40 {
			t.Errorf("there are %d accounts and %d lines, want 50 and 40", len(seen["/users"]), len(seen["/lines/test"]))
		}
	})
}

// TestProcessesThatStartTogether starts several at once on an empty database: they
// make one admin, and one says its password.
func TestProcessesThatStartTogether(t *testing.T) {
	t.Parallel()
	mongodb.available(t)
	for range 3 {
		first := newServer(t, mongodb, map[string]string{"RESELLERD_ADMIN_PASSWORD": ""})
		servers := []*server{first, first.in(first.dir), first.in(first.dir), first.in(first.dir)}
		failed := make([]error, len(servers))
		atOnce(len(servers), func(i int) { failed[i] = servers[i].launch() })
		for i, s := range servers {
			if failed[i] != nil {
				t.Fatal(failed[i])
			}
			t.Cleanup(s.kill)
		}
		password := printedPassword(t, servers...)
		token := first.login(t, adminName, password)
		printed := 0
		for _, s := range servers {
			if s.login(t, adminName, password) != token {
				t.Error("the admin has another token on another process")
			}
			s.stop(t)
			printed += strings.Count(s.stdout.String(), "password: ")
		}
		if printed != 1 {
			t.Errorf("%d passwords were printed, want 1", printed)
		}
		first.verify(t).well()
	}
}
