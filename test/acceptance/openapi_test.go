package acceptance

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
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
			"/docs", "/metrics", "/users/1/ledger", "/users/1/credits/reclaim", "/users/1/block", "/lines", "/lines/extend/1",
			"/lines/extend-preview/1", "/prices", "/ledger/proof", "/debug/pprof/", "/openapi.yaml", "/auth", "/admin", "/index.html",
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
