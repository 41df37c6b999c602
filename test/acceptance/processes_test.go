package acceptance

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"resellerd/test/api"
)

// onTwoProcesses runs a test on two processes that share a database, which is what
// MongoDB is for. The test ends in an audit.
func onTwoProcesses(t *testing.T, test func(t *testing.T, one, two *server)) {
	t.Helper()
	t.Parallel()
	mongodb.available(t)
	all := startServers(t, mongodb, 2)
	test(t, all[0], all[1])
	stopAndAudit(t, all)
}

// onOneAndOnTwo runs a test on one process of each storage, and on two that share what is durable: a file, too. It ends
// in an audit.
func onOneAndOnTwo(t *testing.T, test func(t *testing.T, all []*server)) {
	forEachStore(t, func(t *testing.T, s store) {
		for n := 1; n <= 2; n++ {
			if n == 2 && !s.durable {
				continue
			}
			t.Run([]string{"", "one process", "two processes"}[n], func(t *testing.T) {
				t.Parallel()
				all := startServers(t, s, n)
				test(t, all)
				stopAndAudit(t, all)
			})
		}
	})
}

// startServers starts some processes that share their records. They believe this machine from where a client asks.
func startServers(t *testing.T, s store, n int) []*server {
	t.Helper()
	all := []*server{startServer(t, s, map[string]string{"RESELLERD_TRUSTED_PROXIES": "127.0.0.0/8"})}
	for len(all) < n {
		another := all[0].in(all[0].dir)
		another.start(t)
		all = append(all, another)
	}
	return all
}

func stopAndAudit(t *testing.T, all []*server) {
	t.Helper()
	for _, srv := range all[1:] {
		srv.stop(t)
	}
	all[0].stopAndAudit(t)
}

func TestWhatOneProcessDoesCountsOnTheOther(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		master := one.Admin(t).Master(t, "100")
		seller := master.Reseller(t, "10")
		there := seller.On(two.Service)
		there.Get(t, "/users/logged").Has(fields{"id": seller.ID, "credits": "10"})
		if two.Login(t, seller.Username, seller.Password) != seller.Token {
			t.Error("the token of an account is another one on the other process")
		}
		for range 8 {
			l := seller.Trial(t)
			there.Get(t, api.Path("/lines", l.ID)).Has(fields{"username": l.Username, "password": l.Password})
			there.DeleteLine(t, l.ID).Is(http.StatusOK)
			seller.Send(t, "GET", api.Path("/lines", l.ID), nil).Refused(http.StatusNotFound, "not-found")

			// The next request there already knows of each of these.
			master.Block(t, seller.ID).Is(http.StatusOK)
			there.Send(t, "POST", "/lines/test", nil).Refused(http.StatusForbidden, "account-blocked")
			master.On(two.Service).Unblock(t, seller.ID).Is(http.StatusOK)
			seller.Trial(t)
			there.Trial(t)
			one.Admin(t).Block(t, master.ID).Is(http.StatusOK)
			there.Send(t, "GET", "/users/logged", nil).Refused(http.StatusForbidden, "account-blocked")
			two.Admin(t).Unblock(t, master.ID).Is(http.StatusOK)

			there.Send(t, "DELETE", "/auth/static-token", nil).Is(http.StatusOK)
			seller.Send(t, "GET", "/users/logged", nil).Refused(http.StatusUnauthorized, "invalid-token")
			seller.Token = one.Login(t, seller.Username, seller.Password)
			there = seller.On(two.Service)
		}
		there.Send(t, "PATCH", api.Path("/users", seller.ID),
			api.With(seller.Update(), fields{"password": "quite another password"})).Is(http.StatusOK)
		seller.Send(t, "GET", "/users/logged", nil).Refused(http.StatusUnauthorized, "invalid-token")
		one.Login(t, seller.Username, "quite another password")
		one.Nobody().Send(t, "POST", "/auth/static-token", fields{"username": seller.Username, "password": seller.Password}).
			Is(http.StatusUnauthorized)
	})
}

// TestOneKeyOnTwoProcesses sends each request to both at the same time under one key.
func TestOneKeyOnTwoProcesses(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		master := one.Admin(t).Master(t, "1000")
		masters := []api.Reseller{master, master.On(two.Service)}
		seller := master.Reseller(t, "100")
		movements := 2
		for range 5 {
			l := seller.Trial(t)
			for _, c := range []struct {
				operation
				moves int
			}{
				{api.Op("PATCH", api.Path("/users/credits", seller.ID), fields{"credits": 3}), 1},
				{api.Op("POST", api.Path("/users", seller.ID, "/credits/reclaim"), fields{"credits": 2}), 1},
				{api.Op("PATCH", api.Path("/lines/active", l.ID), l.Activation(1)), 1},
				{api.Op("POST", "/users", api.NewReseller(fields{"credits": 1})), 1},
				{api.Op("POST", "/lines/test", fields{}), 0},
				{api.Op("DELETE", api.Path("/lines", l.ID), nil), 0},
			} {
				movements += c.moves
				key := api.Unique("shared")
				answers := make([]answer, 6)
				api.AtOnce(len(answers), func(i int) {
					answers[i] = c.By(t, masters[i%2].Caller, "Idempotency-Key", key)
				})
				var first []answer
				for _, a := range answers {
					if a.Header.Get("Idempotency-Replayed") == "" {
						first = append(first, a)
					}
					if a.Status >= 300 || a.Status != answers[0].Status || !bytes.Equal(a.Body, answers[0].Body) {
						t.Errorf("%s: answers differ: %d %s and %d %s", a.Request, a.Status, a.Body, answers[0].Status, answers[0].Body)
					}
				}
				if len(first) != 1 {
					t.Errorf("%s %s: %d of %d took effect, want 1", c.Method, c.Path, len(first), len(answers))
				}
			}
		}
		one.Admin(t).Get(t, "/ledger/proof").Has(fields{"movements": movements, "consumed": "5"})
		two.Admin(t).Get(t, api.Path("/users", seller.ID)).Has(fields{"credits": "100"}) // 5 times 3 - 2 - 1
		// 100 at first, and 5 times 3 - 2 + 1
		master.Get(t, "/users/logged").Has(fields{"credits": "890"})
	})
}

// TestTwoProcessesGiveNothingTwice makes accounts and lines on both at the same
// time: no id is given twice, and of two equal names one is taken.
func TestTwoProcessesGiveNothingTwice(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		master := one.Admin(t).Master(t, "1")
		masters := []api.Reseller{master, master.On(two.Service)}
		seen := map[string]map[int64]bool{"/users": {}, "/lines/test": {}}
		for range 10 {
			contested := api.NewReseller(nil)
			answers := make([]answer, 12)
			api.AtOnce(len(answers), func(i int) {
				switch by := masters[i%2]; {
				case i < 4:
					answers[i] = by.Send(t, "POST", "/users", contested)
				case i < 8:
					answers[i] = by.Send(t, "POST", "/users", api.NewReseller(nil))
				default:
					answers[i] = by.Send(t, "POST", "/lines/test", nil)
				}
			})
			if got := api.Count(answers[:4]); got[http.StatusCreated] != 1 || got[http.StatusConflict] != 3 {
				t.Errorf("statuses of four accounts of one name: %v, want one of 201 and three of 409", got)
			}
			for _, a := range answers {
				if a.Status != http.StatusCreated {
					a.Refused(http.StatusConflict, "username-taken")
					continue
				}
				ids := seen[strings.TrimPrefix(a.Request, "POST ")]
				if ids[a.ID()] {
					t.Errorf("the id %d was given twice", a.ID())
				}
				ids[a.ID()] = true
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
		api.AtOnce(len(servers), func(i int) { failed[i] = servers[i].launch() })
		for i, s := range servers {
			if failed[i] != nil {
				t.Fatal(failed[i])
			}
			t.Cleanup(s.Kill)
		}
		password := printedPassword(t, servers...)
		token := first.Login(t, api.AdminName, password)
		printed := 0
		for _, s := range servers {
			if s.Login(t, api.AdminName, password) != token {
				t.Error("the admin has another token on another process")
			}
			s.stop(t)
			printed += strings.Count(s.Stdout.String(), "password: ")
		}
		if printed != 1 {
			t.Errorf("%d passwords were printed, want 1", printed)
		}
		first.audit(t).well()
	}
}
