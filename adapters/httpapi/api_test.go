package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/adapters/httpapi/pages"
	"resellerd/adapters/webfile"
	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/test/expect"
)

// bare is the API without a service, for requests that are refused before a use case is called.
func bare(t *testing.T) http.Handler {
	t.Helper()
	handler, err := New(Options{Service: new(application.Service), Log: slog.New(slog.DiscardHandler), BasePath: "/base"})
	must(t, err)
	return handler
}

// TestOperationsMatchTheDocument compares name, route, credentials and scope of each operation. The other routes are
// pages for people.
func TestOperationsMatchTheDocument(t *testing.T) {
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Security    *[]map[string]any // nil: by token, key or session
			Scope       principal.Scope   `json:"x-required-scope"`
		}
	}
	must(t, json.Unmarshal(Document(""), &document))
	var documented, there, routes []string
	for path, operations := range document.Paths {
		for method, o := range operations {
			by := account
			if o.Security != nil {
				by = map[string]asker{"[]": anybody, "[map[session:[]]]": browser,
					"[map[token:[]] map[session:[]]]": person}[fmt.Sprint(*o.Security)]
			}
			documented = append(documented, fmt.Sprint(o.OperationID, " ", strings.ToUpper(method), " ", path, " ",
				permission{by, o.Scope}))
		}
	}
	a := &api{Options: Options{Service: new(application.Service), BasePath: "/base"}}
	serves := func(method, path string) {
		if routes = append(routes, method+" "+path); method == http.MethodGet {
			routes = append(routes, http.MethodHead+" "+path)
		}
	}
	for _, o := range a.operations() {
		there = append(there,
			fmt.Sprint(o.id, " ", o.method, " ", regexp.MustCompile(`:(\w+)`).ReplaceAllString(o.path, "{$1}"), " ",
				o.permission))
		if !probes[o.path] {
			o.path = "/base" + o.path
		}
		serves(o.method, strings.Replace(o.path, ":username", "*username", 1)) // which may have slashes
	}
	for _, p := range pages.All {
		serves(http.MethodGet, "/base"+p.Path)
		if p.Type == webfile.HTML {
			serves(http.MethodGet, "/base"+p.Path+"/")
		}
	}
	var served []string
	for _, r := range bare(t).(*gin.Engine).Routes() {
		served = append(served, r.Method+" "+r.Path)
	}
	for _, c := range []struct{ got, want []string }{{there, documented}, {served, routes}} {
		slices.Sort(c.got)
		slices.Sort(c.want)
		expect.Elements(t, c.got, c.want)
	}
}

func TestEveryKindOfFaultHasAStatus(t *testing.T) {
	for _, kind := range fault.Kinds() {
		expect.Equal(t, statuses[kind] >= 400, true, "%s faults are answered with %d, a refusal", kind, statuses[kind])
	}
}

func TestAPanicIsAnInternalErrorAndShowsNothing(t *testing.T) {
	var log bytes.Buffer
	a := &api{Options: Options{Log: slog.New(slog.NewJSONHandler(&log, nil))}}
	engine := gin.New()
	engine.Use(a.identify, a.recoverPanic)
	engine.GET("/boom", func(*gin.Context) { panic("kaput") })
	answer := httptest.NewRecorder()
	engine.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/boom", nil))
	expect.Equal(t, answer.Code, http.StatusInternalServerError, "status")
	expect.Lacks(t, answer.Body.String(), "kaput", "the answer")
	expect.Contains(t, log.String(), "kaput", "the log")
}

func TestOneAuthorizationHeader(t *testing.T) {
	for _, values := range [][]string{{"Bearer good", "Bearer good"}, {"Basic x", "Bearer good"}} {
		request := httptest.NewRequest(http.MethodGet, "/base/prices", nil)
		request.Header["Authorization"] = values
		answer := httptest.NewRecorder()
		bare(t).ServeHTTP(answer, request)
		expect.Equal(t, answer.Code, http.StatusUnauthorized, "%q: status", values)
		for _, want := range []string{"missing-token", "The Authorization header is given more than once."} {
			got := answer.Body.String()
			expect.Contains(t, got, want, "%q", values)
		}
	}
}

func TestRetryAfterIsLongEnough(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		time.Millisecond: "1", 400 * time.Millisecond: "1", time.Second: "1", 1400 * time.Millisecond: "2", time.Minute: "60",
	} {
		answer := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(answer)
		c.Request = httptest.NewRequest(http.MethodGet, "/", nil)
		(&api{}).fail(c, fault.After(wait, reseller.ErrAllowance))
		expect.Equal(t, answer.Code, http.StatusTooManyRequests, "a wait of %s: status", wait)
		expect.Equal(t, answer.Header().Get("Retry-After"), want, "a wait of %s: Retry-After", wait)
	}
}

// TestProblemsEndWithTheMembersOfTheirErrors compares them byte for byte, in their order.
func TestProblemsEndWithTheMembersOfTheirErrors(t *testing.T) {
	amount := func(text string) credit.Amount {
		parsed, err := credit.Parse(text)
		must(t, err)
		return parsed
	}
	day := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for want, err := range map[string]error{
		`"balance":"0.5","required":"2","shortfall":"1.5"`: &reseller.InsufficientCredits{Balance: amount("0.5"),
			Required: amount("2")},
		`"required":"3","limit":"10","spent":"7.5","resets_at":"2026-02-01T00:00:00.000Z"`: fault.After(time.Hour,
			&principal.SpendLimitReached{
				Limit: amount("10"), Spent: amount("7.5"), Required: amount("3"), Resets: day,
			}),
		`"required_scope":"manage"`: &principal.MissingScope{Required: principal.Manage},
		`"restart":"abc"`:           &application.CursorUnknown{Restart: "abc"},
		`"effective":"expired"`:     &lines.NotServed{Effect: line.Expired},
		`"remedy":{"method":"PATCH","href":"/base/lines/extend/7"}`: fmt.Errorf("line 7: %w",
			line.ErrNotTrial),
		`"errors":[{"pointer":"/url","code":"bad-url","detail":"This must be an https address."}]`: webhook.ErrPlain,
		`"errors":[{"pointer":"/a","code":"too-long","detail":"\u2028"}]`: &invalidFields{
			errValidation, []violation{{Pointer: "/a", Code: "too-long", Detail: "\u2028"}}, nil,
		},
		`"request_id":""`: fault.ErrNotFound,
	} {
		answer := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(answer)
		c.Request = httptest.NewRequest(http.MethodGet, "/", nil)
		c.Params = gin.Params{{Key: "id", Value: "7"}}
		(&api{Options: Options{BasePath: "/base"}}).fail(c, err)
		got := answer.Body.String()
		expect.Equal(t, strings.HasSuffix(got, ","+want+"}\n"), true, "%v: %s ends with %s", err, got, want)
	}
}
