package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/application/prices"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/plan"
	"resellerd/domain/principal"
	"resellerd/domain/session"
	"resellerd/domain/webhook"
)

// statuses are the HTTP statuses of the kinds of domain refusals.
var statuses = map[fault.Kind]int{
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Unpaid:          http.StatusPaymentRequired,
	fault.Forbidden:       http.StatusForbidden,
	fault.Absent:          http.StatusNotFound,
	fault.Gone:            http.StatusGone,
	fault.Conflict:        http.StatusConflict,
	fault.Exhausted:       http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// refusal is a refusal by the HTTP adapter, before any rule of the domain.
type refusal struct {
	status int
	code   string
	detail string
}

func (r *refusal) Error() string { return r.detail }

var (
	errNoRoute = &refusal{http.StatusNotFound, "unknown-route", "There is no such route; /openapi.json lists them."}
	errMethod  = &refusal{http.StatusMethodNotAllowed, "method-not-allowed",
		"This route does not have this method."}
	errMissingToken = &refusal{http.StatusUnauthorized, "missing-token",
		"An Authorization header with the value Bearer <token> is required; POST /auth/static-token gives the token."}
	errMissingSession = &refusal{http.StatusUnauthorized, "missing-session",
		"The cookie of a session is required; POST /auth/session begins one."}
	errTwoCredentials = &refusal{http.StatusBadRequest, "two-credentials",
		"Send the cookie of a session or an Authorization header, not both."}
	errCrossOrigin = &refusal{http.StatusForbidden, "cross-origin",
		"Only pages of this service's own origin may sign in or use a session."}
	errBodyTooLarge = &refusal{http.StatusRequestEntityTooLarge, "body-too-large", "A body has at most 65536 bytes."}
	errMediaType    = &refusal{http.StatusUnsupportedMediaType, "unsupported-media-type",
		"A body must be declared as Content-Type: application/json."}
	errKey = &refusal{http.StatusBadRequest, "bad-idempotency-key",
		"Send one Idempotency-Key of 1 to 255 visible ASCII characters except \" and \\, bare or in double quotes."}
	errUnavailable = &refusal{http.StatusServiceUnavailable, application.ErrUnavailable.Code(),
		"The service can't reach its store now, or does not know the outcome. Repeat the request, with the same Idempotency-Key if it had one."}
	errInternal = &refusal{http.StatusInternalServerError, "internal-error",
		"The service failed to handle this request; its log has the cause under the request id."}
	errMalformedBody = &refusal{http.StatusBadRequest, "malformed-body", "The body is not a JSON object."}
)

// named are the paths in details, below the base path.
//
//nolint:gosec // none of them is a credential
var named = map[*refusal]string{errNoRoute: "/openapi.json", errMissingToken: "/auth/static-token",
	errMissingSession: "/auth/session"}

func malformed(detail string) error { return errMalformedBody.because(detail) }

// because returns the same refusal with another detail.
func (r *refusal) because(detail string) *refusal {
	other := *r
	other.detail = detail
	return &other
}

// problem is the body of every error (RFC 9457).
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Instance  string `json:"instance"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
}

// encoded returns the problem with the members of its error.
func (p problem) encoded(members []fault.Member) []byte {
	text := marshal(p)
	for _, m := range members {
		value := m.Value
		switch v := value.(type) {
		case time.Time:
			value = iso(v)
		case fmt.Stringer:
			value = v.String()
		}
		text = append(append(text[:len(text)-1], ',', '"'), m.Name...)
		text = append(append(append(text, '"', ':'), marshal(value)...), '}')
	}
	return append(text, '\n')
}

// remedy is the operation that the caller of a refused one probably wanted.
type remedy struct {
	Method string `json:"method"`
	Href   string `json:"href"`
	Below  string `json:"-"` // the rest of the path after the id
}

// remedies are the operations on the same id that a caller can use instead.
var remedies = map[*fault.Fault]remedy{
	line.ErrNotTrial: {http.MethodPatch, "/lines/extend/", ""},
	line.ErrIsTrial:  {http.MethodPatch, "/lines/active/", ""},
	plan.ErrDiffers:  {http.MethodPatch, "/lines/", "/plan"},
}

// ruled maps refusals of the domain to the members that cause them.
var ruled = map[*fault.Fault]string{webhook.ErrPlain: "/url", principal.ErrPastExpiry: "/expires_at",
	plan.ErrTooSoon: "/effective_at"}

// fail answers an error. Only fail turns an error into a status and logs it. An answer that has begun can't become a
// problem: fail cuts it off, so that its client sees that it is incomplete.
func (a *api) fail(c *gin.Context, err error) {
	cause := err
	if errors.Is(err, application.ErrUnavailable) {
		err = errUnavailable // the cause is for the log
	}
	p := a.problemOf(c, err)
	requestOf(c).code = p.Code
	a.logFailure(c, p.Status, cause)
	if c.Writer.Written() {
		if requestOf(c).cut = true; requestOf(c).givenUp {
			requestOf(c).code = "" // the client has disconnected; there is no problem
		}
		c.Abort()
		return
	}
	if later, is := errors.AsType[*fault.Later](err); is {
		c.Header("Retry-After", strconv.Itoa(int(math.Ceil(later.Wait.Seconds()))))
	}
	if p.Status == http.StatusServiceUnavailable {
		c.Header("Retry-After", "1")
	}
	if p.Status == http.StatusUnauthorized {
		c.Header("WWW-Authenticate", "Bearer")
	}
	if errors.Is(err, session.ErrEnded) {
		a.clearCookie(c)
	}
	send(c, problemContent, p.Status, p.encoded(a.membersOf(c, err)))
	c.Abort()
}

// problemOf returns the problem of an error, without the members of the error.
func (a *api) problemOf(c *gin.Context, err error) problem {
	p := problem{Instance: c.Request.URL.EscapedPath(), RequestID: requestID(c)}
	refused, refuses := errors.AsType[*refusal](err)
	known, knows := errors.AsType[*fault.Fault](err)
	if !refuses && !knows {
		refused = errInternal
	}
	if refused != nil {
		p.Status, p.Code, p.Detail = refused.status, refused.code, refused.detail
		if path, names := named[refused]; names {
			p.Detail = strings.Replace(p.Detail, path, a.BasePath+path, 1)
		}
	} else {
		p.Status, p.Code, p.Detail = statuses[known.Kind()], known.Code(), err.Error()
	}
	p.Type, p.Title = "urn:resellerd:problem:"+p.Code, titleOf(p.Code)
	if also := a.routeMeant(c, refused, known); also != "" {
		p.Detail += " " + also
	}
	return p
}

// membersOf returns the members of an error.
func (a *api) membersOf(c *gin.Context, err error) []fault.Member {
	known, _ := errors.AsType[*fault.Fault](err)
	if unsold, is := errors.AsType[*plan.NotSold](err); is {
		return unsoldMembers(c, unsold)
	}
	if unknown, is := errors.AsType[*prices.UnknownPlans](err); is {
		return unknownPlans(unknown).Members()
	}
	if pointer, is := ruled[known]; is {
		err = &invalidFields{fault: known,
			violations: []violation{{Pointer: pointer, Code: known.Code(), Detail: err.Error()}}}
	}
	if detailed, is := errors.AsType[fault.Detailed](err); is {
		return detailed.Members()
	}
	if mend, is := remedies[known]; is {
		return []fault.Member{{Name: "remedy", Value: remedy{Method: mend.Method,
			Href: a.BasePath + mend.Href + c.Param("id") + mend.Below}}}
	}
	return nil
}

// logFailure logs failures of the service, and damaged records that cause a refusal, but no other refusal.
func (a *api) logFailure(c *gin.Context, status int, err error) {
	if damaged, is := errors.AsType[*application.DamagedSession](err); is {
		a.report(c.Request.Context(), c, slog.LevelWarn, "a session is damaged and counts as ended",
			slog.Any("error", damaged.Damage))
	}
	switch {
	// not a failure of the service
	case status < http.StatusInternalServerError, errors.Is(err, errTooManyAnswers), errors.Is(err, errExportEnded):
	case errors.As(err, new(*abandoned)):
		requestOf(c).givenUp = true
		a.report(c.Request.Context(), c, slog.LevelInfo, "the client abandoned the request", slog.Any("error", err))
	default:
		a.report(c.Request.Context(), c, slog.LevelError, "request failed", slog.Any("error", err))
	}
}

// titleOf returns the title of a problem: its code, in words.
func titleOf(code string) string {
	words := acronyms.Replace(strings.ReplaceAll(code, "-", " "))
	return strings.ToUpper(words[:1]) + words[1:]
}

var acronyms = strings.NewReplacer("totp", "TOTP", "url", "URL", "idempotency key", "Idempotency-Key")

// routeMeant names the operation that a request with a wrong route or method was probably meant for.
func (a *api) routeMeant(c *gin.Context, refused *refusal, known *fault.Fault) string {
	method, path := c.Request.Method, c.Request.URL.Path
	switch {
	case refused == errMethod && method == http.MethodOptions:
		return noCORS
	case refused == errMethod:
		has := "It has " + c.Writer.Header().Get("Allow") + "."
		if near := a.nearRoute(method, path); strings.HasPrefix(near, method+" ") {
			has += " " + near + " is probably meant."
		}
		return has
	case refused == errNoRoute:
		if near := a.nearRoute(method, path); near != "" {
			return near + " is probably meant."
		}
	case known == fault.ErrNotFound:
		if other := a.literalRoute(method, path); other != "" {
			return other + " is another operation."
		}
	}
	return ""
}

// noCORS explains why a page of another site gets no answer, and gives the remedy.
const noCORS = "The service sends no CORS headers, so a page of another site cannot call it: every visitor could read the token in " +
	"the page. Call the service from a server of your own."

// report writes a line about a request into the log.
func (a *api) report(ctx context.Context, c *gin.Context, level slog.Level, message string, what slog.Attr) {
	a.Log.LogAttrs(ctx, level, message, append(requestOf(c).traced(),
		slog.String("request_id", requestID(c)), slog.String("route", c.FullPath()), what)...)
}

// statusGivenUp is the logged status of a request that its client abandoned before it had an effect. A client that
// closed only its sending side gets the answer of an unavailable store.
const statusGivenUp = 499

// abandoned marks the error of a client that disconnected, which is not a failure of the service.
type abandoned struct{ error }

func (e *abandoned) Unwrap() error { return e.error }

// givenUp marks an error that the client's disconnection caused.
func givenUp(err error) error {
	if errors.Is(err, application.ErrUnavailable) || errors.Is(err, context.Canceled) {
		return &abandoned{err}
	}
	return err
}
