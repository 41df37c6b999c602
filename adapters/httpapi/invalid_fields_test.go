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

// badField is a value that a field refuses, with its code.
type badField struct {
	value any
	code  string
}

// plainTexts are the fields with a text that is only shown: their maximum number of characters, for fields without one
// in the document.
var plainTexts = map[string]uint64{"whatsapp": 64, "telegram": 64, "country": 64, "name": 64, "external_id": 64,
	"notes": 2000, "description": 2000, "reason": 500, "note": 2000, "server": 0, "apps": 0, "access": 0,
	"reminder": 0, "expired": 0, "welcome": 0}

// proofs are the fields with a password or a code that proves the caller's identity: any text is accepted, unless it is
// stored.
var proofs = []string{"username", "password", "totp", "code"}

// absentAsNull are the fields that may be null although the document does not permit it, since they depend on one
// another.
var absentAsNull = []string{"createKey role", "createKey scopes", "createStaff role", "createStaff scopes",
	"startBulk params"}

// alsoRefused are more values that a field with this name refuses in every operation: one for each refusal that neither
// the document nor plainTexts has. Tests of the domain have the others.
var alsoRefused = map[string][]badField{
	"username":    {{"", "required"}, {strings.Repeat("é", 65), "too-long"}, {"a b", "bad-username"}},
	"email":       {{"nobody", "bad-email"}},
	"language":    {{"not a language", "bad-language"}},
	"url":         {{"ftp://a.example", "bad-url"}},
	"types":       {{"*", "wrong-type"}, {[]any{"*", 5}, "wrong-type"}, {[]string{"line*"}, "bad-value"}},
	"scopes":      {{"lines:read", "wrong-type"}, {[]string{"lines"}, "bad-value"}},
	"spend_limit": {{fields{"credits": "50"}, "bad-value"}, {fields{"credits": "0", "per": "day"}, "not-positive"}},
	"expires_at":  {{"tomorrow", "bad-time"}, {"0001-01-01T00:00:00Z", "bad-time"}},
	"allowed_addresses": {{"192.0.2.1", "wrong-type"}, {[]string{"192.0.2.1", "localhost"}, "bad-value"},
		{slices.Repeat([]string{"192.0.2.1"}, 51), "bad-value"}},
	"select":       {{fields{}, "bad-value"}, {fields{"filter": fields{}, "ids": []int{1}}, "bad-value"}},
	"balance_low":  {{0, "not-positive"}, {json.RawMessage("1e10"), "too-large"}},
	"effective_at": {{"tomorrow", "bad-time"}, {"0001-01-01T00:00:00Z", "bad-time"}},
	"rows":         {{[]any{}, "bad-rows"}, {slices.Repeat([]fields{{"plan": 1, "credits": 1}}, 51), "bad-rows"}},
	"packages":     {{[]string{}, "bad-packages"}, {[]string{"A"}, "bad-packages"}},
	"metadata":     {{fields{"A": "a"}, "bad-metadata-name"}, {fields{"a": "\x00"}, "control-character"}},
}

// valuesOf returns values that a field of an operation's body refuses. Most follow from the document.
func valuesOf(t *testing.T, row api.Row, body *openapi3.Schema, name string) (all []badField) {
	t.Helper()
	s := body.Properties[name].Value
	more := func(code string, values ...any) {
		for _, value := range values {
			all = append(all, badField{value, code})
		}
	}
	ofLine := row.Of == api.ATrial || row.Of == api.AnOfficialLine
	longest, shown := plainTexts[name]
	if s.MaxLength != nil {
		longest = *s.MaxLength
	}
	if !s.Nullable && !slices.Contains(absentAsNull, row.ID+" "+name) {
		more("required", nil)
	}
	switch {
	case name == "credits" || name == "balance_low" || name == "expected_credits":
		more("wrong-type", true, []int{1})
		more("not-a-number", "1,5")
		if !ofLine { // where they are a price
			more("negative", "-0.0001")
			more("too-many-decimal-places", json.RawMessage("1e-5"))
		}
		if row.Of == api.AnAccount {
			more("not-positive", json.RawMessage("-0"))
		}
	case s.Type.Is("string"):
		more("wrong-type", 5, fields{})
		switch {
		case shown:
			more("too-long", strings.Repeat("é", int(longest)+1))
			more("control-character", "a\x00b")
			if !s.Nullable {
				more("required", " \n ")
			}
		case len(s.Enum) > 0:
			more("bad-value", "no such")
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
		case alsoRefused[name] == nil && longest > 0:
			more("too-long", strings.Repeat("é", int(longest)+1))
		case alsoRefused[name] == nil:
			t.Errorf("nothing says how long %s may be: neither the document nor the tables of this test", name)
		}
	case s.Type.Is("integer"):
		more("wrong-type", "1")
		more("bad-value", json.RawMessage(fmt.Sprintf("%.0f", *s.Max+1)), -1, 0.5)
	case s.Type.Is("boolean"):
		more("wrong-type", "true")
	case s.Type.Is("array"):
		more("wrong-type", fields{"0": "x"}, []any{1})
	case s.Type.Is("object"):
		more("wrong-type", "50", []int{1})
		if of := s.AdditionalProperties.Schema; of != nil {
			more("wrong-type", fields{"a": nil})
			more("too-long", fields{"a": strings.Repeat("x", int(*of.Value.MaxLength)+1)})
		}
	default:
		t.Errorf("this test knows no values of the type of %s", name)
	}
	return append(all, alsoRefused[name]...)
}

// TestInvalidFields sends the invalid values of each field to each operation.
func TestInvalidFields(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	by := map[api.Right]caller{api.Anybody: v.Admin, api.Account: v.Admin, api.Master: v.Admin, api.Operator: v.Admin,
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
					if name == "scopes" { // a request has these or a role
						delete(body, "role")
					}
					by[row.For].Send(t, op.Method, op.Path, body).
						Invalid("validation-failed", map[string]string{name: b.code})
				}
			}
			missing := map[string]string{}
			if row.ID == "createKey" || row.ID == "createStaff" { // which require a role, or scopes
				missing["role"] = "bad-value"
			}
			if row.ID == "startBulk" { // which is no dry run
				missing["expect"] = "required"
			}
			if row.ID == "activateLine" || row.ID == "extendLine" { // which require credits, or a plan
				missing["credits"] = "required"
			}
			if row.ID == "changePlan" { // which requires them unless it is a dry run
				missing["expected_credits"] = "required"
			}
			for _, name := range schema.Required {
				missing[name] = "required"
			}
			if len(missing) > 0 {
				by[row.For].Send(t, op.Method, op.Path, "{}").Invalid("validation-failed", missing)
			}
		})
	}
	v.Unchanged(t)
	// The longest and the shortest values are one character away from a refusal.
	text, name := strings.Repeat("é", 64), api.Unique("é")
	longest := fields{"username": name + text[:2*(64-len([]rune(name)))], "password": text + text, "country": text,
		"whatsapp": text, "notes": strings.Repeat("é", 2000), "credits": "1000000000"}
	v.Admin.Send(t, "POST", "/users", api.NewReseller(longest)).Is(201)
	v.Admin.Send(t, "POST", "/users", api.NewReseller(fields{"password": "éééééé"})).Is(201)
}
