package telemetry

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"resellerd/domain/profile"
)

// Collector is where spans go: a receiver of OTLP over HTTP, in JSON.
type Collector struct {
	// URL is that of its traces, such as http://localhost:4318/v1/traces.
	URL string
	// Headers are sent along; their values may be secrets.
	Headers map[string]profile.Secret
	// Service names this service in the traces.
	Service string
	// Ratio is the part of requests that are traced, from 0 to 1, where the caller says neither that nor otherwise.
	Ratio float64
}

const (
	// MostWaiting is how many bytes of memory spans take that wait, at most: less than 1 KiB each.
	MostWaiting = mostWaiting << 10
	mostWaiting = 2048
	mostAtOnce  = 512
	// pauseBetween is how long spans wait for others to go with them.
	pauseBetween = 2 * time.Second
	// exportTime bounds one request to the collector.
	exportTime = 5 * time.Second
)

// tracer exports spans. It makes the SDK of OpenTelemetry superfluous, a dependency of many packages.
type tracer struct {
	collector Collector
	client    http.Client
	log       *slog.Logger
	outcomes  *prometheus.CounterVec

	mu      sync.RWMutex // held to read by who queues a span
	closed  bool         // no more spans are taken
	spans   chan *span
	ended   chan struct{} // closed when the last span is queued
	done    chan struct{} // closed when all were sent
	failing bool          // the last request failed
	stop    context.CancelFunc
}

func newTracer(c Collector, outcomes *prometheus.CounterVec, log *slog.Logger) *tracer {
	ctx, stop := context.WithCancel(context.Background())
	t := &tracer{
		collector: c,
		client: http.Client{
			Timeout:       exportTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		log: log, outcomes: outcomes,
		spans: make(chan *span, mostWaiting), ended: make(chan struct{}), done: make(chan struct{}), stop: stop,
	}
	for _, outcome := range []string{"exported", "dropped", "failed"} {
		outcomes.WithLabelValues(outcome)
	}
	go t.run(ctx)
	return t
}

// export queues a span, and drops it where too many wait, or the tracer is closed.
func (t *tracer) export(s *span) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if !t.closed {
		select {
		case t.spans <- s:
			return
		default:
		}
	}
	t.outcomes.WithLabelValues("dropped").Inc()
}

// run sends what waits, at least every pauseBetween, until the tracer is closed, and then what is left.
func (t *tracer) run(ctx context.Context) {
	defer close(t.done)
	tick := time.NewTicker(pauseBetween)
	defer tick.Stop()
	var batch []*span
	for {
		full, last := false, false
		select {
		case s := <-t.spans:
			batch = append(batch, s)
			full = len(batch) == mostAtOnce
		case <-tick.C:
			full = true
		case <-t.ended:
			last = true
		}
		for last && len(t.spans) > 0 {
			batch = append(batch, <-t.spans)
		}
		if full || last {
			t.send(ctx, batch)
			batch = batch[:0]
		}
		if last {
			return
		}
	}
}

// send sends spans once. A collector that does not take them is told of in the log when that begins and when it ends;
// traces are no records, and nothing is sent again.
func (t *tracer) send(ctx context.Context, batch []*span) {
	if len(batch) == 0 {
		return
	}
	rejected, err := t.post(ctx, encode(t.collector.Service, batch))
	if err != nil {
		rejected = len(batch)
	}
	rejected = min(rejected, len(batch))
	t.outcomes.WithLabelValues("failed").Add(float64(rejected))
	t.outcomes.WithLabelValues("exported").Add(float64(len(batch) - rejected))
	switch failing := rejected > 0; {
	case err != nil && !t.failing:
		t.log.Warn("the collector of traces takes none: they are lost until it does", slog.Any("error", err))
	case failing && !t.failing:
		t.log.Warn("the collector of traces rejects some: they are lost", slog.Int("spans", rejected))
	case !failing && t.failing:
		t.log.Info("the collector takes traces again")
	}
	t.failing = rejected > 0
}

// mostAnswered is how much of an answer is read.
const mostAnswered = 64 << 10

// post returns how many spans the collector says that it rejected.
func (t *tracer) post(ctx context.Context, body []byte) (rejected int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.collector.URL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range t.collector.Headers {
		r.Header.Set(name, value.Reveal())
	}
	answer, err := t.client.Do(r)
	if err != nil {
		if failed, is := errors.AsType[*url.Error](err); is {
			err = failed.Err // without the address, which may hold a secret
		}
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, mostAnswered)) // so that the connection can be used again, too
	if answer.StatusCode/100 != 2 {
		return 0, fmt.Errorf("it answers %s", answer.Status)
	}
	var response exportResponse
	if json.Unmarshal(said, &response) != nil {
		return 0, nil // of what does not answer as the protocol has it, the status says it all
	}
	return int(min(max(0, response.PartialSuccess.RejectedSpans), mostAtOnce+mostWaiting)), nil
}

// close sends what waits, for as long as ctx lasts.
func (t *tracer) close(ctx context.Context) error {
	t.mu.Lock()
	if !t.closed {
		t.closed = true
		close(t.ended)
	}
	t.mu.Unlock()
	defer t.stop()
	defer t.client.CloseIdleConnections()
	select {
	case <-t.done:
	case <-ctx.Done():
		t.stop()
		<-t.done
	}
	return nil
}

// exportResponse is ExportTraceServiceResponse: a collector that answers 200 may still reject spans.
type exportResponse struct {
	PartialSuccess struct {
		RejectedSpans count `json:"rejectedSpans"`
	} `json:"partialSuccess"`
}

// count is a 64-bit number in the JSON of OTLP, a string or a number.
type count int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *count) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	number, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	*n = count(number)
	return err
}

// What follows is ExportTraceServiceRequest in the JSON of OTLP 1: ids in hexadecimal, 64-bit numbers as strings.
type (
	exportRequest struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope      `json:"scope"`
		Spans []spanJSON `json:"spans"`
	}
	scope struct {
		Name string `json:"name"`
	}
	spanJSON struct {
		TraceID      string     `json:"traceId"`
		SpanID       string     `json:"spanId"`
		ParentSpanID string     `json:"parentSpanId,omitempty"`
		Name         string     `json:"name"`
		Kind         int        `json:"kind"`
		Start        string     `json:"startTimeUnixNano"`
		End          string     `json:"endTimeUnixNano"`
		Attributes   []keyValue `json:"attributes,omitempty"`
		Status       *status    `json:"status,omitempty"`
	}
	status struct {
		Code int `json:"code"`
	}
	keyValue struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		Text   *string `json:"stringValue,omitempty"`
		Number *string `json:"intValue,omitempty"`
	}
)

// statusError is STATUS_CODE_ERROR.
const statusError = 2

func encode(service string, batch []*span) []byte {
	spans := make([]spanJSON, 0, len(batch))
	for _, s := range batch {
		j := spanJSON{
			TraceID: s.trace.String(), SpanID: hex.EncodeToString(s.id[:]), Name: s.name, Kind: s.kind,
			Start: strconv.FormatInt(s.began.UnixNano(), 10), End: strconv.FormatInt(s.ended.UnixNano(), 10),
		}
		if s.parent != (spanID{}) {
			j.ParentSpanID = hex.EncodeToString(s.parent[:])
		}
		for _, a := range s.attributes {
			j.Attributes = append(j.Attributes, a.json())
		}
		if s.failed {
			j.Status = &status{statusError}
		}
		spans = append(spans, j)
	}
	body, err := json.Marshal(exportRequest{[]resourceSpans{{
		Resource:   resource{[]keyValue{attribute{key: "service.name", text: service}.json()}},
		ScopeSpans: []scopeSpans{{scope{"resellerd"}, spans}},
	}}})
	if err != nil {
		panic(err) // strings and numbers always have a JSON form
	}
	return body
}

func (a attribute) json() keyValue {
	if a.text != "" {
		return keyValue{a.key, value{Text: &a.text}}
	}
	number := strconv.FormatInt(a.number, 10)
	return keyValue{a.key, value{Number: &number}}
}

func newTraceID() (id traceID) {
	binary.BigEndian.PutUint64(id[:8], random())
	binary.BigEndian.PutUint64(id[8:], random())
	return id
}

func newSpanID() (id spanID) {
	binary.BigEndian.PutUint64(id[:], random())
	return id
}

// random is not 0, which is no id.
func random() uint64 { return rand.Uint64() | 1 } //nolint:gosec // ids need be no secret, only unlike each other
