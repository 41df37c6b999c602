package webfile_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"resellerd/adapters/webfile"
	"resellerd/test/expect"
	"resellerd/test/require"
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

func TestAccepted(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"":                                    false,
		"text/html":                           true,
		"application/json, TEXT/HTML;level=1": true,
		"text/html;q=0":                       false,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", accept)
		expect.Equal(t, webfile.Accepted(r), want, "Accept: %q is taken for", accept)
	}
}

// TestCompressed requests a file in both forms, compressed in the binary or at the request. Both have the same content,
// and different ETags.
func TestCompressed(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("What a browser is shown. "), 100)
	var before bytes.Buffer
	into := gzip.NewWriter(&before)
	_, err := into.Write(content)
	require.NoError(t, err)
	require.NoError(t, into.Close())
	for name, f := range map[string]*webfile.File{
		"compressed before": webfile.Gzipped(webfile.File{Path: "/a"}, before.Bytes()),
		"compressed now":    webfile.Long(webfile.File{Path: "/a"}, content),
	} {
		plain := ask(f, "GET")
		if !bytes.Equal(plain.Body.Bytes(), content) {
			t.Errorf("%s: not compressed it is %q", name, plain.Body)
		}
		for coding, compressed := range map[string]bool{"br, GZIP;q=0.5": true, "gzip;q=0": false, "br": false} {
			w := ask(f, "GET", "Accept-Encoding", coding)
			if got := w.Header().Get("Content-Encoding") == "gzip"; got != compressed {
				t.Fatalf("%s: Accept-Encoding: %s is answered compressed: %v", name, coding, got)
			}
			expect.Equal(t, w.Header().Get("Content-Length"), strconv.Itoa(w.Body.Len()), "%s: Content-Length", name)
			body := w.Body.Bytes()
			if compressed {
				from, err := gzip.NewReader(w.Body)
				require.NoError(t, err)
				body, err = io.ReadAll(from)
				require.NoError(t, err)
				if w.Header().Get("ETag") == plain.Header().Get("ETag") {
					t.Errorf("%s: both forms have one ETag", name)
				}
			}
			if !bytes.Equal(body, content) {
				t.Errorf("%s: Accept-Encoding: %s is answered with other content", name, coding)
			}
			expect.Equal(t, w.Header().Get("Vary"), "Accept-Encoding", "%s: Vary", name)
		}
	}
}
