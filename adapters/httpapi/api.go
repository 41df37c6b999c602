// Package httpapi is the HTTP adapter: it decodes requests into commands with parsed values, calls one use case each,
// and encodes the answer. It decides no business condition and reads no clock. A command is built only if none of its
// values was refused.
//
// The first check that fails answers: route, method, the token's signature, the session of a browser or the key and its
// address, the account's requests, the scope, the id in the path, the body as a whole, its fields; all else is decided
// by the use case in its transaction.
//
// Decoding is our own: gin's JSON binding ignores trailing data, and BindJSON writes 400 itself. A page of 500 lines
// with long notes is 4 MB, and an unread answer is held in memory: hence the budget of pages.
package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/adapters/httpapi/pages"
	"resellerd/adapters/webfile"
	"resellerd/application"
	"resellerd/domain/session"
)

// Options configure the API.
type Options struct {
	Service *application.Service
	// Ready returns nil if requests can be served.
	Ready func(ctx context.Context) error
	Log   *slog.Logger
	// BasePath comes before every route but the health checks: "" or /segment...
	BasePath string
	// TrustedProxies are the peers whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// RequestsPerMinute is how many requests each account's owner, each key and each member of its staff may make, and
	// each client address by dead credentials, 0: no limit.
	RequestsPerMinute int
	// Console is the web console, whose files use this API from the browser only; nil for none.
	Console *webfile.Site
	// TestClock makes this a sandbox; nil for a service.
	TestClock TestClock
	// Draining ends once the process is about to stop: requests that wait for entries are answered at once. Nil never
	// ends.
	Draining context.Context //nolint:containedctx // it is the process's
	// Observer is notified of requests; nil disables it.
	Observer Observer
}

type api struct {
	Options

	cookies   cookieNames
	answers   *answers
	requests  *requestQuota[session.Holder] // of callers, nil: no limit
	dead      *requestQuota[string]         // of client addresses by dead credentials, nil: no limit
	waits     *waits
	exporting *exporting
	segments  map[string]bool // of the paths of all routes
	routes    []route         // of all operations
}

// New returns the handler of the whole API.
func New(o Options) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode) // the other modes print to standard output
	start := time.Now()
	passed := func() time.Duration { return time.Since(start) }
	a := &api{
		o, cookieNames{cookieName(o.BasePath), plainCookieName(o.BasePath)},
		newAnswers(), newRequestQuota[session.Holder](o.RequestsPerMinute, passed),
		newRequestQuota[string](o.RequestsPerMinute, passed),
		newWaits(), newExporting(), nil, nil,
	}
	a.TrustedProxies = unmapped(o.TrustedProxies)
	if a.Draining == nil {
		a.Draining = context.Background()
	}
	engine := gin.New()
	engine.RedirectTrailingSlash = false
	engine.HandleMethodNotAllowed = true
	if err := engine.SetTrustedProxies(nil); err != nil { // address decides which proxies are trusted
		return nil, err
	}
	engine.Use(cutOff, a.identify, a.observe, a.logRequest, a.recoverPanic)
	engine.NoRoute(a.index())
	engine.NoMethod(func(c *gin.Context) { a.fail(c, methodRefused(c)) })
	operations := a.operations()
	for _, o := range operations {
		a.serve(engine, o)
	}
	a.routes = routesOf(operations)
	for _, file := range pages.All {
		a.serveFile(engine, file)
	}
	if a.Console != nil {
		for _, file := range a.Console.Files {
			a.serveFile(engine, file)
			if file.Type == webfile.HTML {
				a.serveSlashed(engine, file)
			}
		}
	}
	a.segments = segmentsOf(engine.Routes())
	if a.TestClock == nil {
		return engine, nil
	}
	return a.sandboxed(engine), nil
}

// methodRefused returns why a route does not have the method of a request: its client may have named the one that it
// means in a header.
func methodRefused(c *gin.Context) error {
	for _, name := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
		if c.GetHeader(name) != "" {
			return errMethod.because(
				fmt.Sprintf("The header %s is not supported: send the request with the method itself. This route has %s.",
					name, c.Writer.Header().Get("Allow")))
		}
	}
	return errMethod
}

// index answers requests without a route. Browsers find a page at the base path, and at the root above it.
func (a *api) index() gin.HandlerFunc {
	at := map[string]*webfile.File{a.BasePath + "/": pages.Index}
	if a.BasePath != "" {
		below := pages.IndexBelow(a.BasePath)
		at[a.BasePath], at["/"] = below, below
	}
	return func(c *gin.Context) {
		r := c.Request
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if shown := at[r.URL.EscapedPath()]; reads && shown != nil && webfile.Accepted(r) {
			c.Status(http.StatusOK)
			shown.ServeHTTP(c.Writer, r)
			return
		}
		if !a.nowhere(c) {
			a.fail(c, errNoRoute)
		}
	}
}
