// Package telemetry implements the metrics of the service in the text format of Prometheus, and its traces by
// OpenTelemetry (OTLP over HTTP).
//
// # Labels and attributes
//
// Every label has few values, all chosen by this program: route templates, methods, statuses, codes, kinds of
// movements, outcomes of deliveries. No label and no span has data of a client or of the store: no path, no query, no
// name, no address of a webhook, no header but the ids of a traceparent.
//
// # Several processes
//
// Counters and times count one process since its start. One process sends reminders and webhooks for all. Only that
// process has metrics of the work that is left, so the maximum over all processes is right. If no process does the
// work, there is no value.
//
// # Costs
//
// A metric is a counter in memory. Without a collector there are no spans. With a collector, spans wait in bounded
// memory. Too many are dropped and counted: no request waits for a collector.
//
// By size: client_golang 1.8 MB, its promhttp 0.4 MB, net/http/pprof 0.4 MB, the SDK of OpenTelemetry with
// otlptracehttp 3.2 MB. Most of the latter is protobuf and its descriptors; 0.6 MB is gRPC, which the generated code of
// OTLP names and which never runs.
package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"resellerd/domain/credit"
	"resellerd/ports"
)

// The operators' reference page lists the metrics.
//
//go:generate env RESELLERD_TEST_GENERATE=yes go test -tags nomsgpack -count=1 -run TestReferencePageIsCurrent .

// Telemetry is the telemetry of one service. It is safe for concurrent use.
type Telemetry struct {
	registry *prometheus.Registry
	figures  figures
	requests requests
	commands map[kindOfCommand]prometheus.Observer // of the store
	tracer   *tracer                               // nil without traces
	log      *slog.Logger
}

// New returns the telemetry of a service. It sends traces to the collector, if not nil.
func New(c *Collector, log *slog.Logger) *Telemetry {
	registry := prometheus.NewRegistry()
	t := &Telemetry{registry: registry, figures: newFigures(promauto.With(registry)),
		commands: map[kindOfCommand]prometheus.Observer{}, log: log}
	t.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(),
	)
	t.zero()
	if c != nil {
		t.tracer = newTracer(*c, t.figures.spans, log)
	}
	return t
}

// zero starts metrics with known labels at 0, so that Prometheus sees their first event as an increase.
func (t *Telemetry) zero() {
	for _, command := range []string{"view", "update"} {
		for _, outcome := range outcomes {
			t.commands[kindOfCommand{command, outcome}] = t.figures.storeTime.WithLabelValues(command, outcome)
		}
	}
	for _, kind := range []credit.Operation{credit.Opening, credit.Recharge, credit.Reclaim, credit.Activation,
		credit.Extension} {
		t.figures.movements.WithLabelValues(kind.String())
		t.figures.credits.WithLabelValues(kind.String())
	}
	t.figures.logins.WithLabelValues(granted)
}

// Close sends the waiting spans, until ctx ends, and stops tracing.
func (t *Telemetry) Close(ctx context.Context) error {
	if t.tracer == nil {
		return nil
	}
	return t.tracer.close(ctx)
}

// Ready adds the metric of readiness. Each request for metrics checks it.
func (t *Telemetry) Ready(ready func(ctx context.Context) error) {
	t.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "resellerd_ready", Help: "1 if the service is ready, as in /readyz, otherwise 0.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), readyTime)
		defer cancel()
		if ready(ctx) != nil {
			return 0
		}
		return 1
	}))
}

// Certificate adds the metric of the expiry of the service's certificate. Each request for metrics reads it.
func (t *Telemetry) Certificate(notAfter func() time.Time) {
	t.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "resellerd_certificate_expiry_timestamp_seconds",
		Help: "Expiry of the TLS certificate of the service, in seconds since 1970.",
	}, func() float64 { return float64(notAfter().Unix()) }))
}

// Watch adds the metrics of a store that implements ports.Observable.
func (t *Telemetry) Watch(store ports.Store) {
	if observable := store.Parts().Observable; observable != nil {
		observable.Observe(t.figures.commit)
		t.registry.MustRegister(load{observable})
	}
}

// Background adds the metrics of background work. Each request for metrics calls now.
func (t *Telemetry) Background(now func() ports.Background) {
	t.registry.MustRegister(background{now})
}

// Figures returns the handler that shows all metrics in the text format of Prometheus.
func (t *Telemetry) Figures() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		// a failed metric does not hide the others
		ErrorLog: slog.NewLogLogger(t.log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError,
	})
}
