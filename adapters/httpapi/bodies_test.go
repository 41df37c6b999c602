package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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

// badField is a value that a field refuses, and how.
type badField struct {
	name  string
	value any
	code  string
}

func badTexts(name string, longest int, required, lines bool) []badField {
	bad := []badField{
		{name, 5, "wrong-type"},
		{name, true, "wrong-type"},
		{name, fields{}, "wrong-type"},
		{name, []string{"x"}, "wrong-type"},
		{name, strings.Repeat("é", longest+1), "too-long"},
		{name, "a\x00b", "control-character"},
		{name, "a\x7fb", "control-character"},
		{name, "a\u0085b", "control-character"},
		{name, "a\tb", "control-character"},
	}
	if required {
		bad = append(bad, badField{name, nil, "required"}, badField{name, "", "required"}, badField{name, " \n ", "required"})
	}
	if !lines {
		bad = append(bad, badField{name, "a\nb", "control-character"}, badField{name, "a\u202eb", "control-character"},
			badField{name, "a\ufeff", "control-character"})
	}
	return bad
}

func badNames() []badField {
	return []badField{
		{"username", nil, "required"},
		{"username", "", "required"},
		{"username", 5, "wrong-type"},
		{"username", strings.Repeat("é", 65), "too-long"},
		{"username", strings.Repeat("x", 60_000), "too-long"},
		{"username", "a b", "bad-username"},
		{"username", " a", "bad-username"},
		{"username", "a\tb", "bad-username"},
		{"username", "a\x00", "bad-username"},
		{"username", "a\u200bb", "bad-username"},
		{"username", "..", "bad-username"},
	}
}

func badPasswords(shortest int) []badField {
	return []badField{
		{"password", nil, "required"},
		{"password", "", "required"},
		{"password", 123456, "wrong-type"},
		{"password", strings.Repeat("é", shortest-1), "too-short"},
		{"password", strings.Repeat("é", 129), "too-long"},
		{"password", strings.Repeat("x", 60_000), "too-long"},
		{"password", "a password\x07", "bad-password"},
	}
}

// badNumbers are refused as a number of credits wherever one is given: one for each refusal of domain/credit, which
// proves all of them, and what is no number of JSON.
func badNumbers() []badField {
	return append(badNumbersOf("credits"), badField{"credits", nil, "required"})
}

func badNumbersOf(name string) []badField {
	bad := []badField{
		{name, true, "wrong-type"},
		{name, fields{}, "wrong-type"},
		{name, []int{1}, "wrong-type"},
		{name, json.RawMessage("1." + strings.Repeat("0", 63)), "not-a-number"}, // 65 characters
	}
	for _, text := range []string{"abc", " 1", "01", "1,5", "NaN", "null", `"1"`, strings.Repeat("9", 60_000)} {
		bad = append(bad, badField{name, text, "not-a-number"})
	}
	return bad
}

// badAmounts are refused as credits that move.
func badAmounts() []badField {
	return append(badAmountsOf("credits"), badField{"credits", nil, "required"})
}

func badAmountsOf(name string) []badField {
	bad := badNumbersOf(name)
	for text, code := range map[string]string{"-0.0001": "negative", "1e-5": "too-many-decimal-places",
		"1e400000000000000000000": "too-large"} {
		bad = append(bad, badField{name, text, code}, badField{name, json.RawMessage(text), code})
	}
	return bad
}

// badWholeNumbers are refused as a whole number from 0 on, below one.
func badWholeNumbers(name string, below int64) []badField {
	bad := []badField{{name, "1", "wrong-type"}, {name, true, "wrong-type"}, {name, []int{1}, "wrong-type"}}
	for _, text := range []string{fmt.Sprint(below), "-1", "0.5", "1e-1", "1e400", "-1e400", "9223372036854775808",
		strings.Repeat("9", 60_000)} {
		bad = append(bad, badField{name, json.RawMessage(text), "bad-value"})
	}
	return bad
}

// badAddresses are refused as the address of a webhook.
func badAddresses() []badField {
	bad := []badField{{"url", 5, "wrong-type"}, {"url", []string{"https://a.example"}, "wrong-type"}}
	for _, text := range []string{
		"a.example", "/hooks", "//a.example/hooks", "https:a.example", "https://", "https:///hooks", "https://:443/",
		"ftp://a.example",
		"https://a.example:", "https://a.example:0", "https://a.example:65536", "https://a.example:https",
		"https://user@a.example", "https://user:word@a.example",
		"https://a.example/#part", "https://a.example/#", "https://a.example/a b", " https://a.example", "https://é.example",
		"https://a.example/é",
		"https://a.example/\n", "https://a.example/%zz", "https://[::1", "https://a.example/" + strings.Repeat("x", 2048-17),
	} {
		bad = append(bad, badField{"url", text, "bad-url"})
	}
	return bad
}

// badTypes are refused as the types of a webhook.
func badTypes() []badField {
	bad := []badField{{"types", "*", "wrong-type"}, {"types", fields{"0": "*"}, "wrong-type"},
		{"types", []any{"*", 5}, "wrong-type"}, {"types", []any{nil}, "wrong-type"}}
	for _, types := range [][]string{{}, slices.Repeat([]string{"*"}, 51), {"*", ""}, {"line"}, {"line."}, {"line*"},
		{"**"}, {"line.none"}, {"webhook.test"}, {"line.*", "Line.updated"}, {strings.Repeat("x", 60_000)}} {
		bad = append(bad, badField{"types", types, "bad-value"})
	}
	return bad
}

func manyMembers(n int, value string) fields {
	members := fields{}
	for i := range n {
		members[fmt.Sprint("m", i)] = value
	}
	return members
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

// badRights are refused as what a key, or a member of the staff, may.
func badRights() []badField {
	bad := []badField{
		{"role", 5, "wrong-type"}, {"role", "owner", "bad-value"}, {"role", "Cashier", "bad-value"},
		{"role", "", "bad-value"},
		{"spend_limit", "50", "wrong-type"}, {"spend_limit", []string{"50"}, "wrong-type"},
		{"spend_limit", fields{}, "bad-value"},
		{"spend_limit", fields{"credits": "50"}, "bad-value"}, {"spend_limit", fields{"per": "day"}, "bad-value"},
		{"spend_limit", fields{"credits": "50", "per": "week"}, "bad-value"},
		{"spend_limit", fields{"credits": nil, "per": "day"}, "bad-value"},
		{"spend_limit", fields{"credits": true, "per": "day"}, "bad-value"},
		{"spend_limit", fields{"credits": "50", "per": 1}, "bad-value"},
	}
	for text, code := range map[string]string{"0": "not-positive", "-1": "negative", "1e-5": "too-many-decimal-places",
		"many": "not-a-number", "1e10": "too-large"} {
		bad = append(bad, badField{"spend_limit", fields{"credits": text, "per": "day"}, code})
	}
	return bad
}

// badScopes are refused in place of a role.
func badScopes() []badField {
	bad := []badField{{"scopes", "lines:read", "wrong-type"}, {"scopes", []any{1}, "wrong-type"},
		{"scopes", fields{}, "wrong-type"}}
	for _, scopes := range [][]string{{""}, {"lines"}, {"lines:*"}, {"Lines:read"}, {"lines:read", "lines:sell"},
		{"read_only"}} {
		bad = append(bad, badField{"scopes", scopes, "bad-value"})
	}
	return bad
}

// badKeys are refused as the end of a key, or as from where it is good.
func badKeys() []badField {
	bad := []badField{
		{"expires_at", 5, "wrong-type"}, {"expires_at", "tomorrow", "bad-time"},
		{"expires_at", "2030-02-30T00:00:00Z", "bad-time"}, {"expires_at", "", "bad-time"},
		{"expires_at", "0001-01-01T00:00:00Z", "bad-time"},
		{"allowed_addresses", "192.0.2.1", "wrong-type"}, {"allowed_addresses", []any{1}, "wrong-type"},
		{"allowed_addresses", slices.Repeat([]string{"192.0.2.1"}, 51), "bad-value"},
	}
	for _, text := range []string{"", "localhost", "192.0.2", "192.0.2.1/33", "192.0.2.1/", "192.0.2.1:80", "[::1]",
		"fe80::1%eth0", "fe80::1%eth0/64", "0.0.0.0-1.0.0.0", "::/129"} {
		bad = append(bad, badField{"allowed_addresses", []string{"192.0.2.1", text}, "bad-value"})
	}
	return bad
}

func TestInvalidFields(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	optional := slices.Concat(badTexts("whatsapp", 64, false, false), badTexts("telegram", 64, false, false))
	emails := slices.Concat(badTexts("email", 254, false, false)[:4], []badField{
		{"email", "nobody", "bad-email"}, {"email", "a@", "bad-email"}, {"email", "a b@example.com", "bad-email"},
	})
	notes := badTexts("notes", 2000, false, true)
	country := badTexts("country", 64, true, false)
	whatsapp := badTexts("whatsapp", 64, true, false)
	login := []badField{{"username", nil, "required"}, {"username", 5, "wrong-type"}, {"password", nil, "required"},
		{"password", 5, "wrong-type"}}
	code := []badField{{"totp", nil, "required"}, {"totp", "", "required"}, {"totp", 123456, "wrong-type"},
		{"totp", []string{"123456"}, "wrong-type"}}
	cleared := []badField{{"role", nil, "required"}, {"scopes", nil, "required"}}
	addresses, types := badAddresses(), badTypes()
	scopes := []badField{{"scope", 5, "wrong-type"}, {"scope", "all", "bad-value"}, {"scope", "Own", "bad-value"}}
	described := badTexts("description", 2000, false, true)
	reasons := append(badTexts("reason", 500, false, true), badField{"reason", "a\u202eb", "control-character"},
		badField{"reason", "a\u2028b", "control-character"})
	rows := map[string][]badField{
		"setAlerts": append(badAmountsOf("balance_low"), []badField{
			{"balance_low", 0, "not-positive"}, {"balance_low", "0.0000", "not-positive"},
			{"balance_low", json.RawMessage("1e10"), "too-large"},
		}...),
		"setMessages": slices.Concat(
			badTexts("server", 254, false, false), badTexts("apps", 1000, false, true), badTexts("access", 2000, false, true),
			badTexts("reminder", 2000, false, true),
			badTexts("expired", 2000, false, true), badTexts("welcome", 2000, false, true), optional,
		),
		"createWebhook": slices.Concat(addresses, types, scopes, described, []badField{
			{"url", nil, "required"}, {"types", nil, "required"}, {"scope", nil, "required"}, {"scope", "", "required"},
		}),
		"updateWebhook": slices.Concat(addresses, types, scopes, described, []badField{
			{"url", nil, "required"}, {"types", nil, "required"}, {"scope", nil, "required"},
			{"enabled", nil, "required"}, {"enabled", 1, "wrong-type"}, {"enabled", "true", "wrong-type"},
			{"enabled", []bool{true}, "wrong-type"},
		}),
		"rotateWebhook": badWholeNumbers("overlap_hours", 169),
		"replayWebhook": append(badWholeNumbers("after_seq", 1<<53), badField{"after_seq", nil, "required"}),
		"createKey":     slices.Concat(badTexts("name", 64, true, false), badRights(), badKeys()),
		"updateKey":     slices.Concat(badTexts("name", 64, true, false), badRights(), badScopes(), badKeys(), cleared),
		"createStaff":   slices.Concat(badNames(), badPasswords(6), badRights()),
		"updateStaff":   slices.Concat(badNames(), badPasswords(6), badRights(), cleared),
		"blockReseller": slices.Concat(reasons, []badField{
			{"lines", nil, "required"}, {"lines", 5, "wrong-type"}, {"lines", true, "wrong-type"}, {"lines", "", "bad-value"},
			{"lines", "stop", "bad-value"}, {"lines", "Suspend", "bad-value"},
		}),
		"suspendLine": reasons,
		"startBulk": {
			{"action", nil, "required"}, {"action", 5, "wrong-type"}, {"action", "activate", "bad-value"},
			{"action", "Extend", "bad-value"},
			{"select", nil, "required"}, {"select", []int{1}, "wrong-type"}, {"select", fields{}, "bad-value"},
			{"select", fields{"filter": fields{}, "ids": []int{1}}, "bad-value"},
			{"params", "credits", "wrong-type"}, {"dry_run", nil, "required"}, {"dry_run", 1, "wrong-type"},
			{"expect", nil, "required"}, {"expect", 4, "wrong-type"},
		},
		"beginTOTP":   login[2:],
		"confirmTOTP": {{"code", nil, "required"}, {"code", "", "required"}, {"code", 123456, "wrong-type"}},
		"removeTOTP":  append(login[2:], code...),
		"issueToken":  append(login, code[2:]...),
		"signIn":      append(login, code[2:]...),
		"changePassword": slices.Concat(login[2:], []badField{
			{"new_password", nil, "required"}, {"new_password", "short", "too-short"}, {"new_password", 123456, "wrong-type"},
		}),
		"createReseller": slices.Concat(badNames(), badPasswords(6), badAmounts(), country, optional, emails,
			notes, []badField{
				{"is_master", nil, "required"}, {"is_master", "1", "wrong-type"}, {"is_master", true, "wrong-type"},
				{"is_master", 2, "bad-value"}, {"is_master", -1, "bad-value"}, {"is_master", 0.5, "bad-value"},
				{"is_master", json.RawMessage("1e999999999"), "bad-value"},
				{"language", 5, "wrong-type"}, {"language", "not a language", "bad-language"}, {"language", "e", "bad-language"},
			}),
		"updateReseller": slices.Concat(badNames(), badPasswords(6), country, whatsapp, optional[len(optional)/2:],
			emails, notes),
		"addCredits": slices.Concat(badAmounts(), notes, []badField{
			{"credits", 0, "not-positive"}, {"credits", "0.0000", "not-positive"},
			{"credits", json.RawMessage("-0"), "not-positive"},
			{"credits", json.RawMessage("0e999999999"), "not-positive"},
		}),
		"createTrial":  notes,
		"activateLine": slices.Concat(badNames(), badPasswords(4), badNumbers(), country, optional[:len(optional)/2], notes),
		"editLine":     slices.Concat(badNames(), badPasswords(4), country, whatsapp, notes),
		"reclaimCredits": slices.Concat(badAmounts(), notes, []badField{
			{"credits", 0, "not-positive"}, {"credits", "0.0000", "not-positive"},
			{"credits", json.RawMessage("-0"), "not-positive"},
		}),
		"extendLine":    badNumbers(),
		"changeContact": slices.Concat(country, optional, emails, notes, badNames(), badPasswords(6)),
		"describeLine": slices.Concat(country, optional, emails, notes, badNames(), badPasswords(4),
			badTexts("external_id", 64, false, false), []badField{
				{"metadata", "text", "wrong-type"}, {"metadata", []string{"a"}, "wrong-type"},
				{"metadata", fields{"a": 1}, "wrong-type"}, {"metadata", fields{"a": nil}, "wrong-type"},
				{"metadata", fields{"A": "a"}, "bad-metadata-name"}, {"metadata", fields{"": "a"}, "bad-metadata-name"},
				{"metadata", fields{"a": strings.Repeat("x", 501)}, "too-long"},
				{"metadata", fields{"a": "\x00"}, "control-character"},
				{"metadata", manyMembers(21, "v"), "metadata-too-large"},
				{"metadata", manyMembers(9, strings.Repeat("x", 500)), "metadata-too-large"},
			}),
	}
	by := map[api.Right]caller{api.Anybody: v.Admin, api.Account: v.Admin, api.Master: v.Admin,
		api.Browser: v.Admin.Server.SignIn(t, api.AdminName, api.AdminPassword)}
	for _, row := range api.Table() {
		if row.Body == nil || row.ID == "importLines" { // whose rows are refused one by one
			continue
		}
		t.Run(row.ID, func(t *testing.T) {
			op := v.Operation(row.ID)
			expect.Equal(t, rows[row.ID] != nil, true, "it is said which values it refuses")
			for _, bad := range rows[row.ID] {
				by[row.For].Send(t, op.Method, op.Path, api.With(op.Body, fields{bad.name: bad.value})).
					Invalid("validation-failed", map[string]string{bad.name: bad.code})
			}
			missing, shouted := map[string]string{}, fields{}
			if row.ID == "createKey" || row.ID == "createStaff" { // which require a role, or scopes
				missing["role"] = "bad-value"
			}
			if row.ID == "startBulk" { // which is no dry run
				missing["expect"] = "required"
			}
			for _, name := range api.Contract().Route(op.Method, op.Path).
				Operation.RequestBody.Value.Content["application/json"].Schema.Value.Required {
				missing[name] = "required"
			}
			for name, value := range op.Body {
				shouted[strings.ToUpper(name[:1])+name[1:]] = value
			}
			if len(missing) > 0 {
				by[row.For].Send(t, op.Method, op.Path, "{}").Invalid("validation-failed", missing)
				by[row.For].Send(t, op.Method, op.Path, shouted).Invalid("validation-failed", missing)
			}
		})
	}

	v.Admin.Send(t, "POST", "/users", fields{ // all at once
		"username": "a b", "password": "short", "is_master": 2, "credits": "-1", "whatsapp": 5, "telegram": "a\nb",
		"language": "?", "country": " ", "email": "nobody", "notes": strings.Repeat("x", 2001),
	}).Invalid("validation-failed", map[string]string{
		"username": "bad-username", "password": "too-short", "is_master": "bad-value", "credits": "negative",
		"whatsapp": "wrong-type",
		"telegram": "control-character", "language": "bad-language", "country": "required", "email": "bad-email",
		"notes": "too-long",
	})
	v.Unchanged(t)
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
