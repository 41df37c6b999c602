package acceptance

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"resellerd/test/api"
)

// in returns a server like s on the records in a folder.
func (s *server) in(dir string) *server {
	return serverOn(s.store, dir, changed(s.env, map[string]string{"RESELLERD_STORE": s.store.address(dir)}))
}

// onTwoProcesses runs a test on two processes that share their records: a database, which is what MongoDB is for, or a
// file. The test ends in an audit.
func onTwoProcesses(t *testing.T, test func(t *testing.T, one, two *server)) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		one := startServer(t, s, nil)
		two := one.in(one.dir)
		two.start(t)
		test(t, one, two)
		two.stop(t)
		one.stopAndAudit(t)
	})
}

// TestProcessesSeeEachOthersChanges checks that a change at one process applies to the very next request at the other.
func TestProcessesSeeEachOthersChanges(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		master := one.Admin(t).Master(t, "100")
		seller := master.Reseller(t, "10")
		there := seller.On(two.Service)
		there.Get(t, "/users/logged").Has(fields{"id": seller.ID, "credits": "10"})
		served := master.Scoped(t, "entitlements:read").On(two.Service)
		for range 3 {
			l := seller.Trial(t)
			there.Get(t, api.Path("/lines", l.ID)).Has(fields{"username": l.Username, "password": l.Password})
			served.Get(t, "/radius/users/"+l.Username)
			seller.Send(t, "PUT", api.Path("/lines", l.ID, "/suspension"), nil).Is(http.StatusOK)
			served.Send(t, "GET", "/radius/users/"+l.Username, nil).Is(http.StatusForbidden)
			there.DeleteLine(t, l.ID).Is(http.StatusOK)
			seller.Send(t, "GET", api.Path("/lines", l.ID), nil).Refused(http.StatusNotFound, "not-found")

			master.Block(t, seller.ID).Is(http.StatusOK)
			there.Send(t, "POST", "/lines/test", nil).Refused(http.StatusForbidden, "account-blocked")
			master.On(two.Service).Unblock(t, seller.ID).Is(http.StatusOK)
			seller.Trial(t)

			there.Send(t, "DELETE", "/auth/static-token", nil).Is(http.StatusOK)
			seller.Send(t, "GET", "/users/logged", nil).Refused(http.StatusUnauthorized, "invalid-token")
			seller.Token = one.Login(t, seller.Username, seller.Password)
			there = seller.On(two.Service)

			session := seller.SignIn(t).Caller
			session.On(two.Service).Send(t, "DELETE", "/auth/session", nil).Is(http.StatusOK)
			session.Send(t, "GET", "/users/logged", nil).SessionEnded()

			made := master.MakeKey(t, fields{"role": "manager"})
			key, at := one.As(made.Text("key")), api.Path("/keys", made.ID())
			key.On(two.Service).Trial(t)
			master.On(two.Service).Send(t, "PATCH", at, fields{"scopes": []string{"lines:read"}}).Is(http.StatusOK)
			key.Send(t, "POST", "/lines/test", nil).Refused(http.StatusForbidden, "insufficient-scope")
			master.Send(t, "DELETE", at, nil).Is(http.StatusOK)
			key.On(two.Service).Send(t, "GET", "/lines", nil).Refused(http.StatusUnauthorized, "key-revoked")
		}
		there.Send(t, "PATCH", api.Path("/users", seller.ID),
			api.With(seller.Update(), fields{"password": "quite another password"})).Is(http.StatusOK)
		seller.Send(t, "GET", "/users/logged", nil).Refused(http.StatusUnauthorized, "invalid-token")
		one.Login(t, seller.Username, "quite another password")
	})
}

// TestOneKeyOnTwoProcesses sends each request to both at the same time under one key: it runs once.
func TestOneKeyOnTwoProcesses(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		master := one.Admin(t).Master(t, "1000")
		masters := []api.Reseller{master, master.On(two.Service)}
		seller := master.Reseller(t, "100")
		l := seller.Trial(t)
		for _, op := range []operation{
			api.Op("PATCH", api.Path("/users/credits", seller.ID), fields{"credits": 3}),
			api.Op("POST", api.Path("/users", seller.ID, "/credits/reclaim"), fields{"credits": 2}),
			api.Op("PATCH", api.Path("/lines/active", l.ID), l.Activation(1)),
			api.Op("POST", "/users", api.NewReseller(fields{"credits": 1})),
			api.Op("DELETE", api.Path("/lines", l.ID), nil),
		} {
			answers, key, firsts := make([]answer, 12), api.Unique("shared"), 0
			api.AtOnce(len(answers), func(i int) {
				answers[i] = op.By(t, masters[i%2].Caller, "Idempotency-Key", key)
			})
			for _, a := range answers {
				if a.Header.Get("Idempotency-Replayed") == "" {
					firsts++
				}
				if a.Status >= 300 || !bytes.Equal(a.Body, answers[0].Body) {
					t.Errorf("%s: answers differ: %d %s and %d %s", a.Request, a.Status, a.Body, answers[0].Status, answers[0].Body)
				}
			}
			if firsts != 1 {
				t.Errorf("%s %s: %d of %d took effect, want 1", op.Method, op.Path, firsts, len(answers))
			}
		}
		one.Admin(t).Get(t, "/ledger/proof").Has(fields{"movements": 6, "consumed": "1"})
		two.Admin(t).Get(t, api.Path("/users", seller.ID)).Has(fields{"credits": "100"}) // 3 - 2 - 1
		master.Get(t, "/users/logged").Has(fields{"credits": "898"})
	})
}

// TestTwoProcessesGiveNothingTwice makes accounts and lines on both at the same time: no id is assigned twice, one of
// two equal names is taken, and a key spends no more than its limit.
func TestTwoProcessesGiveNothingTwice(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		master := one.Admin(t).Master(t, "100")
		masters := []api.Reseller{master, master.On(two.Service)}
		seen := map[string]map[int64]bool{"/users": {}, "/lines/test": {}}
		for range 3 {
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
					t.Errorf("the id %d was assigned twice", a.ID())
				}
				ids[a.ID()] = true
			}
		}
		key := one.As(master.MakeKey(t, fields{"role": "manager",
			"spend_limit": fields{"credits": 4, "per": "day"}}).Text("key"))
		below, answers := master.Reseller(t, "0"), make([]answer, 12)
		api.AtOnce(len(answers), func(i int) {
			answers[i] = key.On([]*server{one, two}[i%2].Service).Fund(t, below.ID, 1)
		})
		if got := api.Count(answers); got[http.StatusOK] != 4 || got[http.StatusTooManyRequests] != 8 {
			t.Errorf("12 requests at once for 4 credits ended in %v", got)
		}
	})
}

// TestProcessesThatStartTogether starts several at once on an empty database: they make one admin, and one of them
// prints its password.
func TestProcessesThatStartTogether(t *testing.T) {
	t.Parallel()
	mongodb.available(t)
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
