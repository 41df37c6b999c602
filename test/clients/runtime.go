// Package clients generates clients of the API from adapters/httpapi/openapi.json with the generators that are common,
// and calls the program through them. The README beside it says how to run it, and what each of them needs.
//
// The OpenAPI document avoids what generators do otherwise. oapi-codegen makes float32 of a number without a format, and
// 32 bits of an integer without one. It stops at lists of types, and at a parameter that has the name of a schema.
// openapi-generator's Go makes NewA of a schema A, so that no schema can have that name; its Python looks for a pattern
// at the beginning only; its Java warns of an example beside the schema of a request. openapi-python-client drops an
// answer with integers of an enumeration of one type.
package clients

// What the client of oapi-codegen needs, in the versions that are tested.
import (
	_ "github.com/oapi-codegen/nullable"
	_ "github.com/oapi-codegen/runtime"
)
