package cli

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/test/certificate"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// served has the requests that a service received.
type served struct {
	*httptest.Server
	paths  []string
	bodies []string
}

// serveAnswers returns a service that answers by path.
func serveAnswers(t *testing.T, secured bool, answers map[string]string) *served {
	t.Helper()
	s := &served{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.paths, s.bodies = append(s.paths, r.Method+" "+r.URL.Path), append(s.bodies, string(body))
		answer, found := answers[r.URL.Path]
		switch {
		case !found:
			http.NotFound(w, r)
		case strings.HasPrefix(answer, "/"):
			http.Redirect(w, r, answer, http.StatusPermanentRedirect)
		case strings.Contains(answer, "detail"):
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, answer)
		default:
			_, _ = io.WriteString(w, answer)
		}
	})
	if secured {
		s.Server = httptest.NewTLSServer(handler)
	} else {
		s.Server = httptest.NewServer(handler)
	}
	t.Cleanup(s.Close)
	return s
}

// answered runs a command line with a text on standard input.
func answered(args, stdin string) (code int, stdout, stderr string) {
	var out, errors bytes.Buffer
	code = run(strings.Fields(args), strings.NewReader(stdin), &out, &errors, fake{})
	return code, out.String(), errors.String()
}

func TestTokenLogsInOverHTTP(t *testing.T) {
	s := serveAnswers(t, false, map[string]string{"/api/auth/static-token": `{"status":200,"token":"the.token"}`,
		"/auth/static-token": "/elsewhere", "/elsewhere": `{"token":"x"}`})
	address := strings.TrimPrefix(s.URL, "http://")
	for _, setting := range []map[string]string{{"RESELLERD_ADDR": address, "RESELLERD_BASE_PATH": "/api"},
		{"RESELLERD_URL": s.URL + "/api"}} {
		for name, value := range setting {
			t.Setenv(name, value)
		}
		code, stdout, stderr := answered("token maria", " pass\"word \r\n")
		if code != 0 || stdout != "the.token\n" || stderr != "" {
			t.Errorf("%v: code %d, printed %q, %q", setting, code, stdout, stderr)
		}
		var sent map[string]string
		if err := json.Unmarshal([]byte(s.bodies[len(s.bodies)-1]), &sent); err != nil || sent["username"] != "maria" ||
			sent["password"] != " pass\"word " {
			t.Errorf("it sent %q", s.bodies)
		}
	}
	// A redirect does not get the password.
	code, stdout, stderr := answered("token --url "+s.URL, "password")
	if code != ExitFailed || stdout != "" || !strings.Contains(stderr, "answers 308") ||
		s.paths[len(s.paths)-1] != "POST /auth/static-token" {
		t.Errorf("after a redirection: code %d, printed %q, %q; requests %q", code, stdout, stderr, s.paths)
	}
}

func TestHealthReportsReadiness(t *testing.T) {
	s := serveAnswers(t, false, map[string]string{"/readyz": `{"status":"ready"}`})
	t.Setenv("RESELLERD_ADDR", strings.TrimPrefix(s.URL, "http://"))
	t.Setenv("RESELLERD_BASE_PATH", "/api") // which the health checks do not have
	if code, stdout, stderr := answered("health", ""); code != 0 || stdout != "ready\n" || stderr != "" {
		t.Errorf("code %d, printed %q, %q", code, stdout, stderr)
	}
	stopping := serveAnswers(t, false, map[string]string{"/readyz": `{"detail":"It stops.","code":"unavailable"}`})
	code, stdout, stderr := answered("health --json --url "+stopping.URL, "")
	if want := `{"ready":false,"url":"` + stopping.URL + `/readyz","cause":"It stops. (503 unavailable)"}` +
		"\n"; code != ExitFailed || stdout != want || stderr != "resellerd: It stops. (503 unavailable)\n" {
		t.Errorf("code %d, printed %q, want %q; %q", code, stdout, want, stderr)
	}
	stopping.Close()
	other := serveAnswers(t, false, map[string]string{"/readyz": `{"details":"no problem document"}`})
	_, _, stderr = answered("health --url "+other.URL, "")
	expect.Contains(t, stderr, "answers 503 Service Unavailable: is it the service, with its base path?")
	code, _, _ = answered("health --url "+stopping.URL, "")
	expect.Equal(t, code, ExitFailed, "the exit code without an answer")
	// A service with another certificate is ready, but gets no password.
	secured := serveAnswers(t, true,
		map[string]string{"/readyz": `{"status":"ready"}`, "/api/auth/static-token": `{"token":"the.token"}`})
	another, _ := certificate.New(t, 1)
	own, foreign := inFile(t, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secured.Certificate().Raw})),
		inFile(t, another)
	t.Setenv("RESELLERD_ADDR", strings.TrimPrefix(secured.URL, "https://"))
	for file, want := range map[string]int{own: 0, foreign: ExitFailed} {
		t.Setenv("RESELLERD_TLS_CERT", file)
		code, _, stderr := answered("health", "")
		expect.Equal(t, code, 0, "health: %s", stderr)
		code, _, stderr = answered("token", "password")
		expect.Equal(t, code, want, "token: %s", stderr)
	}
	expect.Equal(t, strings.Count(strings.Join(secured.paths, ","), "POST"), 1, "requests %q", secured.paths)
}

// inFile returns the path of a certificate (PEM).
func inFile(t *testing.T, certificate []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "certificate.pem")
	require.NoError(t, os.WriteFile(path, certificate, 0o600))
	return path
}
