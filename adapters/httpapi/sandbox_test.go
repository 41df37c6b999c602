package httpapi_test

import (
	"encoding/json"
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

// movable is the clock of a harness as that of a sandbox.
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

// setClock asks for what the published document does not have.
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
	prefixed := sandbox(t, httpapi.Options{BasePath: "/api"})
	status, _ := prefixed.setClock(t, "", asJSON, `{"forward":"4h"}`)
	expect.Equal(t, status, 401, "below the base path the clock answers")
	h := sandbox(t, httpapi.Options{})
	admin := h.Admin(t)
	trial := admin.Trial(t)
	runs := func(want int) {
		t.Helper()
		admin.Get(t, api.Path("/lines", trial.ID)).Has(fields{"status": want})
	}
	runs(1)
	before := h.clock.Now()
	if status, answer := h.setClock(t, admin.Token, asJSON, `{"forward":"4h"}`); status != 200 ||
		!reads(answer["now"], before.Add(4*time.Hour)) || len(answer) != 1 {
		t.Errorf("4 hours after %s it shows %v (%d)", before, answer, status)
	}
	runs(0)
	at := h.clock.Now().Add(48 * time.Hour)
	_, answer := h.setClock(t, admin.Token, asJSON, `{"to":"`+at.Format(time.RFC3339Nano)+`","forward":null}`)
	expect.Equal(t, reads(answer["now"], at), true, "set to %s it shows %v", at, answer)
}

// reads reports whether an answer shows an instant, or one that is a few milliseconds later: each look takes one.
func reads(shown any, at time.Time) bool {
	text, _ := shown.(string)
	got, err := time.Parse("2006-01-02T15:04:05.000Z", text)
	return err == nil && !got.Before(at.Truncate(time.Millisecond)) && got.Before(at.Add(100*time.Millisecond))
}

func TestTheClockOfASandboxIsRefused(t *testing.T) {
	t.Parallel()
	h := sandbox(t, httpapi.Options{})
	admin := h.Admin(t)
	master := admin.Master(t, "5")
	blocked := admin.Reseller(t, "5")
	admin.Send(t, "PUT", api.Path("/users", blocked.ID, "/block"), nil).Is(200)
	before := h.clock.Now()
	for _, c := range []struct {
		token, contentType, body string
		status                   int
		code                     string
	}{
		{"", asJSON, `{"forward":"1h"}`, 401, "missing-token"},
		{"nonsense", asJSON, `{"forward":"1h"}`, 401, "invalid-token"},
		{admin.Token, "text/plain", `{"forward":"1h"}`, 415, "unsupported-media-type"},
		{admin.Token, asJSON, `{"forward":"1h"`, 400, "malformed-body"},
		{admin.Token, asJSON, `{}`, 422, "validation-failed"},
		{admin.Token, asJSON, ``, 422, "validation-failed"},
		{admin.Token, asJSON, `{"forward":"1h","to":"2030-01-01T00:00:00Z"}`, 422, "validation-failed"},
		{admin.Token, asJSON, `{"forward":"-1h"}`, 422, "validation-failed"},
		{admin.Token, asJSON, `{"forward":"0s"}`, 422, "validation-failed"},
		{admin.Token, asJSON, `{"forward":3600}`, 422, "validation-failed"},
		{admin.Token, asJSON, `{"to":"tomorrow"}`, 422, "validation-failed"},
		{master.Token, asJSON, `{"forward":"-1h"}`, 422, "validation-failed"},
		{master.Token, asJSON, `{"forward":"1h"}`, 403, "not-allowed"},
		{blocked.Token, asJSON, `{"forward":"1h"}`, 403, "account-blocked"},
		{admin.Token, asJSON, `{"to":"2020-01-01T00:00:00Z"}`, 409, "clock-goes-forward"},
	} {
		status, answer := h.setClock(t, c.token, c.contentType, c.body)
		expect.Equal(t, status, c.status, "%s", c.body)
		expect.Equal[any](t, answer["code"], c.code, "%s", c.body)
	}
	expect.Equal(t, h.clock.Now().Sub(before) < time.Minute, true, "what is refused leaves the clock at %s", before)
}

// TestASandboxAnswersAsAServiceDoes but for its header, which a service does not have, nor the route.
func TestASandboxAnswersAsAServiceDoes(t *testing.T) {
	t.Parallel()
	service, sandbox := serve(t), sandbox(t, httpapi.Options{})
	service.Nobody().Send(t, "POST", "/sandbox/clock", fields{"forward": "1h"}).Refused(404, "unknown-route")
	for _, op := range []operation{
		api.Op("GET", "/healthz", nil),
		api.Op("GET", "/readyz", nil),
		api.Op("GET", "/openapi.json", nil),
		api.Op("GET", "/prices", nil),
		api.Op("GET", "/users", nil),
		api.Op("GET", "/lines/7", nil),
		api.Op("DELETE", "/users", nil),
		api.Op("GET", "/nowhere", nil),
		api.Op("POST", "/users", fields{}),
	} {
		of, in := op.By(t, service.Admin(t)), op.By(t, sandbox.Admin(t))
		if of.Status != in.Status || op.Path != "/users" && api.Anonymous(of) != api.Anonymous(in) {
			t.Errorf("%s: a sandbox answers %d %s, a service %d %s", in.Request, in.Status, in.Body, of.Status, of.Body)
		}
		expect.Equal(t, in.Header.Get("X-Resellerd-Sandbox"), "true", "%s: the mark of a sandbox", in.Request)
		expect.Equal(t, of.Header.Get("X-Resellerd-Sandbox"), "", "%s: the mark of a service", in.Request)
	}
	served := string(service.Nobody().Get(t, "/openapi.json").Body)
	expect.Equal(t, string(httpapi.Document("")) == served, true, "the printed document is the served one")
}
