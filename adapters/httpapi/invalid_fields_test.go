package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"resellerd/test/api"
)

// badField is a value that a field refuses, and how.
type badField struct {
	name  string
	value any
	code  string
}

func bad(name, code string, values ...any) (all []badField) {
	for _, value := range values {
		all = append(all, badField{name, value, code})
	}
	return all
}

// plainTexts are the fields with a text that is only shown: how many characters it may have, where the document has no
// number of them.
var plainTexts = map[string]uint64{"whatsapp": 64, "telegram": 64, "country": 64, "name": 64, "external_id": 64,
	"notes": 2000, "description": 2000, "reason": 500, "server": 0, "apps": 0, "access": 0, "reminder": 0, "expired": 0,
	"welcome": 0}

// severalLines are those that may have line feeds, and format characters.
var severalLines = []string{"notes", "description", "reason", "apps", "access", "reminder", "expired", "welcome"}

// proofs are the fields by which a client proves who asks: any text may be one, unless it is to be stored.
var proofs = []string{"username", "password", "totp", "code"}

// absentAsNull are the fields that may be null where the document does not say so, since they depend on one another.
var absentAsNull = []string{"createKey role", "createKey scopes", "createStaff role", "createStaff scopes",
	"startBulk params"}

// alsoRefused are more values that a field of a name refuses, whatever operation takes it, by code: what neither the
// document says nor plainTexts.
var alsoRefused = map[string]map[string][]any{
	"username": {
		"required": {""}, "too-long": {strings.Repeat("é", 65)},
		"bad-username": {"a b", " a", "a\tb", "a\x00", "a\u200bb", ".."},
	},
	"email":    {"bad-email": {"nobody", "a@", "a b@example.com"}},
	"language": {"bad-language": {"not a language", "e"}},
	"reason":   {"control-character": {"a\u202eb", "a\u2028b"}},
	"url":      {"bad-url": {"/hooks", "ftp://a.example", "https://a.example:65536", "https://user@a.example"}},
	"types": {
		"wrong-type": {"*", []any{"*", 5}},
		"bad-value":  {[]string{}, slices.Repeat([]string{"*"}, 51), []string{"line*"}, []string{"webhook.test"}},
	},
	"scopes": {"wrong-type": {"lines:read"}, "bad-value": {[]string{"lines"}, []string{"lines:read", "read_only"}}},
	"spend_limit": {
		"bad-value": {fields{}, fields{"credits": "50"}, fields{"credits": "50", "per": "week"},
			fields{"credits": nil, "per": "day"}, fields{"credits": "50", "per": 1}},
		"not-positive": {fields{"credits": "0", "per": "day"}},
		"not-a-number": {fields{"credits": "many", "per": "day"}},
	},
	"expires_at": {"bad-time": {"tomorrow", "0001-01-01T00:00:00Z", ""}},
	"allowed_addresses": {"wrong-type": {"192.0.2.1"}, "bad-value": {slices.Repeat([]string{"192.0.2.1"}, 51),
		[]string{"192.0.2.1", "localhost"}, []string{"192.0.2.1/33"}, []string{"fe80::1%eth0"}}},
	"select":      {"bad-value": {fields{}, fields{"filter": fields{}, "ids": []int{1}}}},
	"balance_low": {"not-positive": {0, "0.0000"}, "too-large": {json.RawMessage("1e10")}},
	"metadata": {
		"bad-metadata-name":  {fields{"A": "a"}, fields{"": "a"}},
		"control-character":  {fields{"a": "\x00"}},
		"metadata-too-large": {manyMembers(21)},
	},
}

func manyMembers(n int) fields {
	members := fields{}
	for i := range n {
		members[fmt.Sprint("m", i)] = "v"
	}
	return members
}

// badNumbers are refused as a number of credits wherever one is given: one for each refusal of domain/credit, which
// proves all of them, and what is no number of JSON.
func badNumbers(name string) []badField {
	all := bad(name, "wrong-type", true, fields{}, []int{1})
	all = append(all, bad(name, "not-a-number", json.RawMessage("1."+strings.Repeat("0", 63)), // 65 characters
		"abc", " 1", "1,5", "null")...)
	return all
}

// badAmounts are refused as credits that move.
func badAmounts(name string) []badField {
	all := badNumbers(name)
	for text, code := range map[string]string{"-0.0001": "negative", "1e-5": "too-many-decimal-places",
		"1e400000000000000000000": "too-large"} {
		all = append(all, bad(name, code, text, json.RawMessage(text))...)
	}
	return all
}

// valuesOf returns values that a field of an operation's body refuses. Most follow from the document.
func valuesOf(t *testing.T, row api.Row, body *openapi3.Schema, name string) (all []badField) {
	t.Helper()
	s := body.Properties[name].Value
	more := func(code string, values ...any) { all = append(all, bad(name, code, values...)...) }
	ofLine := row.Of == api.ATrial || row.Of == api.AnOfficialLine
	longest, shown := plainTexts[name]
	if s.MaxLength != nil {
		longest = *s.MaxLength
	}
	if !s.Nullable && !slices.Contains(absentAsNull, row.ID+" "+name) {
		more("required", nil)
	}
	switch {
	case name == "credits" && ofLine: // a price
		return append(all, badNumbers(name)...)
	case name == "credits" || name == "balance_low":
		if all = append(all, badAmounts(name)...); row.Of == api.AnAccount {
			more("not-positive", 0, "0.0000", json.RawMessage("-0"), json.RawMessage("0e999999999"))
		}
	case s.Type.Is("string"):
		more("wrong-type", 5, true, fields{}, []string{"x"})
		switch {
		case shown:
			more("too-long", strings.Repeat("é", int(longest)+1))
			more("control-character", "a\x00b", "a\x7fb", "a\u0085b", "a\tb")
			if !slices.Contains(severalLines, name) {
				more("control-character", "a\nb", "a\u202eb", "a\ufeff")
			}
			if !s.Nullable {
				more("required", "", " \n ")
			}
		case len(s.Enum) > 0:
			first, _ := s.Enum[0].(string)
			more("bad-value", "no such", strings.ToUpper(first[:1])+first[1:])
			more(map[bool]string{true: "required", false: "bad-value"}[slices.Contains(body.Required, name)], "")
		case slices.Contains(proofs, name) && s.MinLength == 0:
			if !s.Nullable {
				more("required", "")
			}
			return all
		case strings.HasSuffix(name, "password"):
			shortest := 6
			if ofLine {
				shortest = 4
			}
			more("required", "")
			more("too-short", strings.Repeat("é", shortest-1))
			more("too-long", strings.Repeat("é", 129))
			more("bad-password", "a password\x07")
		case alsoRefused[name] == nil && longest > 0:
			more("too-long", strings.Repeat("é", int(longest)+1))
		case alsoRefused[name] == nil:
			t.Errorf("nothing says how long %s may be: neither the document nor the tables of this test", name)
		}
	case s.Type.Is("integer"):
		more("wrong-type", "1", true, []int{1})
		for _, number := range []string{fmt.Sprintf("%.0f", *s.Max+1), "-1", "0.5", "1e999999999",
			"9223372036854775808"} {
			more("bad-value", json.RawMessage(number))
		}
	case s.Type.Is("boolean"):
		more("wrong-type", 1, "true", []bool{true})
	case s.Type.Is("array"):
		more("wrong-type", "x", fields{"0": "x"}, []any{1})
	case s.Type.Is("object"):
		more("wrong-type", "50", 4, []int{1}, []string{"50"})
		if of := s.AdditionalProperties.Schema; of != nil {
			more("wrong-type", fields{"a": 1}, fields{"a": nil})
			more("too-long", fields{"a": strings.Repeat("x", int(*of.Value.MaxLength)+1)})
		}
	default:
		t.Errorf("this test knows no values of the type of %s", name)
	}
	for code, values := range alsoRefused[name] {
		more(code, values...)
	}
	return all
}

// TestInvalidFields has each operation refuse what each field of its body may not be.
func TestInvalidFields(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	by := map[api.Right]caller{api.Anybody: v.Admin, api.Account: v.Admin, api.Master: v.Admin,
		api.Browser: v.Admin.Server.SignIn(t, api.AdminName, api.AdminPassword)}
	for _, row := range api.Table() {
		if row.Body == nil || row.ID == "importLines" { // whose rows are refused one by one
			continue
		}
		t.Run(row.ID, func(t *testing.T) {
			op := v.Operation(row.ID)
			schema := api.Contract().Route(row.Method, row.Path).
				Operation.RequestBody.Value.Content["application/json"].Schema.Value
			for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
				for _, b := range valuesOf(t, row, schema, name) {
					body := api.With(op.Body, fields{name: b.value})
					if name == "scopes" { // which are given in place of a role
						delete(body, "role")
					}
					by[row.For].Send(t, op.Method, op.Path, body).
						Invalid("validation-failed", map[string]string{name: b.code})
				}
			}
			missing, shouted := map[string]string{}, fields{}
			if row.ID == "createKey" || row.ID == "createStaff" { // which require a role, or scopes
				missing["role"] = "bad-value"
			}
			if row.ID == "startBulk" { // which is no dry run
				missing["expect"] = "required"
			}
			for _, name := range schema.Required {
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
	// The longest values, and the shortest, are each a character away from a refusal.
	text, name := strings.Repeat("é", 64), api.Unique("é")
	longest := fields{"username": name + text[:2*(64-len([]rune(name)))], "password": text + text, "country": text,
		"whatsapp": text, "notes": strings.Repeat("é", 2000), "credits": "1000000000"}
	v.Admin.Send(t, "POST", "/users", api.NewReseller(longest)).Is(201)
	v.Admin.Send(t, "POST", "/users", api.NewReseller(fields{"password": "éééééé"})).Is(201)
}
