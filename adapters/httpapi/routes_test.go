package httpapi_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestIDs sends invalid ids. The answer is the same as for an unknown id.
func TestIDs(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	for _, op := range slices.Concat(v.Operations(), v.Reads()) {
		prefix, own, suffix, found := api.CutID(op.Path)
		if !found {
			continue
		}
		absent := v.Admin.Send(t, op.Method, prefix+"999999999"+suffix, op.Body).Refused(404, "not-found")
		for _, id := range []string{"0" + own, "-" + own, own + "%00", "9223372036854775808", own + ";x"} {
			a := v.Admin.Send(t, op.Method, prefix+id+suffix, op.Body).Refused(404, "not-found")
			expect.Equal(t, api.Anonymous(a), api.Anonymous(absent), "%s, and an absent id", a.Request)
		}
		bare, query, _ := strings.Cut(op.Path, "?")
		v.Admin.Send(t, op.Method, bare+"/?"+query, op.Body).Refused(404, "unknown-route")
	}
	v.Unchanged(t)
	// An escaped digit is that digit (RFC 3986, 6.2.2.2).
	escaped := fmt.Sprintf("/lines/%%%02X%s", fmt.Sprint(v.Line.ID)[0], fmt.Sprint(v.Line.ID)[1:])
	v.Seller.Send(t, "PATCH", escaped, v.Line.Edit()).Is(200).Has(fields{"id": v.Line.ID})
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	nobody, admin := srv.Nobody(), srv.Admin(t)
	allowed := map[string][]string{} // by path
	for _, row := range api.Table() {
		allowed[row.At(1)] = append(allowed[row.At(1)], row.Method)
	}
	// no record has such an id
	for literal, path := range map[string]string{"/users/logged": "/users/1", "/lines/test": "/lines/1"} {
		allowed[literal] = append(allowed[literal], allowed[path]...)
	}
	for path, methods := range allowed {
		if slices.Contains(methods, "GET") {
			methods = append(methods, "HEAD")
		}
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "NONSENSE"} {
			if slices.Contains(methods, method) {
				continue
			}
			a := nobody.Send(t, method, path, nil).Refused(405, "method-not-allowed")
			allow := slices.Sorted(strings.SplitSeq(a.Header.Get("Allow"), ", "))
			expect.Elements(t, allow, slices.Compact(slices.Sorted(slices.Values(methods))), "%s: Allow", a.Request)
		}
	}
	for _, path := range []string{"/", "/users/", "/Users", "//users", "/auth", "/users%2F"} {
		nobody.Send(t, "GET", path, nil).Refused(404, "unknown-route")
	}
	// A literal of another route is in the position of the id.
	admin.Send(t, "PATCH", "/users/logged/contact", nil).Refused(404, "not-found")
	// instance is a URI reference (RFC 9457, 3.1.5)
	nobody.Send(t, "GET", "/no%3Fwhere?query=1", nil).Refused(404, "unknown-route").Has(fields{"instance": "/no%3Fwhere"})
}

// TestIndex requests the base path, and the root. Browsers get a page with links below the base path. Other clients get
// the refusal of an unknown route, which names an existing path.
func TestIndex(t *testing.T) {
	t.Parallel()
	for _, basePath := range []string{"", "/panel/api"} {
		h := serveWith(t, httpapi.Options{BasePath: basePath})
		const page = "text/html,application/xhtml+xml,*/*;q=0.8"
		for request, status := range map[string]int{"HEAD /": 200, "POST /": 404, "GET /docs/start.js": 200,
			"GET /docs/guide": 200, "GET /docs/guide/reference/errors": 200, "GET /docs/guide/none": 404,
			"GET /docs/guide/reference/errors.md": 404} {
			method, path, _ := strings.Cut(request, " ")
			got, _ := h.raw(t, method, basePath+path, nil, "Accept", page)
			expect.Equal(t, got.StatusCode, status, "%s below %q", request, basePath)
		}
		for _, path := range []string{"/", basePath, basePath + "/"} {
			if path == "" {
				continue
			}
			got, shown := h.raw(t, "GET", path, nil, "Accept", page)
			links := regexp.MustCompile(`href="([^":]+)"`).FindAllStringSubmatch(shown, -1)
			expect.Equal(t, got.StatusCode, http.StatusOK, "%s", path)
			expect.Equal(t, len(links) >= 4, true, "%s has %d links, enough", path, len(links))
			at, err := url.Parse("http://host" + path)
			must(t, err)
			for _, link := range links {
				to, err := at.Parse(link[1])
				must(t, err)
				expect.Equal(t, strings.HasPrefix(to.Path, basePath+"/"), true, "%s leads to %s", path, to)
			}
			h.Nobody().Send(t, "GET", path, nil).Refused(404, "unknown-route").
				Has(fields{"detail": "There is no such route; " + basePath + "/openapi.json lists them."})
		}
	}
}

// observed are the requests that an observer received.
type observed []string

// RequestBegins implements httpapi.Observer.
func (*observed) RequestBegins(r *http.Request) (*http.Request, string) { return r, "" }

// RequestEnded implements httpapi.Observer.
func (o *observed) RequestEnded(_ *http.Request, method, route string, status int, code string, _ time.Duration) {
	*o = append(*o, fmt.Sprint(method, " ", route, " ", status, " ", code))
}

// TestPathsInLogsHaveNoSecrets: a route is logged as its template, and an unknown path without parts that could be
// secrets.
func TestPathsInLogsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var told observed
	h := serveWith(t, httpapi.Options{Log: slog.New(slog.NewJSONHandler(&log, nil)), Observer: &told})
	for path, want := range map[string]string{
		"/user/logged?secret=1":            "/user/logged",
		"/Panel-2":                         "/Panel-2",
		"/api/v1/lines/7/extra/secret":     "/api/.../lines/.../...",
		"/" + strings.Repeat("x", 5000):    "/...",
		strings.Repeat("/secret", 500)[7:]: "/secret/.../.../.../...",
	} {
		log.Reset()
		told = nil
		h.Nobody().Send(t, "GET", path, nil)
		expect.Contains(t, log.String(), `"path":"`+want+`"`, "the log")
		expect.Elements(t, told, observed{"GET  404 unknown-route"}, "observed")
	}
	log.Reset()
	h.Nobody().Send(t, "INVENTED", "/nowhere", nil)
	expect.Contains(t, log.String(), `"method":"other"`, "the log")
	log.Reset()
	told = nil
	h.Nobody().Send(t, "GET", "/lines/s3cret", nil)
	expect.Lacks(t, log.String(), "s3cret", "the log")
	expect.Elements(t, told, observed{"GET /lines/:id 401 missing-token"}, "observed")
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	nobody := serve(t).Nobody()
	ask := func(id string) string {
		return nobody.Send(t, "GET", "/nowhere", nil, "X-Request-Id", id).Refused(404, "unknown-route").Text("request_id")
	}
	for _, good := range []string{"client-7/9", strings.Repeat("x", 128)} {
		expect.Equal(t, ask(good), good, "the request id")
	}
	for _, bad := range []string{"", strings.Repeat("x", 129), "ü", "a b"} {
		expect.Equal(t, ask(bad) == bad, false, "the request id %q was taken over", bad)
	}
}
