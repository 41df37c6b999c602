package acceptance

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// TestBehindTheProxiesOfTheDocument runs nginx and Caddy with the files of the operators' document, on ports of their
// own, in front of a service with the base path. A browser signs in. Its address reaches the service, and each refusal
// reaches the browser.
func TestBehindTheProxiesOfTheDocument(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../bootstrap/deploy/docs/how-to/reverse-proxy.md")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		recipe string // its first line
		start  func(t *testing.T, tool, folder, port, recipe string) *program.Process
	}{
		"nginx": {`server {`, startNginx},
		"caddy": {`panel.example.com {`, startCaddy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recipe := regexp.MustCompile("(?s)\n```text\n(" + regexp.QuoteMeta(c.recipe) + "\n.*?)```").FindSubmatch(document)
			if recipe == nil {
				t.Fatalf("the document has no recipe for %s", name)
			}
			tool := require.Tool(t, name)
			srv := startServer(t, sqlite,
				map[string]string{"RESELLERD_BASE_PATH": "/api", "RESELLERD_TRUSTED_PROXIES": "127.0.0.1"})
			port := freeTCPPort(t)
			p := c.start(t, tool, t.TempDir(), port, strings.ReplaceAll(string(recipe[1]), "127.0.0.1:8080", srv.Address))
			require.NoError(t, p.Start())
			t.Cleanup(func() {
				p.Kill()
				if t.Failed() {
					t.Logf("%s: %s%s", name, p.Stdout, p.Stderr)
				}
			})
			browse(t, port)
		})
	}
}

// startNginx runs the server of the recipe in one process, with the rest of the configuration that it needs.
func startNginx(t *testing.T, tool, folder, port, recipe string) *program.Process {
	certificate, key, _ := program.NewCertificate(t)
	recipe = strings.NewReplacer("listen 443 ssl", "listen 127.0.0.1:"+port+" ssl",
		"/etc/letsencrypt/live/panel.example.com/fullchain.pem", certificate,
		"/etc/letsencrypt/live/panel.example.com/privkey.pem", key).Replace(recipe)
	conf := "daemon off; master_process off; pid nginx.pid; error_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
	for _, of := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		conf += of + "_temp_path " + of + ";\n"
	}
	write(t, filepath.Join(folder, "nginx.conf"), conf+recipe+"}\n")
	return program.NewProcess(tool, nil, "-e", "stderr", "-p", folder, "-c", "nginx.conf")
}

// startCaddy runs the site of the recipe, with a certificate that it makes itself.
func startCaddy(t *testing.T, tool, folder, port, recipe string) *program.Process {
	write(t, filepath.Join(folder, "Caddyfile"),
		"{\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n\tadmin off\n\thttps_port "+port+
			"\n}\n"+recipe)
	return program.NewProcess(tool, []string{"HOME=" + folder}, "run", "--config", filepath.Join(folder, "Caddyfile"))
}

// browse uses the service behind a proxy as a browser does that is not on its machine.
func browse(t *testing.T, port string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	browser := http.Client{Timeout: patience, Jar: jar, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the certificate is signed by the test itself
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return from.DialContext(ctx, network, "127.0.0.1:"+port)
		},
	}}
	defer browser.CloseIdleConnections()
	const origin = "https://panel.example.com"
	send := func(method, path, contentType string, body []byte) (status int, answer string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, origin+path, bytes.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Origin", origin)
		if contentType != "" {
			request.Header.Set("Content-Type", contentType)
		}
		got, err := browser.Do(request)
		if err != nil {
			return 0, err.Error()
		}
		defer got.Body.Close()
		text, _ := io.ReadAll(got.Body)
		return got.StatusCode, string(text)
	}
	eventually(t, "the console is not answered", func() bool {
		status, _ := send("GET", "/api/console", "", nil)
		return status == http.StatusOK
	})
	body := func(size int) []byte { return bytes.Repeat([]byte("x"), size) } // less than the proxies let through
	want := func(method, path, contentType string, body []byte, wanted int, has string) {
		t.Helper()
		if status, answer := send(method, path, contentType, body); status != wanted || !strings.Contains(answer, has) {
			t.Errorf("%s %s: answered %d %.300s, want %d %s", method, path, status, answer, wanted, has)
		}
	}
	for range 5 {
		want("POST", "/api/imports/lines", "application/x-ndjson", body(1_000_000), http.StatusUnauthorized, "missing-token")
	}
	login, err := json.Marshal(map[string]string{"username": api.AdminName, "password": api.AdminPassword})
	require.NoError(t, err)
	want("POST", "/api/auth/session", "application/json", login, http.StatusCreated, `"is_admin":1`)
	want("POST", "/api/lines/test", "", nil, http.StatusCreated, `"username"`)
	want("GET", "/api/auth/sessions", "", nil, http.StatusOK, `"address":"127.0.0.2"`)
	want("GET", "/api/radius/users/a%2Fb", "", nil, http.StatusNotFound, `"not-found"`)
	want("POST", "/api/imports/lines", "application/x-ndjson", body(1_900_000), http.StatusRequestEntityTooLarge,
		"body-too-large")
}

func freeTCPPort(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer free.Close()
	return strconv.Itoa(free.Addr().(*net.TCPAddr).Port)
}
