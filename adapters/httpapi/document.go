package httpapi

import (
	_ "embed"
	"fmt"
	"strings"
)

// The document is generated from openapi.yaml, which has no repetitions. The guide takes statuses and scopes from it.
//
//go:generate go run -tags nomsgpack ../../test/unfold .
//go:generate go run -tags nomsgpack ../../test/guide .
//go:embed openapi.json
var openAPI string

// Document returns the OpenAPI document of a service with this base path, "" for none. It adapts the name of the
// session cookie. The health checks have no base path.
func Document(basePath string) []byte {
	if basePath == "" {
		return []byte(openAPI)
	}
	const servers = `"servers": [{"url": "%s"}]`
	return []byte(strings.NewReplacer(
		fmt.Sprintf(servers, "/"), fmt.Sprintf(servers, basePath),
		`"/healthz": {`, `"/healthz": {`+fmt.Sprintf(servers, "/")+`,`,
		fmt.Sprintf("%q", cookieName("")), fmt.Sprintf("%q", cookieName(basePath)),
		`"/readyz": {`, `"/readyz": {`+fmt.Sprintf(servers, "/")+`,`,
	).Replace(openAPI))
}
