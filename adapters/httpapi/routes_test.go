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

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestIDs asks for what no path of an id is. All of it is answered as an id that names nothing.
func TestIDs(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	for _, op := range slices.Concat(v.Operations(), v.Reads()) {
		prefix, own, suffix, found := api.CutID(op.Path)
		if !found {
			continue
		}
		absent := v.Admin.Send(t, op.Method, prefix+"999999999"+suffix, op.Body).Refused(404, "not-found")
		for _, id := range []string{
			"0", "0" + own, "+" + own, "-" + own, own + ".0", own + "e0", "0x" + own, "%20" + own, own + "%20", own + "%00",
			"%0A" + own,
			"٣", "１", "99999999999999999999", "9223372036854775808", "9223372036854775807", "null", "undefined",
			"{id}", "%7Bid%7D",
			"-", "*", ".", "..%2f" + own, strings.Repeat("1", 4000), "test", "active", "credits", own + ";x", own + "'--",
			own + "&", "%ff",
		} {
			a := v.Admin.Send(t, op.Method, prefix+id+suffix, op.Body)
			if strings.Contains(id, "%2f") || id == "." {
				a.Is(404)
				continue
			}
			a.Refused(404, "not-found")
			if names := strings.Contains(a.Text("detail"), " is another operation."); names &&
				slices.Contains([]string{"test", "active", "credits"}, id) {
				continue // TestWrongRoutesNameTheRightOne
			}
			expect.Equal(t, api.Anonymous(a), api.Anonymous(absent), "%s, and an absent id", a.Request)
		}
		for _, tail := range []string{"/", "/1", "//"} {
			bare, query, _ := strings.Cut(op.Path, "?")
			v.Admin.Send(t, op.Method, bare+tail+"?"+query, op.Body).Refused(404, "unknown-route")
		}
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
	// as ids they name nothing
	for literal, path := range map[string]string{"/users/logged": "/users/1", "/lines/test": "/lines/1"} {
		allowed[literal] = append(allowed[literal], allowed[path]...)
	}
	for path, methods := range allowed {
		if slices.Contains(methods, "GET") {
			methods = append(methods, "HEAD")
		}
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "NONSENSE"} {
			if slices.Contains(methods, method) {
				continue
			}
			a := nobody.Send(t, method, path, nil).Refused(405, "method-not-allowed")
			allow := slices.Sorted(strings.SplitSeq(a.Header.Get("Allow"), ", "))
			expect.Elements(t, allow, slices.Compact(slices.Sorted(slices.Values(methods))), "%s: Allow", a.Request)
		}
	}
	for _, r := range []struct{ method, path string }{
		{"GET", "/"}, {"POST", "/nowhere"}, {"POST", "/users/"}, {"POST", "/Users"}, {"POST", "//users"},
		{"GET", "/healthz/"},
		{"POST", "/auth/static-token/"}, {"POST", "/auth"}, {"PATCH", "/lines/active/1/2"}, {"PATCH", "/users/credits/"},
		{"GET", "/users/"}, {"GET", "/users/1/"}, {"GET", "/users/1/ledger/"}, {"GET", "/lines/"}, {"GET", "/prices/"},
		{"GET", "/ledger"},
		{"POST", "/users/1/credits"}, {"GET", "/lines/extend-preview/"}, {"PATCH", "/lines/extend/"},
		{"PATCH", "/lines/active/"}, {"PATCH", "/lines/"}, {"POST", "/lines/test/"}, {"POST", "/users%2F"},
	} {
		nobody.Send(t, r.method, r.path, nil).Refused(404, "unknown-route")
	}
	// A literal of another route stands where the id does.
	for _, r := range []struct{ method, path string }{
		{"PATCH", "/lines/test"}, {"DELETE", "/lines/test"}, {"PATCH", "/lines/active"}, {"DELETE", "/lines/active"},
		{"PATCH", "/users/credits"},
		{"GET", "/lines/test"}, {"GET", "/lines/extend"}, {"GET", "/lines/extend-preview"}, {"GET", "/users/credits"},
		{"PATCH", "/users/logged"},
		{"GET", "/users/credits/ledger"}, {"GET", "/users/logged/ledger"}, {"PUT", "/users/logged/block"},
		{"PATCH", "/users/logged/contact"}, {"PATCH", "/users/credits/contact"}, {"PUT", "/users//block"},
		{"POST", "/users/logged/credits/reclaim"},
	} {
		admin.Send(t, r.method, r.path, nil).Refused(404, "not-found")
	}
}

// TestIndex asks for the base path itself: a page for those who accept one, nothing for others.
func TestIndex(t *testing.T) {
	t.Parallel()
	for _, basePath := range []string{"", "/panel/api"} {
		h := serveWith(t, httpapi.Options{BasePath: basePath})
		const page = "text/html,application/xhtml+xml,*/*;q=0.8"
		for _, r := range []struct {
			method, path, accept string
			status               int
			contentType          string
		}{
			{"GET", "/", page, 200, "text/html; charset=utf-8"},
			{"HEAD", "/", page, 200, "text/html; charset=utf-8"},
			{"GET", "/", "application/json", 404, "application/problem+json"},
			{"GET", "/", "*/*", 404, "application/problem+json"},
			{"POST", "/", page, 404, "application/problem+json"},
			{"GET", "//", page, 404, "application/problem+json"},
			{"GET", "/index.html", page, 404, "application/problem+json"},
			{"GET", "/docs", "*/*", 200, "text/html; charset=utf-8"},
			{"GET", "/docs/start.js", "*/*", 200, "text/javascript; charset=utf-8"},
			{"GET", "/docs/pages.css", "*/*", 200, "text/css; charset=utf-8"},
			{"GET", "/docs/redoc-2.5.4.js", "*/*", 200, "text/javascript; charset=utf-8"},
			{"POST", "/docs", page, 405, "application/problem+json"},
			{"GET", "/docs/", page, 404, "application/problem+json"},
			{"GET", "/docs/pages.go", "*/*", 404, "application/problem+json"},
		} {
			got, _ := h.raw(t, r.method, basePath+r.path, nil, "Accept", r.accept)
			expect.Equal(t, got.Header.Get("Strict-Transport-Security"), "", "by plain HTTP a browser asks by HTTPS")
			expect.Equal(t, got.StatusCode, r.status, "%+v below %q", r, basePath)
			expect.Equal(t, got.Header.Get("Content-Type"), r.contentType, "%+v below %q", r, basePath)
		}
	}
}

// TestTheRootAndTheBasePathShowTheIndex to a browser, with links that lead below the base path; to others they are no
// routes, and the refusal names a path that is one.
func TestTheRootAndTheBasePathShowTheIndex(t *testing.T) {
	t.Parallel()
	h := serveWith(t, httpapi.Options{BasePath: "/panel/api"})
	nobody := h.Nobody()
	show := func(path string) string {
		t.Helper()
		got, page := h.raw(t, "GET", path, nil, "Accept", "text/html,*/*;q=0.8")
		expect.Equal(t, got.StatusCode, http.StatusOK, "%s", path)
		return page
	}
	for _, path := range []string{"/", "/panel/api", "/panel/api/"} {
		page := show(path)
		at, err := url.Parse("http://host" + path)
		must(t, err)
		links := regexp.MustCompile(`href="([^":]+)"`).FindAllStringSubmatch(page, -1)
		expect.Equal(t, len(links) >= 4, true, "%s has %d links, enough", path, len(links))
		for _, link := range links {
			to, err := at.Parse(link[1])
			must(t, err)
			expect.Equal(t, strings.HasPrefix(to.Path, "/panel/api/"), true, "%s leads to %s", path, to)
			if to.Path != "/panel/api/console" { // there is none here
				show(to.Path)
			}
		}
		refused := nobody.Send(t, "GET", path, nil).Refused(404, "unknown-route").Text("detail")
		nobody.Send(t, "POST", path, nil, "Accept", "text/html").Refused(404, "unknown-route")
		expect.Equal(t, refused, "There is no such route; /panel/api/openapi.json lists them.", "%s", path)
	}
	detail := nobody.Send(t, "GET", "/panel/api/users", nil).Refused(401, "missing-token").Text("detail")
	expect.Contains(t, detail, "POST /panel/api/auth/static-token")
	for _, path := range []string{"/panel", "/panel/", "/panel/ap", "//"} {
		nobody.Send(t, "GET", path, nil, "Accept", "text/html").Refused(404, "unknown-route")
	}
}

// TestThePathOfAnUnknownRouteIsLogged as far as it can't be a secret, and of a route nothing but its template is.
func TestThePathOfAnUnknownRouteIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := serveWith(t, httpapi.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	token := h.Admin(t).Token
	for path, want := range map[string]string{
		"/user/logged?secret=1":            `/user/logged`,
		"/api/v1/lines/7/extra/secret":     `/api/.../lines/.../...`,
		"/live/joao.tv/7788/1.ts":          `/live/.../.../...`,
		"/auth/static-token/" + token:      `/auth/static-token/...`,
		"/secret%20secret/lines":           `/.../lines`,
		"/a.php":                           `/a.php`,
		"/" + strings.Repeat("x", 5000):    `/...`,
		strings.Repeat("/secret", 500)[7:]: `/secret/.../.../.../...`,
		"/users/":                          `/users/`,
		"//":                               `//`,
		"/users/logged":                    ``,
		"/lines/7":                         ``,
	} {
		log.Reset()
		h.Nobody().Send(t, "GET", path, nil)
		said := log.String()
		if _, shown, found := strings.Cut(said, `"path":"`); found != (want != "") || found &&
			!strings.HasPrefix(shown, want+`"`) {
			t.Errorf("of %.100s the log says %s, want the path %q", path, said, want)
		}
	}
	log.Reset()
	h.Nobody().Send(t, "PUT", "/users", nil).Is(405)
	expect.Contains(t, log.String(), `"path":"/users"`, "the log")
}

// TestInstance asks for paths that a URI reference, which instance is (RFC 9457, 3.1.5), can hold escaped only.
func TestInstance(t *testing.T) {
	t.Parallel()
	nobody := serve(t).Nobody()
	for _, escaped := range []string{"/no%20where", "/no%0Awhere", "/no%ffwhere", "/no%3Fwhere", "/users%2F"} {
		nobody.Send(t, "GET", escaped+"?query=1", nil).Refused(404, "unknown-route").Has(fields{"instance": escaped})
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	nobody := serve(t).Nobody()
	ask := func(id string) string {
		return nobody.Send(t, "GET", "/nowhere", nil, "X-Request-Id", id).Refused(404, "unknown-route").Text("request_id")
	}
	for _, good := range []string{"a", "client-7/9", strings.Repeat("x", 128)} {
		expect.Equal(t, ask(good), good, "the request id")
	}
	made := []string{ask(""), ask("")}
	for _, bad := range []string{strings.Repeat("x", 129), strings.Repeat("x", 2000), "ü", "a b", "a\tb"} {
		made = append(made, ask(bad))
		expect.Equal(t, slices.Contains(made, bad), false, "the request id %q was taken over", bad)
	}
	slices.Sort(made)
	expect.Equal(t, len(slices.Compact(made)), 7, "unique request ids of %q", made)
}

// TestHeadOfReads asks for each read without its body.
func TestHeadOfReads(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	v.Admin.Fund(t, v.Seller.ID, 1).Is(200)
	paths := []string{"/users", "/users/logged", "/lines", "/prices", "/ledger/proof"}
	for _, op := range v.Reads() {
		paths = append(paths, op.Path)
	}
	for _, path := range paths {
		by := v.Admin
		// which are an account's own
		if _, _, _, one := api.CutID(path); one && !strings.HasPrefix(path, "/users/") &&
			!strings.HasPrefix(path, "/lines/") {
			by = v.Master.Caller
		}
		got, head := by.Get(t, path), by.Send(t, "HEAD", path, nil).Is(200)
		for _, name := range []string{"Content-Type", "Cache-Control"} {
			expect.Equal(t, got.Header.Get(name), head.Header.Get(name), "HEAD %s: %s is %q, to GET", path, name,
				head.Header.Get(name))
		}
		expect.Equal(t, got.Header.Get("Cache-Control"), "no-store", "GET %s: Cache-Control", path)
	}
	v.Admin.Send(t, "HEAD", "/users/999999999", nil).Is(404)
	v.Admin.Server.Nobody().Send(t, "HEAD", "/users", nil).Is(401)
}
