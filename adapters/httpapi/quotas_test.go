package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
	"resellerd/test/expect"
)

func TestRequestsOfAnAccountAreLimited(t *testing.T) {
	h := serveWith(t, httpapi.Options{RequestsPerMinute: 4})
	seller := h.Admin(t).Reseller(t, "5")
	key := []string{"Idempotency-Key", "k"}
	ask := func(i int) answer {
		if i == 0 {
			return seller.Send(t, "POST", "/lines/test", nil, key...)
		}
		return seller.Send(t, "GET", []string{"/users/logged", "/lines", "/lines/9"}[i-1], nil)
	}
	for i := range 4 { // what they end in makes no difference
		a := ask(i)
		expect.Equal(t, a.Header.Get("RateLimit-Policy"), `"account";q=4;w=60`, "%s: RateLimit-Policy", a.Request)
		form := regexp.MustCompile(fmt.Sprintf(`^"account";r=%d;t=(60|59|58)$`, 3-i))
		got := a.Header.Get("RateLimit")
		expect.Equal(t, form.MatchString(got), true, "%s, %d. request: RateLimit %s", a.Request, i+1, got)
	}
	a := seller.Send(t, "POST", "/lines/test", nil, key...).Refused(http.StatusTooManyRequests, "too-many-requests")
	wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if err != nil || wait < 1 || a.Header.Get("RateLimit") != fmt.Sprintf(`"account";r=0;t=%d`, wait) {
		t.Errorf("Retry-After %q, RateLimit %s", a.Header.Get("Retry-After"), a.Header.Get("RateLimit"))
	}
	h.Admin(t).Get(t, "/prices") // others notice nothing, nor does a login
	expect.Equal(t, h.Login(t, seller.Username, seller.Password), seller.Token, "the token")
	a = h.Nobody().Send(t, "GET", "/prices", nil).Refused(http.StatusUnauthorized, "missing-token")
	expect.Equal(t, a.Header.Get("RateLimit"), "", "the quota of nobody")
}

// TestEachPrincipalHasRequestsOfItsOwn has a key and a member of the staff make all the requests that they may.
func TestEachPrincipalHasRequestsOfItsOwn(t *testing.T) {
	const most = 8
	h := serveWith(t, httpapi.Options{RequestsPerMinute: most})
	owner := h.Admin(t).Reseller(t, "0")
	asks := func(by caller, times int) {
		t.Helper()
		for range times {
			by.Send(t, "GET", "/prices", nil).Is(200)
		}
	}
	for _, by := range []caller{owner.Scoped(t), owner.ByMember(t, nil), owner.Scoped(t)} {
		asks(by, most)
		by.Send(t, "PATCH", "/lines/1/details", nil).Refused(429, "too-many-requests") // before the scope
	}
	browser := owner.SignIn(t).Caller
	asks(browser, 3)
	asks(owner.Caller, most-3-3) // by token or session it is the owner, who has made both keys and the member
	browser.Send(t, "GET", "/prices", nil).Refused(429, "too-many-requests")
}

// TestEmergencyOperationsAreNotCounted runs each one as an owner who may make no more requests.
func TestEmergencyOperationsAreNotCounted(t *testing.T) {
	const most = 4
	h := serveWith(t, httpapi.Options{RequestsPerMinute: most})
	owner := h.Admin(t).Reseller(t, "0")
	key := owner.Send(t, "POST", "/keys", fields{"name": "bot", "scopes": []string{}}).Is(201)
	for range most - 1 {
		owner.Send(t, "GET", "/prices", nil).Is(200)
	}
	for _, path := range []string{"/prices", "/keys", "/lines"} {
		owner.Send(t, "GET", path, nil).Refused(429, "too-many-requests")
	}
	browser, other := owner.SignIn(t).Caller, owner.SignIn(t).Caller
	for _, c := range []struct {
		by           caller
		method, path string
		body         any
		status       int
	}{
		{owner.Caller, "DELETE", api.Path("/keys", key.ID()), nil, 200},
		{owner.Caller, "DELETE", "/staff/999", nil, 404},
		{owner.Caller, "PATCH", "/staff/999", fields{"password": "password-new"}, 404},
		{owner.Caller, "DELETE", "/staff/999/totp", nil, 404},
		{owner.Caller, "PUT", "/users/999/block", nil, 404},
		{owner.Caller, "DELETE", "/users/999/totp", nil, 404},
		{owner.Caller, "PATCH", "/users/999", owner.Update(), 404},
		{owner.Caller, "PUT", "/lines/999/suspension", fields{}, 404},
		{owner.Caller, "DELETE", "/lines/999", nil, 404},
		{owner.Caller, "DELETE", "/bulk/999", nil, 404},
		{owner.Caller, "PATCH", "/webhooks/999", fields{"enabled": false}, 404},
		{owner.Caller, "DELETE", "/webhooks/999", nil, 404},
		{browser, "POST", "/auth/totp", fields{"password": owner.Password}, 200},
		{browser, "POST", "/auth/totp/confirm", fields{"code": "000000"}, 422},
		{browser, "DELETE", "/auth/totp", fields{"password": owner.Password, "totp": "000000"}, 409},
		{browser, "DELETE", "/auth/sessions/0123456789abcdef", nil, 404},
		{other, "DELETE", "/auth/session", nil, 200},
		{owner.Caller, "PATCH", "/auth/password", fields{"password": owner.Password, "new_password": owner.Password}, 200},
		{owner.Caller, "DELETE", "/auth/static-token", nil, 200},
	} {
		a := c.by.Send(t, c.method, c.path, c.body).Is(c.status)
		expect.Equal(t, a.Header.Get("RateLimit"), "", "%s: RateLimit", a.Request)
	}
	browser.Send(t, "GET", "/prices", nil).Refused(429, "too-many-requests")
}

// TestDeadCredentialsLeaveTheirOwnerAlone asks with what was good once, or is from elsewhere: it counts for the address
// that it comes from, and only what is dead is refused there.
func TestDeadCredentialsLeaveTheirOwnerAlone(t *testing.T) {
	const most = 5
	for situation, die := range map[string]func(h *harness, r *api.Reseller) (dead caller){
		"a token that was revoked": func(_ *harness, r *api.Reseller) caller {
			dead := r.Caller
			r.Send(t, "DELETE", "/auth/static-token", nil).Is(200)
			*r = r.Login(t)
			return dead
		},
		"a session from before a new password": func(h *harness, r *api.Reseller) caller {
			browser := r.SignIn(t).Caller
			r.Password = "another password"
			h.Admin(t).Send(t, "PATCH", api.Path("/users", r.ID), r.Update()).Is(200)
			*r = r.Login(t)
			return browser
		},
		"a token that nobody signed": func(h *harness, r *api.Reseller) caller { return h.As(r.Token + "x") },
		"a key that has expired": func(h *harness, r *api.Reseller) caller {
			key := r.ByKey(t, fields{"expires_at": "2026-02-28T13:00:00Z"})
			h.clock.Advance(time.Hour)
			return key
		},
		"a key from another address": func(_ *harness, r *api.Reseller) caller {
			return r.ByKey(t, fields{"allowed_addresses": []string{"198.51.100.0/24"}})
		},
	} {
		h := serveWith(t, httpapi.Options{RequestsPerMinute: most, TrustedProxies: loopback.TrustedProxies})
		r := h.Admin(t).Reseller(t, "0")
		dead := die(h, &r)
		for i := range 2 * most {
			a := dead.Send(t, "GET", "/lines", nil, from("192.0.2.1")...)
			if i < most {
				expect.Equal(t, a.Status == 401 || a.Fields["code"] == "address-not-allowed", true, "%s: %s", situation, a.Body)
				expect.Equal(t, a.Header.Get("RateLimit")+a.Header.Get("RateLimit-Policy"), "", "%s", situation)
				continue
			}
			wait, err := strconv.Atoi(a.Refused(429, "too-many-requests").Header.Get("Retry-After"))
			expect.Equal(t, err == nil && wait >= 1 && wait <= 60, true, "%s: Retry-After %d, %v", situation, wait, err)
		}
		dead.Send(t, "GET", "/lines", nil, from("192.0.2.2")...).Is(dead.Send(t, "GET", "/lines", nil).Status)
		for range most - 1 { // beside the request with which the credential was made, or died
			r.Send(t, "GET", "/users/logged", nil, from("192.0.2.1")...).Is(200)
		}
	}
}
