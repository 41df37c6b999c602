package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"resellerd/domain/principal"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// withCode is what signs an account in with a code.
func withCode(r api.Reseller, code any) fields {
	return api.With(credentialsOf(r), fields{"totp": code})
}

// entries are the two ways to sign in.
var entries = map[string]int{"/auth/session": 201, "/auth/static-token": 200}

// TestSecondFactorsInTheirLife begins with one, confirms it, signs in by it, and does without it again.
func TestSecondFactorsInTheirLife(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	by := r.SignIn(t)
	begin := func(headers ...string) answer {
		return by.Send(t, "POST", "/auth/totp", fields{"password": r.Password}, headers...)
	}
	confirm := func(code string, headers ...string) answer {
		return by.Send(t, "POST", "/auth/totp/confirm", fields{"code": code}, headers...)
	}
	confirm("123456").Refused(409, "totp-not-pending")
	by.Send(t, "DELETE", "/auth/totp", fields{"password": r.Password, "totp": "123456"}).Refused(409, "totp-inactive")
	by.Send(t, "POST", "/auth/totp", fields{"password": "a wrong password"}).Refused(401, "invalid-credentials")
	first := begin("Idempotency-Key", "begin").Is(200)
	begin("Idempotency-Key", "begin").Same(first)
	for path, status := range entries { // it does not count yet
		srv.Nobody().Send(t, "POST", path, credentialsOf(r)).Is(status)
	}
	by.Get(t, "/auth/session").Has(fields{"totp": false})
	begun := begin().Is(200)
	secret := begun.Text("secret")
	want := "otpauth://totp/resellerd:" + r.Username + "?algorithm=SHA1&digits=6&issuer=resellerd&period=30&secret=" +
		secret
	begun.Exactly(fields{"secret": secret, "otpauth_url": want, "qr_svg": api.Anything})
	expect.Equal(t, secret == first.Text("secret"), false, "the secret is the one of before")
	for _, wrong := range []string{api.Code(t, first.Text("secret"), srv.clock.Now()),
		api.Code(t, secret, srv.clock.Now().Add(-time.Minute)), "12345", "1234567", " 123456", "abcdef"} {
		confirm(wrong).Refused(422, "wrong-code")
	}
	code := api.Code(t, secret, srv.clock.Now())
	confirmed := confirm(code, "Idempotency-Key", "confirm").Is(200)
	confirm(code, "Idempotency-Key", "confirm").Same(confirmed)
	by.Get(t, "/auth/session").Has(fields{"totp": true})
	confirm(code).Refused(409, "totp-not-pending")
	begin().Refused(409, "totp-active")
	r.Get(t, "/users/logged") // who was in stays in
	by.Get(t, "/users/logged")

	required := srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(r)).Refused(401, "totp-required")
	expect.Equal(t, required.SetCookie() == nil, true, "there is no cookie")
	expect.Equal(t, required.Header.Get("WWW-Authenticate"), "Bearer", "WWW-Authenticate")
	for path, status := range entries {
		for _, none := range []any{nil, ""} { // which is no failed login
			for range 6 {
				srv.Nobody().Send(t, "POST", path, withCode(r, none)).Refused(401, "totp-required")
			}
		}
		srv.Nobody().Send(t, "POST", path, withCode(r, code)).Refused(401, "invalid-credentials") // confirming has used it up
		srv.clock.Advance(30 * time.Second)
		code = api.Code(t, secret, srv.clock.Now())
		in := srv.Nobody().Send(t, "POST", path, withCode(r, code)).Is(status)
		if status == 201 {
			in.Has(fields{"totp": true})
		}
		srv.Nobody().Send(t, "POST", path, withCode(r, code)).Refused(401, "invalid-credentials") // once
	}

	remove := func(password, code string, headers ...string) answer {
		return by.Send(t, "DELETE", "/auth/totp", fields{"password": password, "totp": code}, headers...)
	}
	srv.clock.Advance(30 * time.Second)
	next := api.Code(t, secret, srv.clock.Now())
	remove("a wrong password", next).Refused(401, "invalid-credentials")
	remove(r.Password, code).Refused(401, "invalid-credentials")
	gone := remove(r.Password, next, "Idempotency-Key", "remove").Is(200).Exactly(
		fields{"status": 200, "message": "There is no second factor any more."})
	remove(r.Password, next, "Idempotency-Key", "remove").Same(gone)
	for path, status := range entries {
		srv.Nobody().Send(t, "POST", path, credentialsOf(r)).Is(status)
		srv.Nobody().Send(t, "POST", path, withCode(r, "whatever")).Is(status) // which is looked at by nobody
	}
	types := []string{}
	for _, entry := range r.Get(t, "/events?type=totp.*").List() {
		types = append(types, entry.Text("type"))
		entry.Has(fields{"account": r.ID, "data": map[string]any{}, "changes": map[string]any{}})
	}
	expect.Equal(t, strings.Join(types, " "), "totp.enabled totp.disabled", "the journal")
	journal := string(r.Get(t, "/events?limit=500").Body)
	for _, secret := range []string{secret, code, next} {
		expect.Lacks(t, journal, secret, "the journal")
	}
	srv.audit(t)
}

// TestWrongCodes count as failed logins, and besides of a factor from wherever they come, up to 20 in an hour.
func TestWrongCodes(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	r := srv.Admin(t).Reseller(t, "0")
	by := r.SignIn(t)
	secret, recovery := by.HaveFactor(t, r.Password, srv.clock.Now())
	signIn := func(address, code string) answer {
		return srv.Nobody().Send(t, "POST", "/auth/session", withCode(r, code), from(address)...)
	}
	for range 10 {
		signIn("192.0.2.1", "no code").Refused(401, "invalid-credentials")
	}
	right := func() string { return api.Code(t, secret, srv.clock.Now().Add(30*time.Second)) }
	signIn("192.0.2.1", right()).Refused(429, "too-many-attempts")
	for i := range 10 {
		signIn(fmt.Sprint("198.51.100.", i), "no code").Refused(401, "invalid-credentials")
	}
	for _, code := range []string{right(), "no code"} {
		a := signIn("203.0.113.1", code).Refused(429, "too-many-attempts")
		after := a.Header.Get("Retry-After")
		expect.Equal(t, after == "3600" || after == "3599", true, "Retry-After %q", after)
		const why = "Too many wrong codes for this user in the last hour: at most 10 from one address and 20 from all addresses"
		expect.Equal(t, strings.HasPrefix(a.Text("detail"), why), true, "%s", a.Text("detail"))
	}
	signIn("203.0.113.1", recovery[0]).Is(201)
	signIn("203.0.113.1", recovery[0]).Refused(401, "invalid-credentials") // used
	srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(r)).Refused(401, "totp-required")
	srv.Nobody().Send(t, "POST", "/auth/session", api.With(withCode(r, right()), fields{"password": "a wrong password"})).
		Refused(401, "invalid-credentials")
	by.Send(t, "DELETE", "/auth/totp", fields{"password": r.Password, "totp": right()}, from("203.0.113.2")...).Refused(
		429, "too-many-attempts")
	by.Get(t, "/users/logged") // who is in stays in
	srv.clock.Advance(time.Hour)
	signIn("203.0.113.1", right()).Is(201)
}

// TestWrongCodesOfAnAddress stop that address for the hour, and no other one; wrong recovery codes stop nobody.
func TestWrongCodesOfAnAddress(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	r := srv.Admin(t).Reseller(t, "0")
	secret, recovery := r.SignIn(t).HaveFactor(t, r.Password, srv.clock.Now())
	signIn := func(address, code string) answer {
		srv.clock.Advance(10 * time.Second) // so that failed logins are forgotten
		return srv.Nobody().Send(t, "POST", "/auth/session", withCode(r, code), from(address)...)
	}
	right := func() string { return api.Code(t, secret, srv.clock.Now().Add(30*time.Second)) }
	for range 25 {
		signIn("192.0.2.1", "aaaa-aaaa-aaaa-aaaa").Refused(401, "invalid-credentials")
	}
	for range 10 {
		signIn("192.0.2.1", "000000").Refused(401, "invalid-credentials")
	}
	signIn("192.0.2.1", right()).Refused(429, "too-many-attempts")
	signIn("192.0.2.2", right()).Is(201)
	signIn("192.0.2.1", recovery[0]).Is(201)
}

// TestANewPasswordEndsALockOut by wrong codes: they came with the old password.
func TestANewPasswordEndsALockOut(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	master := srv.Admin(t).Master(t, "0")
	below := master.Reseller(t, "0")
	body := api.NewMember(nil)
	member := master.Send(t, "POST", "/staff", body).Is(201).ID()
	ana := api.Reseller{Caller: master.Caller, Username: body["username"].(string), Password: body["password"].(string)}
	for name, c := range map[string]struct {
		of     api.Reseller
		change func()
	}{
		"by those above": {below, func() {
			changed := below
			changed.Password = "another password"
			master.Send(t, "PATCH", api.Path("/users", below.ID), changed.Update()).Is(200)
		}},
		"of a member": {ana, func() {
			master.Send(t, "PATCH", api.Path("/staff", member), fields{"password": "another password"}).Is(200)
		}},
	} {
		secret, _ := c.of.SignIn(t).HaveFactor(t, c.of.Password, srv.clock.Now())
		right := func() string { return api.Code(t, secret, srv.clock.Now().Add(30*time.Second)) }
		signIn := func(address, code string) answer {
			return srv.Nobody().Send(t, "POST", "/auth/session", withCode(c.of, code), from(address)...)
		}
		for i := range 20 {
			signIn(fmt.Sprint("198.51.100.", i), "000000").Refused(401, "invalid-credentials")
		}
		a := signIn("203.0.113.1", right())
		a.Request += " " + name
		a.Refused(429, "too-many-attempts")
		c.change()
		c.of.Password = "another password"
		signIn("203.0.113.1", right()).Is(201)
		srv.clock.Advance(time.Minute)
	}
}

// TestWrongCodesThatConfirmNothing count as those at a sign-in. Who begins again has another secret, and its own count.
func TestWrongCodesThatConfirmNothing(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	r := srv.Admin(t).Reseller(t, "0")
	by := r.SignIn(t)
	begin := func() string {
		return by.Send(t, "POST", "/auth/totp", fields{"password": r.Password}).Is(200).Text("secret")
	}
	confirm := func(address, code string) answer {
		return by.Send(t, "POST", "/auth/totp/confirm", fields{"code": code}, from(address)...)
	}
	secret := begin()
	for range 10 {
		confirm("192.0.2.1", "000000").Refused(422, "wrong-code")
	}
	confirm("192.0.2.1", api.Code(t, secret, srv.clock.Now())).Refused(429, "too-many-attempts")
	answers := make([]answer, 40)
	api.AtOnce(len(answers), func(i int) { answers[i] = confirm(fmt.Sprint("198.51.100.", i), "000000") })
	expect.DeepEqual(t, api.Count(answers), map[int]int{422: 10, 429: 30}, "40 at once")
	confirm("203.0.113.1", api.Code(t, secret, srv.clock.Now())).Refused(429, "too-many-attempts")
	confirm("203.0.113.1", api.Code(t, begin(), srv.clock.Now())).Is(200)
	srv.Nobody().Send(t, "POST", "/auth/session", withCode(r, "000000")).Refused(401, "invalid-credentials")
}

// TestWhatACodeDoesNotTell to who has no right password, nor to the blocked.
func TestWhatACodeDoesNotTell(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r, without := srv.Admin(t).Reseller(t, "0"), srv.Admin(t).Reseller(t, "0")
	secret, _ := r.SignIn(t).HaveFactor(t, r.Password, srv.clock.Now())
	for path := range entries {
		ask := func(r api.Reseller, change fields) answer {
			return srv.Nobody().Send(t, "POST", path, api.With(withCode(r, "123456"), change))
		}
		wrong := ask(r, nil).Refused(401, "invalid-credentials") // a wrong code
		for name, a := range map[string]answer{
			"a wrong password":              ask(r, fields{"password": "a wrong password"}),
			"a wrong password, and no code": ask(r, fields{"password": "a wrong password", "totp": nil}),
			"a wrong password, and right code": ask(r,
				fields{"password": "a wrong password", "totp": api.Code(t, secret, srv.clock.Now().Add(30*time.Second))}),
			"a wrong password of another": ask(without, fields{"password": "a wrong password"}),
			"nobody":                      ask(r, fields{"username": api.Unique("nobody")}),
		} {
			a.Refused(401, "invalid-credentials")
			expect.Equal(t, api.Anonymous(a), api.Anonymous(wrong), "%s, and a wrong code", name)
		}
		srv.clock.Advance(time.Minute)
	}
	srv.Admin(t).Block(t, r.ID).Is(200)
	for path := range entries {
		for _, code := range []any{nil, "123456"} { // a block is told to who knows the password, code or none
			srv.Nobody().Send(t, "POST", path, withCode(r, code)).Refused(403, "account-blocked")
		}
	}
}

// TestFactorsOfAnAccountsPeople are each their own, and those above, or the owner, reset what was lost.
func TestFactorsOfAnAccountsPeople(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "0")
	below, beside := master.Reseller(t, "0"), srv.Admin(t).Master(t, "0")
	body := api.NewMember(fields{"scopes": []string{"manage"}})
	id := master.Send(t, "POST", "/staff", body).Is(201).ID()
	ana := api.Reseller{Caller: master.Caller, Username: body["username"].(string), Password: body["password"].(string)}
	in, owner := ana.SignIn(t), master.SignIn(t)
	secret, _ := in.HaveFactor(t, ana.Password, srv.clock.Now())
	srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(master)).Is(201) // whose own it is not
	srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(ana)).Refused(401, "totp-required")
	srv.clock.Advance(time.Minute)
	srv.Nobody().Send(t, "POST", "/auth/session", withCode(ana, api.Code(t, secret, srv.clock.Now()))).Is(201).Has(
		fields{"id": master.ID})

	// What one of them was answered under a key is for nobody else of the account.
	begun := owner.Send(t, "POST", "/auth/totp", fields{"password": master.Password}, "Idempotency-Key", "begin").Is(200)
	master.SignIn(t).Send(t, "POST", "/auth/totp", fields{"password": master.Password}, "Idempotency-Key", "begin").Same(
		begun)
	code := fields{"code": api.Code(t, begun.Text("secret"), srv.clock.Now())}
	confirmed := owner.Send(t, "POST", "/auth/totp/confirm", code, "Idempotency-Key", "confirm").Is(200)
	in.Send(t, "POST", "/auth/totp/confirm", code, "Idempotency-Key", "confirm").Refused(422, "idempotency-key-reused")
	in.Send(t, "POST", "/auth/totp", fields{"password": master.Password}, "Idempotency-Key", "begin").Refused(422,
		"idempotency-key-reused")
	owner.Send(t, "POST", "/auth/totp/confirm", code, "Idempotency-Key", "confirm").Same(confirmed)

	// Keys and tokens are for programs.
	for _, by := range []caller{master.Caller, master.ByKey(t, fields{"role": "manager"})} {
		by.Send(t, "POST", "/auth/totp", fields{"password": master.Password}).Refused(401, "missing-session")
		by.Send(t, "POST", "/auth/totp/confirm", code).Refused(401, "missing-session")
		by.Send(t, "DELETE", "/auth/totp", fields{"password": master.Password, "totp": "123456"}).Refused(401,
			"missing-session")
	}

	reset := func(by caller, of int64) answer {
		return by.Send(t, "DELETE", api.Path("/users", of, "/totp"), nil)
	}
	reset(master.Caller, master.ID).Refused(403, "not-allowed")
	reset(beside.Caller, master.ID).Refused(404, "not-found")
	reset(below.Caller, master.ID).Refused(404, "not-found")
	reset(srv.Admin(t), 1).Refused(403, "not-allowed")
	reset(master.Caller, below.ID).Refused(409, "totp-inactive")
	reset(srv.Admin(t).Scoped(t, "users:write"), master.ID).Refused(403, "insufficient-scope")
	// It takes away what protects all rights there, so that it takes all of them, without bounds.
	every := append(principal.Manager.Scopes(), principal.Manage)
	reset(srv.Admin(t).Scoped(t, "manage"), master.ID).Refused(403, "beyond-own-rights")
	reset(srv.Admin(t).ByKey(t, fields{"scopes": every, "spend_limit": fields{"credits": 1, "per": "day"}}), master.ID).
		Refused(403, "beyond-own-rights")
	reset(srv.Admin(t).ByKey(t, fields{"scopes": every}), master.ID).Is(200)
	srv.Nobody().Send(t, "POST", "/auth/static-token", credentialsOf(master)).Is(200)
	owner.Get(t, "/users/logged")

	ofAna := func(by caller) answer { return by.Send(t, "DELETE", api.Path("/staff", id, "/totp"), nil) }
	ofAna(srv.Admin(t)).Refused(404, "not-found")
	ofAna(master.Scoped(t, "lines:read")).Refused(403, "insufficient-scope")
	ofAna(master.Caller).Is(200)
	ofAna(master.Caller).Refused(409, "totp-inactive")
	srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(ana)).Is(201)
	listed := srv.Admin(t).Get(t, "/events?type=totp.*").List()
	for i, want := range []string{"totp.enabled staff", "totp.enabled session", "totp.reset key", "totp.reset token"} {
		actor, _ := listed[i].Fields["actor"].(map[string]any)
		expect.Equal(t, fmt.Sprint(listed[i].Text("type"), " ", actor["kind"]), want, "%d. entry", i)
		listed[i].Has(fields{"account": master.ID})
	}

	// One who is gone is nobody.
	again := ana.SignIn(t)
	again.Send(t, "POST", "/auth/totp", fields{"password": ana.Password}).Is(200)
	master.Send(t, "DELETE", api.Path("/staff", id), nil).Is(200)
	again.Send(t, "POST", "/auth/totp/confirm", code).SessionEnded()
	ofAna(master.Caller).Refused(404, "not-found")
	srv.audit(t)
}
