package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"resellerd/adapters/httpapi"
	"resellerd/adapters/webfile"
)

// TestConsoleRoutes asks for the console's files below a base path: those that there are, by their methods, and no others.
func TestConsoleRoutes(t *testing.T) {
	t.Parallel()
	file := func(path, content string) *webfile.File {
		return webfile.Long(webfile.File{Path: path, Type: webfile.HTML, Policy: "default-src 'none'"}, []byte(content))
	}
	console := &httpapi.Console{
		Files: []*webfile.File{file("/console", "open"), file("/console/lines/:id", "open"), file("/console/abc/app.js", "app")},
	}
	for depth := range 3 {
		page := func(content string) *webfile.File {
			return webfile.Short(webfile.File{Type: webfile.HTML, Status: 404}, fmt.Appendf(nil, "%s %d up", content, depth))
		}
		console.Nowhere = append(console.Nowhere, page("nowhere"))
	}
	for _, basePath := range []string{"", "/panel/api"} {
		open := "http://" + serveWith(t, httpapi.Options{BasePath: basePath, Console: console}).Address + basePath
		for _, r := range []struct {
			method, address string
			status          int
			body            string
		}{
			{"GET", open + "/console", 200, "open"},
			{"HEAD", open + "/console", 200, ""},
			{"GET", open + "/console?anything=1", 200, "open"},
			{"GET", open + "/console/lines/7", 200, "open"},
			{"GET", open + "/console/abc/app.js", 200, "app"},
			{"GET", open + "/console/abd/app.js", 404, "unknown-route"},
			{"GET", open + "/console/", 404, "unknown-route"},
			{"GET", open + "/console/lines", 404, "unknown-route"},
			{"GET", open + "/console/lines/07", 404, "not-found"},
			{"GET", open + "/console/lines/x", 404, "not-found"},
			{"GET", open + "/console/lines/7/8", 404, "unknown-route"},
			{"POST", open + "/console", 405, "method-not-allowed"},
			{"browser GET", open + "/console/anything", 404, "nowhere 0 up"},
			{"browser HEAD", open + "/console/anything", 404, ""},
			{"browser GET", open + "/console/", 404, "nowhere 0 up"},
			{"browser GET", open + "/console/lines/x?a=/b", 404, "nowhere 1 up"},
			{"browser GET", open + "/console/lines/7%2F8", 404, "nowhere 1 up"},
			{"browser GET", open + "/console/lines/7/8", 404, "nowhere 2 up"},
			{"browser GET", open + "/console/lines/7/8/9", 404, "unknown-route"},
			{"browser POST", open + "/console/anything", 404, "unknown-route"},
			{"browser GET", open + "/consoles", 404, "unknown-route"},
			{"browser GET", open + "/console/lines/7", 200, "open"},
		} {
			method, browser := strings.CutPrefix(r.method, "browser ")
			request, err := http.NewRequestWithContext(t.Context(), method, r.address, nil)
			if err != nil {
				t.Fatal(err)
			}
			if browser {
				request.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
			}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			var body strings.Builder
			err = answer.Write(&body)
			_ = answer.Body.Close()
			if err != nil || answer.StatusCode != r.status || !strings.Contains(body.String(), r.body) {
				t.Errorf("%s %s: %v %s, want %d %s", r.method, r.address, err, body.String(), r.status, r.body)
			}
		}
	}
}
