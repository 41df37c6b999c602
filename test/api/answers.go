package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// ISOMillis is the API's format of instants.
const ISOMillis = "2006-01-02T15:04:05.000Z"

// Values that Has and Exactly accept for a text when a test knows only its form.
var (
	ISO      = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	Anything = regexp.MustCompile(`.`)
)

// Instant returns a field that is an ISO 8601 timestamp.
func (a Answer) Instant(name string) time.Time {
	a.T.Helper()
	at, err := time.Parse(ISOMillis, a.Text(name))
	if err != nil {
		a.T.Errorf("%s: %s: %v", a.Request, name, err)
	}
	return at
}

// Same expects that an answer is the recorded one, byte for byte.
func (a Answer) Same(first Answer) {
	a.T.Helper()
	a.Is(first.Status).Replayed(true)
	if !bytes.Equal(a.Body, first.Body) {
		a.T.Errorf("%s: the replay is %s, the answer was %s", a.Request, a.Body, first.Body)
	}
}

// Anonymous is a refusal without what differs from request to request.
func Anonymous(a Answer) string {
	rest := maps.Clone(a.Fields)
	delete(rest, "instance")
	delete(rest, "request_id")
	text, _ := json.Marshal(rest)
	return string(text)
}

// AsAbsent expects that this refusal of an operation equals that of the same operation for an id that never existed.
func (a Answer) AsAbsent(op Operation, by Caller) {
	a.T.Helper()
	prefix, _, suffix, found := CutID(op.Path)
	if !found {
		prefix = byName
	}
	op.Path = prefix + "999999999" + suffix
	none := op.By(a.T, by).Refused(404, "not-found")
	if Anonymous(a) != Anonymous(none) {
		a.T.Errorf("%s: out of sight answers %s, absent %s", a.Request, a.Body, none.Body)
	}
}

// Line returns the line that the answer shows.
func (a Answer) Line() Line { return Line{a.ID(), a.Text("username"), a.Text("password")} }

// byName is the beginning of paths that name a line.
const byName = "/radius/users/"

var pathWithID = regexp.MustCompile(`^(/.*/)(\d+)([/?].*)?$`)

// CutID cuts a path around the id in it.
func CutID(path string) (prefix, id, suffix string, found bool) {
	if m := pathWithID.FindStringSubmatch(path); m != nil {
		return m[1], m[2], m[3], true
	}
	return "", "", "", false
}

// Query appends parameters to a path, in pairs of name and value.
func Query(path string, pairs ...any) string {
	q := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		q.Set(pair[0].(string), fmt.Sprint(pair[1]))
	}
	return path + "?" + q.Encode()
}

// Walk goes through a list page by page and returns the ids of all pages in their
// order. Each has one record.
func (c Caller) Walk(t *testing.T, path string) (ids []int64) {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	for cursor := ""; ; {
		a := c.Get(t, path+separator+"limit=1"+cursor)
		ids = append(ids, a.List()[0].ID())
		if a.Next() == "" {
			return ids
		}
		cursor = "&cursor=" + url.QueryEscape(a.Next())
	}
}

// Recorder takes the answer of a handler in the test's own process. It takes deadlines, as a connection does, and never
// comes to them.
type Recorder struct{ *httptest.ResponseRecorder }

// NewRecorder returns one that has no answer yet.
func NewRecorder() Recorder { return Recorder{httptest.NewRecorder()} }

// SetReadDeadline is for http.ResponseController.
func (Recorder) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is for http.ResponseController.
func (Recorder) SetWriteDeadline(time.Time) error { return nil }
