package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/adapters/memstore"
	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/domain/profile"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
	"resellerd/test/require"
)

type (
	answer    = api.Answer
	caller    = api.Caller
	fields    = api.Fields
	line      = api.Line
	operation = api.Operation
)

// harness is the API on a real service with a store in memory, in this process. Its clock belongs to the test, and
// advances by a millisecond at each reading.
type harness struct {
	*api.Service
	service *application.Service
	store   *memstore.Store
	clock   *fixture.Clock
	handler http.Handler
}

// serve returns a service with an administrator and the default settings.
func serve(t *testing.T) *harness {
	t.Helper()
	return serveWith(t, httpapi.Options{})
}

// serveWith returns a service with other settings; absent parts have their defaults.
func serveWith(t *testing.T, o httpapi.Options) *harness {
	t.Helper()
	h := &harness{store: memstore.New(), clock: fixture.NewClock(fixture.Noon)}
	t.Cleanup(func() { _ = h.store.Close() })
	now := func() time.Time {
		h.clock.Advance(time.Millisecond)
		return h.clock.Now()
	}
	service, err := inprocess.New(h.store, inprocess.At(now), func(p *inprocess.Parts) {
		if o.Log == nil {
			o.Log = p.HTTP.Log
		}
		o.Ready = h.store.Ready
		p.HTTP = o
	})
	must(t, err)
	h.service, h.handler = service.Service, service.Handler
	h.admin(t, api.AdminName, api.AdminPassword)
	served := httptest.NewServer(h.handler)
	t.Cleanup(func() {
		api.Client.CloseIdleConnections()
		served.Close()
	})
	h.Service = &api.Service{Address: strings.TrimPrefix(served.URL, "http://"), BasePath: o.BasePath}
	return h
}

// admin creates an administrator as the command line does.
func (h *harness) admin(t *testing.T, username, password string) {
	t.Helper()
	must(t, h.service.Admins.Create(t.Context(), fixture.Name(username), profile.NewSecret(password)))
}

// raw sends requests that the document of the API does not have.
func (h *harness) raw(t *testing.T, method, path string, body io.Reader,
	headers ...string) (answer *http.Response, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+h.Address+path, body)
	must(t, err)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	if answer, err = api.Client.Do(r); err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer, string(read)
}

// audit proves the ledger through the API and examines every record of the store.
func (h *harness) audit(t *testing.T) {
	t.Helper()
	h.Admin(t).Get(t, "/ledger/proof").Has(fields{"balanced": true})
	_, err := audit.Run(t.Context(), h.store, audit.Options{Report: func(finding string) { t.Error(finding) }})
	expect.Error(t, err, nil)
}

// must ends a test whose setup fails.
func must(t testing.TB, err error) {
	t.Helper()
	require.NoError(t, err)
}
