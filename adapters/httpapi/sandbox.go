package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/domain/fault"
)

// sandboxHeader marks every answer of a sandbox, so that no client mistakes it for a real service.
const sandboxHeader = "X-Resellerd-Sandbox"

// TestClock is the clock of a sandbox. The published document does not have its route, since a service has no such
// clock.
type TestClock interface {
	// Now returns its time.
	Now() time.Time
	// Forward sets the clock to the result of to for its present time, and returns the new time, or a refusal.
	Forward(to func(now time.Time) time.Time) (time.Time, error)
}

// sandboxed marks every answer, and sets Date from the sandbox's clock, because clients may use Date.
func (a *api) sandboxed(engine http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(sandboxHeader, "true")
		dated(w.Header(), a.TestClock.Now())
		engine.ServeHTTP(w, r)
	})
}

// Refusals of the clock's body.
var (
	errNotDuration = fault.New(fault.Invalid, "bad-duration", "This must be a time of at least 1ms, such as 36h or 90s.")
	errOneOfTwo    = fault.New(fault.Invalid, "bad-value", "Either to or forward is required, not both.")
)

type (
	clockTime struct{ instant }
	duration  struct {
		text
		parsed[time.Duration]
	}
)

func (m *duration) parse() error {
	d, err := time.ParseDuration(m.literal)
	if err != nil || d < time.Millisecond {
		return errNotDuration
	}
	return m.set(d, nil)
}

type clockBody struct {
	To      clockTime `json:"to"`
	Forward duration  `json:"forward"`
}

// target returns the function that computes the new time of the clock.
func (b *clockBody) target() (func(now time.Time) time.Time, error) {
	byTime, byDuration := !b.To.value.IsZero(), b.Forward.value != 0
	switch {
	case byTime == byDuration:
		f := &form{faults: []namedFault{{"to", errOneOfTwo}}}
		return nil, f.err()
	case byTime:
		return func(time.Time) time.Time { return b.To.value }, nil
	}
	return func(now time.Time) time.Time { return now.Add(b.Forward.value) }, nil
}

type clockRecord struct {
	Now string `json:"now"`
}

func (a *api) setClock(ctx context.Context, c *gin.Context) error {
	var body clockBody
	_, call, err := a.receive(c, &body, false)
	if err != nil {
		return err
	}
	to, err := body.target()
	if err != nil {
		return err
	}
	if err := a.Service.Access.AdmitAdmin(ctx, call); err != nil {
		return err
	}
	now, err := a.TestClock.Forward(to)
	if err != nil {
		return err
	}
	dated(c.Writer.Header(), now)
	ok(c, clockRecord{iso(now)})
	return nil
}

// dated sets the time of an answer, which is otherwise the machine's.
func dated(h http.Header, at time.Time) { h.Set("Date", at.UTC().Format(http.TimeFormat)) }
