package acceptance

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
)

var client = &http.Client{
	Timeout:       patience,
	Transport:     &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// fields is a JSON object.
type fields map[string]any

// caller asks a server on behalf of an account; without a token, of nobody.
type caller struct {
	server *server
	token  string
}

// answer is what came back.
type answer struct {
	t       testing.TB
	request string // method and path, for messages
	status  int
	header  http.Header
	body    payload
	fields  fields // numbers as they were written
}

// payload is the body of an answer. In a message it is the beginning of that: a page
// has megabytes.
type payload []byte

// String implements fmt.Stringer.
func (p payload) String() string {
	const most = 2 << 10
	if len(p) <= most {
		return string(p)
	}
	return fmt.Sprintf("%s... (%d bytes more)", p[:most:most], len(p)-most)
}

// send makes a request and holds the exchange against the contract. A body that
// is a string or bytes is sent as it is, nil is none, anything else is encoded.
// Headers are pairs of name and value; an empty value takes a header away. It may
// be called from any goroutine.
func (c caller) send(t testing.TB, method, path string, body any, headers ...string) answer {
	t.Helper()
	a, err := c.try(t, method, path, body, headers...)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
	}
	return a
}

// try is send for a server that may be gone.
func (c caller) try(t testing.TB, method, path string, body any, headers ...string) (answer, error) {
	t.Helper()
	a := answer{t: t, request: method + " " + path}
	sent := encode(t, body)
	r, err := http.NewRequest(method, "http://"+c.server.address+path, bytes.NewReader(sent))
	if err != nil {
		return a, err
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if len(sent) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	for pair := range slices.Chunk(headers, 2) {
		if r.Header.Set(pair[0], pair[1]); pair[1] == "" {
			r.Header.Del(pair[0])
		}
	}
	response, err := client.Do(r)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a.status, a.header = response.StatusCode, response.Header
	if a.body, err = io.ReadAll(response.Body); err != nil {
		return a, err
	}
	a.check(r, c.server.env["RESELLERD_BASE_PATH"], sent)
	return a, nil
}

func encode(t testing.TB, body any) []byte {
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

// check tests what holds for every answer.
func (a *answer) check(r *http.Request, prefix string, sent []byte) {
	a.t.Helper()
	id := a.header.Get("X-Request-Id")
	if id == "" {
		a.t.Errorf("%s: no X-Request-Id", a.request)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
		if got := a.header.Get(name); got != want {
			a.t.Errorf("%s: status %d with %s %q, want %s", a.request, a.status, name, got, want)
		}
	}
	want := "application/json"
	if a.status >= 400 {
		want = "application/problem+json"
	}
	if got, _, err := mime.ParseMediaType(a.header.Get("Content-Type")); got != want {
		a.t.Errorf("%s: status %d with Content-Type %q (%v), want %s", a.request, a.status, got, err, want)
	}
	if r.Method == http.MethodHead {
		if len(a.body) > 0 {
			a.t.Errorf("%s: HEAD with a body", a.request)
		}
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	if err := decoder.Decode(&a.fields); err != nil {
		a.t.Errorf("%s: status %d with a body that is no JSON object: %v\n%s", a.request, a.status, err, a.body)
		return
	}
	contract.check(a.t, r, documented(prefix, r.URL.Path), sent, *a)
	if a.status >= 400 {
		a.has(fields{
			"status":     a.status,
			"type":       "urn:resellerd:problem:" + a.text("code"),
			"request_id": id,
		})
		if asked := r.URL.EscapedPath(); asked == r.URL.Path { // TestInstance has the others
			a.has(fields{"instance": asked})
		}
	}
	if next, paged := a.fields["next_cursor"]; paged {
		a.checkLink(r, next)
	}
	if allow := a.header.Get("Allow"); (a.status == http.StatusMethodNotAllowed) != (allow != "") {
		a.t.Errorf("%s: status %d with Allow %q", a.request, a.status, allow)
	}
}

// checkLink tests that Link leads to the page that next_cursor names, and nowhere
// where there is none: the same path, the same query but for its cursor.
func (a *answer) checkLink(r *http.Request, next any) {
	a.t.Helper()
	want := ""
	if cursor, ok := next.(string); ok {
		pairs := slices.DeleteFunc(strings.Split(r.URL.RawQuery, "&"), func(pair string) bool {
			return pair == "" || strings.HasPrefix(pair, "cursor=")
		})
		want = fmt.Sprintf(`<%s?%s>; rel="next"`, r.URL.EscapedPath(), strings.Join(append(pairs, "cursor="+cursor), "&"))
	}
	got := a.header.Values("Link")
	if len(got) > 1 || !sameLink(a.header.Get("Link"), want) || want == "" && len(got) > 0 {
		a.t.Errorf("%s: Link %q, want %q", a.request, got, want)
	}
}

// sameLink compares links whose cursors may stand elsewhere in the query.
func sameLink(got, want string) bool {
	parts := func(link string) []string {
		path, query, _ := strings.Cut(strings.TrimSuffix(link, `>; rel="next"`), "?")
		pairs := strings.Split(query, "&")
		slices.Sort(pairs)
		return append(pairs, path)
	}
	return slices.Equal(parts(got), parts(want))
}

// documented returns the path as the document has it: below the prefix, which the
// health checks do without; "" for a path that is nowhere.
func documented(prefix, path string) string {
	below, found := strings.CutPrefix(path, prefix)
	if isHealth := path == "/healthz" || path == "/readyz"; isHealth {
		return path
	}
	if !found || prefix != "" && (below == "/healthz" || below == "/readyz") {
		return ""
	}
	return below
}

// is expects a status.
func (a answer) is(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Errorf("%s: status %d, want %d: %s", a.request, a.status, status, a.body)
	}
	return a
}

// refused expects a problem.
func (a answer) refused(status int, code string) answer {
	a.t.Helper()
	if a.status != status || a.fields["code"] != code {
		a.t.Errorf("%s: status %d, want %d %s: %s", a.request, a.status, status, code, a.body)
	}
	return a
}

// has expects these fields among others. A wanted value is nil, a string, a bool,
// an int, a json.Number as written, a regular expression of a string, or a list.
func (a answer) has(want fields) answer {
	a.t.Helper()
	for name, value := range want {
		if got, found := a.fields[name]; !found || !equal(got, value) {
			a.t.Errorf("%s: %s is %#v (there: %t), want %v in %s", a.request, name, got, found, value, a.body)
		}
	}
	return a
}

// exactly expects these fields and no others.
func (a answer) exactly(want fields) answer {
	a.t.Helper()
	for name := range a.fields {
		if _, wanted := want[name]; !wanted {
			a.t.Errorf("%s: unexpected field %s in %s", a.request, name, a.body)
		}
	}
	return a.has(want)
}

// invalid expects exactly these invalid fields, by name, with these codes. The
// name of a query parameter comes after a question mark.
func (a answer) invalid(code string, want map[string]string) answer {
	a.t.Helper()
	a.refused(http.StatusUnprocessableEntity, code)
	got := map[string]string{}
	list, _ := a.fields["errors"].([]any)
	for _, entry := range list {
		e, _ := entry.(map[string]any)
		pointer, _ := e["pointer"].(string)
		reason, _ := e["code"].(string)
		name := strings.TrimPrefix(pointer, "/")
		if parameter, ok := e["parameter"].(string); ok {
			name = "?" + parameter
		}
		if _, twice := got[name]; twice {
			a.t.Errorf("%s: %s is listed twice: %s", a.request, name, a.body)
		}
		got[name] = reason
	}
	if !reflect.DeepEqual(got, want) {
		a.t.Errorf("%s: invalid fields %v, want %v", a.request, got, want)
	}
	return a
}

func equal(got, want any) bool {
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

// text returns a field that is a string.
func (a answer) text(name string) string {
	a.t.Helper()
	text, ok := a.fields[name].(string)
	if !ok {
		a.t.Errorf("%s: %s is %#v, want a string: %s", a.request, name, a.fields[name], a.body)
	}
	return text
}

// list returns the records of a page.
func (a answer) list() []answer {
	a.t.Helper()
	a.is(http.StatusOK)
	records, ok := a.fields["data"].([]any)
	if !ok {
		a.t.Errorf("%s: data is %#v, want a list: %s", a.request, a.fields["data"], a.body)
	}
	list := make([]answer, len(records))
	for i, r := range records {
		list[i] = a
		list[i].fields, _ = r.(map[string]any)
		list[i].request = fmt.Sprintf("%s, record %d", a.request, i)
	}
	return list
}

// ids returns the ids of the records of a page, in their order.
func (a answer) ids() []int64 {
	a.t.Helper()
	ids := []int64{}
	for _, r := range a.list() {
		ids = append(ids, r.id())
	}
	return ids
}

// next returns the cursor of the page that follows, "" on the last one.
func (a answer) next() string {
	a.t.Helper()
	if a.fields["next_cursor"] == nil {
		return ""
	}
	return a.text("next_cursor")
}

// id returns the field id.
func (a answer) id() int64 {
	a.t.Helper()
	number, _ := a.fields["id"].(json.Number)
	id, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil || id <= 0 {
		a.t.Errorf("%s: id is %#v, want a positive number: %s", a.request, a.fields["id"], a.body)
	}
	return id
}

// replayed expects that the answer was, or was not, recorded before.
func (a answer) replayed(want bool) answer {
	a.t.Helper()
	if got := a.header.Get("Idempotency-Replayed"); (got == "true") != want || got != "" && got != "true" {
		a.t.Errorf("%s: Idempotency-Replayed %q, want replayed %t", a.request, got, want)
	}
	return a
}

// get reads, and expects that there is something to read.
func (c caller) get(t testing.TB, path string) answer {
	t.Helper()
	return c.send(t, http.MethodGet, path, nil).is(http.StatusOK)
}

// path returns the path of an operation on the record with this id: the prefix,
// the id, and what follows it.
func path(prefix string, id int64, suffix ...string) string {
	return fmt.Sprintf("%s/%d%s", prefix, id, strings.Join(suffix, ""))
}
