// Package httpapi is the HTTP adapter: it decodes requests into commands with
// parsed values, calls one use case each, and encodes the answer. It decides no
// business condition and reads no clock.
//
// The first check that fails answers: route, method, the token's signature, the
// id in the path, the body as a whole, its fields; all else is decided by the
// use case in its transaction.
package httpapi

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"resellerd/application"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// requestTimeout bounds what one request may take.
const requestTimeout = 10 * time.Second

// Options are what the API is made of.
type Options struct {
	Service *application.Service
	// VerifyToken returns what a token says, or an error where its signature is
	// not good.
	VerifyToken func(token string) (ports.Token, error)
	// Ready returns nil where requests can be served.
	Ready func(ctx context.Context) error
	Log   *slog.Logger
	// BasePath comes before every route but the health checks: "" or /segment...
	BasePath string
	// TrustedProxies are the peers whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
}

type api struct {
	Options

	answers *answers
}

//go:embed openapi.json
var openAPI []byte

// New returns the handler of the whole API.
func New(o Options) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode) // the other modes print to standard output
	a := &api{o, newAnswers()}
	a.TrustedProxies = unmapped(o.TrustedProxies)
	engine := gin.New()
	engine.RedirectTrailingSlash = false
	engine.HandleMethodNotAllowed = true
	if err := engine.SetTrustedProxies(nil); err != nil { // address decides whom to believe
		return nil, err
	}
	engine.Use(a.identify, a.logRequest, a.recoverPanic, limitTime)
	engine.NoRoute(a.handle(func(*gin.Context) error { return errNoRoute }))
	engine.NoMethod(a.handle(func(*gin.Context) error { return errMethod }))

	a.get(engine, "/healthz", a.health)
	a.get(engine, "/readyz", a.readiness)

	base := engine.Group(a.BasePath)
	a.get(base, "/openapi.json", document)
	base.POST("/auth/static-token", a.handle(a.login))

	signed := base.Group("", a.handle(a.authenticate))
	signed.DELETE("/auth/static-token", effect[noBody](a, a.revokeToken))

	a.get(signed, "/users", a.listResellers)
	a.get(signed, "/users/logged", a.self)
	a.get(signed, "/users/:id", a.reseller)
	a.get(signed, "/users/:id/ledger", a.statement)
	signed.POST("/users", effect[createResellerBody](a, a.createReseller))
	signed.PATCH("/users/:id", effect[updateResellerBody](a, a.updateReseller))
	signed.PATCH("/users/credits/:id", effect[creditsBody](a, a.addCredits))
	signed.POST("/users/:id/credits/reclaim", effect[creditsBody](a, a.reclaimCredits))
	signed.PUT("/users/:id/block", effect[noBody](a, a.block))
	signed.DELETE("/users/:id/block", effect[noBody](a, a.unblock))

	a.get(signed, "/lines", a.listLines)
	a.get(signed, "/lines/:id", a.line)
	a.get(signed, "/lines/extend-preview/:id", a.previewExtension)
	signed.POST("/lines/test", effect[createTrialBody](a, a.createTrial))
	signed.PATCH("/lines/active/:id", effect[activateLineBody](a, a.activateLine))
	signed.PATCH("/lines/extend/:id", effect[extendLineBody](a, a.extendLine))
	signed.PATCH("/lines/:id", effect[editLineBody](a, a.editLine))
	signed.DELETE("/lines/:id", effect[noBody](a, a.deleteLine))

	a.get(signed, "/prices", a.prices)
	a.get(signed, "/ledger/proof", a.proof)
	return engine, nil
}

// get registers a route that answers HEAD as well.
func (a *api) get(routes gin.IRoutes, path string, h func(*gin.Context) error) {
	routes.GET(path, a.handle(h))
	routes.HEAD(path, a.handle(h))
}

// handle makes a gin handler of one that returns its error.
func (a *api) handle(h func(*gin.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			a.fail(c, err)
		}
	}
}

const requestIDKey = "request_id"

// identify takes over the client's request id where it is short and printable.
func (a *api) identify(c *gin.Context) {
	id := c.GetHeader("X-Request-Id")
	if !visibleASCII(id) || len(id) > 128 {
		id = uuid.Must(uuid.NewV7()).String()
	}
	c.Set(requestIDKey, id)
	c.Header("X-Request-Id", id)
}

func requestID(c *gin.Context) string { return c.GetString(requestIDKey) }

func visibleASCII(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// logRequest writes one line for each request. It names the route and never the
// path, the query or a header, which may hold what nobody should read.
func (a *api) logRequest(c *gin.Context) {
	start := time.Now()
	c.Next()
	level := slog.LevelInfo
	if c.FullPath() == "/healthz" || c.FullPath() == "/readyz" {
		level = slog.LevelDebug
	}
	status := c.Writer.Status()
	if c.GetBool(givenUpKey) {
		status = statusGivenUp
	}
	a.Log.LogAttrs(c.Request.Context(), level, "request",
		slog.String("request_id", requestID(c)),
		slog.String("method", knownMethod(c.Request.Method)),
		slog.String("route", c.FullPath()),
		slog.Int("status", status),
		slog.Int64("account", token(c).Reseller),
		slog.String("client", a.address(c.Request)),
		slog.Float64("took_ms", float64(time.Since(start).Microseconds())/1000),
	)
}

// knownMethod keeps what a client made up, at any length, out of the log.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

const unlimitedKey = "unlimited"

// limitTime bounds what one request may take.
func limitTime(c *gin.Context) {
	c.Set(unlimitedKey, c.Request.Context()) // ends with the client
	ctx, cancel := context.WithTimeout(c.Request.Context(), requestTimeout)
	defer cancel()
	c.Request = c.Request.WithContext(ctx)
	c.Next()
}

const lastingKey = "lasting"

// lasting is the request's context with its deadline, and without its end where
// the client goes away: what was begun ends the same for who asks again with the
// same key.
func lasting(c *gin.Context) (context.Context, context.CancelFunc) {
	c.Set(lastingKey, true)
	ctx := c.Request.Context()
	deadline, _ := ctx.Deadline()
	return context.WithDeadline(context.WithoutCancel(ctx), deadline)
}

// client returns whom a login is counted against: the address, or the /64 of an
// IPv6 address, since one customer is given a whole /64 and may use every address
// in it. An IPv4 address mapped into IPv6 is itself.
func client(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
}

const tokenKey = "token"

// authenticate checks the token's signature; whether it is still good is decided
// in the transaction.
func (a *api) authenticate(c *gin.Context) error {
	values := c.Request.Header.Values("Authorization")
	if len(values) == 0 {
		return errMissingToken
	}
	scheme, credentials, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return errMissingToken
	}
	token, err := a.VerifyToken(strings.TrimLeft(credentials, " "))
	if err != nil {
		return err
	}
	c.Set(tokenKey, token)
	return nil
}

func token(c *gin.Context) ports.Token {
	t, _ := c.Value(tokenKey).(ports.Token)
	return t
}

// pathID returns the id in the path, 0 where the route has none: digits without
// sign or leading zero. Anything else names nothing.
func pathID(c *gin.Context) (int64, error) {
	text, has := c.Params.Get("id")
	if !has {
		return 0, nil
	}
	id, err := parseID(text)
	if err != nil || id == 0 {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

// effect makes the handler of an operation that changes something. The id in the
// path, where the route has one, and the body B make a command, which run hands
// to its use case.
func effect[B interface{ command(f *form, id int64) C }, C any](
	a *api, run func(context.Context, application.Call, C) (application.Answer, error),
) gin.HandlerFunc {
	return a.handle(func(c *gin.Context) error {
		id, err := pathID(c)
		if err != nil {
			return err
		}
		raw, err := readBody(c.Writer, c.Request)
		if err != nil {
			return err
		}
		var body B
		form, err := decode(c.Request, raw, &body)
		if err != nil {
			return err
		}
		call, err := a.callOf(c, raw)
		if err != nil {
			return err
		}
		command := body.command(form, id)
		if err := form.err(); err != nil {
			return err
		}
		ctx, cancel := lasting(c)
		defer cancel()
		done, err := run(ctx, call, command)
		if err != nil {
			return err
		}
		if done.Replayed {
			c.Header("Idempotency-Replayed", "true")
		}
		send(c, "application/json", done.Status, done.Body)
		return nil
	})
}

// caller is what a read is told of the request.
func caller(c *gin.Context) application.Call {
	return application.Call{Token: token(c), Request: requestID(c)}
}

// callOf is what a use case is told of the request itself.
func (a *api) callOf(c *gin.Context, body []byte) (application.Call, error) {
	key, err := idempotencyKey(c.Request.Header.Values("Idempotency-Key"))
	if err != nil {
		return application.Call{}, err
	}
	call := caller(c)
	call.Key = key
	if key != "" {
		path := strings.TrimPrefix(c.Request.URL.Path, a.BasePath)
		call.Content = bytes.Join([][]byte{
			[]byte(c.Request.Method), []byte(path), []byte(c.Request.URL.RawQuery), body,
		}, []byte{'\n'})
	}
	return call, nil
}

// idempotencyKey reads the header, bare or as a quoted string (RFC 8941).
func idempotencyKey(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	if quoted, ok := strings.CutPrefix(key, `"`); ok {
		if key, ok = strings.CutSuffix(quoted, `"`); !ok {
			return "", errKey
		}
	}
	if len(values) > 1 || !visibleASCII(key) || len(key) > 255 || strings.ContainsAny(key, `"\`) {
		return "", errKey
	}
	return key, nil
}

// encode never fails: the records have only fields that JSON can hold.
func encode(record any) []byte {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(record); err != nil {
		panic(err)
	}
	return body.Bytes()
}

// answer makes what a use case records and returns.
func answer(status int, record any) application.Answer {
	return application.Answer{Status: status, Body: encode(record)}
}

// ok sends what a read found.
func ok(c *gin.Context, record any) {
	send(c, "application/json", http.StatusOK, encode(record))
}

func send(c *gin.Context, contentType string, status int, body []byte) {
	c.Header("Cache-Control", "no-store") // answers hold balances, passwords and tokens
	c.Header("X-Content-Type-Options", "nosniff")
	c.Data(status, contentType, body)
}

func (a *api) health(c *gin.Context) error {
	ok(c, gin.H{"status": "ok"})
	return nil
}

func (a *api) readiness(c *gin.Context) error {
	if err := a.Ready(c.Request.Context()); err != nil {
		return err
	}
	ok(c, gin.H{"status": "ready"})
	return nil
}

func document(c *gin.Context) error {
	send(c, "application/json", http.StatusOK, openAPI)
	return nil
}
