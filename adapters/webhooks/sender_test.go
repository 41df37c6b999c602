package webhooks_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"resellerd/adapters/credentials"
	"resellerd/adapters/webhooks"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// sender returns a sender that may connect to this machine only. The end of the test closes it.
func sender(t *testing.T, o webhooks.Options) *webhooks.Sender {
	t.Helper()
	if o.Allow == nil {
		o.Allow = loopback
	}
	s := webhooks.New(o)
	t.Cleanup(func() {
		expect.Error(t, s.Close(), nil)
	})
	return s
}

// message returns a message with a number of new secrets.
func message(url string, secrets int) ports.WebhookMessage {
	m := ports.WebhookMessage{URL: url, ID: "evt_4d1f0a7c_14",
		Body: []byte(`{"id":"evt_4d1f0a7c_14","type":"line.extended"}`)}
	for range secrets {
		m.Secrets = append(m.Secrets, credentials.Generator{}.WebhookSecret())
	}
	return m
}

// TestReceiversVerify with the library of Standard Webhooks, and with each of two secrets.
func TestReceiversVerify(t *testing.T) {
	t.Parallel()
	got, body := make(chan *http.Request, 1), []byte(nil)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		got <- r
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	m := message(receiver.URL+"/hooks?of=resellerd", 2)
	answer := sender(t, webhooks.Options{}).Send(t.Context(), m)
	if answer.Status != http.StatusNoContent || answer.Failure != "" || answer.RetryAfter != 0 || answer.Took <= 0 {
		t.Errorf("the answer is %+v", answer)
	}
	r := <-got
	if r.Method != http.MethodPost || r.RequestURI != "/hooks?of=resellerd" || !bytes.Equal(body, m.Body) {
		t.Errorf("received %s %s with %q", r.Method, r.RequestURI, body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "resellerd", "Webhook-Id": m.ID, "Accept-Encoding": "",
		"Idempotency-Key": "",
	} {
		expect.Equal(t, r.Header.Get(name), want, "%s", name)
	}
	for i, secret := range append(m.Secrets, credentials.Generator{}.WebhookSecret()) {
		verifier, err := standardwebhooks.NewWebhook(secret.Reveal())
		require.NoError(t, err)
		err = verifier.Verify(body, r.Header)
		expect.Equal(t, err == nil, i < 2, "secret %d: %v", i, err)
	}
}
