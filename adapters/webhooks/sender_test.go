package webhooks_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"resellerd/adapters/credentials"
	"resellerd/adapters/webhooks"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// sender returns one that reaches this machine alone, and is closed at the end.
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

// message is one with as many new secrets.
func message(url string, secrets int) ports.WebhookMessage {
	m := ports.WebhookMessage{URL: url, ID: "evt_4d1f0a7c_14",
		Body: []byte(`{"id":"evt_4d1f0a7c_14","type":"line.extended"}`)}
	for range secrets {
		m.Secrets = append(m.Secrets, credentials.Generator{}.WebhookSecret())
	}
	return m
}

// TestReceiversVerify by the library that the standard's authors give them.
func TestReceiversVerify(t *testing.T) {
	t.Parallel()
	for secrets := 1; secrets <= 2; secrets++ {
		got := make(chan *http.Request, 1)
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			expect.Error(t, err, nil)
			r.Body = io.NopCloser(bytes.NewReader(body))
			got <- r
			w.WriteHeader(http.StatusNoContent)
		}))
		m := message(receiver.URL+"/hooks?of=resellerd", secrets)
		answer := sender(t, webhooks.Options{}).Send(t.Context(), m)
		if answer.Status != http.StatusNoContent || answer.Failure != "" || answer.RetryAfter != 0 || answer.Took <= 0 {
			t.Errorf("the answer is %+v", answer)
		}
		r := <-got
		receiver.Close()
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.RequestURI != "/hooks?of=resellerd" || !bytes.Equal(body, m.Body) ||
			r.ContentLength != int64(len(m.Body)) {
			t.Errorf("received %s %s with %q", r.Method, r.RequestURI, body)
		}
		for name, want := range map[string]string{
			"Content-Type": "application/json", "User-Agent": "resellerd", "Webhook-Id": m.ID, "Accept-Encoding": "",
			"Idempotency-Key": "",
		} {
			expect.Equal(t, r.Header.Get(name), want, "%s", name)
		}
		for _, secret := range append(m.Secrets, credentials.Generator{}.WebhookSecret()) {
			verifier, err := standardwebhooks.NewWebhook(secret.Reveal())
			require.NoError(t, err)
			err = verifier.Verify(body, r.Header)
			own := secret != m.Secrets[0] && (len(m.Secrets) == 1 || secret != m.Secrets[1])
			expect.Equal(t, err != nil, own, "%d secrets: %v", secrets, err)
		}
	}
}

// TestSignatureOfTheSpecification signs the example of Standard Webhooks.
func TestSignatureOfTheSpecification(t *testing.T) {
	t.Parallel()
	got := make(chan http.Header, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header }))
	defer receiver.Close()
	s := sender(t, webhooks.Options{Now: func() time.Time { return time.Unix(1614265330, 999_999_999) }})
	answer := s.Send(t.Context(), ports.WebhookMessage{
		URL: receiver.URL, ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", Body: []byte(`{"test": 2432232314}`),
		Secrets: []profile.Secret{profile.NewSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")},
	})
	header := <-got
	expect.Equal(t, header.Get("Webhook-Timestamp"), "1614265330", "%+v", answer)
	expect.Equal(t, header.Get("Webhook-Signature"), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
}
