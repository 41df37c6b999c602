package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"resellerd/adapters/webfile"
)

// nowhere answers a browser at an unknown path of the console, and reports whether it did.
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

// serveSlashed redirects the path of a page with a slash at its end to the page: monitors and caches add one. The API
// has no redirects.
func (a *api) serveSlashed(routes gin.IRoutes, page *webfile.File) {
	a.serve(routes, operation{method: http.MethodGet, path: page.Path + "/", permission: open, limits: ordinary,
		handler: func(_ context.Context, c *gin.Context) error {
			if _, err := pathID(c); err != nil {
				if a.nowhere(c) {
					return nil
				}
				return err
			}
			to := *c.Request.URL
			to.Path, to.RawPath = strings.TrimSuffix(to.Path, "/"), strings.TrimSuffix(to.RawPath, "/")
			c.Header("Location", to.RequestURI())
			c.Status(http.StatusPermanentRedirect)
			return nil
		}})
}
