package api

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// importPath takes rows, each a JSON object, in place of one object.
const importPath = "/imports/lines"

// MediaType is how the body of an operation is declared.
func MediaType(path string) string {
	if strings.HasSuffix(path, importPath) {
		return "application/x-ndjson"
	}
	return "application/json"
}

var imports atomic.Int64

// NewImport returns a row that no import has had before in this process.
func NewImport() Fields {
	n := imports.Add(1)
	return Fields{
		"external_id": fmt.Sprintf("there-%d", n), "username": fmt.Sprintf("from.there.%d", n), "password": "s3cret-there",
		"expDate": "2027-06-30T12:00:00.000Z",
	}
}
