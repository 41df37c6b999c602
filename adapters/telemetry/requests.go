package telemetry

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// requests remembers the figures of each route, method and status, so that a request looks them up once and without a
// lock. There are as many as the API has routes and outcomes.
type requests struct {
	mu   sync.Mutex // held to add
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

// RequestBegins implements httpapi.Observer. It goes on with its caller's trace, where the caller says of one.
func (t *Telemetry) RequestBegins(r *http.Request) (inside *http.Request, trace string) {
	var caller position
	given := false
	if header := r.Header["Traceparent"]; len(header) == 1 {
		caller, given = parseTraceparent(header[0])
	}
	if t.tracer != nil {
		if s := t.tracer.root(caller, given); s != nil {
			return r.WithContext(context.WithValue(r.Context(), spanKey{}, s)), s.trace.String()
		}
	}
	if given {
		return r, caller.trace.String()
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
	if s := spanOf(r.Context()); s != nil {
		s.name = method + " " + route
		s.attribute("http.request.method", method)
		s.attribute("http.route", route)
		s.count("http.response.status_code", int64(status))
		if code != "" {
			s.attribute("error.type", code)
		}
		s.failed = status >= 500
		s.end()
	}
}
