package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestContractCheckCanFail takes an example of the document for an answer and shows that each way to break it is found.
func TestContractCheckCanFail(t *testing.T) {
	var reseller Fields
	example := Contract().Paths.Value("/users").Post.Responses.Value("201").Value.Content["application/json"].Example
	text, err := json.Marshal(example)
	if err == nil {
		err = json.Unmarshal(text, &reseller)
	}
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, "http://localhost/users", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	good := map[string]bool{} // by likeness
	violation := func(status int, request *http.Request, sent, body Fields, headers ...string) error {
		a := Answer{T: t, Status: status, Header: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"x"}}, Body: Encode(t, body)}
		for _, name := range headers {
			a.Header.Del(name)
		}
		decoder := json.NewDecoder(bytes.NewReader(a.Body))
		decoder.UseNumber()
		if err := decoder.Decode(&a.Fields); err != nil {
			t.Fatal(err)
		}
		err := Contract().Violation(request, "/users", Encode(t, sent), a)
		alike := Contract().likeness(request, "/users", Encode(t, sent), a)
		if err == nil {
			good[alike] = true
		} else if good[alike] && len(headers) == 0 { // that there is a request id is asked of each answer
			t.Errorf("it would be taken for good: %v", err)
		}
		return err
	}
	if err := violation(201, request, NewReseller(nil), reseller); err != nil {
		t.Errorf("the example of the document: %v", err)
	}
	for name, change := range map[string]Fields{
		"an unknown field":          {"secret": 1},
		"a number for a string":     {"credits": 100},
		"a string for a number":     {"id": "2"},
		"null for a string":         {"country": nil},
		"a token":                   {"token": "x"},
		"a form that is not exact":  {"credits": "1.50"},
		"a time without its millis": {"createdAt": "2026-01-31T09:30:00Z"},
	} {
		if violation(201, request, NewReseller(nil), With(reseller, change)) == nil {
			t.Errorf("%s in an answer is not found", name)
		}
	}
	for name := range reseller {
		missing := With(reseller, nil)
		delete(missing, name)
		if violation(201, request, NewReseller(nil), missing) == nil {
			t.Errorf("a missing %s in an answer is not found", name)
		}
	}
	if violation(201, request, Fields{"username": 5}, reseller) == nil {
		t.Error("a request that succeeds against the document is not found")
	}
	if violation(404, request, NewReseller(nil), reseller) == nil {
		t.Error("a status that the document does not have is not found")
	}
	if violation(201, request, NewReseller(nil), reseller, "X-Request-Id") == nil {
		t.Error("a missing header is not found")
	}
}

// TestSchemasCanFail takes the examples of records that are only read, and shows that each way to break them is found.
func TestSchemasCanFail(t *testing.T) {
	example := func(method, path, list string) Fields {
		t.Helper()
		text, err := json.Marshal(Contract().Paths.Value(path).GetOperation(method).Responses.Value("200").Value.Content["application/json"].Example)
		var record Fields
		if err == nil {
			err = json.Unmarshal(text, &record)
		}
		if err != nil {
			t.Fatal(err)
		}
		if list == "" {
			return record
		}
		return record[list].([]any)[0].(map[string]any)
	}
	for _, c := range []struct {
		schema  string
		example Fields
		broken  []Fields
	}{
		{"Account", example("GET", "/users/{id}", ""), []Fields{
			{"password": "x"}, {"token": "x"}, {"credits": 5}, {"credits": "-1"}, {"master": 0}, {"is_admin": 1}, {"is_master": true},
			{"recharge": "1/31/2026, 9:30:00 AM"}, {"status": 0}, {"secret": 1},
		}},
		{"Line", example("GET", "/lines/{id}", ""), []Fields{{"code": "201"}, {"isTrial": 1}, {"idPlatform": nil}, {"password": nil}, {"status": true}}},
		{"ListedLine", example("GET", "/lines", "data"), []Fields{{"password": "x"}, {"isTrial": 1}, {"idPlatform": nil}, {"notes": ""}}},
		{"Entry", example("GET", "/users/{id}/ledger", "data"), []Fields{
			{"amount": "1"}, {"amount": "-0"}, {"amount": "-1.0"}, {"amount": -1}, {"kind": "opening"}, {"kind": "gift"}, {"line": nil}, {"balance": "-1"},
			{"counterparty": "issuance"}, {"counterparty": 7}, {"seq": 0}, {"actor": 0}, {"at": "2026-01-31"}, {"request_id": ""}, {"notes": "x"},
		}},
		{"Proof", example("GET", "/ledger/proof", ""), []Fields{{"issued": 1}, {"balanced": 1}, {"movements": "2"}, {"consumed": "-1"}}},
		{"ExtensionPreview", example("GET", "/lines/extend-preview/{id}", ""), []Fields{{"credits": "2"}, {"credits": 0}, {"from": nil}, {"password": "x"}}},
		{"LineList", example("GET", "/lines", ""), []Fields{{"next_cursor": ""}, {"next_cursor": 5}, {"data": nil}, {"data": Fields{}}, {"total": 1}}},
	} {
		schema := Contract().Components.Schemas[c.schema].Value
		broken := func(record Fields) bool {
			t.Helper()
			var plain any
			if err := json.Unmarshal(Encode(t, record), &plain); err != nil {
				t.Fatal(err)
			}
			return schema.VisitJSON(plain, openapi3.EnableJSONSchema2020()) != nil
		}
		if broken(c.example) {
			t.Errorf("%s: the example of the document breaks it", c.schema)
		}
		for _, change := range c.broken {
			if !broken(With(c.example, change)) {
				t.Errorf("%s: %v is not found", c.schema, change)
			}
		}
		for name := range c.example {
			missing := With(c.example, nil)
			if delete(missing, name); !broken(missing) {
				t.Errorf("%s: a missing %s is not found", c.schema, name)
			}
		}
	}

	conflict := func(code string, remedy any) bool {
		problem := Fields{"type": "urn:resellerd:problem:" + code, "title": "x", "status": 409, "detail": "x", "instance": "/", "code": code, "request_id": "x"}
		if remedy != nil {
			problem["remedy"] = remedy
		}
		var plain any
		if err := json.Unmarshal(Encode(t, problem), &plain); err != nil {
			t.Fatal(err)
		}
		schema := Contract().Components.Responses["Conflict"].Value.Content["application/problem+json"].Schema.Value
		return schema.VisitJSON(plain, openapi3.EnableJSONSchema2020()) != nil
	}
	remedy := Fields{"method": "PATCH", "href": "/lines/extend/7"}
	for _, c := range []struct {
		code   string
		remedy any
		broken bool
	}{
		{"line-not-trial", remedy, false},
		{"line-not-trial", nil, true},
		{"line-is-trial", With(remedy, Fields{"href": "/lines/delete/7"}), true},
		{"line-is-trial", With(remedy, Fields{"method": "GET"}), true},
		{"period-too-long", nil, false},
		{"period-too-long", remedy, true},
		{"not-found", nil, true},
	} {
		if conflict(c.code, c.remedy) != c.broken {
			t.Errorf("%s with the remedy %v: want it found broken %t", c.code, c.remedy, c.broken)
		}
	}
}
