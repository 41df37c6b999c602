package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"resellerd/adapters/memstore"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// shows fails the test unless the figures have each of these lines.
func shows(t *testing.T, of *Telemetry, lines ...string) {
	t.Helper()
	text := figuresOf(of)
	for _, line := range lines {
		expect.Contains(t, text, "\n"+line+"\n", "the figures")
	}
}

// figuresOf returns the service's own figures.
func figuresOf(of *Telemetry) string {
	answer := httptest.NewRecorder()
	of.Figures().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	var own strings.Builder
	own.WriteString("\n")
	for line := range strings.Lines(answer.Body.String()) {
		if strings.HasPrefix(line, "resellerd_") {
			own.WriteString(line)
		}
	}
	return own.String()
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestAnObservedStoreKeepsEveryPromise runs the suite of all stores on one that is counted.
func TestAnObservedStoreKeepsEveryPromise(t *testing.T) {
	t.Parallel()
	subject := storetest.Subject{
		Open: func(storetest.T) ports.Store { return New(nil, silent()).Store(memstore.New()) },
		Lacks: map[storetest.Capability]string{
			storetest.Durability: "its records are in memory",
			storetest.Copies:     "no command copies an observed store",
		},
	}
	storetest.Run(t, subject)
}

// scripted is a store that runs work a number of times, and then returns err.
type scripted struct {
	ports.Store

	runs int
	err  error
}

func (scripted) Parts() ports.Parts { return ports.Parts{} }

func (s scripted) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error,
	_ ...ports.Reads) error {
	for range s.runs - 1 {
		_ = work(ctx, ports.Tx{Ledger: unkept{}})
	}
	return errors.Join(work(ctx, ports.Tx{Ledger: unkept{}}), s.err)
}

type unkept struct{ ports.Ledger }

func (unkept) Append(context.Context, credit.Movement) error { return nil }

// TestOnlyStoredMovementsCount of work that runs again, and of work whose commit fails.
func TestOnlyStoredMovementsCount(t *testing.T) {
	t.Parallel()
	appending := func(of *Telemetry, s scripted, operations ...credit.Operation) error {
		return of.Store(s).Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			for _, o := range operations {
				if err := tx.Ledger.Append(ctx, credit.Movement{Operation: o, Amount: fixture.Credits("2.5")}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	of := New(nil, silent())
	require.NoError(t, appending(of, scripted{runs: 3}, credit.Activation))
	require.NoError(t, appending(of, scripted{runs: 2}, credit.Recharge, credit.Recharge, credit.Opening))
	lost := fmt.Errorf("commit: %w", ports.ErrUnavailable)
	expect.Error(t, appending(of, scripted{runs: 2, err: lost}, credit.Activation, credit.Extension), lost)
	for err, outcome := range map[error]string{
		fault.ErrNotFound:                        "refused",
		errors.New("a defect"):                   "failed",
		fmt.Errorf("wait: %w", context.Canceled): "given-up",
	} {
		expect.Error(t, appending(of, scripted{runs: 1, err: err}, credit.Reclaim), err)
		shows(t, of, `resellerd_store_duration_seconds_count{command="update",outcome="`+outcome+`"} 1`)
	}
	shows(t, of,
		`resellerd_movements_total{kind="activation"} 1`, `resellerd_credits_total{kind="activation"} 2.5`,
		`resellerd_movements_total{kind="recharge"} 2`, `resellerd_credits_total{kind="recharge"} 5`,
		`resellerd_movements_total{kind="opening"} 1`, `resellerd_movements_total{kind="extension"} 0`,
		`resellerd_movements_total{kind="reclaim"} 0`,
		`resellerd_store_duration_seconds_count{command="update",outcome="done"} 2`,
		`resellerd_store_duration_seconds_count{command="update",outcome="unavailable"} 1`,
		`resellerd_store_reruns_total 4`)
}

// observable is a store that implements ports.Observable.
type observable struct {
	ports.Store

	seen func(ports.Commit)
	load ports.Load
}

func (s *observable) Parts() ports.Parts              { return ports.Parts{Observable: s} }
func (s *observable) Observe(seen func(ports.Commit)) { s.seen = seen }
func (s *observable) Load() ports.Load                { return s.load }

func TestMetricsOfAStore(t *testing.T) {
	t.Parallel()
	of, store := New(nil, silent()), &observable{load: ports.Load{Waiting: 3, WAL: 4096, Unnumbered: 90 * time.Second}}
	of.Watch(store)
	store.seen(ports.Commit{Commands: 3, Attempts: 1, Took: 2 * time.Millisecond})
	store.seen(ports.Commit{Commands: 200, Attempts: 4, Took: 2 * time.Second})
	shows(t, of,
		`resellerd_store_commit_commands_bucket{le="4"} 1`, `resellerd_store_commit_commands_bucket{le="256"} 2`,
		`resellerd_store_commit_duration_seconds_bucket{le="0.0025"} 1`,
		`resellerd_store_commit_duration_seconds_bucket{le="2.5"} 2`,
		`resellerd_store_retries_total 3`, `resellerd_store_queue 3`, `resellerd_store_wal_bytes 4096`,
		`resellerd_journal_unnumbered_seconds 90`)
}

func TestMetricsOfBackgroundWork(t *testing.T) {
	t.Parallel()
	of := New(nil, silent())
	now := ports.Background{Attempts: map[string]int64{"delivered": 7, "timed-out": 0}, Reminders: 3,
		RemindersBehind: 90 * time.Second}
	of.Background(func() ports.Background { return now })
	shows(t, of, `resellerd_webhook_attempts_total{outcome="delivered"} 7`,
		`resellerd_webhook_attempts_total{outcome="timed-out"} 0`, `resellerd_reminders_total 3`)
	if text := figuresOf(of); strings.Count(text, "\nresellerd_webhook") != 2 || strings.Contains(text, "behind") {
		t.Errorf("a process that does not deliver has metrics of the work that is left:%s", text)
	}
	now.Webhooks = &ports.WebhookLoad{Behind: 1500 * time.Millisecond, Waiting: 12, Enabled: 4,
		Disabled: map[string]int{"failing": 1, "gone": 0}}
	shows(t, of, `resellerd_webhook_behind_seconds 1.5`, `resellerd_webhook_retries_waiting 12`,
		`resellerd_reminders_behind_seconds 90`, `resellerd_webhooks{state="enabled"} 4`,
		`resellerd_webhooks{state="failing"} 1`)
}

func TestLoginsAndReadiness(t *testing.T) {
	t.Parallel()
	of := New(nil, silent())
	var unready error
	of.Ready(func(context.Context) error { return unready })
	of.Login(nil)
	of.Login(fmt.Errorf("login: %w", fault.ErrNotFound))
	of.Login(errors.New("a defect"))
	shows(t, of, "resellerd_ready 1",
		`resellerd_logins_total{outcome="granted"} 1`, `resellerd_logins_total{outcome="not-found"} 1`,
		`resellerd_logins_total{outcome="failed"} 1`)
	unready = ports.ErrUnavailable
	shows(t, of, "resellerd_ready 0")
	of.Certificate(func() time.Time { return time.Unix(1_800_000_000, 5) })
	shows(t, of, "resellerd_certificate_expiry_timestamp_seconds 1.8e+09")
}

// exportRequest has the members of ExportTraceServiceRequest (OTLP 1, JSON) that the tests read.
type exportRequest struct {
	ResourceSpans []struct {
		ScopeSpans []struct{ Spans []exportedSpan }
	}
}

type exportedSpan struct {
	TraceID, SpanID, ParentSpanID, TraceState, Name string
	Kind                                            trace.SpanKind
	Status                                          struct{ Code int }
}

// collector accepts spans, or refuses them.
type collector struct {
	*httptest.Server

	mu      sync.Mutex
	refuses bool
	headers http.Header
	path    string
	bodies  []byte
	spans   []exportedSpan
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.refuses {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var request exportRequest
		if err := json.Unmarshal(body, &request); err != nil {
			t.Errorf("%v in %s", err, body)
			return
		}
		c.headers, c.path, c.bodies = r.Header, r.RequestURI, append(c.bodies, body...)
		c.spans = append(c.spans, request.ResourceSpans[0].ScopeSpans[0].Spans...)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) of(ratio float64) *Collector {
	return &Collector{URL: strings.Replace(c.URL, "//", "//hidden:word@", 1) + "/v1/traces?hidden=1",
		Headers: map[string]profile.Secret{"Api-Key": profile.NewSecret("the key")}, Service: "mine", Ratio: ratio}
}

// request handles a request with a use case and a store command, and returns the id of the trace for the log.
func request(of *Telemetry, traceparent string, status int, code string) string {
	r := httptest.NewRequest(http.MethodGet, "/lines/7?secret", nil)
	if traceparent != "" {
		r.Header.Set("Traceparent", traceparent)
	}
	r, trace := of.RequestBegins(r)
	ctx, ended := of.UseCase(r.Context(), "read line")
	store := memstore.New()
	_ = of.Store(store).View(ctx, func(context.Context, ports.Snapshot) error { return nil })
	ended()
	of.RequestEnded(r, http.MethodGet, "/lines/:id", status, code, time.Millisecond)
	return trace
}

func TestTraces(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	of := New(c.of(1), silent())
	callers := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"
	taken := request(of, callers+"01", http.StatusOK, "")
	own := request(of, "not a traceparent", http.StatusInternalServerError, "internal-error")
	unsampled := request(of, callers+"00", http.StatusOK, "")
	require.NoError(t, of.Close(t.Context()))
	if taken != "0af7651916cd43dd8448eb211c80319c" || unsampled != taken || len(own) != 32 || own == taken {
		t.Errorf("the log would name the traces %q, %q and %q", taken, own, unsampled)
	}
	if c.path != "/v1/traces?hidden=1" || c.headers.Get("Content-Type") != "application/json" ||
		c.headers.Get("Api-Key") != "the key" ||
		c.headers.Get("Authorization") != "Basic aGlkZGVuOndvcmQ=" {
		t.Errorf("sent to %s with %v", c.path, c.headers)
	}
	if !bytes.Contains(c.bodies, []byte(`{"key":"service.name","value":{"stringValue":"mine"}}`)) ||
		bytes.Contains(c.bodies, []byte("secret")) {
		t.Errorf("sent %s", c.bodies)
	}
	if len(c.spans) != 6 {
		t.Fatalf("%d spans came, want 6: %+v", len(c.spans), c.spans)
	}
	for i, id := range []string{taken, own} {
		spans := c.spans[3*i : 3*i+3]
		view, read, root := spans[0], spans[1], spans[2]
		var kinds []string
		for _, s := range spans {
			kinds = append(kinds, fmt.Sprint(s.Name, " ", s.Kind))
			expect.Equal(t, strings.ToLower(s.TraceID), id, "the trace of %s", s.Name)
		}
		expect.Elements(t, kinds, []string{"store view client", "read line internal", "GET /lines/:id server"}, "spans")
		if view.ParentSpanID != read.SpanID || read.ParentSpanID != root.SpanID || root.SpanID == read.SpanID ||
			len(root.SpanID) != 16 {
			t.Errorf("spans do not hang together: %+v", spans)
		}
	}
	expect.Equal(t, strings.ToLower(c.spans[2].ParentSpanID), "b7ad6b7169203331", "the parent of a caller's request")
	expect.Equal(t, c.spans[5].ParentSpanID, "", "the parent of an own trace")
	const failed = 2
	expect.Equal(t, c.spans[2].Status.Code, 0, "outcome: %v", c.spans[2].Status)
	expect.Equal(t, c.spans[5].Status.Code, failed, "outcome: %v", c.spans[5].Status)
	shows(t, of, `resellerd_trace_spans_total{outcome="exported"} 6`)
}

// TestNoRequestWaitsForACollector that refuses spans, or never answers: spans are lost and counted.
func TestNoRequestWaitsForACollector(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	var log bytes.Buffer
	of := New(c.of(1), slog.New(slog.NewTextHandler(&log, nil)))
	c.refuses = true
	request(of, "", http.StatusOK, "")
	_ = of.Close(t.Context())
	shows(t, of, `resellerd_trace_spans_total{outcome="failed"} 3`, `resellerd_trace_spans_total{outcome="exported"} 0`)
	if n := strings.Count(log.String(), "does not accept spans"); n != 1 ||
		!strings.Contains(log.String(), `error="it answers 503 Service Unavailable"`) {
		t.Errorf("the log says %s", &log)
	}
	log.Reset()
	of = New(&Collector{URL: "http://hidden:word@127.0.0.1:1/hidden", Service: "mine", Ratio: 1},
		slog.New(slog.NewTextHandler(&log, nil)))
	request(of, "", http.StatusOK, "")
	_ = of.Close(t.Context())
	if !strings.Contains(log.String(), "refused") || strings.Contains(log.String(), "hidden") {
		t.Errorf("the log says %s", &log)
	}

	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hangs.Close()
	defer close(release)
	of = New(&Collector{URL: hangs.URL, Service: "mine", Ratio: 1}, silent())
	for range mostWaiting + mostAtOnce {
		request(of, "", http.StatusOK, "")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_ = of.Close(ctx)
	if text := figuresOf(of); strings.Contains(text, `resellerd_trace_spans_total{outcome="dropped"} 0`) {
		t.Errorf("none were dropped:\n%s", text)
	}
}

// TestNothingIsTracedWithoutACollector still names its caller's trace for the log.
func TestNothingIsTracedWithoutACollector(t *testing.T) {
	of := New(nil, silent())
	trace := request(of, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", http.StatusOK, "")
	expect.Equal(t, trace, "0af7651916cd43dd8448eb211c80319c", "the trace")
	expect.Error(t, of.Close(t.Context()), nil)
}
