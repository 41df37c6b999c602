package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// operation is an operation of the contract that acts on a record, with a body
// that it accepts.
type operation struct {
	method, path string
	body         fields // nil: it takes none
}

// village is a master with an account and two lines below it, which refused
// requests are sent at.
type village struct {
	admin  caller
	master account // 100 credits
	seller account // 0 credits
	trial  line
	line   line // official
}

func newVillage(t *testing.T, srv *server) village {
	t.Helper()
	v := village{admin: srv.admin(t)}
	v.master = v.admin.master(t, "100")
	v.seller = v.master.create(t, fields{"telegram": "@seller"})
	v.admin.send(t, "PATCH", path("/users/credits", v.seller.id), fields{"credits": 0.5}).is(200)
	v.line = v.seller.official(t)
	v.trial = v.seller.trial(t)
	return v
}

func (v village) operations() []operation {
	return []operation{
		{"POST", "/users", newReseller(nil)},
		{"PATCH", path("/users", v.seller.id), v.seller.update()},
		{"PATCH", path("/users/credits", v.seller.id), fields{"credits": 1}},
		{"POST", "/lines/test", fields{}},
		{"PATCH", path("/lines/active", v.trial.id), v.trial.activation(1)},
		{"PATCH", path("/lines", v.line.id), v.line.edit()},
		{"POST", path("/users", v.seller.id, "/credits/reclaim"), fields{"credits": 1}},
		{"PATCH", path("/lines/extend", v.line.id), fields{"credits": 0.5}},
		{"PUT", path("/users", v.seller.id, "/block"), nil},
		{"DELETE", path("/users", v.seller.id, "/block"), nil},
		{"DELETE", path("/lines", v.line.id), nil},
	}
}

// reads are the operations on a record that change nothing.
func (v village) reads() []operation {
	return []operation{
		{"GET", path("/users", v.seller.id), nil},
		{"GET", path("/users", v.seller.id, "/ledger"), nil},
		{"GET", path("/lines", v.line.id), nil},
		{"GET", path("/lines/extend-preview", v.line.id, "?credits=0.5"), nil},
	}
}

// unchanged expects that what refused requests were sent at is as it was.
func (v village) unchanged(t *testing.T) {
	t.Helper()
	if got := v.master.balance(t, v.seller.id); got != "100" {
		t.Errorf("the master's balance is %s, want 100", got)
	}
	v.seller.send(t, "PATCH", path("/lines/active", v.trial.id), v.trial.activation(1)).
		refused(402, "insufficient-credits").has(fields{"balance": "0", "required": "1", "shortfall": "1"})
	v.seller.send(t, "PATCH", path("/users", v.seller.id), v.seller.update()).is(200).
		has(fields{"username": v.seller.username, "telegram": "@seller", "notes": nil, "email": nil})
	v.master.get(t, path("/users", v.seller.id)).has(fields{"credits": "0", "block_reseller": 0, "active_tree": 1})
	v.seller.send(t, "PATCH", path("/lines", v.line.id), v.line.edit()).is(200).has(fields{"notes": nil})
}

func TestMalformedBodies(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		at := path("/users/credits", v.seller.id)
		for name, body := range map[string]string{
			"cut short":                        `{"credits":1`,
			"not JSON":                         `credits=1`,
			"trailing data":                    `{"credits":1}x`,
			"two objects":                      `{"credits":1}{"credits":1}`,
			"a trailing comma":                 `{"credits":1,}`,
			"an array":                         `[{"credits":1}]`,
			"a string":                         `"credits"`,
			"a number":                         `1`,
			"null":                             `null`,
			"only spaces":                      " \n ",
			"a byte order mark":                "\ufeff" + `{"credits":1}`,
			"a duplicate name":                 `{"credits":1,"credits":1}`,
			"a duplicate name once unescaped":  `{"credits":1,"\u0063redits":1}`,
			"a duplicate unknown name":         `{"credits":1,"x":1,"x":2}`,
			"a duplicate name in an object":    `{"credits":1,"x":{"a":1,"b":{"c":1,"c":2}}}`,
			"a duplicate name in an array":     `{"credits":1,"x":[[{"a":1,"a":1}]]}`,
			"a duplicate name behind an array": `{"credits":1,"x":[],"y":{},"x":1}`,
			"invalid UTF-8":                    "{\"credits\":1,\"notes\":\"\xff\"}",
			"invalid UTF-8 in a name":          "{\"credits\":1,\"\xc3\":1}",
			"an encoded surrogate":             "{\"credits\":1,\"notes\":\"\xed\xa0\x80\"}",
			"a lone high surrogate":            `{"credits":1,"notes":"\ud800"}`,
			"a lone low surrogate":             `{"credits":1,"notes":"\udc00 "}`,
			"two high surrogates":              `{"credits":1,"notes":"\ud83d\ud83d\ude00"}`,
			"a pair the wrong way round":       `{"credits":1,"notes":"\uDE00\uD83D"}`,
			"a lone surrogate in a name":       `{"credits":1,"\ud800":1}`,
			"a lone surrogate at depth":        `{"credits":1,"x":[{"a":"\uDBFF"}]}`,
			"a number of another grammar":      `{"credits":01}`,
			"NaN":                              `{"credits":NaN}`,
			"arrays without an end":            `{"credits":1,"x":` + strings.Repeat("[", 60_000),
			"objects without an end":           `{"credits":1,"x":` + strings.Repeat(`{"a":`, 10_000),
		} {
			t.Run(name, func(t *testing.T) {
				v.admin.send(t, "PATCH", at, body).refused(400, "malformed-body")
			})
		}
		t.Run("no body where a field is required", func(t *testing.T) {
			for _, op := range v.operations() {
				if len(op.body) > 0 {
					v.admin.send(t, op.method, op.path, nil).refused(400, "malformed-body")
				}
			}
			v.admin.server.nobody().send(t, "POST", "/auth/static-token", nil).refused(400, "malformed-body")
		})
		v.unchanged(t)

		for name, notes := range map[string]string{
			`"\ud83d\ude00"`:          "😀",
			`"\\ud800"`:               `\ud800`,
			`"\\\\ud800\\"`:           `\\ud800\`,
			"\"\\u00e9\\n\\\"x\\\"\"": "é\n\"x\"",
		} {
			t.Run("well formed "+name, func(t *testing.T) {
				l := v.seller.send(t, "POST", "/lines/test", `{"x":[{"a":1},{"a":1}],"notes":`+name+`}`).is(201)
				l.has(fields{"notes": notes})
			})
		}
		t.Run("deep and well formed", func(t *testing.T) {
			deep := `{"notes":"x","x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`
			v.seller.send(t, "POST", "/lines/test", deep).is(201)
		})
	})
}

func TestBodySizes(t *testing.T) {
	const most = 64 << 10
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		v.admin.send(t, "PATCH", path("/users/credits", v.seller.id), fields{"credits": 1}).is(200)
		for _, op := range v.operations() {
			body := fields{}
			maps.Copy(body, op.body)
			if op.method == "POST" && op.path == "/users" {
				body["username"] = unique("big")
			}
			body["padding"] = ""
			bare := len(encode(t, body))
			body["padding"] = strings.Repeat("x", most-bare+1)
			v.admin.send(t, op.method, op.path, body).refused(413, "body-too-large")
			if op.body != nil && op.path != path("/lines/active", v.trial.id) {
				body["padding"] = strings.Repeat("x", most-bare)
				if a := v.admin.send(t, op.method, op.path, body); a.status >= 300 {
					t.Errorf("%s with exactly %d bytes: status %d: %s", a.request, most, a.status, a.body)
				}
			}
		}
		nobody := v.admin.server.nobody()
		nobody.send(t, "POST", "/auth/static-token", bytes.Repeat([]byte(" "), most+1)).refused(413, "body-too-large")
	})
}

func TestMediaTypes(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		operations := v.operations()
		for _, op := range operations {
			if op.body == nil {
				continue
			}
			for _, media := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/json; charset=iso-8859-1", "*/*", "json"} {
				v.admin.send(t, op.method, op.path, op.body, "Content-Type", media).refused(415, "unsupported-media-type")
			}
		}
		v.admin.server.nobody().send(t, "POST", "/auth/static-token", fields{"username": "a", "password": "b"}, "Content-Type", "text/plain").
			refused(415, "unsupported-media-type")
		v.unchanged(t)
		for _, media := range []string{"application/json; charset=utf-8", "Application/JSON", "application/json;charset=\"UTF-8\""} {
			v.admin.send(t, "PATCH", path("/users/credits", v.seller.id), fields{"credits": 1}, "Content-Type", media).is(200)
		}
		v.seller.send(t, "POST", "/lines/test", nil, "Content-Type", "text/plain").is(201) // there is no body
	})
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
		bad = append(bad, badField{name, "a\nb", "control-character"})
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

// badNumbers are refused as a number of credits wherever one is given.
func badNumbers() []badField {
	bad := []badField{
		{"credits", nil, "required"},
		{"credits", true, "wrong-type"},
		{"credits", fields{}, "wrong-type"},
		{"credits", []int{1}, "wrong-type"},
		{"credits", json.RawMessage("1." + strings.Repeat("0", 63)), "not-a-number"}, // 65 characters
	}
	for _, text := range []string{
		"abc", "+1", ".5", "5.", " 1", "1 ", "1\n", "01", "-", "--1", "1e", "1e+", "0x10", "1_000", "1,5", "NaN", "Infinity", "-inf",
		"１", "1e1e1", "1/2", "null", "true", `"1"`, strings.Repeat("1", 65), strings.Repeat("9", 60_000),
	} {
		bad = append(bad, badField{"credits", text, "not-a-number"})
	}
	return bad
}

// badAmounts are refused as credits that move.
func badAmounts() []badField {
	bad := badNumbers()
	for text, code := range map[string]string{
		"-1": "negative", "-0.0001": "negative", "-1e999999999": "negative", "-1e-999999999": "negative",
		"0.00001": "too-many-decimal-places", "1.23456": "too-many-decimal-places", "1e-5": "too-many-decimal-places",
		"1e-999999999": "too-many-decimal-places", "0.1e-400000000000000000000": "too-many-decimal-places",
		"1000000000.0001": "too-large", "1000000001": "too-large", "1e10": "too-large", "1e999999999": "too-large",
		"1e400000000000000000000": "too-large", strings.Repeat("9", 64): "too-large",
	} {
		bad = append(bad, badField{"credits", text, code}, badField{"credits", json.RawMessage(text), code})
	}
	return bad
}

func TestInvalidFields(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		optional := slices.Concat(badTexts("whatsapp", 64, false, false), badTexts("telegram", 64, false, false))
		emails := slices.Concat(badTexts("email", 254, false, false)[:4], []badField{
			{"email", "nobody", "bad-email"}, {"email", "a@", "bad-email"}, {"email", "a b@example.com", "bad-email"},
		})
		notes := badTexts("notes", 2000, false, true)
		country := badTexts("country", 64, true, false)
		whatsapp := badTexts("whatsapp", 64, true, false)
		for _, c := range []struct {
			operation
			bad []badField
		}{
			{v.operations()[0], slices.Concat(badNames(), badPasswords(6), badAmounts(), country, optional, emails, notes, []badField{
				{"is_master", nil, "required"}, {"is_master", "1", "wrong-type"}, {"is_master", true, "wrong-type"},
				{"is_master", 2, "bad-value"}, {"is_master", -1, "bad-value"}, {"is_master", 0.5, "bad-value"},
				{"is_master", json.RawMessage("1e999999999"), "bad-value"},
				{"language", 5, "wrong-type"}, {"language", "not a language", "bad-language"}, {"language", "e", "bad-language"},
			})},
			{v.operations()[1], slices.Concat(badNames(), badPasswords(6), country, whatsapp, optional[len(optional)/2:], emails, notes)},
			{v.operations()[2], slices.Concat(badAmounts(), notes, []badField{
				{"credits", 0, "not-positive"}, {"credits", "0.0000", "not-positive"}, {"credits", json.RawMessage("-0"), "not-positive"},
				{"credits", json.RawMessage("0e999999999"), "not-positive"},
			})},
			{v.operations()[3], notes},
			{v.operations()[4], slices.Concat(badNames(), badPasswords(4), badNumbers(), country, optional[:len(optional)/2], notes)},
			{v.operations()[5], slices.Concat(badNames(), badPasswords(4), country, whatsapp, notes)},
			{v.operations()[6], slices.Concat(badAmounts(), notes, []badField{
				{"credits", 0, "not-positive"}, {"credits", "0.0000", "not-positive"}, {"credits", json.RawMessage("-0"), "not-positive"},
			})},
			{v.operations()[7], badNumbers()},
		} {
			t.Run(c.method+" "+c.path, func(t *testing.T) {
				for _, bad := range c.bad {
					v.admin.send(t, c.method, c.path, with(c.body, fields{bad.name: bad.value})).
						invalid("validation-failed", map[string]string{bad.name: bad.code})
				}
				missing := map[string]string{}
				for name := range c.body {
					if name != "whatsapp" || c.path != path("/lines/active", v.trial.id) {
						missing[name] = "required"
					}
				}
				if len(missing) > 0 {
					v.admin.send(t, c.method, c.path, "{}").invalid("validation-failed", missing)
				}
				shouted := fields{}
				for name, value := range c.body {
					shouted[strings.ToUpper(name[:1])+name[1:]] = value
				}
				if len(missing) > 0 {
					v.admin.send(t, c.method, c.path, shouted).invalid("validation-failed", missing)
				}
			})
		}
		nobody := v.admin.server.nobody()
		nobody.send(t, "POST", "/auth/static-token", "{}").
			invalid("validation-failed", map[string]string{"username": "required", "password": "required"})
		nobody.send(t, "POST", "/auth/static-token", fields{"username": 5, "password": nil}).
			invalid("validation-failed", map[string]string{"username": "wrong-type", "password": "required"})

		t.Run("all at once", func(t *testing.T) {
			v.admin.send(t, "POST", "/users", fields{
				"username": "a b", "password": "short", "is_master": 2, "credits": "-1", "whatsapp": 5, "telegram": "a\nb",
				"language": "?", "country": " ", "email": "nobody", "notes": strings.Repeat("x", 2001),
			}).invalid("validation-failed", map[string]string{
				"username": "bad-username", "password": "too-short", "is_master": "bad-value", "credits": "negative", "whatsapp": "wrong-type",
				"telegram": "control-character", "language": "bad-language", "country": "required", "email": "bad-email", "notes": "too-long",
			})
		})
		v.unchanged(t)
	})
}

// TestLimitsOfFields accepts the longest and shortest values, each of which is
// one character away from a refusal in TestInvalidFields.
func TestLimitsOfFields(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		admin := sharedServer(t, s).admin(t)
		name := unique("é")
		name += strings.Repeat("é", 64-len([]rune(name)))
		text := strings.Repeat("é", 64)
		body := newReseller(fields{
			"username": name, "password": strings.Repeat("é", 128), "credits": "1000000000", "country": text, "whatsapp": text,
			"telegram": text, "notes": strings.Repeat("é", 2000), "language": "zh-Hant-TW",
		})
		a := admin.send(t, "POST", "/users", body).is(201).has(fields{
			"username": name, "credits": "1000000000", "country": text, "whatsapp": text, "telegram": text, "notes": body["notes"],
		})
		admin.server.login(t, name, strings.Repeat("é", 128))
		admin.send(t, "POST", "/users", newReseller(fields{"password": "éééééé"})).is(201)
		admin.send(t, "PATCH", path("/users/credits", a.id()), `{"credits":1.`+strings.Repeat("0", 62)+`}`).is(200) // 64 characters
		l := admin.trial(t)
		admin.send(t, "PATCH", path("/lines/active", l.id), with(l.activation(1), fields{"password": "éééé"})).is(201).has(fields{"password": "éééé"})
	})
}

func TestUnknownPrices(t *testing.T) {
	prices := []any{}
	for _, p := range []struct{ credits, period string }{
		{"0.5", "15 days"}, {"1", "1 month"}, {"2", "2 months"}, {"3", "3 months"}, {"5", "180 days"}, {"10", "360 days"},
	} {
		prices = append(prices, map[string]any{"credits": json.Number(p.credits), "period": p.period})
	}
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		at := path("/lines/active", v.trial.id)
		for _, text := range []string{"4", "0", "-0", "-1", "0.4999", "0.50001", "1.5", "11", "100", "1e999999999", "1e-999999999", "-1e999999999"} {
			for _, credits := range []any{text, json.RawMessage(text)} {
				v.admin.send(t, "PATCH", at, v.trial.activation(credits)).
					invalid("unknown-price", map[string]string{"credits": "unknown-price"}).has(fields{"prices": prices})
			}
		}
		v.admin.send(t, "PATCH", path("/lines/extend", v.line.id), fields{"credits": 4}).
			invalid("unknown-price", map[string]string{"credits": "unknown-price"}).has(fields{"prices": prices})
		v.admin.send(t, "PATCH", at, with(v.trial.activation(4), fields{"country": ""})).
			invalid("validation-failed", map[string]string{"credits": "unknown-price", "country": "required"})
		v.unchanged(t)
	})
}

// TestIDs asks for what no path of an id is. All of it is answered as an id that
// names nothing.
func TestIDs(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		for _, op := range slices.Concat(v.operations(), v.reads()) {
			prefix, own, suffix, found := cutID(op.path)
			if !found {
				continue
			}
			absent := v.admin.send(t, op.method, prefix+"999999999"+suffix, op.body).refused(404, "not-found")
			for _, id := range []string{
				"0", "0" + own, "+" + own, "-" + own, own + ".0", own + "e0", "0x" + own, "%20" + own, own + "%20", own + "%00", "%0A" + own,
				"٣", "１", "99999999999999999999", "9223372036854775808", "9223372036854775807", "null", "undefined", "{id}", "%7Bid%7D",
				"-", "*", ".", "..%2f" + own, strings.Repeat("1", 4000), "test", "active", "credits", own + ";x", own + "'--", own + "&", "%ff",
			} {
				a := v.admin.send(t, op.method, prefix+id+suffix, op.body)
				if strings.Contains(id, "%2f") || id == "." {
					a.is(404)
					continue
				}
				a.refused(404, "not-found")
				if got, want := anonymous(a), anonymous(absent); got != want {
					t.Errorf("%s answers %s, an absent id %s", a.request, got, want)
				}
			}
			for _, tail := range []string{"/", "/1", "//"} {
				bare, query, _ := strings.Cut(op.path, "?")
				v.admin.send(t, op.method, bare+tail+"?"+query, op.body).refused(404, "unknown-route")
			}
		}
		v.unchanged(t)
		// An escaped digit is that digit (RFC 3986, 6.2.2.2).
		escaped := fmt.Sprintf("/lines/%%%02X%s", fmt.Sprint(v.line.id)[0], fmt.Sprint(v.line.id)[1:])
		v.seller.send(t, "PATCH", escaped, v.line.edit()).is(200).has(fields{"id": v.line.id})
	})
}

var pathWithID = regexp.MustCompile(`^(/.*/)(\d+)([/?].*)?$`)

// cutID cuts a path around the id in it.
func cutID(path string) (prefix, id, suffix string, found bool) {
	if m := pathWithID.FindStringSubmatch(path); m != nil {
		return m[1], m[2], m[3], true
	}
	return "", "", "", false
}

// anonymous is a refusal without what differs from request to request.
func anonymous(a answer) string {
	rest := maps.Clone(a.fields)
	delete(rest, "instance")
	delete(rest, "request_id")
	text, _ := json.Marshal(rest)
	return string(text)
}

func TestRoutes(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		nobody, admin := srv.nobody(), srv.admin(t)
		for _, r := range []struct{ method, path, allow string }{
			{"GET", "/auth/static-token", "POST"},
			{"PATCH", "/users", "POST"},
			{"PUT", "/lines/test", "POST"},
			{"PUT", "/lines", "GET"},
			{"PATCH", "/users/1/block", "PUT"},
			{"PATCH", "/users/1/block", "DELETE"},
			{"GET", "/users/1/credits/reclaim", "POST"},
			{"GET", "/lines/extend/1", "PATCH"},
			{"PATCH", "/lines/extend-preview/1", "GET"},
			{"POST", "/users/1/ledger", "GET"},
			{"POST", "/prices", "GET"},
			{"POST", "/ledger/proof", "GET"},
			{"POST", "/users/1", "PATCH"},
			{"POST", "/users/credits/1", "PATCH"},
			{"POST", "/lines/active/1", "PATCH"},
			{"PUT", "/lines/1", "PATCH"},
			{"PUT", "/lines/1", "DELETE"},
			{"POST", "/healthz", "GET"},
			{"POST", "/readyz", "GET"},
			{"DELETE", "/openapi.json", "GET"},
			{"TRACE", "/users", "POST"},
			{"NONSENSE", "/users", "POST"},
		} {
			a := nobody.send(t, r.method, r.path, nil).refused(405, "method-not-allowed")
			if !slices.Contains(strings.Split(a.header.Get("Allow"), ", "), r.allow) {
				t.Errorf("%s: Allow is %q, want %s in it", a.request, a.header.Get("Allow"), r.allow)
			}
		}
		for _, r := range []struct{ method, path string }{
			{"GET", "/"}, {"POST", "/nowhere"}, {"POST", "/users/"}, {"POST", "/Users"}, {"POST", "//users"}, {"GET", "/healthz/"},
			{"POST", "/auth/static-token/"}, {"POST", "/auth"}, {"PATCH", "/lines/active/1/2"}, {"PATCH", "/users/credits/"},
			{"GET", "/users/"}, {"GET", "/users/1/"}, {"GET", "/users/1/ledger/"}, {"GET", "/lines/"}, {"GET", "/prices/"}, {"GET", "/ledger"},
			{"POST", "/users/1/credits"}, {"GET", "/lines/extend-preview/"}, {"PATCH", "/lines/extend/"},
			{"PATCH", "/lines/active/"}, {"PATCH", "/lines/"}, {"POST", "/lines/test/"}, {"POST", "/users%2F"},
		} {
			nobody.send(t, r.method, r.path, nil).refused(404, "unknown-route")
		}
		// A literal of another route stands where the id does.
		for _, r := range []struct{ method, path string }{
			{"PATCH", "/lines/test"}, {"DELETE", "/lines/test"}, {"PATCH", "/lines/active"}, {"DELETE", "/lines/active"}, {"PATCH", "/users/credits"},
			{"GET", "/lines/test"}, {"GET", "/lines/extend"}, {"GET", "/lines/extend-preview"}, {"GET", "/users/credits"}, {"PATCH", "/users/logged"},
			{"GET", "/users/credits/ledger"}, {"GET", "/users/logged/ledger"}, {"PUT", "/users/logged/block"}, {"PUT", "/users//block"}, {"POST", "/users/logged/credits/reclaim"},
		} {
			admin.send(t, r.method, r.path, nil).refused(404, "not-found")
		}
	})
}

// TestInstance asks for paths that a URI reference, which instance is (RFC 9457,
// 3.1.5), can hold escaped only.
func TestInstance(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		nobody := sharedServer(t, s).nobody()
		for _, escaped := range []string{"/no%20where", "/no%0Awhere", "/no%ffwhere", "/no%3Fwhere", "/users%2F"} {
			nobody.send(t, "GET", escaped+"?query=1", nil).refused(404, "unknown-route").has(fields{"instance": escaped})
		}
	})
}

func TestStates(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		v.admin.send(t, "PATCH", path("/lines/active", v.line.id), v.line.activation(1)).refused(409, "line-not-trial")
		v.admin.send(t, "PATCH", path("/lines", v.trial.id), v.trial.edit()).refused(409, "line-is-trial")
		v.admin.send(t, "PATCH", path("/lines/extend", v.trial.id), fields{"credits": 1}).refused(409, "line-is-trial")
		v.admin.send(t, "PATCH", path("/lines/active", v.trial.id), with(v.trial.activation(1), fields{"username": v.line.username})).
			refused(409, "username-taken")
		v.admin.send(t, "PATCH", path("/users", v.seller.id), with(v.seller.update(), fields{"username": v.master.username})).
			refused(409, "username-taken")
		v.admin.send(t, "POST", "/users", newReseller(fields{"username": v.master.username})).refused(409, "username-taken")
		v.unchanged(t)
		v.admin.send(t, "PATCH", path("/users/credits", v.seller.id), fields{"credits": 1}).is(200)
		other := v.seller.official(t)
		v.seller.send(t, "PATCH", path("/lines", other.id), with(other.edit(), fields{"username": v.line.username})).refused(409, "username-taken")
	})
}

func TestTreeDepth(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		admin := sharedServer(t, s).admin(t)
		at := admin.master(t, "10")
		for depth := 2; depth <= 8; depth++ {
			at = at.master(t, "1")
		}
		at.send(t, "POST", "/users", newReseller(nil)).refused(409, "tree-too-deep")
		at.send(t, "POST", "/users", newReseller(fields{"credits": "5"})).refused(409, "tree-too-deep")
		at.trial(t)
	})
}

// TestPrecedence sends requests that two rules refuse: the first answers.
func TestPrecedence(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		v := newVillage(t, srv)
		nobody := srv.nobody()
		stranger := srv.admin(t).master(t, "0")
		revoked := srv.admin(t).master(t, "0")
		recorded := revoked.trial(t)
		revoked.send(t, "DELETE", path("/lines", recorded.id), nil, "Idempotency-Key", "deleted").is(200)
		revoked.send(t, "PATCH", path("/users", revoked.id), with(revoked.update(), fields{"password": "another password"})).is(200)
		renewed := account{caller: caller{srv, srv.login(t, revoked.username, "another password")}, id: revoked.id}
		big := strings.Repeat("x", 64<<10+1)
		funding := path("/users/credits", v.seller.id)
		activating := path("/lines/active", v.trial.id)
		for _, c := range []struct {
			name   string
			got    answer
			status int
			code   string
		}{
			{"route before token", nobody.send(t, "POST", "/nowhere", nil), 404, "unknown-route"},
			{"method before token", nobody.send(t, "PUT", "/users", nil), 405, "method-not-allowed"},
			{"token before id", nobody.send(t, "PATCH", "/users/x", v.seller.update()), 401, "missing-token"},
			{"token before body", nobody.send(t, "PATCH", funding, big), 401, "missing-token"},
			{"bad token before id", caller{srv, "x"}.send(t, "PATCH", "/users/x", v.seller.update()), 401, "invalid-token"},
			{"id before size", v.admin.send(t, "PATCH", "/users/credits/x", big), 404, "not-found"},
			{"id before media type", v.admin.send(t, "PATCH", "/users/credits/x", "{}", "Content-Type", "text/plain"), 404, "not-found"},
			{"id before fields", v.admin.send(t, "PATCH", "/users/credits/x", "{}"), 404, "not-found"},
			{"size before media type", v.admin.send(t, "PATCH", funding, big, "Content-Type", "text/plain"), 413, "body-too-large"},
			{"media type before syntax", v.admin.send(t, "PATCH", funding, "{", "Content-Type", "text/plain"), 415, "unsupported-media-type"},
			{"syntax before fields", v.admin.send(t, "PATCH", funding, `{"credits":-1,"credits":-1}`), 400, "malformed-body"},
			{"key before fields", v.admin.send(t, "PATCH", funding, `{"credits":-1}`, "Idempotency-Key", "a b"), 400, "bad-idempotency-key"},
			{"fields before a revoked token", revoked.send(t, "PATCH", funding, `{"credits":-1}`), 422, "validation-failed"},
			{"fields before sight", stranger.send(t, "PATCH", funding, `{"credits":-1}`), 422, "validation-failed"},
			{"fields before right", v.seller.send(t, "POST", "/users", "{}"), 422, "validation-failed"},
			{"price before sight", stranger.send(t, "PATCH", activating, v.trial.activation(4)), 422, "unknown-price"},
			{"price before state", v.seller.send(t, "PATCH", path("/lines/active", v.line.id), v.line.activation(4)), 422, "unknown-price"},
			{"a revoked token before replay", revoked.send(t, "DELETE", path("/lines", recorded.id), nil, "Idempotency-Key", "deleted"), 401, "invalid-token"},
			{"a revoked token before sight", revoked.send(t, "PATCH", funding, `{"credits":1}`), 401, "invalid-token"},
			{"a used key before sight", renewed.send(t, "DELETE", path("/lines", recorded.id+1_000_000), nil, "Idempotency-Key", "deleted"), 422, "idempotency-key-reused"},
			{"sight before right", v.seller.send(t, "PATCH", path("/users/credits", stranger.id), `{"credits":1}`), 404, "not-found"},
			{"sight before state", stranger.send(t, "PATCH", path("/lines/active", v.line.id), v.line.activation(1)), 404, "not-found"},
			{"sight before names", stranger.send(t, "PATCH", path("/users", v.seller.id), with(v.seller.update(), fields{"username": v.master.username})), 404, "not-found"},
			{"right before names", v.seller.send(t, "POST", "/users", newReseller(fields{"username": v.master.username})), 403, "not-allowed"},
			{"right before balance", v.seller.send(t, "POST", "/users", newReseller(fields{"credits": "1000"})), 403, "not-allowed"},
			{"right before balance, itself", v.master.send(t, "PATCH", path("/users/credits", v.master.id), `{"credits":1000}`), 403, "not-allowed"},
			{"state before names", v.seller.send(t, "PATCH", path("/lines/active", v.line.id), with(v.line.activation(1), fields{"username": v.line.username})), 409, "line-not-trial"},
			{"state before balance", v.seller.send(t, "PATCH", path("/lines/active", v.line.id), v.line.activation(10)), 409, "line-not-trial"},
			{"names before balance", v.seller.send(t, "PATCH", activating, with(v.trial.activation(10), fields{"username": v.line.username})), 409, "username-taken"},
			{"names before balance, accounts", v.master.send(t, "POST", "/users", newReseller(fields{"username": v.seller.username, "credits": "1000"})), 409, "username-taken"},
		} {
			t.Run(c.name, func(t *testing.T) {
				c.got.t = t
				c.got.refused(c.status, c.code)
			})
		}
		renewed.send(t, "DELETE", path("/lines", recorded.id), nil, "Idempotency-Key", "deleted").is(200).replayed(true) // replay before sight
		v.unchanged(t)
	})
}
