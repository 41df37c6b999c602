// Package clients generates clients of the API from adapters/httpapi/openapi.json with common generators, and calls the
// program through them. The README of this folder explains how to run it.
//
// The OpenAPI document avoids constructs that generators treat differently. oapi-codegen makes float32 of a number
// without a format, and 32 bits of an integer without one. It stops at lists of types, and at a parameter with the name
// of a schema. openapi-generator's Go makes NewA of a schema A, so no schema can have that name. Its Python looks for a
// pattern only at the beginning, and its Java warns about an example beside the schema of a request.
// openapi-python-client drops an answer with integers of an enumeration of one type.
package clients

// The dependencies of oapi-codegen's client, in the tested versions.
import (
	_ "github.com/oapi-codegen/nullable"
	_ "github.com/oapi-codegen/runtime"
)
