package bootstrap

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"resellerd/adapters/httpserver"
	"resellerd/adapters/telemetry"
	"resellerd/application/background"
	"resellerd/test/expect"
	testprogram "resellerd/test/program"
	"resellerd/test/require"
)

// text stores the output of a service, or the input of a collector, from several goroutines.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *text) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (w *text) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// operated is a service in this process with its administrative listener, its log, and its spans at a collector.
type operated struct {
	t           *testing.T
	main, admin string
	log, traces *text
	stop        func()
}

// serveOperated starts a service on an embedded store, with these settings.
func serveOperated(t *testing.T, environment map[string]string) operated {
	t.Helper()
	leastPasswordCost = "yes"
	t.Cleanup(func() { leastPasswordCost = "" })
	o := operated{t: t, log: new(text), traces: new(text)}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(o.traces, r.Body)
	}))
	t.Cleanup(collector.Close)
	all := map[string]string{
		"RESELLERD_ADDR": "127.0.0.1:0", "RESELLERD_ADMIN_ADDR": "127.0.0.1:0",
		"RESELLERD_STORE":          "sqlite:" + filepath.Join(t.TempDir(), "r.db"),
		"RESELLERD_ADMIN_PASSWORD": "the admin's canary", "RESELLERD_SECRET": "canary: the key of the service",
		"RESELLERD_WEBHOOK_ALLOW":     "127.0.0.1",
		"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "OTEL_EXPORTER_OTLP_HEADERS": "api-key=canary%20of%20the%20collector",
	}
	maps.Copy(all, environment)
	c, err := settings(t, all)
	must(t, err)
	var main *httpserver.Server
	app := fxtest.New(t, fx.NopLogger, graph(c, io.Discard, slog.New(slog.NewJSONHandler(o.log, nil))), fx.Populate(&main))
	app.RequireStart()
	o.stop = sync.OnceFunc(app.RequireStop)
	t.Cleanup(o.stop)
	o.main = "http://" + main.Addr().String()
	if said := regexp.MustCompile(`"administrative listener","addr":"(.*?)"`).FindStringSubmatch(
		o.log.String()); said != nil {
		o.admin = "http://" + said[1]
		o.shows(`resellerd_webhooks{state="enabled"}`) // the process holds the lease
	}
	return o
}

// shows waits for a metric whose line begins with a text.
func (o operated) shows(beginning string) {
	o.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !strings.Contains(o.figures(), "\n"+beginning); time.Sleep(
		5 * time.Millisecond) {
		if time.Now().After(deadline) {
			o.t.Fatalf("there is no metric %s:\n%s", beginning, o.figures())
		}
	}
}

// ask sends a request with pairs of header names and values, and returns the answer's status and body.
func (o operated) ask(method, address, body string, headers ...string) (int, string) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), method, address, strings.NewReader(body))
	require.NoError(o.t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(o.t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	require.NoError(o.t, err)
	return answer.StatusCode, string(content)
}

// work sends requests that cause each kind of metric, span and log line, with secrets that none of these may show. It
// returns the answers.
func (o operated) work() (answers string) {
	o.t.Helper()
	send := func(status int, method, path, body string, headers ...string) string {
		o.t.Helper()
		got, content := o.ask(method, o.main+path, body, append(headers, "User-Agent", "canary", "X-Request-Id", "canary")...)
		expect.Equal(o.t, got, status, "%s %s: %s", method, path, content)
		answers += content
		return content
	}
	login := `{"username":"admin","password":"the admin's canary"}`
	var token struct{ Token string }
	require.NoError(o.t, json.Unmarshal([]byte(send(200, "POST", "/auth/static-token", login)), &token))
	send(201, "POST", "/auth/session", login)
	auth := []string{"Authorization", "Bearer " + token.Token}
	keyed := []string{auth[0], auth[1], "Idempotency-Key", "canary"}
	send(401, "POST", "/auth/static-token", `{"username":"canary","password":"the wrong canary"}`)
	send(201, "POST", "/users",
		`{"username":"canary","password":"canary-password","is_master":0,"credits":"5","country":"canary"}`, auth...)
	for range 2 {
		send(200, "PATCH", "/users/credits/2", `{"credits":10,"notes":"canary"}`, keyed...)
	}
	send(200, "POST", "/users/2/credits/reclaim", `{"credits":1}`, auth...)
	send(201, "POST", "/lines/test", "", auth...)
	send(201, "PATCH", "/lines/active/1", `{"username":"canary.line","password":"canary","credits":1,"country":"BR"}`,
		auth...)
	send(200, "PATCH", "/lines/extend/1", `{"credits":2}`, auth...)
	send(409, "PATCH", "/lines/active/1", `{"username":"canary.line","password":"canary","credits":1,"country":"BR"}`,
		auth...)
	send(422, "GET", "/lines/1?canary=canary", "", auth...)
	send(200, "GET", "/lines/1", "", append(auth, "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"Tracestate", "a=canary", "Baggage", "canary=1")...)
	send(401, "GET", "/lines/1", "", "Authorization", "Bearer canary")
	send(404, "GET", "/canary", "")
	send(404, "CANARY", "/canary", "")
	send(201, "POST", "/webhooks",
		`{"url":"http://127.0.0.1:1/canary","types":["webhook.created"],"scope":"tree","description":"canary"}`, auth...)
	o.shows("resellerd_webhook_retries_waiting 1") // the receiver is down
	var made struct{ Key string }
	key := send(201, "POST", "/keys", `{"name":"canary","role":"read_only"}`, auth...)
	require.NoError(o.t, json.Unmarshal([]byte(key), &made))
	send(422, "GET", "/lines?canary="+made.Key, "", "Authorization", "Bearer "+made.Key)
	send(403, "DELETE", "/lines/1", "", "Authorization", "Bearer "+made.Key)
	send(401, "GET", "/lines", "", "Authorization", "Bearer "+made.Key+"canary")
	send(404, "DELETE", "/keys/"+made.Key, "", auth...)
	send(201, "POST", "/staff", `{"username":"canary.staff","password":"canary-password","role":"support"}`, auth...)
	send(401, "POST", "/auth/static-token", `{"username":"canary.staff","password":"canary-password","totp":"canary"}`)
	send(404, "GET", "/auth/"+token.Token+"/canary%20?canary", "")
	return answers + token.Token
}

func (o operated) figures() string {
	o.t.Helper()
	status, figures := o.ask("GET", o.admin+"/metrics", "")
	expect.Equal(o.t, status, 200, "/metrics answers %s", figures)
	return figures
}

// TestNothingSecretIsShown looks for secrets in the metrics, the traces and the log.
func TestNothingSecretIsShown(t *testing.T) {
	o := serveOperated(t, nil)
	answers := o.work()
	figures := o.figures()
	// the end sends the last spans
	o.stop()
	// which are there to be found
	log := strings.NewReplacer(`"request_id":"canary"`, "", `"path":"/canary"`, "").Replace(o.log.String())
	var token struct{ Token string }
	_ = json.NewDecoder(strings.NewReader(answers)).Decode(&token)
	if !strings.Contains(answers, `"whsec_`) || !strings.Contains(answers, `"rsk_`) {
		t.Error("no webhook has a secret, or there is no key")
	}
	shown := map[string]string{"figures": figures, "traces": o.traces.String(), "log": log}
	for place, shown := range shown {
		for _, secret := range []string{"canary", "CANARY", "whsec_", "rsk_", "127.0.0.1:1/", token.Token} {
			if at := strings.Index(shown, secret); at >= 0 {
				t.Errorf("the %s show %q: %s", place, secret, shown[max(0, at-200):min(len(shown), at+200)])
			}
		}
	}
	text, err := os.ReadFile(filepath.Join("testdata", "shown.txt"))
	must(t, err)
	_, lines, _ := strings.Cut(string(text), "\n\n")
	for line := range strings.Lines(lines) {
		place, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if place == "figures" {
			want = "\n" + want + "\n"
		}
		expect.Contains(t, shown[place], want, "the %s", place)
	}
}

// TestNoLabelIsUnbounded sends requests with new names. There are as many series as after the first request.
func TestNoLabelIsUnbounded(t *testing.T) {
	o := serveOperated(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": ""})
	strange := func(n int) {
		name := "strange-" + strconv.Itoa(n)
		o.ask("GET", o.main+"/"+name, "")
		o.ask("X"+strconv.Itoa(n), o.main+"/users", "")
		o.ask("GET", o.main+"/lines/"+strconv.Itoa(n), "", "Authorization", "Bearer "+name)
		o.ask("POST", o.main+"/auth/static-token", fmt.Sprintf(`{"username":%q,"password":%q}`, name, name))
		o.ask("POST", o.main+"/auth/session", fmt.Sprintf(`{"username":%q,"password":%q}`, name, name), "User-Agent", name)
		o.ask("DELETE", o.main+"/auth/sessions/"+name, "", "Cookie", "resellerd-e3b0c442="+name)
	}
	series := func() (all []string) {
		for line := range strings.Lines(o.figures()) {
			if name, _, found := strings.Cut(line, " "); found && strings.HasPrefix(line, "resellerd_") {
				all = append(all, name)
			}
		}
		return all
	}
	strange(0)
	before := series()
	for n := range 30 {
		strange(n + 1)
	}
	expect.Elements(t, series(), before, "series")
	if slices.ContainsFunc(before, func(name string) bool { return strings.Contains(name, "strange") }) {
		t.Error("a name is in a label")
	}
}

// shownExpressions returns the expressions of the alert rules and of the dashboard, by their names.
func shownExpressions(t *testing.T) map[string]string {
	t.Helper()
	expressions := map[string]string{}
	var alerts struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	must(t, yaml.Unmarshal([]byte(deployed(t, "alerts.yaml")), &alerts))
	for _, r := range alerts.Groups[0].Rules {
		expressions["alert "+r.Alert] = r.Expr
	}
	var dashboard struct {
		Panels []struct {
			ID      int
			Targets []struct{ Expr string }
		}
	}
	must(t, json.Unmarshal([]byte(deployed(t, "dashboard.json")), &dashboard))
	for _, p := range dashboard.Panels {
		for i, target := range p.Targets {
			expressions[fmt.Sprintf("panel %d.%d", p.ID, i)] = target.Expr
		}
	}
	return expressions
}

// TestAlertsAndDashboardUseExistingMetrics and their labels. Each metric is in an alert or on the dashboard.
func TestAlertsAndDashboardUseExistingMetrics(t *testing.T) {
	o := serveOperated(t, nil)
	o.work()
	labels := map[string]map[string]bool{"up": {}} // by metric
	known := func(figure, label string) {
		if labels[figure] == nil {
			labels[figure] = map[string]bool{}
		}
		labels[figure][label] = true
	}
	pair := regexp.MustCompile(`([a-z_]+)="`)
	certificate, key, _ := testprogram.NewCertificate(t)
	secured := serveOperated(t, map[string]string{"RESELLERD_TLS_CERT": certificate, "RESELLERD_TLS_KEY": key})
	for line := range strings.Lines(o.figures() + secured.figures()) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name := line[:strings.IndexAny(line, "{ ")]
		for _, added := range []string{"job", "instance"} { // by Prometheus
			known(name, added)
			known("up", added)
		}
		if strings.HasPrefix(line[len(name):], "{") {
			for _, label := range pair.FindAllStringSubmatch(line[:strings.LastIndex(line, "}")], -1) {
				known(name, label[1])
			}
		}
	}
	figure := regexp.MustCompile(`\b(?:(?:resellerd|go|process)_[a-z_]+|up)\b`)
	used := regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`)
	by := regexp.MustCompile(`by \(([a-z_, ]+)\)`)
	asked := map[string]bool{}
	for where, expression := range shownExpressions(t) {
		names := figure.FindAllString(expression, -1)
		if len(names) == 0 {
			t.Errorf("%s uses no metric: %s", where, expression)
		}
		var wanted []string
		for _, label := range used.FindAllStringSubmatch(expression, -1) {
			wanted = append(wanted, label[1])
		}
		for _, list := range by.FindAllStringSubmatch(expression, -1) {
			wanted = append(wanted, strings.Split(list[1], ", ")...)
		}
		for _, name := range names {
			asked[regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")] = true
			if labels[name] == nil {
				t.Errorf("%s uses %s, which no service shows", where, name)
				continue
			}
			for _, label := range wanted {
				expect.Equal(t, labels[name][label], true, "%s uses %s by %s, which it has", where, name, label)
			}
		}
	}
	for name := range labels {
		if base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name,
			""); strings.HasPrefix(name, "resellerd_") && !asked[base] {
			t.Errorf("%s is on no dashboard and in no alert", name)
		}
	}
}

// TestPromtoolAcceptsMetricsAndRules and the tests of the rules pass, if promtool is installed.
func TestPromtoolAcceptsMetricsAndRules(t *testing.T) {
	promtool := require.Tool(t, "promtool")
	o := serveOperated(t, nil)
	for _, c := range []struct {
		input string
		args  []string
	}{
		{o.figures(), []string{"check", "metrics"}},
		{"", []string{"check", "rules", "deploy/alerts.yaml"}},
		{"", []string{"test", "rules", "deploy/alerts_test.yaml"}},
	} {
		run := exec.CommandContext(t.Context(), promtool, c.args...)
		run.Stdin = strings.NewReader(c.input)
		out, err := run.CombinedOutput()
		expect.Error(t, err, nil, "promtool %s:\n%s", c.args, out)
	}
}

func TestTheAdministrativeListener(t *testing.T) {
	o := serveOperated(t, map[string]string{"RESELLERD_PPROF": "1"})
	for path, want := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/metrics": 200, "/debug/pprof/heap": 200, "/debug/pprof/profile?seconds=1": 200,
		"/debug/pprof/cmdline": 404, // it may show the address of a store
		"/users":               404, "/": 404,
	} {
		status, body := o.ask("GET", o.admin+path, "")
		expect.Equal(t, status, want, "%s: %s", path, body)
	}
	status, _ := o.ask("POST", o.admin+"/metrics", "")
	expect.Equal(t, status, 405, "POST of figures")
	status, _ = o.ask("GET", o.main+"/metrics", "")
	expect.Equal(t, status, 404, "figures of the service itself")
	o.stop()
	if _, err := net.DialTimeout("tcp", strings.TrimPrefix(o.admin, "http://"), time.Second); err == nil {
		t.Error("it listens after the end")
	}

	quiet := serveOperated(t, map[string]string{"RESELLERD_PPROF": "0"})
	status, _ = quiet.ask("GET", quiet.admin+"/debug/pprof/heap", "")
	expect.Equal(t, status, 404, "a profile without RESELLERD_PPROF")
}

// TestATakenAdministrativePortFailsTheStart if a setting names the address. With the default address the service
// starts.
func TestATakenAdministrativePortFailsTheStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	var log bytes.Buffer
	start := func(mayFail bool) error {
		life, shown := fxtest.NewLifecycle(t), telemetry.New(nil, slog.New(slog.DiscardHandler))
		c := config{operations: operationsConfig{addr: taken.Addr().String(), mayFail: mayFail}}
		serveOperators(life, c, func(context.Context) error {
			return nil
		}, shown, new(background.Figures), slog.New(slog.NewTextHandler(&log, nil)))
		return errors.Join(life.Start(t.Context()), life.Stop(t.Context()), shown.Close(t.Context()))
	}
	if err := start(false); err == nil || !strings.Contains(err.Error(), "RESELLERD_ADMIN_ADDR: listen tcp") {
		t.Errorf("the port in the setting: %v", err)
	}
	if err := start(true); err != nil || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("the default port: %v, the log says %s", err, &log)
	}
}

func TestSettingsOfTraces(t *testing.T) {
	for url, environment := range map[string]map[string]string{
		"http://collector/t": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://other",
			"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector/t"},
		"http://collector/v1/traces": {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://other",
			"RESELLERD_OTLP_ENDPOINT": "http://collector"},
	} {
		t.Run(url, func(t *testing.T) {
			got, err := settings(t, environment)
			must(t, err)
			expect.Equal(t, got.operations.collector.URL, url)
		})
	}
	got, err := settings(t, map[string]string{
		"RESELLERD_OTLP_ENDPOINT": "http://collector", "OTEL_EXPORTER_OTLP_HEADERS": "a=b%20c, Api-Key=secret=",
		"OTEL_SERVICE_NAME": "mine", "RESELLERD_TRACE_RATIO": "0.25",
	})
	must(t, err)
	collector := got.operations.collector
	if collector.Headers["a"].Reveal() != "b c" || collector.Headers["Api-Key"].Reveal() != "secret=" ||
		len(collector.Headers) != 2 || collector.Service != "mine" || collector.Ratio != 0.25 {
		t.Errorf("the collector is %+v", collector)
	}
	expect.Lacks(t, fmt.Sprintf("%v %+v", collector, collector), "secret")
	_, err = settings(t, map[string]string{"RESELLERD_OTLP_ENDPOINT": "http://collector",
		"OTEL_EXPORTER_OTLP_HEADERS": "a=%0d%0ahidden"})
	if err == nil || !strings.Contains(err.Error(), "\n  OTEL_EXPORTER_OTLP_HEADERS: ") ||
		strings.Contains(err.Error(), "hidden") {
		t.Errorf("a header of two lines: %v", err)
	}
}
