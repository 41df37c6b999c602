package httpapi

import (
	"context"

	"github.com/gin-gonic/gin"

	"resellerd/adapters/webfile"
)

// Console is the web console: files that know this API from the browser alone.
type Console struct {
	// Files are what it is made of. A path may have :id in it.
	Files []*webfile.File
	// Closed are what is served in the places of files with the same path where nobody can sign in.
	Closed []*webfile.File
}

// consoleRoutes adds the console's files. Whether the store keeps sessions is known once it is open.
func (a *api) consoleRoutes(base *gin.RouterGroup) {
	if a.Console == nil {
		return
	}
	closed := map[string]*webfile.File{}
	for _, f := range a.Console.Closed {
		closed[f.Path] = f
	}
	for _, open := range a.Console.Files {
		a.get(base, open.Path, ordinary, func(_ context.Context, c *gin.Context) error {
			if _, err := pathID(c); err != nil {
				return err
			}
			shown := open
			if instead := closed[open.Path]; instead != nil && !a.Service.KeepsSessions() {
				shown = instead
			}
			shown.ServeHTTP(c.Writer, c.Request)
			return nil
		})
	}
}
