package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"resellerd/application"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
)

// requestState has the results of earlier handlers of a request for later ones.
type requestState struct {
	id      string
	caller  application.Caller // the zero value if unauthenticated
	spent   time.Duration      // part of the operation's time that was used before the operation began
	givenUp bool               // by its client, before any effect
	cut     bool               // its answer is incomplete
	code    string             // of the problem in the answer, "" for none
	lenient bool               // its query and unknown members of its body are ignored
	trace   string             // id of its trace, "" for none
}

const requestStateKey = "request-state"

// requestOf returns the state that identify has set.
func requestOf(c *gin.Context) *requestState {
	known, _ := c.Get(requestStateKey)
	if r, begun := known.(*requestState); begun {
		return r
	}
	return &requestState{}
}

// identify uses the client's request id if it is short and printable.
func (a *api) identify(c *gin.Context) {
	id := c.GetHeader("X-Request-Id")
	if !visibleASCII(id) || len(id) > 128 {
		id = uuid.Must(uuid.NewV7()).String()
	}
	c.Set(requestStateKey, &requestState{id: id})
	c.Writer.Header()["X-Request-Id"] = []string{id}
	if c.Request.TLS != nil {
		c.Writer.Header()["Strict-Transport-Security"] = onlyHTTPS
	}
}

// cutOff aborts the connection of an incomplete answer, after it is logged and counted.
func cutOff(c *gin.Context) {
	if c.Next(); requestOf(c).cut {
		panic(http.ErrAbortHandler)
	}
}

// onlyHTTPS makes a browser that has used HTTPS use only HTTPS for a year (RFC 6797).
var onlyHTTPS = []string{"max-age=31536000"}

func requestID(c *gin.Context) string { return requestOf(c).id }

func visibleASCII(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// logRequest writes one line for each request. The line has the route, and never the query or a header, which may
// contain secrets. If no route matches, it has the part of the path that shownPath returns.
func (a *api) logRequest(c *gin.Context) {
	start := time.Now()
	c.Next()
	level := slog.LevelInfo
	if probes[c.FullPath()] {
		level = slog.LevelDebug
	}
	ctx, log := c.Request.Context(), a.Log.Handler()
	if !log.Enabled(ctx, level) {
		return
	}
	known := requestOf(c)
	took := time.Since(start)
	line := slog.NewRecord(start.Add(took), level, "request", 0) // without the source line, which is always this one
	line.AddAttrs(
		slog.String("request_id", known.id),
		slog.String("method", knownMethod(c.Request.Method)),
		slog.String("route", c.FullPath()),
		slog.Int("status", status(c)),
		slog.Int64("account", known.caller.Reseller()),
		slog.String("client", a.address(c.Request)),
		slog.Float64("took_ms", float64(took.Microseconds())/1000),
	)
	if c.FullPath() == "" {
		line.AddAttrs(slog.String("path", a.shownPath(c.Request.URL.EscapedPath())))
	}
	if known.code != "" {
		line.AddAttrs(slog.String("code", known.code))
	}
	line.AddAttrs(known.traced()...)
	_ = log.Handle(ctx, line) // as a slog.Logger does: the error can't be reported
}

const (
	shownSegments = 4
	shownSegment  = 20 // characters: shorter than a token, a secret of a session or a request id
)

// shownPath returns the first segments of a path without a route. It shows the very first segment if it is short and
// plain, and later ones if a route has them. Clients invent such paths: players of other panels send the name and the
// password of a line in them. So the rest may be a secret, or text of any length.
func (a *api) shownPath(path string) string {
	segments := strings.SplitN(strings.TrimPrefix(path, "/"), "/", shownSegments+1)
	for i, segment := range segments {
		plain := i == 0 && len(segment) <= shownSegment && strings.IndexFunc(segment, notPlain) < 0
		if i == shownSegments || !plain && !a.segments[segment] {
			segments[i] = "..."
		}
	}
	return "/" + strings.Join(segments, "/")
}

// segmentsOf returns the segments of all routes, and "".
func segmentsOf(routes gin.RoutesInfo) map[string]bool {
	segments := map[string]bool{}
	for _, route := range routes {
		for segment := range strings.SplitSeq(route.Path, "/") {
			segments[segment] = true
		}
	}
	return segments
}

func notPlain(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._", r)
}

// knownMethod keeps invented methods, of any length, out of the log.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

// recoverPanic answers a panic as an internal error.
func (a *api) recoverPanic(c *gin.Context) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p)
		default:
			a.fail(c, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	c.Next()
}

// authenticate finds the caller by the signature of the token, or by the session of a browser, and applies the
// account's quota. The transaction of the request decides whether the token or the session is still valid.
func (a *api) authenticate(c *gin.Context) {
	if _, byCookie := a.secretOf(c.Request); byCookie {
		a.authenticateBrowser(c)
		return
	}
	bearer, err := bearerOf(c.Request.Header.Values("Authorization"))
	var known application.Caller
	switch {
	case err != nil:
	case application.IsKey(bearer):
		err = beforehand(c, func(ctx context.Context) (err error) {
			from := a.address(c.Request)
			known, err = a.Service.Authentication.AuthenticateKey(ctx, bearer, networkOf(from), from)
			return err
		})
	default:
		known, err = a.Service.Authentication.Authenticate(bearer)
	}
	a.admit(c, known, err)
}

// networkOf returns the network that contains only this address.
func networkOf(address string) principal.Network {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return principal.Network{Bits: -1} // not contained in any network
	}
	return principal.Network{Address: at.As16(), Bits: wholeAddress}
}

// wholeAddress is the number of bits of an address.
const wholeAddress = 128

// permit refuses callers without the scope, before the body is read.
func (a *api) permit(scope principal.Scope) gin.HandlerFunc {
	return func(c *gin.Context) {
		err := beforehand(c, func(ctx context.Context) error {
			return a.Service.Authentication.Permit(ctx, caller(c), scope)
		})
		if err != nil {
			a.fail(c, err)
		}
	}
}

// refuseKey rejects API keys on endpoints for people.
func (a *api) refuseKey(c *gin.Context) {
	if caller(c).ByKey() {
		a.fail(c, reseller.ErrNotAllowed.WithDetail("API keys can't use this operation. Use the token of the account, or a session."))
	}
}

// authenticateBrowser is authenticate for operations that accept only sessions.
func (a *api) authenticateBrowser(c *gin.Context) {
	var known application.Caller
	err := beforehand(c, func(ctx context.Context) (err error) {
		known, err = a.signedIn(ctx, c.Request)
		return err
	})
	a.admit(c, known, err)
}

// beforehand reads the store before an operation, and subtracts that time from the operation's time.
func beforehand(c *gin.Context, read func(ctx context.Context) error) error {
	began, client := time.Now(), c.Request.Context()
	within, cancel := context.WithTimeout(client, requestTimeout-requestOf(c).spent)
	defer cancel()
	err := read(within)
	if err != nil && errors.Is(context.Cause(client), context.Canceled) {
		err = givenUp(err)
	}
	requestOf(c).spent += time.Since(began)
	return err
}

// signedIn returns the caller whose session the browser sends, for requests of the same origin only.
func (a *api) signedIn(ctx context.Context, r *http.Request) (known application.Caller, err error) {
	secret, given := a.secretOf(r)
	if !given {
		return known, errMissingSession
	}
	if err := refuseOtherOrigins(r); err != nil {
		return known, err
	}
	if len(r.Header.Values("Authorization")) > 0 {
		return known, errTwoCredentials
	}
	if secret == "" {
		return known, session.ErrEnded
	}
	known, err = a.Service.Authentication.AuthenticateSession(ctx, secret)
	from := a.address(r)
	return known.From(networkOf(from), from), err
}

// admit accepts a request of this caller, or answers the error. If requests are counted, it first checks that the
// credential is valid now and from this address: with an invalid one, such as a revoked token, others could use up its
// owner's quota.
func (a *api) admit(c *gin.Context, known application.Caller, err error) {
	if err == nil {
		requestOf(c).caller = known
		if a.requests != nil {
			err = beforehand(c, func(ctx context.Context) error { return a.Service.Authentication.CheckCredential(ctx, known) })
		}
	}
	if slices.ContainsFunc(invalidCredentials, func(invalid error) bool { return errors.Is(err, invalid) }) {
		err = a.countInvalid(c, err)
	}
	if err != nil {
		a.fail(c, err)
	}
}

// invalidCredentials are the refusals of a credential that is no longer valid, or not valid from this address.
var invalidCredentials = []error{reseller.ErrTokenRevoked, session.ErrEnded, principal.ErrRevoked, principal.ErrExpired,
	principal.ErrAddress}

// The faults of an Authorization header. The details quote nothing of it: it may be a token.
var (
	errManyTokens = errMissingToken.because("The Authorization header is given more than once.")
	errNoScheme   = errMissingToken.because(
		"The Authorization header lacks the word Bearer: its value is Bearer, a space and the token.")
	errOtherScheme = errMissingToken.because(
		"The Authorization header has another scheme than Bearer: its value is Bearer, a space and the token.")
	errNoToken = errMissingToken.because("The Authorization header has no token after the word Bearer.")
)

// bearerOf reads the header, which must be given once.
func bearerOf(values []string) (string, error) {
	if len(values) == 0 {
		return "", errMissingToken
	}
	scheme, credentials, spaced := strings.Cut(values[0], " ")
	credentials = strings.TrimLeft(credentials, " ")
	switch {
	case len(values) > 1:
		return "", errManyTokens
	case strings.EqualFold(scheme, "Bearer") && credentials == "":
		return "", errNoToken
	case strings.EqualFold(scheme, "Bearer"):
		return credentials, nil
	case !spaced:
		return "", errNoScheme
	}
	return "", errOtherScheme
}

// caller returns the authenticated caller, the zero value if there is none.
func caller(c *gin.Context) application.Caller { return requestOf(c).caller }
