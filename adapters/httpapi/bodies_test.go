package httpapi_test

import (
	"io"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestMalformedBodiesAreRefused sends malformed bodies, and no body if a field is required. TestObject has all kinds.
func TestMalformedBodiesAreRefused(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	v.Admin.Send(t, "PATCH", api.Path("/users/credits", v.Seller.ID), `{"credits":1,"\u0063redits":1}`).
		Refused(400, "malformed-body")
	for _, op := range v.Operations() {
		if body := api.Contract().Route(op.Method, op.Path).Operation.RequestBody; body != nil && body.Value.Required {
			v.Admin.Send(t, op.Method, op.Path, nil).Refused(400, "malformed-body")
		}
	}
	v.Unchanged(t)
	v.Seller.Send(t, "POST", "/lines/test", `{"x":[{"a":1},{"a":1}],"notes":"\\ud800 \"\ud83d\ude00\"\n"}`).Is(201).
		Has(fields{"notes": `\ud800 "😀"`})
}

// TestBodySizes sends the longest body, and a byte more, with its length and in chunks.
func TestBodySizes(t *testing.T) {
	t.Parallel()
	h := serve(t)
	headers := []string{"Authorization", "Bearer " + h.Admin(t).Token, "Content-Type"}
	for _, c := range []struct {
		path, media, begin string
		most               int
	}{
		{"/lines/test", "application/json", `{}`, 64 << 10},
		{"/imports/lines", ndjson, string(api.Encode(t, api.NewImport())), 1 << 20},
	} {
		for over := range 2 {
			body := c.begin + strings.Repeat(" ", c.most-len(c.begin)+over)
			for _, sent := range []io.Reader{strings.NewReader(body), io.MultiReader(strings.NewReader(body))} {
				answer, text := h.raw(t, "POST", c.path, sent, append(headers, c.media)...)
				expect.Equal(t, answer.StatusCode < 300, over == 0, "%s takes %d bytes: %s", c.path, len(body), text)
				expect.Equal(t, strings.Contains(text, "body-too-large"), over > 0, "%s: %s", c.path, text)
			}
		}
	}
}

// TestDetailsWithANameOrPasswordAreAnEdit sends a name and a password for an official line, each without the other and
// with other details.
func TestDetailsWithANameOrPasswordAreAnEdit(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	v := api.NewFixture(t, srv.Service)
	change := func(by caller, l api.Line, body fields, headers ...string) api.Answer {
		return by.Send(t, "PATCH", api.Path("/lines", l.ID, "/details"), body, headers...)
	}
	for _, body := range []fields{{"username": v.Trial.Username}, {"password": v.Trial.Password, "notes": "known"}} {
		change(v.Seller.Caller, v.Trial, body).Refused(409, "line-is-trial").
			Has(fields{"remedy": map[string]any{"method": "PATCH", "href": api.Path("/lines/active", v.Trial.ID)}})
	}
	change(v.Seller.Caller, v.Line, fields{"username": strings.ToUpper(v.Trial.Username)}).Refused(409, "username-taken")
	both, name := fields{"username": v.Line.Username, "password": v.Line.Password, "updated": 1}, api.Unique("Renamed")
	for _, body := range []fields{{"username": name}, {"password": "5566"},
		{"username": strings.ToUpper(name), "password": "7788", "notes": nil, "external_id": "crm-7"}} {
		both = api.With(both, body)
		change(v.Seller.Caller, v.Line, body).Is(200).Has(both)
	}

	// An API key that sees no passwords can set them, but the answer does not show them.
	key := v.Seller.Scoped(t, "lines:write")
	change(key, v.Line, fields{"password": "8899", "username": "not-shown"}).Is(200).
		Has(fields{"password": nil, "username": "not-shown"})
	once := change(v.Seller.Caller, v.Line, fields{"password": "once"}, "Idempotency-Key", "details").Is(200)
	change(v.Seller.Caller, v.Line, fields{"password": "again"}).Is(200)
	change(v.Seller.Caller, v.Line, fields{"password": "once"}, "Idempotency-Key", "details").Same(once)
	v.Seller.Get(t, api.Path("/lines", v.Line.ID)).Has(fields{"password": "again"})
	srv.audit(t)
}

// TestContactsWithANameOrPasswordAreAnUpdate: a new name does not end the token, a new password ends tokens and
// sessions.
func TestContactsWithANameOrPasswordAreAnUpdate(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "0")
	r := master.Create(t, fields{"telegram": "@kept", "whatsapp": "1"})
	browser := r.SignIn(t)
	change := func(by caller, body fields) api.Answer {
		return by.Send(t, "PATCH", api.Path("/users", r.ID, "/contact"), body)
	}
	change(r.Caller, fields{"username": strings.ToUpper(master.Username)}).Refused(409, "username-taken")
	want := api.With(master.Get(t, api.Path("/users", r.ID)).Fields, fields{"updatedAt": api.ISO})
	r.Username = api.Unique("renamed")
	for _, body := range []fields{{"username": r.Username}, {"password": r.Password}, {"whatsapp": nil}} {
		want = api.With(want, body)
		delete(want, "password") // which no answer shows
		change(r.Caller, body).Is(200).Exactly(want)
		expect.Equal(t, srv.Login(t, r.Username, r.Password), r.Token, "after %v the token", body)
		browser.Get(t, "/users/logged").Exactly(want)
	}
	change(master.Caller, fields{"password": "a new password", "notes": "known"}).Is(200).
		Exactly(api.With(want, fields{"notes": "known"}))
	r.Send(t, "GET", "/users/logged", nil).Refused(401, "invalid-token")
	browser.Send(t, "GET", "/users/logged", nil).SessionEnded()
	srv.Login(t, r.Username, "a new password")
}
