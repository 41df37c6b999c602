// Package clients generates clients of the API from adapters/httpapi/openapi.json with the generators that are common,
// and calls the program through them. The README beside it says how to run it, and what each of them needs.
package clients

// What the client of oapi-codegen needs, in the versions that are tested.
import (
	_ "github.com/oapi-codegen/nullable"
	_ "github.com/oapi-codegen/runtime"
)
