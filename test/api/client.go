// Package api implements a client of the HTTP API for tests. It checks every exchange against the OpenAPI document.
//
// A Service is the API of a running program, or of a handler in the test's own process. A Caller sends requests with a
// token, and gets an Answer, on which tests state their expectations:
//
//	master := service.Admin(t).Master(t, "100")
//	l := master.Trial(t)
//	master.Send(t, "PATCH", api.Path("/lines/active", l.ID), l.Activation(1)).Is(201).Has(api.Fields{"status": 1})
package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// patience bounds what an answer may take: more than on a machine with many other things to do. No test measures time.
const patience = 2 * time.Minute

// Client sends all requests.
var Client = &http.Client{
	Timeout:       patience,
	Transport:     &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Fields is a JSON object.
type Fields map[string]any

// Caller sends requests to a service for an account, with its token or with the session of a browser. Without both, the
// requests are anonymous.
type Caller struct {
	Server *Service
	Token  string
	Cookie string // name and value
}

// Answer is the answer to a request.
type Answer struct {
	T       testing.TB
	Request string // method and path, for messages
	Status  int
	Header  http.Header
	Body    Payload
	Fields  Fields // numbers as they were written; a list that has no object around it is data
}

// Payload is the body of an answer. In a message it is the beginning of that: a page has megabytes.
type Payload []byte

// String implements fmt.Stringer.
func (p Payload) String() string {
	const most = 2 << 10
	if len(p) <= most {
		return string(p)
	}
	return fmt.Sprintf("%s... (%d bytes more)", p[:most:most], len(p)-most)
}

// Send makes a request and checks the exchange against the contract. A body that is a string or bytes is sent
// unchanged, nil is none, and any other value is encoded. Headers are pairs of name and value; an empty value removes a
// header. Send may be called from any goroutine.
func (c Caller) Send(t testing.TB, method, path string, body any, headers ...string) Answer {
	t.Helper()
	a, err := c.Try(t, method, path, body, headers...)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
	}
	return a
}

// Try is send for a server that may be gone.
func (c Caller) Try(t testing.TB, method, path string, body any, headers ...string) (Answer, error) {
	t.Helper()
	a := Answer{T: t, Request: method + " " + path}
	sent := Encode(t, body)
	r, err := http.NewRequest(method, "http://"+c.Server.Address+path, bytes.NewReader(sent))
	if err != nil {
		return a, err
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.Cookie != "" {
		r.Header.Set("Cookie", c.Cookie)
	}
	if len(sent) > 0 {
		r.Header.Set("Content-Type", MediaType(r.URL.Path))
	}
	for pair := range slices.Chunk(headers, 2) {
		if r.Header.Set(pair[0], pair[1]); pair[1] == "" {
			r.Header.Del(pair[0])
		}
	}
	response, err := Client.Do(r)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a.Status, a.Header = response.StatusCode, response.Header
	if a.Body, err = io.ReadAll(response.Body); err != nil {
		return a, err
	}
	a.check(r, c.Server.BasePath, sent)
	return a, nil
}

// Encode returns a body as Send sends it.
func Encode(t testing.TB, body any) []byte {
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(b)
	case []byte:
		return b
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Error(err)
	}
	return text
}

// check checks the rules of every answer.
func (a *Answer) check(r *http.Request, prefix string, sent []byte) {
	a.T.Helper()
	id := a.Header.Get("X-Request-Id")
	if id == "" {
		a.T.Errorf("%s: no X-Request-Id", a.Request)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
		if got := a.Header.Get(name); got != want {
			a.T.Errorf("%s: status %d with %s %q, want %s", a.Request, a.Status, name, got, want)
		}
	}
	media, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if (media == "application/problem+json") != (a.Status >= 400) {
		a.T.Errorf("%s: status %d with Content-Type %q", a.Request, a.Status, media)
	}
	if r.Method == http.MethodHead {
		if len(a.Body) > 0 {
			a.T.Errorf("%s: HEAD with a body", a.Request)
		}
		return
	}
	path := documented(prefix, r.URL.Path)
	if strings.Contains(path, byName) {
		path = documented(prefix, r.URL.EscapedPath()) // the name may have a slash
	}
	switch media {
	case "text/csv":
	case "application/x-ndjson":
		rows := []any{}
		for text := range bytes.Lines(a.Body) {
			rows = append(rows, a.decoded(text))
		}
		a.Fields = Fields{"data": rows}
	default:
		body := a.decoded(a.Body)
		if a.Fields, _ = body.(map[string]any); a.Fields == nil {
			a.Fields = Fields{"data": body}
		}
	}
	Contract().check(a.T, r, path, sent, *a)
	if a.Status >= 400 {
		a.Has(Fields{
			"status":     a.Status,
			"type":       "urn:resellerd:problem:" + a.Text("code"),
			"request_id": id,
		})
		if asked := r.URL.EscapedPath(); asked == r.URL.Path { // TestRoutes has the others
			a.Has(Fields{"instance": asked})
		}
	}
	if next, paged := a.Fields["next_cursor"]; paged {
		a.checkLink(r, next)
	}
	if allow := a.Header.Get("Allow"); (a.Status == http.StatusMethodNotAllowed) != (allow != "") {
		a.T.Errorf("%s: status %d with Allow %q", a.Request, a.Status, allow)
	}
}

// decodeRows is for a text of rows where that is what the document has, and for one row where it describes one.
func decodeRows(body io.Reader, header http.Header, schema *openapi3.SchemaRef,
	encoding openapi3filter.EncodingFn) (any, error) {
	if schema.Value.Type.Is("string") {
		return openapi3filter.PlainBodyDecoder(body, header, schema, encoding)
	}
	return openapi3filter.JSONBodyDecoder(body, header, schema, encoding)
}

// decoded returns a text as JSON, with numbers as they were written.
func (a *Answer) decoded(text []byte) (value any) {
	a.T.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		a.T.Errorf("%s: %v in %q", a.Request, err, text)
	}
	return value
}

func init() { //nolint:gochecknoinits // the registry of kin-openapi is global
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", decodeRows)
	// the other one is no reader of CRLF in cells
	openapi3filter.RegisterBodyDecoder("text/csv", openapi3filter.PlainBodyDecoder)
}

// checkLink tests that Link leads to the page that next_cursor names, and nowhere
// if there is none, or nothing on it yet. Its query is decided in adapters/httpapi.
func (a *Answer) checkLink(r *http.Request, next any) {
	a.T.Helper()
	cursor, more := next.(string)
	more = more && a.Fields["has_more"] != false
	got := a.Header.Get("Link")
	leads := strings.HasPrefix(got, "<"+r.URL.EscapedPath()+"?") && strings.Contains(got, "cursor="+cursor)
	if more && !leads || !more && got != "" {
		a.T.Errorf("%s: Link %q, and the next cursor %v", a.Request, got, next)
	}
}

// documented returns the path as the document has it: below the prefix, which the
// health checks do without; "" for a path that is nowhere.
func documented(prefix, path string) string {
	below, found := strings.CutPrefix(path, prefix)
	health := []string{"/healthz", "/readyz"}
	if slices.Contains(health, path) {
		return path
	}
	if !found || slices.Contains(health, below) {
		return ""
	}
	return below
}

// Is expects a status.
func (a Answer) Is(status int) Answer {
	a.T.Helper()
	if a.Status != status {
		a.T.Errorf("%s: status %d, want %d: %s", a.Request, a.Status, status, a.Body)
	}
	return a
}

// Refused expects a problem.
func (a Answer) Refused(status int, code string) Answer {
	a.T.Helper()
	if a.Status != status || a.Fields["code"] != code {
		a.T.Errorf("%s: status %d, want %d %s: %s", a.Request, a.Status, status, code, a.Body)
	}
	return a
}

// Has expects these fields among others. A wanted value is nil, a string, a bool,
// an int, a json.Number as written, a regular expression of a string, or a list.
func (a Answer) Has(want Fields) Answer {
	a.T.Helper()
	for name, value := range want {
		if got, found := a.Fields[name]; !found || !Equal(got, value) {
			a.T.Errorf("%s: %s is %#v (there: %t), want %v in %s", a.Request, name, got, found, value, a.Body)
		}
	}
	return a
}

// Exactly expects these fields and no others.
func (a Answer) Exactly(want Fields) Answer {
	a.T.Helper()
	for name := range a.Fields {
		if _, wanted := want[name]; !wanted {
			a.T.Errorf("%s: unexpected field %s in %s", a.Request, name, a.Body)
		}
	}
	return a.Has(want)
}

// Invalid expects exactly these invalid fields, by name, with these codes. The
// name of a query parameter comes after a question mark.
func (a Answer) Invalid(code string, want map[string]string) Answer {
	a.T.Helper()
	a.Refused(http.StatusUnprocessableEntity, code)
	got := map[string]string{}
	list, _ := a.Fields["errors"].([]any)
	for _, entry := range list {
		e, _ := entry.(map[string]any)
		pointer, _ := e["pointer"].(string)
		reason, _ := e["code"].(string)
		name := strings.TrimPrefix(pointer, "/")
		if parameter, ok := e["parameter"].(string); ok {
			name = "?" + parameter
		}
		got[name] = reason
	}
	if len(list) != len(want) || !reflect.DeepEqual(got, want) {
		a.T.Errorf("%s: invalid fields %v, want %v", a.Request, got, want)
	}
	return a
}

// Equal reports whether a field of an answer is what Has wants.
func Equal(got, want any) bool {
	switch w := want.(type) {
	case int:
		return got == json.Number(strconv.Itoa(w))
	case int64:
		return got == json.Number(strconv.FormatInt(w, 10))
	case *regexp.Regexp:
		text, ok := got.(string)
		return ok && w.MatchString(text)
	default:
		return reflect.DeepEqual(got, want)
	}
}

// Text returns a field that is a string.
func (a Answer) Text(name string) string {
	a.T.Helper()
	text, ok := a.Fields[name].(string)
	if !ok {
		a.T.Errorf("%s: %s is %#v, want a string: %s", a.Request, name, a.Fields[name], a.Body)
	}
	return text
}

// List returns the records of a page.
func (a Answer) List() []Answer {
	a.T.Helper()
	a.Is(http.StatusOK)
	records, ok := a.Fields["data"].([]any)
	if !ok {
		a.T.Errorf("%s: data is %#v, want a list: %s", a.Request, a.Fields["data"], a.Body)
	}
	list := make([]Answer, len(records))
	for i, r := range records {
		list[i] = a
		list[i].Fields, _ = r.(map[string]any)
		list[i].Request = fmt.Sprintf("%s, record %d", a.Request, i)
	}
	return list
}

// IDs returns the ids of the records of a page, in their order.
func (a Answer) IDs() []int64 {
	a.T.Helper()
	ids := []int64{}
	for _, r := range a.List() {
		ids = append(ids, r.ID())
	}
	return ids
}

// Next returns the cursor of the page that follows, "" on the last one.
func (a Answer) Next() string {
	a.T.Helper()
	if a.Fields["next_cursor"] == nil {
		return ""
	}
	return a.Text("next_cursor")
}

// ID returns the field id.
func (a Answer) ID() int64 {
	a.T.Helper()
	number, _ := a.Fields["id"].(json.Number)
	id, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil || id <= 0 {
		a.T.Errorf("%s: id is %#v, want a positive number: %s", a.Request, a.Fields["id"], a.Body)
	}
	return id
}

// Replayed expects that the answer was, or was not, recorded before.
func (a Answer) Replayed(want bool) Answer {
	a.T.Helper()
	if got := a.Header.Get("Idempotency-Replayed"); (got == "true") != want || got != "" && got != "true" {
		a.T.Errorf("%s: Idempotency-Replayed %q, want replayed %t", a.Request, got, want)
	}
	return a
}

// Get reads, and expects that there is something to read.
func (c Caller) Get(t testing.TB, path string) Answer {
	t.Helper()
	return c.Send(t, http.MethodGet, path, nil).Is(http.StatusOK)
}

// Path returns the path of an operation on the record with this id: the prefix, the id, and the suffix.
func Path(prefix string, id int64, suffix ...string) string {
	return fmt.Sprintf("%s/%d%s", prefix, id, strings.Join(suffix, ""))
}
