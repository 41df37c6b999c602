package pages_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/httpapi/pages"
	"resellerd/adapters/webfile"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// TestPages may run no script but their own.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, p := range slices.Insert(slices.Clone(pages.All), 0, pages.Index) {
		full := httptest.NewRecorder()
		p.ServeHTTP(full, httptest.NewRequest(http.MethodGet, p.Path, nil))
		if full.Code != http.StatusOK || full.Body.Len() == 0 {
			t.Fatalf("GET %s: %d with %d bytes", p.Path, full.Code, full.Body.Len())
		}
		for known, want := range map[string]int{"W/" + full.Header().Get("ETag"): 304, `"other"`: 200} {
			again, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, p.Path, nil)
			r.Header.Set("If-None-Match", known)
			p.ServeHTTP(again, r)
			expect.Equal(t, again.Code, want, "GET %s, If-None-Match: %s", p.Path, known)
		}
		policy := full.Header().Get("Content-Security-Policy")
		isPage := strings.HasPrefix(full.Header().Get("Content-Type"), "text/html")
		expect.Equal(t, strings.HasPrefix(policy, "default-src 'none'"), isPage, "GET %s has %q", p.Path, policy)
		if strings.Contains(policy, "eval") || strings.Contains(policy, "http") ||
			regexp.MustCompile(`script-src[^;]*unsafe`).MatchString(policy) {
			t.Errorf("GET %s has the policy %q", p.Path, policy)
		}
	}
}

var (
	reference = regexp.MustCompile(`<(\w+)[^>]*? (?:href|src)="([^"]*)"`)
	heading   = regexp.MustCompile(` id="([^"]+)"`)
)

// TestPagesLoadNothingFromElsewhere follows each link and each file that a page names, at its own path. A page may link
// to other sites, such as to an RFC, and loads nothing from them.
func TestPagesLoadNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	shown, anchors := map[string]string{}, map[string][]string{}
	for _, p := range slices.Insert(slices.Clone(pages.All), 0, pages.Index) {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, p.Path, nil))
		shown[p.Path] = ""
		if p.Type == webfile.HTML {
			shown[p.Path] = w.Body.String()
		}
		for _, id := range heading.FindAllStringSubmatch(shown[p.Path], -1) {
			anchors[p.Path] = append(anchors[p.Path], id[1])
		}
	}
	shown["/openapi.json"], shown["/console"] = "", ""
	for path, page := range shown {
		at, err := url.Parse(path)
		require.NoError(t, err)
		for _, named := range reference.FindAllStringSubmatch(page, -1) {
			to, err := at.Parse(html.UnescapeString(named[2]))
			require.NoError(t, err)
			switch _, is := shown[to.Path]; {
			case to.Scheme == "data" && named[1] != "a", to.Scheme == "https" && named[1] == "a":
			case to.IsAbs() || to.Host != "":
				t.Errorf("%s names %s in <%s>", path, to, named[1])
			case !is:
				t.Errorf("%s names %s, which is not served", path, to)
			case to.Fragment != "" && !slices.Contains(anchors[to.Path], to.Fragment):
				t.Errorf("%s has no heading %s, which %s names", to.Path, to.Fragment, path)
			}
		}
	}
}
