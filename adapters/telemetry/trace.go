package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"resellerd/domain/profile"
)

// Collector is the receiver of spans, by OTLP over HTTP in JSON.
type Collector struct {
	// URL is the address for traces, such as http://localhost:4318/v1/traces.
	URL string
	// Headers are added to each request; their values may be secrets.
	Headers map[string]profile.Secret
	// Service names this service in the traces.
	Service string
	// Ratio is the part of requests that are traced, from 0 to 1, unless the caller decides.
	Ratio float64
}

const (
	// MostWaiting is the most memory, in bytes, that waiting spans take: about 1.2 KiB each.
	MostWaiting = mostWaiting * 1536
	mostWaiting = 2048
	mostAtOnce  = 512
	// pauseBetween is how long spans wait for others of their request to the collector.
	pauseBetween = 2 * time.Second
	// exportTime bounds one request to the collector.
	exportTime = 5 * time.Second
	// mostAnswered is the most bytes that are read of an answer.
	mostAnswered = 64 << 10
)

// tracer starts spans, which the SDK of OpenTelemetry exports. The queue of the SDK does not report dropped spans, so
// the tracer counts spans before and after it: each is exported, dropped or failed.
type tracer struct {
	trace.Tracer

	queue    sdk.SpanProcessor
	exporter *otlptrace.Exporter
	client   http.Client
	outcomes *prometheus.CounterVec
	log      *slog.Logger
	failing  bool // the last request failed

	mu      sync.RWMutex // read-locked while a span enters the queue
	closed  bool         // later spans are dropped
	waiting atomic.Int64 // spans in the queue or in a request

	life context.Context //nolint:containedctx // of requests to the collector
	stop context.CancelFunc
	done chan struct{} // closed when all were sent
}

func newTracer(c Collector, outcomes *prometheus.CounterVec, log *slog.Logger) *tracer {
	// The SDK would write invalid values of its variables to standard error, secrets included.
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces", slog.Any("error", err)) }))
	headers := map[string]string{}
	for name, value := range c.Headers {
		headers[name] = value.Reveal()
	}
	t := &tracer{outcomes: outcomes, log: log, done: make(chan struct{})}
	//nolint:forcetypeassert // the standard library sets it to one
	t.client.Transport = exactly{c.URL, http.DefaultTransport.(*http.Transport).Clone()}
	t.life, t.stop = context.WithCancel(context.Background())
	// Not started: the start only adds metrics of the exporter itself.
	t.exporter = otlptrace.NewUnstarted(otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(c.URL), otlptracehttp.WithHeaders(headers),
		otlptracehttp.WithEncoding(otlptracehttp.EncodingJSON),
		otlptracehttp.WithHTTPClient(&t.client), otlptracehttp.WithMaxResponseSize(mostAnswered),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}), // traces are no records: nothing is resent
	))
	t.queue = sdk.NewBatchSpanProcessor(t, sdk.WithMaxQueueSize(mostWaiting), sdk.WithMaxExportBatchSize(mostAtOnce),
		sdk.WithBatchTimeout(pauseBetween), sdk.WithExportTimeout(exportTime))
	t.Tracer = sdk.NewTracerProvider(
		sdk.WithSpanProcessor(counted{t.queue, t}),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(c.Ratio))),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", c.Service))),
	).Tracer("resellerd")
	for _, outcome := range []string{"exported", "dropped", "failed"} {
		outcomes.WithLabelValues(outcome)
	}
	return t
}

// begin begins a span below the span of ctx. Without a span in ctx nothing is traced.
func (t *Telemetry) begin(ctx context.Context, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	if t.tracer == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, noop.Span{}
	}
	return t.tracer.Start(ctx, name, trace.WithSpanKind(kind))
}

// counted is the queue of spans. It drops and counts a span if too many wait or the tracer is closed.
type counted struct {
	sdk.SpanProcessor

	tracer *tracer
}

// OnEnd implements sdk.SpanProcessor.
func (c counted) OnEnd(s sdk.ReadOnlySpan) {
	t := c.tracer
	t.mu.RLock()
	defer t.mu.RUnlock()
	switch {
	case t.closed:
	case t.waiting.Add(1) > mostWaiting:
		t.waiting.Add(-1)
	default:
		c.SpanProcessor.OnEnd(s)
		return
	}
	t.outcomes.WithLabelValues("dropped").Inc()
}

// rejects matches the end of the exporter's error, with the number of spans that the collector has rejected.
var rejects = regexp.MustCompile(`\((-?\d+) spans rejected\)$`)

// ExportSpans implements sdk.SpanExporter: it sends spans once. It logs the first failure of the collector, and the
// first success after it.
func (t *tracer) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.life, cancel)() //nolint:contextcheck // the request ends with either context
	err := t.exporter.ExportSpans(ctx, spans)
	rejected := 0
	if err != nil {
		rejected = len(spans)
		if said := rejects.FindStringSubmatch(err.Error()); said != nil {
			n, _ := strconv.Atoi(said[1])
			rejected, err = max(0, min(n, rejected)), nil
		}
	}
	t.waiting.Add(-int64(len(spans)))
	t.outcomes.WithLabelValues("failed").Add(float64(rejected))
	t.outcomes.WithLabelValues("exported").Add(float64(len(spans) - rejected))
	if failed, is := errors.AsType[*url.Error](err); is {
		err = failed.Err // without the address, which may hold a secret
	}
	switch failing := rejected > 0; {
	case err != nil && !t.failing:
		t.log.Warn("the collector of traces does not accept spans: they are lost until it does", slog.Any("error", err))
	case failing && !t.failing:
		t.log.Warn("the collector of traces rejects some spans: they are lost", slog.Int("spans", rejected))
	case !failing && t.failing:
		t.log.Info("the collector of traces accepts spans again")
	}
	t.failing = rejected > 0
	return nil
}

// Shutdown implements sdk.SpanExporter. The queue calls it after the last spans.
func (t *tracer) Shutdown(context.Context) error {
	close(t.done)
	return nil
}

// close sends the waiting spans, until ctx ends.
func (t *tracer) close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	_ = t.queue.Shutdown(ctx) // its only error is the end of ctx
	t.stop()
	<-t.done
	t.client.CloseIdleConnections()
	return nil
}

// exactly sends each request to the operator's full address: the exporter drops its query and its user. An unsuccessful
// answer is an error without the answer's text. A redirect is not followed.
type exactly struct {
	address string

	*http.Transport
}

// RoundTrip implements http.RoundTripper.
func (e exactly) RoundTrip(r *http.Request) (*http.Response, error) {
	address, err := url.Parse(e.address)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL = address
	if password, _ := address.User.Password(); address.User != nil && r.Header.Get("Authorization") == "" {
		r.SetBasicAuth(address.User.Username(), password)
	}
	answer, err := e.Transport.RoundTrip(r)
	if err == nil && answer.StatusCode/100 != 2 {
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, mostAnswered)) // so that the connection can be reused
		_ = answer.Body.Close()
		err = fmt.Errorf("it answers %s", answer.Status)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

var nothing = func() {}

// granted is the outcome of a login that gave a token.
const granted = "granted"

// UseCase implements ports.Observer.
func (t *Telemetry) UseCase(ctx context.Context, name string) (inside context.Context, ended func()) {
	inside, span := t.begin(ctx, name, trace.SpanKindInternal)
	if !span.IsRecording() {
		return ctx, nothing
	}
	return inside, func() { span.End() }
}

// Login implements ports.Observer.
func (t *Telemetry) Login(err error) {
	outcome := granted
	if err != nil {
		outcome = codeOf(err)
	}
	t.figures.logins.WithLabelValues(outcome).Inc()
}
