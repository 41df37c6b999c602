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

// one is the operation that make operation NAME=its operationId prints.
var one = flag.String("operation", "", "an operationId, to print where the operation is described and where it is not yet")

// place is the description of an operation: a line of a file.
type place struct{ file, line, what string }

func places(id string) []place {
	of := Operations()[id]
	path := cmp.Or(of.Path, "/"+id)
	return []place{
		{"adapters/httpapi/openapi.yaml", "operationId: " + id + `\b`,
			"the operation, with an example and, if it needs a scope, x-required-scope"},
		{"adapters/httpapi/openapi.json", `"operationId": "` + id + `"`, "written by make interface"},
		{"adapters/httpapi/operations.go", `\{"` + id + `", `, "the route: its callers, its scope, its time limit"},
		{"adapters/httpapi/docs/reference/operations.md", "\n\\| [^:\n]*`" + of.Method + " " + regexp.QuoteMeta(path) + "[`?]",
			"a row of the operations"},
		{"test/api/operations.go", `\{ID: "` + id + `"`, "the row of all tests that request each operation"},
	}
}

// TestEachOperationIsDescribed checks that each operation is in the document, has a route, is in the reference page and
// has a row of this table. The row has a body if the operation takes one. Other tests compare these descriptions.
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
