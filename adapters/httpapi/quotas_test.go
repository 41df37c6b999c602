package httpapi_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestRequestsOfAnAccountAreLimited, and each answer has the rest of the quota, whatever its status.
func TestRequestsOfAnAccountAreLimited(t *testing.T) {
	h := serveWith(t, httpapi.Options{RequestsPerMinute: 3})
	seller := h.Admin(t).Reseller(t, "5")
	for i, path := range []string{"/users/logged", "/lines", "/lines/9"} {
		a := seller.Send(t, "GET", path, nil)
		expect.Equal(t, a.Header.Get("RateLimit-Policy"), `"account";q=3;w=60`, "%s: RateLimit-Policy", path)
		left := strings.HasPrefix(a.Header.Get("RateLimit"), fmt.Sprintf(`"account";r=%d;t=`, 2-i))
		expect.Equal(t, left, true, "%s: RateLimit %s", path, a.Header.Get("RateLimit"))
	}
	a := seller.Send(t, "POST", "/lines/test", nil).Refused(http.StatusTooManyRequests, "too-many-requests")
	expect.Equal(t, a.Header.Get("RateLimit"), `"account";r=0;t=`+a.Header.Get("Retry-After"), "RateLimit")
	expect.Equal(t, h.Login(t, seller.Username, seller.Password), seller.Token, "the token of a login")
	expect.Equal(t, h.Nobody().Send(t, "GET", "/prices", nil).Header.Get("RateLimit"), "", "the quota without a credential")
}

// TestEachPrincipalHasRequestsOfItsOwn uses up the quotas of an API key and of a member of the staff.
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

// TestEmergencyOperationsAreNotCounted sends each of them as an owner whose quota is used up.
func TestEmergencyOperationsAreNotCounted(t *testing.T) {
	const most = 4
	h := serveWith(t, httpapi.Options{RequestsPerMinute: most})
	owner := h.Admin(t).Reseller(t, "0")
	key := owner.Send(t, "POST", "/keys", fields{"name": "bot", "scopes": []string{}}).Is(201)
	for range most - 1 {
		owner.Send(t, "GET", "/prices", nil).Is(200)
	}
	owner.Send(t, "GET", "/prices", nil).Refused(429, "too-many-requests")
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

// TestInvalidCredentialsDoNotCountForTheirOwner sends requests with ended credentials, or from another address. They
// count for the client's address, and only requests with invalid credentials are refused there.
func TestInvalidCredentialsDoNotCountForTheirOwner(t *testing.T) {
	const most = 5
	for situation, die := range map[string]func(h *harness, r *api.Reseller) (dead caller){
		"a session from before a new password": func(h *harness, r *api.Reseller) caller {
			browser := r.SignIn(t).Caller
			r.Password = "another password"
			h.Admin(t).Send(t, "PATCH", api.Path("/users", r.ID), r.Update()).Is(200)
			*r = r.Login(t)
			return browser
		},
		"a token with an invalid signature": func(h *harness, r *api.Reseller) caller { return h.As(r.Token + "x") },
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
