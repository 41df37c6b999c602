package httpapi

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// Observer is notified of requests, for operators. It returns at once and is safe for concurrent use.
type Observer interface {
	// RequestBegins is called after the headers of a request have arrived. It returns the request for later handlers,
	// and the id of its trace, "" for none.
	RequestBegins(r *http.Request) (inside *http.Request, trace string)
	// RequestEnded is called after the answer was written. It gets the template of the route, "" if none matches, one
	// of a few methods, the status as logged, and the code of the problem, "" for none.
	RequestEnded(r *http.Request, method, route string, status int, code string, took time.Duration)
}

// observe notifies the observer, if any.
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

// status returns the logged status of an answer.
func status(c *gin.Context) int {
	if requestOf(c).givenUp {
		return statusGivenUp
	}
	return c.Writer.Status()
}

// traced are the log's attributes of a request that belongs to a trace.
func (r *requestState) traced() []slog.Attr {
	if r.trace == "" {
		return nil
	}
	return []slog.Attr{slog.String("trace_id", r.trace)}
}
