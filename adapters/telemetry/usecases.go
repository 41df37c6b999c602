package telemetry

import "context"

var nothing = func() {}

// granted is the outcome of a login that gave a token.
const granted = "granted"

// UseCase implements ports.Observer.
func (t *Telemetry) UseCase(ctx context.Context, name string) (inside context.Context, ended func()) {
	inside, s := t.begin(ctx, name, internal)
	if s == nil {
		return ctx, nothing
	}
	return inside, s.end
}

// Login implements ports.Observer.
func (t *Telemetry) Login(err error) {
	outcome := granted
	if err != nil {
		outcome = codeOf(err)
	}
	t.figures.logins.WithLabelValues(outcome).Inc()
}
