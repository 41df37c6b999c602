package pages_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/httpapi/pages"
	"resellerd/adapters/webfile"
	"resellerd/test/expect"
)

func ask(p *webfile.File, method string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, p.Path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func TestPages(t *testing.T) {
	t.Parallel()
	for _, p := range slices.Insert(slices.Clone(pages.All), 0, pages.Index) {
		full := ask(p, "GET")
		if full.Code != http.StatusOK || full.Body.Len() == 0 {
			t.Fatalf("GET %s: %d with %d bytes", p.Path, full.Code, full.Body.Len())
		}
		head := ask(p, "HEAD")
		expect.Equal(t, head.Body.Len(), 0, "HEAD %s: bytes", p.Path)
		expect.Equal(t, head.Header().Get("Content-Length"), full.Header().Get("Content-Length"), "HEAD %s", p.Path)
		tag := full.Header().Get("ETag")
		for known, want := range map[string]int{tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200} {
			if got := ask(p, "GET", "If-None-Match", known); got.Code != want || want == 304 && got.Body.Len() > 0 {
				t.Errorf("GET %s, If-None-Match: %s: %d with %d bytes, want %d", p.Path, known, got.Code, got.Body.Len(), want)
			}
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
