package telemetry

import (
	"maps"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// requests caches the metrics of each route, method and status, so that a request looks them up once and without a
// lock. The number of routes, methods and statuses bounds the cache.
type requests struct {
	mu   sync.Mutex // locked while an entry is added
	seen atomic.Pointer[map[kindOfRequest]ofRequests]
}

type kindOfRequest struct {
	route, method string
	status        int
}

type ofRequests struct {
	count prometheus.Counter
	time  prometheus.Observer
}

func (r *requests) of(k kindOfRequest, f *figures) ofRequests {
	if seen := r.seen.Load(); seen != nil {
		if known, found := (*seen)[k]; found {
			return known
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[kindOfRequest]ofRequests{}
	if before := r.seen.Load(); before != nil {
		seen = maps.Clone(*before)
	}
	seen[k] = ofRequests{
		count: f.requests.WithLabelValues(k.route, k.method, strconv.Itoa(k.status)),
		time:  f.answerTime.WithLabelValues(k.route, k.method),
	}
	r.seen.Store(&seen)
	return seen[k]
}

// unmatched is the route of requests that no route matches.
const unmatched = "unmatched"

// RequestBegins implements httpapi.Observer. It continues its caller's trace, if any.
func (t *Telemetry) RequestBegins(r *http.Request) (inside *http.Request, traceID string) {
	ctx := r.Context()
	if header := r.Header["Traceparent"]; len(header) == 1 { // no other header, such as baggage: callers may send anything in it
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier{"Traceparent": header})
	}
	if t.tracer != nil {
		if began, span := t.tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer)); span.IsRecording() {
			return r.WithContext(began), span.SpanContext().TraceID().String()
		}
	}
	if caller := trace.SpanContextFromContext(ctx); caller.IsValid() {
		return r, caller.TraceID().String()
	}
	return r, ""
}

// RequestEnded implements httpapi.Observer.
func (t *Telemetry) RequestEnded(r *http.Request, method, route string, status int, code string, took time.Duration) {
	if route == "" {
		route = unmatched
	}
	of := t.requests.of(kindOfRequest{route, method, status}, &t.figures)
	of.count.Inc()
	of.time.Observe(took.Seconds())
	if code != "" {
		t.figures.refusals.WithLabelValues(code).Inc()
	}
	if t.tracer == nil {
		return
	}
	if span := trace.SpanFromContext(r.Context()); span.IsRecording() {
		span.SetName(method + " " + route)
		span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
			attribute.Int("http.response.status_code", status))
		if code != "" {
			span.SetAttributes(attribute.String("error.type", code))
		}
		if status >= 500 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
