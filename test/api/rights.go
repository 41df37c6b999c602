package api

import (
	"strings"
	"testing"
)

// Frozen expects that the account gets nothing done, whatever it asks, and that all of it is refused alike. Kept is a
// trial of its own that it can't touch either, and recorded a key under which it was answered before.
func (r Reseller) Frozen(t *testing.T, kept Line, recorded string) {
	t.Helper()
	for _, row := range Table() {
		if row.For == Anybody || row.For == Browser {
			continue
		}
		row.Example(r, r, kept).By(t, r.Caller).Refused(403, "account-blocked")
		if row.Of == AnAccount {
			absent := Reseller{ID: 999_999_999, Username: r.Username, Password: r.Password}
			row.Example(r, absent, kept).By(t, r.Caller).Refused(403, "account-blocked")
		}
	}
	r.Send(t, "HEAD", "/users/logged", nil).Is(403)
	r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", recorded).Refused(403, "account-blocked").Replayed(false)
	nobody := r.Server.Nobody()
	nobody.Send(t, "POST", "/auth/static-token", Fields{"username": r.Username, "password": r.Password}).Refused(403,
		"account-blocked")

	// What comes before the block in the order of checks still answers.
	r.Send(t, "POST", "/users", "{}").Refused(422, "validation-failed")
	r.Send(t, "GET", "/lines?limit=0", nil).Refused(422, "validation-failed")
	nobody.Send(t, "POST", "/auth/static-token", Fields{"username": r.Username, "password": "a wrong password"}).Refused(
		401, "invalid-credentials")
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
	one := Reseller{ID: 1, Username: "somebody", Password: "a password"}
	for _, row := range Table() {
		if row.For == Anybody || row.For == Browser {
			continue
		}
		a := row.Example(one, one, Line{1, "somebody", "a password"}).By(t, c).Refused(401, "invalid-token")
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
