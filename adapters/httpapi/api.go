// Package httpapi implements the HTTP API of resellerd: JSON (RFC 8259), problem details (RFC 9457) and the operations
// of openapi.yaml. It decodes requests into commands with parsed values, calls one use case each, and encodes the
// answer. It decides no business condition and reads no clock. It builds a command only if all values are valid.
//
// The first check that fails decides the answer: route, method, signature of the token, session of a browser or API key
// with its address, requests of the account, scope, id in the path, body as a whole, fields of the body. The use case
// decides everything else, in its transaction.
//
// The package decodes JSON itself: gin's JSON binding ignores trailing data, and BindJSON writes 400 itself. A page of
// 500 lines with long notes is 4 MB, and an unread answer stays in memory. So pages have a budget, in answers.go.
package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
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
	// TrustedProxies are the peers whose X-Forwarded-For counts.
	TrustedProxies []netip.Prefix
	// RequestsPerMinute limits the requests of each account's owner, each API key and each member of the staff, and the
	// requests with invalid credentials of each client address. 0: no limit.
	RequestsPerMinute int
	// Console is the web console, whose files use this API from the browser only; nil for none.
	Console *webfile.Site
	// TestClock makes this a sandbox; nil for a service.
	TestClock TestClock
	// Draining ends when the process is about to stop: then requests that wait for events are answered at once. Nil
	// never ends.
	Draining context.Context //nolint:containedctx // it is the process's
	// Observer is notified of requests; nil disables it.
	Observer Observer
}

type api struct {
	Options

	cookies   cookieNames
	answers   *answers
	requests  *requestQuota[session.Holder] // of callers, nil: no limit
	invalid   *requestQuota[string]         // of client addresses with invalid credentials, nil: no limit
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
	files := pages.All
	if a.Console != nil {
		files = slices.Concat(files, a.Console.Files)
	}
	for _, file := range files {
		a.serveFile(engine, file)
		if file.Type == webfile.HTML {
			a.serveSlashed(engine, file)
		}
	}
	a.segments = segmentsOf(engine.Routes())
	if a.TestClock == nil {
		return engine, nil
	}
	return a.sandboxed(engine), nil
}

// methodRefused returns the refusal of a method that the route does not have. The client may have named its real method
// in a header.
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

// index answers requests without a route. Browsers get a page at the base path, and at the root above it.
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
		if !a.unknownPage(c) {
			a.fail(c, errNoRoute)
		}
	}
}
