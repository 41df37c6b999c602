package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/adapters/testclock"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// movable is the clock of a harness as the clock of a sandbox.
type movable struct{ clock *fixture.Clock }

func (m *movable) Now() time.Time { return m.clock.Now() }

func (m *movable) Forward(to func(time.Time) time.Time) (time.Time, error) {
	target := to(m.clock.Now())
	if target.Before(m.clock.Now()) {
		return m.clock.Now(), testclock.ErrBackward
	}
	m.clock.Advance(target.Sub(m.clock.Now()))
	return m.clock.Now(), nil
}

// sandbox returns a service whose clock can be set.
func sandbox(t *testing.T, o httpapi.Options) *harness {
	t.Helper()
	clock := new(movable)
	o.TestClock = clock
	h := serveWith(t, o)
	clock.clock = h.clock
	return h
}

// setClock sends an operation that the published document does not have.
func (h *harness) setClock(t *testing.T, token, contentType, body string) (status int, answer map[string]any) {
	t.Helper()
	headers := []string{"Content-Type", contentType}
	if token != "" {
		headers = append(headers, "Authorization", "Bearer "+token)
	}
	response, text := h.raw(t, "POST", h.BasePath+"/sandbox/clock", strings.NewReader(body), headers...)
	expect.Equal(t, response.Header.Get("Date"), h.clock.Now().Format(http.TimeFormat), "%s: Date", response.Status)
	expect.Equal(t, response.Header.Get("X-Resellerd-Sandbox"), "true", "%s: the mark", response.Status)
	must(t, json.Unmarshal([]byte(text), &answer))
	return response.StatusCode, answer
}

const asJSON = "application/json"

func TestTheClockOfASandboxGoesForward(t *testing.T) {
	t.Parallel()
	h := sandbox(t, httpapi.Options{BasePath: "/api"})
	h.BasePath = "/api"
	token, before := h.Admin(t).Token, h.clock.Now()
	for _, body := range []string{`{"forward":"4h"}`,
		`{"to":"` + before.Add(8*time.Hour).Format(time.RFC3339Nano) + `","forward":null}`} {
		status, answer := h.setClock(t, token, asJSON, body)
		expect.Equal(t, status, 200, "%s: %v", body, answer)
		at, err := time.Parse(api.ISOMillis, fmt.Sprint(answer["now"]))
		before = before.Add(4 * time.Hour)
		expect.Equal(t, err == nil && at.Sub(before).Abs() < time.Second, true, "%s: %v", body, answer)
	}
}

func TestTheClockOfASandboxIsRefused(t *testing.T) {
	t.Parallel()
	h := sandbox(t, httpapi.Options{})
	admin := h.Admin(t).Token
	master := h.Admin(t).Master(t, "5").Token
	before := h.clock.Now()
	for _, c := range []struct {
		token, contentType, body string
		status                   int
		code                     string
	}{
		{"", asJSON, `{"forward":"1h"}`, 401, "missing-token"},
		{admin, "text/plain", `{"forward":"1h"}`, 415, "unsupported-media-type"},
		{admin, asJSON, `{}`, 422, "validation-failed"},
		{admin, asJSON, `{"forward":"1h","to":"2030-01-01T00:00:00Z"}`, 422, "validation-failed"},
		{admin, asJSON, `{"to":"tomorrow"}`, 422, "validation-failed"},
		{admin, asJSON, `{"forward":"-1h"}`, 422, "validation-failed"},
		{master, asJSON, `{"forward":"1h"}`, 403, "not-allowed"},
		{admin, asJSON, `{"to":"2020-01-01T00:00:00Z"}`, 409, "clock-goes-forward"},
	} {
		status, answer := h.setClock(t, c.token, c.contentType, c.body)
		expect.Equal(t, status, c.status, "%s", c.body)
		expect.Equal[any](t, answer["code"], c.code, "%s", c.body)
	}
	expect.Equal(t, h.clock.Now().Sub(before) < time.Minute, true, "what is refused leaves the clock at %s", before)
}
