package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"resellerd/adapters/httpapi"
	"resellerd/adapters/webfile"
	"resellerd/test/expect"
)

// TestConsoleRoutes requests the console's files below a base path: existing files with their methods, and unknown
// ones. A page with a trailing slash has one answer for monitors, caches and browsers: 308 to the page, with the query.
func TestConsoleRoutes(t *testing.T) {
	t.Parallel()
	page := func(path, content string, status int) *webfile.File {
		return webfile.Short(webfile.File{Path: path, Type: webfile.HTML, Status: status}, []byte(content))
	}
	console := &webfile.Site{
		Files: []*webfile.File{page("/console", "open", 0), page("/console/lines/:id", "open", 0),
			webfile.Short(webfile.File{Path: "/console/abc/app.js", Type: webfile.JavaScript}, []byte("app"))},
		Nowhere: []*webfile.File{page("", "nowhere 0 up", 404), page("", "nowhere 1 up", 404), page("", "nowhere 2 up", 404)},
	}
	for _, basePath := range []string{"", "/panel/api"} {
		h := serveWith(t, httpapi.Options{BasePath: basePath, Console: console})
		for _, r := range []struct {
			method, path string
			status       int
			body         string // or Location
		}{
			{"GET", "/console?anything=1", 200, "open"},
			{"HEAD", "/console", 200, ""},
			{"browser GET", "/console/lines/7", 200, "open"},
			{"GET", "/console/abc/app.js", 200, "app"},
			{"GET", "/console/lines/x", 404, "not-found"},
			{"POST", "/console", 405, "method-not-allowed"},
			{"browser GET", "/console/anything", 404, "nowhere 0 up"},
			{"browser GET", "/console/lines/x?a=/b", 404, "nowhere 1 up"},
			{"browser GET", "/console/lines/7/8", 404, "nowhere 2 up"},
			{"browser GET", "/console/lines/7/8/9", 404, "unknown-route"},
			{"browser POST", "/console/anything", 404, "unknown-route"},
			{"GET", "/console/", 308, "/console"},
			{"GET", "/docs/", 308, "/docs"},
			{"browser GET", "/docs/guide/", 308, "/docs/guide"},
			{"browser GET", "/console/?status=1&q=a%20b", 308, "/console?status=1&q=a%20b"},
			{"HEAD", "/console/lines/7/?do=extend", 308, "/console/lines/7?do=extend"},
		} {
			var headers []string
			method, browser := strings.CutPrefix(r.method, "browser ")
			if browser {
				headers = []string{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}
			}
			answer, body := h.raw(t, method, basePath+r.path, nil, headers...)
			expect.Equal(t, answer.StatusCode, r.status, "%s %s", r.method, r.path)
			if r.status == http.StatusPermanentRedirect {
				expect.Equal(t, answer.Header.Get("Location"), basePath+r.body, "%s %s: Location", r.method, r.path)
				continue
			}
			expect.Contains(t, body, r.body, "%s %s", r.method, r.path)
		}
	}
}
