package api

import (
	"strings"
	"testing"
)

// Frozen expects that the account gets nothing done, whatever it asks, and that all of it is refused alike. Kept is a
// trial of its own that it can't touch either, and recorded a key under which it was answered before.
func (r Reseller) Frozen(t *testing.T, kept Line, recorded string) {
	t.Helper()
	for _, op := range []Operation{
		{"GET", "/users/logged", nil},
		{"GET", "/users", nil},
		{"GET", Path("/users", r.ID), nil},
		{"GET", Path("/users", r.ID, "/ledger"), nil},
		{"GET", Path("/users", 999_999_999), nil},
		{"GET", "/lines", nil},
		{"GET", Path("/lines", kept.ID), nil},
		{"GET", Path("/lines/extend-preview", kept.ID, "?credits=1"), nil},
		{"GET", "/prices", nil},
		{"GET", "/ledger/proof", nil},
		{"POST", "/users", NewReseller(nil)},
		{"PATCH", Path("/users", r.ID), r.Update()},
		{"PATCH", Path("/users", 999_999_999), r.Update()},
		{"PATCH", Path("/users", r.ID, "/contact"), Fields{"country": "PT"}},
		{"PATCH", Path("/users/credits", r.ID), Fields{"credits": 1}},
		{"POST", Path("/users", r.ID, "/credits/reclaim"), Fields{"credits": 1}},
		{"PUT", Path("/users", r.ID, "/block"), nil},
		{"DELETE", Path("/users", r.ID, "/block"), nil},
		{"POST", "/lines/test", nil},
		{"PATCH", Path("/lines/active", kept.ID), kept.Activation(1)},
		{"PATCH", Path("/lines/extend", kept.ID), Fields{"credits": 1}},
		{"PATCH", Path("/lines", kept.ID), kept.Edit()},
		{"DELETE", Path("/lines", kept.ID), nil},
		{"DELETE", "/auth/static-token", nil},
		{"PATCH", "/auth/password", Fields{"password": r.Password, "new_password": "another password"}},
	} {
		op.By(t, r.Caller).Refused(403, "account-blocked")
	}
	r.Send(t, "HEAD", "/users/logged", nil).Is(403)
	r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", recorded).Refused(403, "account-blocked").Replayed(false)
	nobody := r.Server.Nobody()
	nobody.Send(t, "POST", "/auth/static-token", Fields{"username": r.Username, "password": r.Password}).Refused(403, "account-blocked")

	// What comes before the block in the order of checks still answers.
	r.Send(t, "POST", "/users", "{}").Refused(422, "validation-failed")
	r.Send(t, "GET", "/lines?limit=0", nil).Refused(422, "validation-failed")
	nobody.Send(t, "POST", "/auth/static-token", Fields{"username": r.Username, "password": "a wrong password"}).Refused(401, "invalid-credentials")
}

// Free expects that the account gets things done.
func (r Reseller) Free(t *testing.T) {
	t.Helper()
	r.Get(t, "/users/logged").Has(Fields{"active_tree": 1, "block_reseller": 0})
	r.Trial(t)
	if token := r.Server.Login(t, r.Username, r.Password); token != r.Token {
		t.Errorf("account %d has another token", r.ID)
	}
}

// Dead expects that a token does nothing any more, whatever is asked.
func (c Caller) Dead(t *testing.T) {
	t.Helper()
	for _, op := range []Operation{
		{"GET", "/users/logged", nil}, {"GET", "/users", nil}, {"GET", "/users/1", nil}, {"GET", "/users/1/ledger", nil},
		{"GET", "/lines", nil}, {"GET", "/lines/1", nil}, {"GET", "/lines/extend-preview/1?credits=1", nil},
		{"GET", "/prices", nil}, {"GET", "/ledger/proof", nil},
		{"POST", "/users", NewReseller(nil)}, {"POST", "/lines/test", nil}, {"PATCH", "/users/1/contact", nil}, {"PATCH", "/users/credits/1", Fields{"credits": 1}},
		{"POST", "/users/1/credits/reclaim", Fields{"credits": 1}}, {"PUT", "/users/1/block", nil}, {"DELETE", "/users/1/block", nil},
		{"PATCH", "/lines/extend/1", Fields{"credits": 1}}, {"DELETE", "/lines/1", nil}, {"DELETE", "/auth/static-token", nil},
		{"PATCH", "/auth/password", Fields{"password": "a password", "new_password": "another password"}},
	} {
		a := op.By(t, c).Refused(401, "invalid-token")
		if got := a.Header.Get("WWW-Authenticate"); got != "Bearer" {
			t.Errorf("%s: WWW-Authenticate is %q", a.Request, got)
		}
	}
}

// Altered returns the token with another signature.
func Altered(token string) string {
	at := strings.LastIndex(token, ".") + 1
	other := "A"
	if token[at] == 'A' {
		other = "B"
	}
	return token[:at] + other + token[at+1:]
}
