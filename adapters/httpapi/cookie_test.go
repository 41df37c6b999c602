package httpapi

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"resellerd/test/expect"
)

func TestCookieNames(t *testing.T) {
	// The first 8 digits of the output of `printf %s "$RESELLERD_BASE_PATH" | sha256sum`.
	for basePath, want := range map[string]string{"": "e3b0c442", "/panel/api": "a674d83a", "/panel": "ae4c78a3"} {
		expect.Equal(t, cookieName(basePath), "__Host-resellerd-"+want, "below %q", basePath)
		var document struct {
			Components struct {
				SecuritySchemes struct{ Session struct{ Name string } }
			}
		}
		must(t, json.Unmarshal(Document(basePath), &document))
		expect.Equal(t, document.Components.SecuritySchemes.Session.Name, cookieName(basePath),
			"below %q: the document says", basePath)
	}
}

// TestCookieIsForHTTPS sends requests from several machines: only a browser on the machine itself may send the cookie
// without TLS.
func TestCookieIsForHTTPS(t *testing.T) {
	a := &api{cookies: cookieNames{"secure", "plain"}}
	for host, loopback := range map[string]bool{
		"localhost": true, "LOCALHOST:80": true, "panel.localhost:8080": true, "127.0.0.1:8080": true, "[::1]": true,
		"": false, "example.com:8080": false, "localhost.example.com": false, "notlocalhost": false,
		"127.0.0.1.example.com": false, "10.0.0.1:8080": false, "0.0.0.0": false, "[::2]": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		if name, secure := a.cookieOf(r); (name == "plain") != loopback || secure == loopback {
			t.Errorf("from %q: %s, Secure %t", host, name, secure)
		}
		r.TLS = &tls.ConnectionState{}
		if name, secure := a.cookieOf(r); name != "secure" || !secure {
			t.Errorf("by HTTPS from %q: %s, Secure %t", host, name, secure)
		}
	}
}
