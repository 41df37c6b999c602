package api

import (
	"cmp"
	"flag"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// one is for somebody who adds an operation: make operation NAME=its operationId.
var one = flag.String("operation", "", "an operationId, to print where the operation is described and where it is not yet")

// place is the description of an operation: a line of a file.
type place struct{ file, line, what string }

func places(id string) []place {
	of := Operations()[id]
	path := cmp.Or(of.Path, "/"+id)
	return []place{
		{"adapters/httpapi/openapi.yaml", "operationId: " + id + `\b`,
			"the operation, with an example and, if it needs a scope, x-required-scope"},
		{"adapters/httpapi/openapi.json", `"operationId": "` + id + `"`, "what make interface writes"},
		{"adapters/httpapi/operations.go", `\{"` + id + `", `, "the route: who may ask, by which scope, how long it takes"},
		{"adapters/httpapi/docs/reference/operations.md", "\n\\| [^:\n]*`" + of.Method + " " + regexp.QuoteMeta(path) + "[`?]",
			"a row of the operations"},
		{"test/api/operations.go", `\{ID: "` + id + `"`, "the row of all tests that ask for each operation"},
	}
}

// TestEachOperationIsDescribed in the document, by a route, in the reference page and by a row of the table here, which
// has a body if the operation takes one. Other tests hold against each other what these say.
func TestEachOperationIsDescribed(t *testing.T) {
	ids := slices.Collect(maps.Keys(Operations()))
	for _, r := range Table() {
		ids = append(ids, r.ID)
	}
	if *one != "" {
		ids = []string{*one}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		for _, p := range places(id) {
			text, _ := source(p.file)
			at := regexp.MustCompile(p.line).FindIndex(text)
			switch {
			case at == nil:
				t.Errorf("%s is missing in %s: %s", id, p.file, p.what)
			case *one != "":
				t.Logf("%s:%d has %s", p.file, 1+strings.Count(string(text[:at[1]]), "\n"), p.what)
			}
		}
	}
	for _, r := range Table() {
		if r.TakesBody != (r.Body != nil) {
			t.Errorf("%s takes a body in the document: %t, in its row: %t", r.ID, r.TakesBody, r.Body != nil)
		}
	}
	if *one != "" && !t.Failed() {
		t.Log("nothing is missing; its line in CHANGELOG.md and the test of its rule are not looked for")
	}
}
