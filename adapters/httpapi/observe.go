package httpapi

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// Observer is told of requests, for those who run the service. It returns at once and is safe for concurrent use.
type Observer interface {
	// RequestBegins is called when the headers of a request have come. It returns the request for all that follows, and
	// the id of the trace that it belongs to, "" for none.
	RequestBegins(r *http.Request) (inside *http.Request, trace string)
	// RequestEnded is called when the answer was handed over: with the template of the route, "" where none matches, one
	// of a few methods, the status as the log has it, and the code of the problem, "" where there was none.
	RequestEnded(r *http.Request, method, route string, status int, code string, took time.Duration)
}

// observe tells the observer, where there is one.
func (a *api) observe(c *gin.Context) {
	if a.Observer == nil {
		return
	}
	began := time.Now()
	known := requestOf(c)
	r, trace := a.Observer.RequestBegins(c.Request)
	c.Request, known.trace = r, trace
	c.Next()
	a.Observer.RequestEnded(r, knownMethod(r.Method), c.FullPath(), status(c), known.code, time.Since(began))
}

// status is what a request ended with.
func status(c *gin.Context) int {
	if requestOf(c).givenUp {
		return statusGivenUp
	}
	return c.Writer.Status()
}

// traced is what the log says of a request that belongs to a trace.
func (r *requestState) traced() []slog.Attr {
	if r.trace == "" {
		return nil
	}
	return []slog.Attr{slog.String("trace_id", r.trace)}
}
