package httpapi

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"resellerd/adapters/webfile"
)

// Console is the web console: files that know this API from the browser alone.
type Console struct {
	// Files are what it is made of. A path may have :id in it.
	Files []*webfile.File
	// Nowhere are what a browser is shown at a path below /console/ where nothing is, by how many slashes it has there.
	// Programs, and browsers further down, are refused as elsewhere.
	Nowhere []*webfile.File
}

// nowhere shows a browser that nothing is at this path of the console, and reports whether it did.
func (a *api) nowhere(c *gin.Context) bool {
	r := c.Request
	below, within := strings.CutPrefix(r.URL.EscapedPath(), a.BasePath+"/console/")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if a.Console == nil || !within || !reads || !webfile.Accepted(r) {
		return false
	}
	shown, depth := a.Console.Nowhere, strings.Count(below, "/")
	if depth >= len(shown) {
		return false
	}
	c.Status(http.StatusNotFound)
	shown[depth].ServeHTTP(c.Writer, r)
	return true
}
