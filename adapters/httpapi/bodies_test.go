package httpapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

func TestMalformedBodies(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	at := api.Path("/users/credits", v.Seller.ID)
	// TestObject has more
	for _, body := range []string{`{"credits":1`, `[{"credits":1}]`, " \n ", `{"credits":1,"\u0063redits":1}`,
		`{"credits":1,"notes":"\ud800"}`} {
		v.Admin.Send(t, "PATCH", at, body).Refused(400, "malformed-body")
	}
	for _, op := range v.Operations() {
		if body := api.Contract().Route(op.Method, op.Path).Operation.RequestBody; body != nil && body.Value.Required {
			v.Admin.Send(t, op.Method, op.Path, nil).Refused(400, "malformed-body") // no body where a field is required
		}
	}
	v.Admin.Server.Nobody().Send(t, "POST", "/auth/static-token", nil).Refused(400, "malformed-body")
	v.Unchanged(t)

	for name, notes := range map[string]string{
		`"\ud83d\ude00"`:          "😀",
		`"\\ud800"`:               `\ud800`,
		`"\\\\ud800\\"`:           `\\ud800\`,
		"\"\\u00e9\\n\\\"x\\\"\"": "é\n\"x\"",
	} {
		l := v.Seller.Send(t, "POST", "/lines/test", `{"x":[{"a":1},{"a":1}],"notes":`+name+`}`).Is(201)
		l.Has(fields{"notes": notes})
	}
	deep := `{"notes":"x","x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`
	v.Seller.Send(t, "POST", "/lines/test", deep).Is(201)
}

func TestBodySizes(t *testing.T) {
	const most = 64 << 10
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	v.Admin.Fund(t, v.Seller.ID, 1).Is(200)
	for _, op := range v.Operations() {
		if op.Path == "/imports/lines" { // which takes more: TestSizesOfImports
			continue
		}
		body := fields{}
		maps.Copy(body, op.Body)
		if op.Path == "/users" {
			body["username"] = api.Unique("big")
		}
		body["padding"] = ""
		bare := len(api.Encode(t, body))
		body["padding"] = strings.Repeat("x", most-bare+1)
		v.Master.Send(t, op.Method, op.Path, body).Refused(413, "body-too-large")
		if op.Body != nil && op.Path != api.Path("/lines/active", v.Trial.ID) {
			body["padding"] = strings.Repeat("x", most-bare)
			a := v.Master.Send(t, op.Method, op.Path, body)
			expect.Equal(t, a.Status < 300, true, "%s with %d bytes is accepted: %s", a.Request, most, a.Body)
		}
	}
	nobody := v.Admin.Server.Nobody()
	nobody.Send(t, "POST", "/auth/static-token", bytes.Repeat([]byte(" "), most+1)).Refused(413, "body-too-large")
}

// TestDetails changes what is known about lines, a trial too, and finds them by their external ids.
func TestDetails(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	details := func(l api.Line, body fields) api.Answer {
		return v.Seller.Send(t, "PATCH", api.Path("/lines", l.ID, "/details"), body)
	}
	all := fields{
		"notes": "a note", "country": "PT", "whatsapp": "+351", "telegram": "@anna", "email": "anna@example.pt",
		"external_id": "crm-1042", "metadata": map[string]any{"plan": "gold", "since": "2026 \"é\""},
	}
	for _, l := range []api.Line{v.Trial, v.Line} {
		before := fields{"id": l.ID, "username": l.Username, "updated": 0}
		details(l, all).Is(200).Has(all).Has(before)
		v.Seller.Get(t, api.Path("/lines", l.ID)).Has(all)
		details(l, fields{"notes": nil}).Is(200).Has(api.With(all, fields{"notes": nil}))
		details(l, fields{}).Is(200).Has(api.With(all, fields{"notes": nil}))
		details(l, fields{"external_id": nil, "metadata": fields{}, "email": ""}).Is(200).Has(
			fields{"external_id": nil, "metadata": nil, "email": nil, "telegram": "@anna"})
	}
	details(v.Trial, all).Is(200)
	details(v.Line, fields{"external_id": "crm-1042"}).Refused(409, "external-id-taken")
	v.Seller.Send(t, "POST", "/lines/test", fields{"external_id": "crm-1042"}).Refused(409, "external-id-taken")
	v.Master.Send(t, "POST", "/lines/test", fields{"external_id": "crm-1042", "metadata": map[string]any{"a": "b"}}).Is(
		201).Has(fields{"external_id": "crm-1042", "metadata": map[string]any{"a": "b"}})
	v.Seller.Send(t, "GET", "/lines?external_id=crm-1042", nil).Is(200).Has(fields{"next_cursor": nil})
	for query, want := range map[string]int{"crm-1042": 2, "crm-1042&status=1": 2, "crm-1042&isTrial=0": 0, "crm": 0,
		"CRM-1042": 0, "": 3} {
		expect.Equal(t, len(v.Master.Get(t, "/lines?external_id="+query).List()), want, "%q: lines", query)
	}
	v.Seller.Send(t, "DELETE", api.Path("/lines", v.Trial.ID), nil).Is(200)
	details(v.Line, fields{"external_id": "crm-1042"}).Is(200)
}

// TestDetailsWithANameOrPasswordAreAnEdit of an official line, each without the other and beside other details.
func TestDetailsWithANameOrPasswordAreAnEdit(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	v := api.NewFixture(t, srv.Service)
	change := func(by caller, l api.Line, body fields, headers ...string) api.Answer {
		return by.Send(t, "PATCH", api.Path("/lines", l.ID, "/details"), body, headers...)
	}
	for _, body := range []fields{{"username": v.Trial.Username}, {"password": "5566"},
		{"password": v.Trial.Password, "notes": "known"}} {
		change(v.Seller.Caller, v.Trial, body).Refused(409, "line-is-trial").
			Has(fields{"remedy": map[string]any{"method": "PATCH", "href": api.Path("/lines/active", v.Trial.ID)}})
	}
	change(v.Seller.Caller, v.Line, fields{"username": strings.ToUpper(v.Trial.Username), "notes": "known"}).Refused(409,
		"username-taken")
	v.Unchanged(t)

	v.Admin.Fund(t, v.Seller.ID, 0.5).Is(200)
	v.Line = v.Seller.Official(t)
	name := api.Unique("Renamed")
	both := fields{"username": v.Line.Username, "password": v.Line.Password, "updated": 0}
	change(v.Seller.Caller, v.Line, fields{"notes": "known"}).Is(200).Has(both)
	becomes := func(body fields) {
		t.Helper()
		both = api.With(both, api.With(body, fields{"updated": 1}))
		change(v.Seller.Caller, v.Line, body).Is(200).Has(both)
		v.Seller.Get(t, api.Path("/lines", v.Line.ID)).Has(both)
	}
	becomes(fields{"username": v.Line.Username}) // its own name is free to it, and is an edit all the same
	becomes(fields{"username": name})
	becomes(fields{"password": "5566"})
	becomes(fields{"username": strings.ToUpper(name), "password": "7788", "notes": nil, "whatsapp": nil,
		"external_id": "crm-7", "metadata": map[string]any{"plan": "gold"}})
	same := v.Seller.Get(t, api.Path("/lines", v.Line.ID)).Fields
	// not even the time of its last change
	change(v.Seller.Caller, v.Line, fields{"password": "7788"}).Is(200).Exactly(same)

	// A taken external id is refused beside a name, and leaves the name free.
	other := v.Seller.Trial(t)
	change(v.Seller.Caller, other, fields{"external_id": "crm-8"}).Is(200)
	change(v.Seller.Caller, v.Line, fields{"username": "free-still", "external_id": "crm-8"}).Refused(409,
		"external-id-taken")
	change(v.Seller.Caller, v.Line, fields{"username": "free-still"}).Is(200)

	// A key that sees no passwords sets them, as by an edit, and is shown none.
	key := v.Seller.ByKey(t, fields{"scopes": []string{"lines:write"}})
	change(key, v.Line, fields{"password": "8899"}).Is(200).Has(fields{"password": nil, "updated": 1})
	change(key, v.Line, fields{"username": "not-shown"}).Is(200).Has(fields{"password": nil, "username": "not-shown"})
	v.Seller.Get(t, api.Path("/lines", v.Line.ID)).Has(fields{"password": "8899", "username": "not-shown"})
	change(v.Seller.ByKey(t, fields{"scopes": []string{"lines:read", "lines:spend"}}), v.Line, fields{"password": "9900"}).
		Refused(403, "insufficient-scope")
	change(v.Admin.Reseller(t, "0").Caller, v.Line, fields{"password": "9900"}).Refused(404, "not-found")

	once := change(v.Seller.Caller, v.Line, fields{"password": "once"}, "Idempotency-Key", "details").Is(200)
	change(v.Seller.Caller, v.Line, fields{"password": "again"}).Is(200)
	change(v.Seller.Caller, v.Line, fields{"password": "once"}, "Idempotency-Key", "details").Same(once)
	v.Seller.Get(t, api.Path("/lines", v.Line.ID)).Has(fields{"password": "again"})
	srv.audit(t)
}

// TestContactsWithANameOrPasswordAreAnUpdate: the name keeps the token, and another password ends tokens and sessions.
func TestContactsWithANameOrPasswordAreAnUpdate(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "0")
	r := master.Create(t, fields{"telegram": "@kept", "whatsapp": "1"})
	browser := r.SignIn(t)
	change := func(by caller, body fields, headers ...string) api.Answer {
		return by.Send(t, "PATCH", api.Path("/users", r.ID, "/contact"), body, headers...)
	}
	want := api.With(master.Get(t, api.Path("/users", r.ID)).Fields, fields{"updatedAt": api.ISO})
	name := api.Unique("renamed")
	change(r.Caller, fields{"username": strings.ToUpper(master.Username), "password": "a new password"}).Refused(409,
		"username-taken")
	r.Username = strings.ToUpper(name)
	for _, body := range []fields{{"username": name}, {"username": r.Username}, {"password": r.Password},
		{"username": r.Username, "password": r.Password, "whatsapp": nil}} {
		want = api.With(want, body)
		delete(want, "password") // which no answer shows
		change(r.Caller, body).Is(200).Exactly(want)
		expect.Equal(t, srv.Login(t, r.Username, r.Password), r.Token, "after %v the token", body)
		browser.Get(t, "/users/logged").Exactly(want)
	}

	first := change(master.Caller, fields{"password": "a new password", "notes": "known"}, "Idempotency-Key", "contact").
		Is(200).Exactly(api.With(want, fields{"notes": "known"}))
	r.Send(t, "GET", "/users/logged", nil).Refused(401, "invalid-token")
	browser.Send(t, "GET", "/users/logged", nil).SessionEnded()
	srv.Nobody().Send(t, "POST", "/auth/static-token", credentialsOf(r)).Refused(401, "invalid-credentials")
	r.Password = "a new password"
	r = r.Login(t)
	change(r.Caller, fields{"password": "a third password"}).Is(200)
	change(master.Caller, fields{"password": "a new password", "notes": "known"}, "Idempotency-Key", "contact").Same(first)
	r.Password = "a third password"
	r.Login(t)

	// A block above is in the answer, as without a name.
	srv.Admin(t).Block(t, master.ID).Is(200)
	change(srv.Admin(t), fields{"username": name}).Is(200).Has(fields{"username": name, "active_tree": 0,
		"block_reseller": 0})
	change(srv.Admin(t).Reseller(t, "0").Caller, fields{"password": "a fourth password"}).Refused(404, "not-found")
	srv.audit(t)
}

// TestLimitsOfFields accepts the longest and shortest values, each of which is
// one character away from a refusal in TestInvalidFields.
func TestLimitsOfFields(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	name := api.Unique("é")
	name += strings.Repeat("é", 64-len([]rune(name)))
	text := strings.Repeat("é", 64)
	body := api.NewReseller(fields{
		"username": name, "password": strings.Repeat("é", 128), "credits": "1000000000", "country": text, "whatsapp": text,
		"telegram": text, "notes": strings.Repeat("é", 2000), "language": "zh-Hant-TW",
	})
	a := admin.Send(t, "POST", "/users", body).Is(201).Has(fields{
		"username": name, "credits": "1000000000", "country": text, "whatsapp": text, "telegram": text,
		"notes": body["notes"],
	})
	admin.Server.Login(t, name, strings.Repeat("é", 128))
	admin.Send(t, "POST", "/users", api.NewReseller(fields{"password": "éééééé"})).Is(201)
	// 64 characters
	admin.Send(t, "PATCH", api.Path("/users/credits", a.ID()), `{"credits":1.`+strings.Repeat("0", 62)+`}`).Is(200)
	l := admin.Trial(t)
	admin.Send(t, "PATCH", api.Path("/lines/active", l.ID), api.With(l.Activation(1), fields{"password": "éééé"})).Is(201).
		Has(fields{"password": "éééé"})
}

func TestUnknownPrices(t *testing.T) {
	prices := priceList()
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	at := api.Path("/lines/active", v.Trial.ID)
	for _, text := range []string{"4", "-1", "1e999999999"} {
		for _, credits := range []any{text, json.RawMessage(text)} {
			v.Admin.Send(t, "PATCH", at, v.Trial.Activation(credits)).
				Invalid("unknown-price", map[string]string{"credits": "unknown-price"}).Has(fields{"prices": prices})
		}
	}
	v.Admin.Extend(t, v.Line.ID, 4).Invalid("unknown-price", map[string]string{"credits": "unknown-price"}).Has(
		fields{"prices": prices})
	v.Admin.Send(t, "PATCH", at, api.With(v.Trial.Activation(4), fields{"country": ""})).
		Invalid("validation-failed", map[string]string{"credits": "unknown-price", "country": "required"})
	v.Unchanged(t)
}
