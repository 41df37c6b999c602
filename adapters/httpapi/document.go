package httpapi

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"resellerd/adapters/webfile"
)

// The binary holds the document compressed. Once it is changed: go generate ./adapters/httpapi
//
//go:generate gzip --best --no-name --keep --force openapi.json
//go:embed openapi.json.gz
var gzippedOpenAPI []byte

var openAPI = sync.OnceValue(func() []byte { return webfile.Inflated(gzippedOpenAPI) })

// Document returns the OpenAPI document of a service with this base path, "" for none. The health checks are not below
// it, and the cookie of a session has its name.
func Document(basePath string) []byte {
	if basePath == "" {
		return bytes.Clone(openAPI())
	}
	const servers = `"servers": [{"url": "%s"}]`
	return []byte(strings.NewReplacer(
		fmt.Sprintf(servers, "/"), fmt.Sprintf(servers, basePath),
		`"/healthz": {`, `"/healthz": {`+fmt.Sprintf(servers, "/")+`,`,
		fmt.Sprintf("%q", cookieName("")), fmt.Sprintf("%q", cookieName(basePath)),
		`"/readyz": {`, `"/readyz": {`+fmt.Sprintf(servers, "/")+`,`,
	).Replace(string(openAPI())))
}
