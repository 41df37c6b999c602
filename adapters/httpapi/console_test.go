package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"resellerd/adapters/httpapi"
	"resellerd/adapters/webfile"
	"resellerd/test/expect"
)

// TestConsoleRoutes asks for the console's files below a base path: those that there are, by their methods, and no
// others.
func TestConsoleRoutes(t *testing.T) {
	t.Parallel()
	file := func(path, content string) *webfile.File {
		return webfile.Long(webfile.File{Path: path, Type: webfile.HTML, Policy: "default-src 'none'"}, []byte(content))
	}
	console := &webfile.Site{
		Files: []*webfile.File{file("/console", "open"), file("/console/lines/:id", "open"),
			webfile.Short(webfile.File{Path: "/console/abc/app.js", Type: webfile.JavaScript}, []byte("app"))},
	}
	for depth := range 3 {
		page := func(content string) *webfile.File {
			return webfile.Short(webfile.File{Type: webfile.HTML, Status: 404}, fmt.Appendf(nil, "%s %d up", content, depth))
		}
		console.Nowhere = append(console.Nowhere, page("nowhere"))
	}
	for _, basePath := range []string{"", "/panel/api"} {
		h := serveWith(t, httpapi.Options{BasePath: basePath, Console: console})
		for _, r := range []struct {
			method, path string
			status       int
			body         string
		}{
			{"GET", "/console", 200, "open"},
			{"HEAD", "/console", 200, ""},
			{"GET", "/console?anything=1", 200, "open"},
			{"GET", "/console/lines/7", 200, "open"},
			{"GET", "/console/abc/app.js", 200, "app"},
			{"GET", "/console/abd/app.js", 404, "unknown-route"},
			{"GET", "/console//", 404, "unknown-route"},
			{"GET", "/console/abc/app.js/", 404, "unknown-route"},
			{"GET", "/console/lines", 404, "unknown-route"},
			{"GET", "/console/lines/", 404, "unknown-route"},
			{"GET", "/console/lines/07/", 404, "not-found"},
			{"GET", "/console/lines/07", 404, "not-found"},
			{"GET", "/console/lines/x", 404, "not-found"},
			{"GET", "/console/lines/7/8", 404, "unknown-route"},
			{"POST", "/console", 405, "method-not-allowed"},
			{"browser GET", "/console/anything", 404, "nowhere 0 up"},
			{"browser HEAD", "/console/anything", 404, ""},
			{"browser GET", "/console/lines/", 404, "nowhere 1 up"},
			{"browser GET", "/console/lines/07/", 404, "nowhere 2 up"},
			{"POST", "/console/", 405, "method-not-allowed"},
			{"browser GET", "/console/lines/x?a=/b", 404, "nowhere 1 up"},
			{"browser GET", "/console/lines/7%2F8", 404, "nowhere 1 up"},
			{"browser GET", "/console/lines/7/8", 404, "nowhere 2 up"},
			{"browser GET", "/console/lines/7/8/9", 404, "unknown-route"},
			{"browser POST", "/console/anything", 404, "unknown-route"},
			{"browser GET", "/consoles", 404, "unknown-route"},
			{"browser GET", "/console/lines/7", 200, "open"},
		} {
			var headers []string
			method, browser := strings.CutPrefix(r.method, "browser ")
			if browser {
				headers = []string{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}
			}
			answer, body := h.raw(t, method, basePath+r.path, nil, headers...)
			expect.Equal(t, answer.StatusCode, r.status, "%s %s", r.method, r.path)
			expect.Contains(t, body, r.body, "%s %s", r.method, r.path)
		}
	}
}

// TestConsolePageWithASlashAtItsEndIsRedirected checks that monitors, caches and browsers get one answer: 308 to the
// page below the base path, with the query.
func TestConsolePageWithASlashAtItsEndIsRedirected(t *testing.T) {
	t.Parallel()
	page := func(path string) *webfile.File {
		return webfile.Short(webfile.File{Path: path, Type: webfile.HTML}, []byte("open"))
	}
	console := &webfile.Site{Files: []*webfile.File{page("/console"), page("/console/lines"), page("/console/lines/:id")}}
	for _, basePath := range []string{"", "/panel/api"} {
		h := serveWith(t, httpapi.Options{BasePath: basePath, Console: console})
		for path, want := range map[string]string{
			"/console/": "/console", "/console/?status=1&q=a%20b": "/console?status=1&q=a%20b",
			"/console/lines/": "/console/lines", "/console/lines/7/?do=extend": "/console/lines/7?do=extend",
		} {
			for _, method := range []string{"GET", "HEAD"} {
				for _, accept := range []string{"*/*", "text/html"} {
					answer, body := h.raw(t, method, basePath+path, nil, "Accept", accept)
					expect.Equal(t, answer.StatusCode, http.StatusPermanentRedirect, "%s %s", method, basePath+path)
					expect.Equal(t, answer.Header.Get("Location"), basePath+want, "%s %s", method, basePath+path)
					expect.Equal(t, body, "", "%s %s has the body", method, basePath+path)
				}
			}
		}
	}
}
