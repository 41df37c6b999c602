package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"resellerd/adapters/webfile"
)

// unknownPage answers a browser with the console's page for unknown paths, and reports whether it did.
func (a *api) unknownPage(c *gin.Context) bool {
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

// servePage adds the routes of a page. serve answers them, unless an id in the path is invalid.
func (a *api) servePage(routes gin.IRoutes, path string, serve func(c *gin.Context)) {
	a.serve(routes, operation{method: http.MethodGet, path: path, permission: open, limits: ordinary,
		handler: func(_ context.Context, c *gin.Context) error {
			if _, err := pathID(c); err == nil {
				serve(c)
			} else if !a.unknownPage(c) {
				return err
			}
			return nil
		}})
}

// serveFile adds the routes of a file.
func (a *api) serveFile(routes gin.IRoutes, file *webfile.File) {
	a.servePage(routes, file.Path, func(c *gin.Context) { file.ServeHTTP(c.Writer, c.Request) })
}

// serveSlashed redirects the path of a page with a trailing slash to the page, because browsers, monitors and caches
// add one. Operations of the API have no redirects.
func (a *api) serveSlashed(routes gin.IRoutes, page *webfile.File) {
	a.servePage(routes, page.Path+"/", func(c *gin.Context) {
		to := *c.Request.URL
		to.Path, to.RawPath = strings.TrimSuffix(to.Path, "/"), strings.TrimSuffix(to.RawPath, "/")
		c.Header("Location", to.RequestURI())
		c.Status(http.StatusPermanentRedirect)
	})
}
