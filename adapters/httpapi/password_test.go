package httpapi_test

import (
	"slices"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// passwords is the body of a change of the own password.
func passwords(present, next string) fields { return fields{"password": present, "new_password": next} }

// TestChangeOfThePassword has the new one end what the old one began, but for the session that asks.
func TestChangeOfThePassword(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	asking, other := r.SignIn(t), r.SignIn(t)
	change := func(by caller, present, next string, headers ...string) answer {
		return by.Send(t, "PATCH", "/auth/password", passwords(present, next), headers...)
	}
	for range 2 { // equal to the present one: no change
		change(asking.Caller, r.Password, r.Password).Is(200).Exactly(fields{"status": 200, "message": api.Anything})
		for _, by := range []caller{r.Caller, asking.Caller, other.Caller} {
			by.Get(t, "/users/logged")
		}
	}
	first := change(asking.Caller, r.Password, "another password", "Idempotency-Key", "p").Is(200).Replayed(false)
	r.Send(t, "GET", "/users/logged", nil).Refused(401, "invalid-token")
	other.Send(t, "GET", "/users/logged", nil).SessionEnded()
	change(asking.Caller, r.Password, "another password", "Idempotency-Key", "p").Same(first)
	change(asking.Caller, r.Password, "a third password", "Idempotency-Key", "p").Refused(422, "idempotency-key-reused")
	asking.Send(t, "POST", "/lines/test", nil).Is(201)
	expect.Equal(t, len(asking.Get(t, "/auth/sessions").List()), 1, "sessions that are left")
	srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(r)).Refused(401, "invalid-credentials")

	r.Password = "another password"
	r = r.Login(t)
	change(r.Caller, r.Password, "a third password", "Idempotency-Key", "q").Is(200)
	change(r.Caller, r.Password, "a third password", "Idempotency-Key", "q").Refused(401, "invalid-token")
	asking.Send(t, "GET", "/users/logged", nil).SessionEnded() // which has not asked
	r.Password = "a third password"
	r = r.Login(t)
	change(r.Caller, "another password", "a third password", "Idempotency-Key", "q").Is(200).Replayed(true)
	srv.audit(t)
}

// TestWrongPresentPasswords are failed logins of the account's name from this address, and change nothing.
func TestWrongPresentPasswords(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r, other := srv.Admin(t).Reseller(t, "0"), srv.Admin(t).Reseller(t, "0")
	browser := r.SignIn(t)
	by := []caller{r.Caller, browser.Caller}
	for i, wrong := range []string{"a wrong password", "x", " ", "\x07", r.Password + " ", other.Password +
		"2", "b", "c"} {
		a := by[i%2].Send(t, "PATCH", "/auth/password", passwords(wrong, "another password"))
		a.Refused(401, "invalid-credentials")
		expect.Equal(t, a.Header.Get("WWW-Authenticate"), "Bearer", "%q: WWW-Authenticate", wrong)
		expect.Equal(t, a.SetCookie() == nil, true, "%q: there is no cookie", wrong)
	}
	// one that is empty is not looked at
	r.Send(t, "PATCH", "/auth/password", passwords("", "another password")).Refused(422, "validation-failed")
	for range 2 {
		srv.Nobody().Send(t, "POST", "/auth/static-token", fields{"username": r.Username, "password": "wrong"}).Refused(401,
			"invalid-credentials")
	}
	for _, present := range []string{r.Password, "a wrong password"} {
		for _, by := range by {
			a := by.Send(t, "PATCH", "/auth/password", passwords(present, "another password"))
			a.Refused(429, "too-many-attempts")
			expect.Equal(t, a.Header.Get("Retry-After") != "", true, "%s has Retry-After", a.Request)
		}
	}
	srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(r)).Refused(429, "too-many-attempts")
	other.Send(t, "PATCH", "/auth/password", passwords(other.Password, "another password")).Is(200)
	browser.Get(t, "/users/logged")
	r.Trial(t)
	srv.clock.Advance(time.Minute)
	r.Send(t, "PATCH", "/auth/password", passwords(r.Password, "another password")).Is(200)
}

// TestPasswordsChangedAtOnce lets one of many succeed: the others come with a password that is the present one no more.
func TestPasswordsChangedAtOnce(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	sessions := make([]api.Reseller, 6)
	for i := range sessions {
		sessions[i] = r.SignIn(t)
	}
	answers := make([]answer, len(sessions))
	api.AtOnce(len(answers), func(i int) {
		answers[i] = sessions[i].Send(t, "PATCH", "/auth/password", passwords(r.Password, "password of "+string(rune('a'+i))))
	})
	expect.DeepEqual(t, api.Count(answers), map[int]int{200: 1, 401: len(answers) - 1}, "changes at once")
	won := slices.IndexFunc(answers, func(a answer) bool { return a.Status == 200 })
	r.Password = "password of " + string(rune('a'+won))
	r.Login(t)
	for i, s := range sessions {
		if a := s.Send(t, "GET", "/users/logged", nil); i == won {
			a.Is(200)
		} else {
			a.SessionEnded()
		}
	}
}
