package api

import "testing"

// TestEveryOperationHasARow which has a body if the operation takes one. The rest of a row is the document's, or is
// held against the program by the tests that ask for each operation.
func TestEveryOperationHasARow(t *testing.T) {
	for id, o := range Operations() {
		if r, there := byID()[id]; !there {
			t.Errorf("%s, %s %s, has no row in the table", id, o.Method, o.Path)
		} else if o.TakesBody != (r.Body != nil) {
			t.Errorf("%s takes a body in the document: %t, in the table: %t", id, o.TakesBody, r.Body != nil)
		}
	}
	for _, r := range Table() {
		if r.Method == "" {
			t.Errorf("%s is in the table and not in the document", r.ID)
		}
	}
}
