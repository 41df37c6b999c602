package pages_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"resellerd/adapters/httpapi/pages"
)

func ask(p *pages.Page, method string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, p.Path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"":                                    false,
		"*/*":                                 false,
		"text/*":                              false,
		"text/html":                           true,
		"application/json, TEXT/HTML;level=1": true,
		"text/html;q=0":                       false,
		"text/html; q=0.1":                    true,
		"text/html;q=much":                    false,
		"text/htmlx":                          false,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", accept)
		if got := pages.Accepted(r); got != want {
			t.Errorf("Accept: %q is taken for %v, want %v", accept, got, want)
		}
	}
}

// TestCompressed asks for the longest page in either form: both have the same content, and neither is taken for the other.
func TestCompressed(t *testing.T) {
	t.Parallel()
	var redoc *pages.Page
	for _, p := range pages.All {
		if strings.Contains(p.Path, "redoc") {
			redoc = p
		}
	}
	plain := ask(redoc, "GET")
	for coding, compressed := range map[string]bool{"gzip": true, "br, GZIP;q=0.5": true, "gzip;q=0": false, "br": false, "identity": false} {
		w := ask(redoc, "GET", "Accept-Encoding", coding)
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != compressed {
			t.Fatalf("Accept-Encoding: %s is answered compressed: %v", coding, got)
		}
		body := w.Body.Bytes()
		if compressed {
			from, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(from); err != nil {
				t.Fatal(err)
			}
			if w.Header().Get("ETag") == plain.Header().Get("ETag") {
				t.Error("both forms have one ETag")
			}
		}
		if !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("Accept-Encoding: %s is answered with other content", coding)
		}
		if w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("Vary is %q", w.Header().Get("Vary"))
		}
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	for _, p := range append([]*pages.Page{pages.Index}, pages.All...) {
		full := ask(p, "GET")
		if full.Code != http.StatusOK || full.Body.Len() == 0 {
			t.Fatalf("GET %s: %d with %d bytes", p.Path, full.Code, full.Body.Len())
		}
		if head := ask(p, "HEAD"); head.Body.Len() != 0 || head.Header().Get("Content-Length") != full.Header().Get("Content-Length") {
			t.Errorf("HEAD %s: %d bytes, Content-Length %s and not %s", p.Path, head.Body.Len(),
				head.Header().Get("Content-Length"), full.Header().Get("Content-Length"))
		}
		tag := full.Header().Get("ETag")
		for known, want := range map[string]int{tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200} {
			if got := ask(p, "GET", "If-None-Match", known); got.Code != want || want == 304 && got.Body.Len() > 0 {
				t.Errorf("GET %s, If-None-Match: %s: %d with %d bytes, want %d", p.Path, known, got.Code, got.Body.Len(), want)
			}
		}
		policy := full.Header().Get("Content-Security-Policy")
		if isPage := strings.HasPrefix(full.Header().Get("Content-Type"), "text/html"); isPage != strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("GET %s has the policy %q", p.Path, policy)
		}
		if strings.Contains(policy, "eval") || strings.Contains(policy, "http") || regexp.MustCompile(`script-src[^;]*unsafe`).MatchString(policy) {
			t.Errorf("GET %s has the policy %q", p.Path, policy)
		}
	}
}
