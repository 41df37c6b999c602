package httpapi

import "bytes"

// Document returns the OpenAPI document that the service serves.
func Document() []byte { return bytes.Clone(openAPI) }
