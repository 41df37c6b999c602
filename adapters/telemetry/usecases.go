package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

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
