package acceptance

import (
	"net/http"
	"testing"
	"time"

	"resellerd/test/api"
)

// TestSessionsOutliveTheProcess and what ended them.
func TestSessionsOutliveTheProcess(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		r, changed := srv.Admin(t).Reseller(t, "5"), srv.Admin(t).Reseller(t, "0")
		by, left, stale := r.SignIn(t), r.SignIn(t), changed.SignIn(t)
		left.Send(t, "DELETE", "/auth/session", nil).Is(200)
		changed.Send(t, "PATCH", api.Path("/users", changed.ID),
			api.With(changed.Update(), fields{"password": "another password"})).Is(200)
		listed := by.Get(t, "/auth/sessions")
		was := by.Get(t, "/auth/session")
		trial := by.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Is(201)
		srv.restart(t)

		by.Get(t, "/auth/session").Exactly(was.Fields)
		if again := by.Get(t, "/auth/sessions"); string(again.Body) != string(listed.Body) {
			t.Errorf("the sessions were %s, and are %s", listed.Body, again.Body)
		}
		by.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Same(trial)
		left.Send(t, "GET", "/users/logged", nil).SessionEnded()
		stale.Send(t, "GET", "/users/logged", nil).SessionEnded()
		srv.stopAndAudit(t)
	})
}

// TestManySignInsAtOnce leaves as many sessions as an account has at most, each of which is good, and those of others.
func TestManySignInsAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r, other := srv.Admin(t).Reseller(t, "0"), srv.Admin(t).Reseller(t, "0").SignIn(t)
		signedIn(t, r, srv.Service)
		other.Get(t, "/users/logged")
	})
}

// signedIn signs an account in, at once and again and again, on these processes, and expects that the newest 20
// sessions are left.
func signedIn(t *testing.T, r api.Reseller, on ...*api.Service) {
	t.Helper()
	all := make([]caller, 30)
	for i := range all[:10] {
		all[i] = on[i%len(on)].SignIn(t, r.Username, r.Password)
	}
	time.Sleep(2 * time.Millisecond) // sessions of one millisecond have no order that a test knows
	api.AtOnce(20, func(i int) {
		for ; ; time.Sleep(50 * time.Millisecond) { // so many logins at once may have to come again
			a := on[i%len(on)].Nobody().Send(t, "POST", "/auth/session", fields{"username": r.Username, "password": r.Password})
			if a.Status != http.StatusTooManyRequests {
				all[10+i] = on[i%len(on)].BySession(a.Is(201))
				return
			}
		}
	})
	for i, by := range all {
		for _, at := range on {
			if a := by.On(at).Send(t, "GET", "/users/logged", nil); i < 10 {
				a.SessionEnded()
			} else {
				a.Is(200)
			}
		}
	}
	if n := len(all[29].Get(t, "/auth/sessions").List()); n != 20 {
		t.Errorf("%d sessions are listed, want 20", n)
	}
}

// TestASessionEndsOnce has a session ended by many at once, while it is used.
func TestASessionEndsOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.Admin(t).Reseller(t, "0")
		for range 5 {
			by, answers := r.SignIn(t), make([]answer, 12)
			api.AtOnce(len(answers), func(i int) {
				if i%2 == 0 {
					answers[i] = by.Send(t, "GET", "/users/logged", nil)
				} else {
					answers[i] = by.Send(t, "DELETE", "/auth/session", nil)
				}
			})
			ended := 0
			for i, a := range answers {
				if a.Status != http.StatusOK {
					a.SessionEnded()
				} else if i%2 == 1 {
					ended++
				}
			}
			if ended != 1 {
				t.Errorf("%d of 6 say that they have ended it", ended)
			}
			by.Send(t, "GET", "/users/logged", nil).SessionEnded()
		}
	})
}

func TestSessionsOnTwoProcesses(t *testing.T) {
	onTwoProcesses(t, func(t *testing.T, one, two *server) {
		r := one.Admin(t).Reseller(t, "5")
		there := func(by api.Reseller) caller { return by.Caller.On(two.Service) }
		by, ended, listed := r.SignIn(t), r.SignIn(t), r.SignIn(t)
		there(by).Get(t, "/users/logged").Has(fields{"id": r.ID})
		there(ended).Send(t, "DELETE", "/auth/session", nil).Is(200)
		ended.Send(t, "GET", "/users/logged", nil).SessionEnded()
		id := listed.Get(t, "/auth/sessions").List()[0].Text("id")
		there(by).Send(t, "DELETE", "/auth/sessions/"+id, nil).Is(200)
		listed.Send(t, "GET", "/users/logged", nil).SessionEnded()

		trial := by.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Is(201)
		there(by).Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "once").Same(trial)
		signedIn(t, one.Admin(t).Reseller(t, "0"), one.Service, two.Service)

		two.Admin(t).Block(t, r.ID).Is(200)
		by.Send(t, "GET", "/users/logged", nil).Refused(403, "account-blocked")
		one.Admin(t).Unblock(t, r.ID).Is(200)
		there(by).Send(t, "PATCH", api.Path("/users", r.ID), api.With(r.Update(), fields{"password": "another password"})).Is(
			200)
		by.Send(t, "GET", "/users/logged", nil).SessionEnded()
		there(by).Send(t, "GET", "/users/logged", nil).SessionEnded()
	})
}
