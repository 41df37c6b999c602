package bootstrap

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"resellerd/application"
	"resellerd/application/background"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/webhook"
)

// TestAWebhookIsDelivered in the service as it is.
func TestAWebhookIsDelivered(t *testing.T) {
	got := make(chan *http.Request, 8)
	bodies := make(chan []byte, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- body
		got <- r
	}))
	defer receiver.Close()
	const password = "a-password-for-tests"
	c, err := settings(t, map[string]string{
		"RESELLERD_STORE": "sqlite:" + t.TempDir() + "/served.db", "RESELLERD_ADDR": "127.0.0.1:0", "RESELLERD_ADMIN_ADDR": "off",
		"RESELLERD_ADMIN_PASSWORD": password, "RESELLERD_WEBHOOK_ALLOW": "127.0.0.0/8",
	})
	must(t, err)
	var service *application.Service
	var figures *background.Figures
	app := fxtest.New(t, fx.NopLogger, graph(c, io.Discard, slog.New(slog.DiscardHandler)), fx.Populate(&service, &figures))
	app.RequireStart()
	defer app.RequireStop()
	token, err := service.Login(t.Context(), application.Login{Username: c.admin, Password: profile.NewSecret(password), Client: "test"})
	must(t, err)
	caller, err := service.Authenticate(token.Reveal())
	must(t, err)
	call := application.Call{Caller: caller, Request: "test"}
	var made application.Webhook
	command := application.CreateWebhook{URL: receiver.URL, Types: []string{"line.*"}, Scope: webhook.Tree}
	if _, err := service.CreateWebhook(t.Context(), call, command, func(w application.Webhook) application.Receipt {
		made = w
		return application.Receipt{}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := service.CreateTrial(t.Context(), call, line.Description{}, func(application.Line) application.Receipt { return application.Receipt{} }); err != nil {
		t.Fatal(err)
	}
	var r *http.Request
	select {
	case r = <-got:
	case <-time.After(5 * time.Minute):
		t.Fatal("nothing came")
	}
	verifier, err := standardwebhooks.NewWebhook(made.NewSecret.Reveal())
	must(t, err)
	body := <-bodies
	if err := verifier.Verify(body, r.Header); err != nil {
		t.Errorf("%v: %s with %v", err, body, r.Header)
	}
	t.Logf("%s", body)
}
