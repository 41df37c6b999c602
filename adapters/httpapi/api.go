// Package httpapi is the HTTP adapter: it decodes requests into commands with parsed values, calls one use case each,
// and encodes the answer. It decides no business condition and reads no clock. A command is built only of values of
// which none was refused.
//
// The first check that fails answers: the bytes that came from the address, route, method, the token's signature or
// the session of a browser, the account's requests, the id in the path, the body as a whole, its fields; all else is
// decided by the use case in its transaction.
//
// Decoding is our own: gin's JSON binding ignores trailing data, and BindJSON writes 400 by itself. A page of 500 lines
// with long notes is 4 MB, and an answer that its client does not read is held whole: hence the budget of pages.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/adapters/httpapi/pages"
	"resellerd/adapters/webfile"
	"resellerd/application"
)

// Options are what the API is made of.
type Options struct {
	Service *application.Service
	// Ready returns nil where requests can be served.
	Ready func(ctx context.Context) error
	Log   *slog.Logger
	// BasePath comes before every route but the health checks: "" or /segment...
	BasePath string
	// TrustedProxies are the peers whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// RequestsPerMinute is how many requests each account may make, and each client
	// address by credentials that are dead, 0: no limit.
	RequestsPerMinute int
	// BytesPerSecond is how many bytes of requests each client address may send, 0: no
	// limit.
	BytesPerSecond int
	// Console is the web console, nil for none.
	Console *Console
	// TestClock makes this a sandbox; nil for a service.
	TestClock TestClock
	// Observer is told of requests, nil for nobody.
	Observer Observer
}

type api struct {
	Options

	cookies  cookieNames
	answers  *answers
	requests *requestQuota[int64]  // of accounts, nil: no limit
	dead     *requestQuota[string] // of client addresses by credentials that are dead, nil: no limit
	bytes    *byteQuota            // nil: no limit
	segments map[string]bool       // of the paths of all routes
}

// How long operations may take, and whether they end with their client. What is
// changed goes on without it: who asks again with the same key finds the same end.
var (
	ordinary = limits{time: requestTimeout}
	effects  = limits{time: requestTimeout, detached: true}
	proofs   = limits{time: 5 * time.Minute} // which read the whole ledger
)

// requestTimeout bounds what one request may take.
const requestTimeout = 10 * time.Second

// New returns the handler of the whole API.
func New(o Options) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode) // the other modes print to standard output
	start := time.Now()
	passed := func() time.Duration { return time.Since(start) }
	a := &api{
		o, cookieNames{cookieName(o.BasePath), plainCookieName(o.BasePath)},
		newAnswers(), newRequestQuota[int64](o.RequestsPerMinute, passed), newRequestQuota[string](o.RequestsPerMinute, passed),
		newByteQuota(o.BytesPerSecond, passed), nil,
	}
	a.TrustedProxies = unmapped(o.TrustedProxies)
	engine := gin.New()
	engine.RedirectTrailingSlash = false
	engine.HandleMethodNotAllowed = true
	if err := engine.SetTrustedProxies(nil); err != nil { // address decides whom to believe
		return nil, err
	}
	engine.Use(a.identify, a.observe, a.logRequest, a.recoverPanic, a.countBytes)
	engine.NoRoute(a.index())
	engine.NoMethod(func(c *gin.Context) { a.fail(c, errMethod) })

	a.get(engine, "/healthz", ordinary, health)
	a.get(engine, "/readyz", ordinary, a.readiness)

	base := engine.Group(a.BasePath)
	a.get(base, "/openapi.json", ordinary, document(Document(a.BasePath)))
	for _, p := range pages.All {
		a.get(base, p.Path, ordinary, page(p))
	}
	a.consoleRoutes(base)
	base.POST("/auth/static-token", a.handle(ordinary, a.login))

	a.sessionRoutes(base)

	signed := base.Group("", a.authenticate)
	signed.DELETE("/auth/static-token", effect[noBody](a, a.revokeToken, tokenRevoked))
	signed.PATCH("/auth/password", a.handle(effects, a.changePassword))

	a.get(signed, "/users", ordinary, a.listResellers)
	a.get(signed, "/users/logged", ordinary, show(a.Service.Self, recordOfReseller))
	a.get(signed, "/users/:id", ordinary, showByID(a.Service.Reseller, recordOfReseller))
	a.get(signed, "/users/:id/ledger", ordinary, a.statement)
	signed.POST("/users", effect[createResellerBody](a, a.Service.CreateReseller, resellerCreated))
	signed.PATCH("/users/:id", effect[updateResellerBody](a, a.Service.UpdateReseller, resellerUpdated))
	signed.PATCH("/users/:id/contact", effect[changeContactBody](a, a.Service.ChangeContact, resellerShown))
	signed.PATCH("/users/credits/:id", effect[creditsBody](a, a.Service.AddCredits, creditsAdded))
	signed.POST("/users/:id/credits/reclaim", effect[creditsBody](a, a.Service.ReclaimCredits, creditsReclaimed))
	signed.PUT("/users/:id/block", effect[noBody](a, a.Service.Block, resellerShown))
	signed.DELETE("/users/:id/block", effect[noBody](a, a.Service.Unblock, resellerShown))

	a.get(signed, "/lines", ordinary, a.listLines)
	a.get(signed, "/lines/:id", ordinary, showByID(a.Service.Line, recordOf))
	a.get(signed, "/lines/extend-preview/:id", ordinary, a.previewExtension)
	signed.POST("/lines/test", effect[createTrialBody](a, a.Service.CreateTrial, trialCreated))
	signed.PATCH("/lines/active/:id", effect[activateLineBody](a, a.Service.ActivateLine, lineActivated))
	signed.PATCH("/lines/extend/:id", effect[extendLineBody](a, a.Service.ExtendLine, lineShown))
	signed.PATCH("/lines/:id", effect[editLineBody](a, a.Service.EditLine, lineEdited))
	signed.PATCH("/lines/:id/details", effect[describeLineBody](a, a.Service.DescribeLine, lineShown))
	signed.DELETE("/lines/:id", effect[noBody](a, a.Service.DeleteLine, lineDeleted))

	a.get(signed, "/prices", ordinary, show(a.Service.Prices, pricesOf))
	a.get(signed, "/ledger/proof", proofs, show(a.Service.Prove, proofOf))
	served := a.sandboxed(engine, signed)
	a.segments = segmentsOf(engine.Routes())
	return served, nil
}

// get has a route answer GET, and HEAD alike.
func (a *api) get(routes gin.IRoutes, path string, l limits, h handler) {
	routes.GET(path, a.handle(l, h))
	routes.HEAD(path, a.handle(l, h))
}

func health(_ context.Context, c *gin.Context) error {
	ok(c, gin.H{"status": "ok"})
	return nil
}

func (a *api) readiness(ctx context.Context, c *gin.Context) error {
	if err := a.Ready(ctx); err != nil {
		return err
	}
	ok(c, gin.H{"status": "ready"})
	return nil
}

func document(text []byte) handler {
	return func(_ context.Context, c *gin.Context) error {
		send(c, jsonContent, http.StatusOK, text)
		return nil
	}
}

func page(p *webfile.File) handler {
	return func(_ context.Context, c *gin.Context) error {
		p.ServeHTTP(c.Writer, c.Request)
		return nil
	}
}

// index answers what has no route. A browser that is sent to the base path, or to the root above it, finds a page there;
// nothing else is.
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
