package acceptance

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestDocumentIsServed compares what the program serves with the file that every
// exchange is held against.
func TestDocumentIsServed(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		a := sharedServer(t, s).nobody().send(t, "GET", "/openapi.json", nil).is(200)
		var served, file any
		for _, text := range []struct {
			of   []byte
			into *any
		}{{a.body, &served}, {contract.text, &file}} {
			if err := json.Unmarshal(text.of, text.into); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(served, file) {
			t.Error("the served document is another than openapi.json")
		}
	})
}

// TestRoutesAreTheDocuments asks every path of the document with every method:
// the program has those that the document has, and no others.
func TestRoutesAreTheDocuments(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		nobody := sharedServer(t, s).nobody()
		methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
		for template := range contract.Paths.Map() {
			path := strings.ReplaceAll(template, "{id}", "1")
			for _, method := range methods {
				a := nobody.send(t, method, path, nil)
				refused := a.status == http.StatusMethodNotAllowed || a.fields["code"] == "unknown-route"
				if documented := contract.route(method, path) != nil; documented == refused {
					t.Errorf("%s: status %d; in the document: %t", a.request, a.status, documented)
				}
			}
		}
		for _, path := range []string{
			"/docs", "/metrics", "/debug/pprof/", "/openapi.yaml", "/auth", "/admin", "/index.html", "/ledger", "/ledger/1", "/users/1/credits",
			"/users/1/lines", "/lines/1/ledger", "/users/logged/block/1",
		} {
			for _, method := range methods {
				nobody.send(t, method, path, nil).refused(404, "unknown-route")
			}
		}
	})
}

// TestContractCheckCanFail takes an example of the document for an answer and shows
// that each way to break it is found.
func TestContractCheckCanFail(t *testing.T) {
	var reseller fields
	example := contract.Paths.Value("/users").Post.Responses.Value("201").Value.Content["application/json"].Example
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
	violation := func(status int, request *http.Request, sent, body fields, headers ...string) error {
		a := answer{t: t, status: status, header: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"x"}}, body: encode(t, body)}
		for _, name := range headers {
			a.header.Del(name)
		}
		return contract.violation(request, "/users", encode(t, sent), a)
	}
	if err := violation(201, request, newReseller(nil), reseller); err != nil {
		t.Errorf("the example of the document: %v", err)
	}
	for name, change := range map[string]fields{
		"an unknown field":          {"secret": 1},
		"a number for a string":     {"credits": 100},
		"a string for a number":     {"id": "2"},
		"null for a string":         {"country": nil},
		"a token":                   {"token": "x"},
		"a form that is not exact":  {"credits": "1.50"},
		"a time without its millis": {"createdAt": "2026-01-31T09:30:00Z"},
	} {
		if violation(201, request, newReseller(nil), with(reseller, change)) == nil {
			t.Errorf("%s in an answer is not found", name)
		}
	}
	for name := range reseller {
		missing := with(reseller, nil)
		delete(missing, name)
		if violation(201, request, newReseller(nil), missing) == nil {
			t.Errorf("a missing %s in an answer is not found", name)
		}
	}
	if violation(201, request, fields{"username": 5}, reseller) == nil {
		t.Error("a request that succeeds against the document is not found")
	}
	if violation(404, request, newReseller(nil), reseller) == nil {
		t.Error("a status that the document does not have is not found")
	}
	if violation(201, request, newReseller(nil), reseller, "X-Request-Id") == nil {
		t.Error("a missing header is not found")
	}
}

// TestSchemasCanFail takes the examples of records that are only read, and shows
// that each way to break them is found.
func TestSchemasCanFail(t *testing.T) {
	example := func(method, path, list string) fields {
		t.Helper()
		text, err := json.Marshal(contract.Paths.Value(path).GetOperation(method).Responses.Value("200").Value.Content["application/json"].Example)
		var record fields
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
		example fields
		broken  []fields
	}{
		{"Account", example("GET", "/users/{id}", ""), []fields{
			{"password": "x"}, {"token": "x"}, {"credits": 5}, {"credits": "-1"}, {"master": 0}, {"is_admin": 1}, {"is_master": true},
			{"recharge": "1/31/2026, 9:30:00 AM"}, {"status": 0}, {"secret": 1},
		}},
		{"Line", example("GET", "/lines/{id}", ""), []fields{{"code": "201"}, {"isTrial": 1}, {"idPlatform": nil}, {"password": nil}, {"status": true}}},
		{"ListedLine", example("GET", "/lines", "data"), []fields{{"password": "x"}, {"isTrial": 1}, {"idPlatform": nil}, {"notes": ""}}},
		{"Entry", example("GET", "/users/{id}/ledger", "data"), []fields{
			{"amount": "1"}, {"amount": "-0"}, {"amount": "-1.0"}, {"amount": -1}, {"kind": "opening"}, {"kind": "gift"}, {"line": nil}, {"balance": "-1"},
			{"counterparty": "issuance"}, {"counterparty": 7}, {"seq": 0}, {"actor": 0}, {"at": "2026-01-31"}, {"request_id": ""}, {"notes": "x"},
		}},
		{"Proof", example("GET", "/ledger/proof", ""), []fields{{"issued": 1}, {"balanced": 1}, {"movements": "2"}, {"consumed": "-1"}}},
		{"ExtensionPreview", example("GET", "/lines/extend-preview/{id}", ""), []fields{{"credits": "2"}, {"credits": 0}, {"from": nil}, {"password": "x"}}},
		{"LineList", example("GET", "/lines", ""), []fields{{"next_cursor": ""}, {"next_cursor": 5}, {"data": nil}, {"data": fields{}}, {"total": 1}}},
	} {
		schema := contract.Components.Schemas[c.schema].Value
		broken := func(record fields) bool {
			t.Helper()
			var plain any
			if err := json.Unmarshal(encode(t, record), &plain); err != nil {
				t.Fatal(err)
			}
			return schema.VisitJSON(plain, openapi3.EnableJSONSchema2020()) != nil
		}
		if broken(c.example) {
			t.Errorf("%s: the example of the document breaks it", c.schema)
		}
		for _, change := range c.broken {
			if !broken(with(c.example, change)) {
				t.Errorf("%s: %v is not found", c.schema, change)
			}
		}
		for name := range c.example {
			missing := with(c.example, nil)
			if delete(missing, name); !broken(missing) {
				t.Errorf("%s: a missing %s is not found", c.schema, name)
			}
		}
	}

	conflict := func(code string, remedy any) bool {
		problem := fields{"type": "urn:resellerd:problem:" + code, "title": "x", "status": 409, "detail": "x", "instance": "/", "code": code, "request_id": "x"}
		if remedy != nil {
			problem["remedy"] = remedy
		}
		var plain any
		if err := json.Unmarshal(encode(t, problem), &plain); err != nil {
			t.Fatal(err)
		}
		schema := contract.Components.Responses["Conflict"].Value.Content["application/problem+json"].Schema.Value
		return schema.VisitJSON(plain, openapi3.EnableJSONSchema2020()) != nil
	}
	remedy := fields{"method": "PATCH", "href": "/lines/extend/7"}
	for _, c := range []struct {
		code   string
		remedy any
		broken bool
	}{
		{"line-not-trial", remedy, false},
		{"line-not-trial", nil, true},
		{"line-is-trial", with(remedy, fields{"href": "/lines/delete/7"}), true},
		{"line-is-trial", with(remedy, fields{"method": "GET"}), true},
		{"period-too-long", nil, false},
		{"period-too-long", remedy, true},
		{"not-found", nil, true},
	} {
		if conflict(c.code, c.remedy) != c.broken {
			t.Errorf("%s with the remedy %v: want it found broken %t", c.code, c.remedy, c.broken)
		}
	}
}
