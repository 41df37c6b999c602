package api

import (
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestTheTableHasEveryOperation has a new operation of the API be a row.
func TestTheTableHasEveryOperation(t *testing.T) {
	var documented []string
	for path, item := range Contract().Paths.Map() {
		for method, operation := range item.Operations() {
			documented = append(documented, operation.OperationID+" "+method+" "+path)
			r, there := byID[operation.OperationID]
			if !there {
				t.Errorf("%s, %s %s, has no row in the table", operation.OperationID, method, path)
				continue
			}
			open := operation.Security != nil && len(*operation.Security) == 0
			if open != (r.For == Anybody) {
				t.Errorf("%s is for anybody in the document: %t, in the table: %t", r.ID, open, r.For == Anybody)
			}
			keyed := slices.ContainsFunc(operation.Parameters, func(p *openapi3.ParameterRef) bool {
				return p.Value.Name == "Idempotency-Key"
			})
			if keyed != r.Keyed {
				t.Errorf("%s takes a key in the document: %t, in the table: %t", r.ID, keyed, r.Keyed)
			}
			if takes := operation.RequestBody != nil; takes != (r.Body != nil) {
				t.Errorf("%s takes a body in the document: %t, in the table: %t", r.ID, takes, r.Body != nil)
			}
		}
	}
	for _, r := range Table {
		if !slices.Contains(documented, r.ID+" "+r.Name()) {
			t.Errorf("%s %s is in the table and not in the document", r.ID, r.Name())
		}
	}
}
