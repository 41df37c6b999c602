package telemetry

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"time"
)

type (
	traceID [16]byte
	spanID  [8]byte
)

// String returns the lower-case hexadecimal form.
func (id traceID) String() string { return hex.EncodeToString(id[:]) }

// position is a span's place in a trace, as a traceparent carries it (W3C Trace Context, level 1).
type position struct {
	trace   traceID
	id      spanID
	sampled bool
}

// parseTraceparent reads the header, version 00 or what a later version has in the same place. It reports false for
// anything else, which is as if it were not given.
func parseTraceparent(header string) (p position, given bool) {
	const length = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(header) < length || header[2] != '-' || header[35] != '-' || header[52] != '-' {
		return p, false
	}
	version := header[:2]
	if version == "ff" || version == "00" && len(header) != length || len(header) > length && header[length] != '-' {
		return p, false
	}
	var head, flags [1]byte
	for _, field := range []struct {
		into []byte
		text string
	}{{head[:], version}, {p.trace[:], header[3:35]}, {p.id[:], header[36:52]}, {flags[:], header[53:55]}} {
		if strings.ToLower(field.text) != field.text {
			return position{}, false
		}
		if _, err := hex.Decode(field.into, []byte(field.text)); err != nil {
			return position{}, false
		}
	}
	if p.trace == (traceID{}) || p.id == (spanID{}) {
		return position{}, false
	}
	p.sampled = flags[0]&1 != 0
	return p, true
}

// The kinds of spans, by their numbers in OTLP.
const (
	internal = 1
	server   = 2
	client   = 3
)

// span is a piece of work under way, used by one goroutine at a time. The nil span is of a request that is not traced.
type span struct {
	position

	tracer       *tracer
	parent       spanID // zero: none
	name         string
	kind         int
	began, ended time.Time
	failed       bool
	attributes   []attribute
}

type attribute struct {
	key    string
	text   string
	number int64 // where text is ""
}

type spanKey struct{}

func spanOf(ctx context.Context) *span {
	s, _ := ctx.Value(spanKey{}).(*span)
	return s
}

// begin begins a span below that of ctx. Where there is none, nothing is traced.
func (t *Telemetry) begin(ctx context.Context, name string, kind int) (context.Context, *span) {
	if t.tracer == nil {
		return ctx, nil
	}
	above := spanOf(ctx)
	if above == nil {
		return ctx, nil
	}
	s := t.tracer.span(position{trace: above.trace, sampled: true}, above.id, kind)
	s.name = name
	return context.WithValue(ctx, spanKey{}, s), s
}

func (s *span) attribute(key, text string) {
	if s != nil {
		s.attributes = append(s.attributes, attribute{key: key, text: text})
	}
}

func (s *span) count(key string, number int64) {
	if s != nil {
		s.attributes = append(s.attributes, attribute{key: key, number: number})
	}
}

// end hands the span over to be exported. It is not used any more.
func (s *span) end() {
	s.ended = time.Now()
	s.tracer.export(s)
}

// root begins the span of a request, nil where it is not sampled: as its caller has decided, or by chance.
func (t *tracer) root(caller position, given bool) *span {
	if given {
		if !caller.sampled {
			return nil
		}
		return t.span(caller, caller.id, server)
	}
	if rand.Float64() >= t.collector.Ratio { //nolint:gosec // a sample is no secret
		return nil
	}
	return t.span(position{trace: newTraceID(), sampled: true}, spanID{}, server)
}

func (t *tracer) span(at position, parent spanID, kind int) *span {
	at.id = newSpanID()
	return &span{position: at, tracer: t, parent: parent, kind: kind, began: time.Now()}
}
