package httpapi_test

import (
	"fmt"
	"testing"
	"time"

	"resellerd/domain/principal"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// withCode returns the body of a sign-in with a code.
func withCode(r api.Reseller, code any) fields {
	return api.With(credentialsOf(r), fields{"totp": code})
}

// entries are the two operations that check a password and a code.
var entries = map[string]int{"/auth/session": 201, "/auth/static-token": 200}

// TestLifeOfASecondFactor starts a second factor, confirms it, signs in with it, and removes it.
func TestLifeOfASecondFactor(t *testing.T) {
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
	remove := func(password, code string, headers ...string) answer {
		return by.Send(t, "DELETE", "/auth/totp", fields{"password": password, "totp": code}, headers...)
	}
	first := begin("Idempotency-Key", "begin").Is(200)
	begin("Idempotency-Key", "begin").Same(first)
	srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(r)).Is(201).Has(fields{"totp": false}) // not yet
	begun := begin().Is(200)
	secret := begun.Text("secret")
	begun.Exactly(fields{"secret": secret, "qr_svg": api.Anything, "otpauth_url": "otpauth://totp/resellerd:" +
		r.Username + "?algorithm=SHA1&digits=6&issuer=resellerd&period=30&secret=" + secret})
	confirm(api.Code(t, first.Text("secret"), srv.clock.Now())).Refused(422, "wrong-code") // of the secret before
	code := api.Code(t, secret, srv.clock.Now())
	confirmed := confirm(code, "Idempotency-Key", "confirm").Is(200)
	confirm(code, "Idempotency-Key", "confirm").Same(confirmed)
	confirm(code).Refused(409, "totp-not-pending")
	r.Get(t, "/users/logged") // who was in stays in
	by.Get(t, "/auth/session").Has(fields{"totp": true})

	required := srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(r)).Refused(401, "totp-required")
	expect.Equal(t, required.SetCookie() == nil, true, "there is no cookie")
	for path, status := range entries {
		for range 11 { // which is no failed login
			srv.Nobody().Send(t, "POST", path, withCode(r, "")).Refused(401, "totp-required")
		}
		srv.Nobody().Send(t, "POST", path, withCode(r, code)).Refused(401, "invalid-credentials") // it is used up
		srv.clock.Advance(30 * time.Second)
		code = api.Code(t, secret, srv.clock.Now())
		srv.Nobody().Send(t, "POST", path, withCode(r, code)).Is(status)
		srv.Nobody().Send(t, "POST", path, withCode(r, code)).Refused(401, "invalid-credentials") // once
	}

	srv.clock.Advance(30 * time.Second)
	next := api.Code(t, secret, srv.clock.Now())
	remove("a wrong password", next).Refused(401, "invalid-credentials")
	remove(r.Password, code).Refused(401, "invalid-credentials")
	gone := remove(r.Password, next, "Idempotency-Key", "remove").Is(200).Exactly(
		fields{"status": 200, "message": "There is no second factor any more."})
	remove(r.Password, next, "Idempotency-Key", "remove").Same(gone)
	srv.Nobody().Send(t, "POST", "/auth/session", withCode(r, "whatever")).Is(201) // an unneeded code is ignored
	expect.Elements(t, types(r.Get(t, "/events?type=totp.*")), []string{"totp.enabled", "totp.disabled"}, "the journal")
	srv.audit(t)
}

// TestWrongCodes count as failed logins. They also count for the second factor, from all addresses, up to 20 in an hour
// or until the account has a new password. Tests of domain/secondfactor have the rules.
func TestWrongCodes(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, loopback)
	r := srv.Admin(t).Reseller(t, "0")
	by := r.SignIn(t)
	secret, recovery := by.HaveFactor(t, r.Password, srv.clock.Now())
	signIn := func(address, code string) answer {
		return srv.Nobody().Send(t, "POST", "/auth/session", withCode(r, code), from(address)...)
	}
	right := func() string { return api.Code(t, secret, srv.clock.Now().Add(30*time.Second)) }
	for range 10 {
		signIn("192.0.2.1", "no code").Refused(401, "invalid-credentials")
	}
	signIn("192.0.2.1", right()).Refused(429, "too-many-attempts")
	for i := range 10 {
		signIn(fmt.Sprint("198.51.100.", i), "no code").Refused(401, "invalid-credentials")
	}
	after := signIn("203.0.113.1", right()).Refused(429, "too-many-attempts").Header.Get("Retry-After")
	expect.Equal(t, after == "3600" || after == "3599", true, "Retry-After %q", after)
	signIn("203.0.113.1", recovery[0]).Is(201)
	signIn("203.0.113.1", recovery[0]).Refused(401, "invalid-credentials") // used
	r.Password = "another password"
	srv.Admin(t).Send(t, "PATCH", api.Path("/users", r.ID), r.Update()).Is(200)
	signIn("203.0.113.1", right()).Is(201)
}

// TestACodeRevealsNothingWithoutThePassword: without the right password all answers are the same. A blocked account has
// the same answer with every code.
func TestACodeRevealsNothingWithoutThePassword(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	secret, _ := r.SignIn(t).HaveFactor(t, r.Password, srv.clock.Now())
	for path := range entries {
		ask := func(change fields) answer {
			return srv.Nobody().Send(t, "POST", path, api.With(withCode(r, "123456"), change)).
				Refused(401, "invalid-credentials")
		}
		wrong := api.Anonymous(ask(nil))
		right := api.Code(t, secret, srv.clock.Now().Add(30*time.Second))
		for _, change := range []fields{{"password": "a wrong password", "totp": nil},
			{"password": "a wrong password", "totp": right}, {"username": api.Unique("nobody")}} {
			expect.Equal(t, api.Anonymous(ask(change)), wrong, "%v, and a wrong code", change)
		}
		srv.clock.Advance(time.Minute)
	}
	srv.Admin(t).Block(t, r.ID).Is(200)
	for path := range entries {
		for _, code := range []any{nil, "123456"} { // the password is enough to learn of a block
			srv.Nobody().Send(t, "POST", path, withCode(r, code)).Refused(403, "account-blocked")
		}
	}
}

// TestSecondFactorsOfOwnerAndStaff are separate. An account above, or the owner, resets a lost one.
func TestSecondFactorsOfOwnerAndStaff(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "0")
	below := master.Reseller(t, "0")
	body := api.NewMember(fields{"scopes": []string{"manage"}})
	staff := api.Path("/staff", master.Send(t, "POST", "/staff", body).Is(201).ID())
	ana := api.Reseller{Caller: master.Caller, Username: body["username"].(string), Password: body["password"].(string)}
	in, owner := ana.SignIn(t), master.SignIn(t)
	in.HaveFactor(t, ana.Password, srv.clock.Now())
	srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(master)).Is(201) // whose own it is not
	srv.Nobody().Send(t, "POST", "/auth/session", credentialsOf(ana)).Refused(401, "totp-required")

	// An answer under an idempotency key is for its caller only, not for others of the account.
	begin := fields{"password": master.Password}
	begun := owner.Send(t, "POST", "/auth/totp", begin, "Idempotency-Key", "begin").Is(200)
	in.Send(t, "POST", "/auth/totp", begin, "Idempotency-Key", "begin").Refused(422, "idempotency-key-reused")
	code := fields{"code": api.Code(t, begun.Text("secret"), srv.clock.Now())}
	owner.Send(t, "POST", "/auth/totp/confirm", code).Is(200)

	// A reset removes the protection of all rights of the account. So it needs all rights, without limits.
	reset := func(by caller, of int64) answer { return by.Send(t, "DELETE", api.Path("/users", of, "/totp"), nil) }
	reset(master.Caller, master.ID).Refused(403, "not-allowed")
	reset(below.Caller, master.ID).Refused(404, "not-found")
	reset(master.Caller, below.ID).Refused(409, "totp-inactive")
	every := append(principal.Manager.Scopes(), principal.Manage)
	reset(srv.Admin(t).Scoped(t, "manage"), master.ID).Refused(403, "beyond-own-rights")
	reset(srv.Admin(t).ByKey(t, fields{"scopes": every}), master.ID).Is(200)
	srv.Nobody().Send(t, "POST", "/auth/static-token", credentialsOf(master)).Is(200)
	srv.Admin(t).Send(t, "DELETE", staff+"/totp", nil).Refused(404, "not-found")
	master.Send(t, "DELETE", staff+"/totp", nil).Is(200)
	ana.SignIn(t)
}
