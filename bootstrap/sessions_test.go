package bootstrap

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"resellerd/adapters/telemetry"
	"resellerd/domain/session"
	"resellerd/ports"
)

// TestTheServedStoreKeepsSessionsAndShowsThem looks at the store as the parts of the service have it.
func TestTheServedStoreKeepsSessionsAndShowsThem(t *testing.T) {
	c, err := settings(t, map[string]string{"RESELLERD_STORE": "memory:", "RESELLERD_ADDR": "127.0.0.1:0", "RESELLERD_ADMIN_ADDR": "off"})
	if err != nil {
		t.Fatal(err)
	}
	var store ports.Store
	var shown *telemetry.Telemetry
	app := fxtest.New(t, fx.NopLogger, graph(c, io.Discard, slog.New(slog.DiscardHandler)), fx.Populate(&store, &shown))
	app.RequireStart()
	defer app.RequireStop()
	sessions := store.Parts().Sessions
	if sessions == nil {
		t.Fatal("the store keeps no sessions, and the one that was opened does")
	}
	s := session.Session{ID: session.IDOf("secret"), Reseller: 1, Created: now(), Used: now()}
	if err := sessions.BeginSession(t.Context(), s, session.Most); err != nil {
		t.Fatal(err)
	}
	if found, err := sessions.Session(t.Context(), s.ID); err != nil || found != s {
		t.Errorf("got %+v, error %v, want %+v", found, err, s)
	}
	figures := httptest.NewRecorder()
	shown.Figures().ServeHTTP(figures, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`resellerd_store_duration_seconds_count{command="session",outcome="done"} 2`,
		`resellerd_store_duration_seconds_count{command="update",outcome="done"} 1`, // of the first admin
	} {
		if !strings.Contains(figures.Body.String(), want+"\n") {
			t.Errorf("the figures do not show %s:\n%s", want, figures.Body)
		}
	}
}
