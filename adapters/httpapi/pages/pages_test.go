package pages_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/httpapi/pages"
	"resellerd/test/expect"
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
