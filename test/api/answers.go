package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"time"
)

// ISOMillis is how the API writes instants.
const ISOMillis = "2006-01-02T15:04:05.000Z"

// What Has and Exactly take for a text of which a test knows the form only.
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
	if a.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
		a.T.Errorf("%s: the replay has another Content-Type", a.Request)
	}
	if a.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") {
		a.T.Errorf("%s: the replay has the request id of the first request", a.Request)
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

// AsAbsent expects that this refusal of an operation is what the same operation gives for an id that never existed.
func (a Answer) AsAbsent(op Operation, by Caller) {
	a.T.Helper()
	prefix, _, suffix, found := CutID(op.Path)
	if !found {
		prefix, _, found = strings.Cut(op.Path, byName)
		prefix += byName
	}
	if !found {
		a.T.Errorf("%s: the path has no id", op.Path)
	}
	op.Path = prefix + "999999999" + suffix
	none := op.By(a.T, by).Refused(404, "not-found")
	if Anonymous(a) != Anonymous(none) {
		a.T.Errorf("%s: out of sight answers %s, absent %s", a.Request, a.Body, none.Body)
	}
	for name := range none.Header {
		if _, found := a.Header[name]; !found {
			a.T.Errorf("%s: out of sight answers without %s, absent with it", a.Request, name)
		}
	}
}

// Line returns the line that the answer shows.
func (a Answer) Line() Line { return Line{a.ID(), a.Text("username"), a.Text("password")} }

// byName is how paths begin that name a line.
const byName = "/radius/users/"

var pathWithID = regexp.MustCompile(`^(/.*/)(\d+)([/?].*)?$`)

// CutID cuts a path around the id in it.
func CutID(path string) (prefix, id, suffix string, found bool) {
	if m := pathWithID.FindStringSubmatch(path); m != nil {
		return m[1], m[2], m[3], true
	}
	return "", "", "", false
}
