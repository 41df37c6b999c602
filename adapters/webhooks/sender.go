// Package webhooks implements the sender of Standard Webhooks 1.0.0. Every account can name the URL of a receiver, so
// each receiver counts as hostile. It must not make the service connect to private addresses, delay other work or fill
// the memory.
package webhooks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"resellerd/domain/profile"
	"resellerd/domain/webhook"
	"resellerd/ports"
)

const (
	// mostHeader is the most bytes of an answer's header, and mostBody the most bytes read of its body.
	mostHeader = 64 << 10
	mostBody   = 64 << 10
	// bodyTime bounds the reading of the body. A connection is reused only if the whole answer was read.
	bodyTime = time.Second
	// idlePerHost is the most idle connections to one receiver: the number of messages sent to it at a time. idleInAll is
	// the most idle connections in all. idleTime is how long they stay open.
	idlePerHost = 8
	idleInAll   = 64
	idleTime    = 30 * time.Second
)

// Options of a sender. All have defaults.
type Options struct {
	// Allow are networks that the operator opens besides public addresses, at any port and unencrypted as well.
	Allow []netip.Prefix
	// Now is the clock for the timestamps that receivers check, the system's by default.
	Now func() time.Time
	// Timeout bounds a message, webhook.Timeout by default, and BodyTime the reading of its answer's body.
	Timeout, BodyTime time.Duration
	// Roots are the certificate authorities of receivers, those of the system by default.
	Roots *x509.CertPool
	// Resolver looks up names, the system's by default.
	Resolver *net.Resolver
}

// Sender implements ports.WebhookSender.
type Sender struct {
	options       Options
	plain, secure *http.Transport
	open          context.Context // ends with Close
	close         context.CancelFunc
}

var _ ports.WebhookSender = (*Sender)(nil)

// New returns a sender. It must be closed.
func New(o Options) *Sender {
	o.Timeout, o.BodyTime = cmp.Or(o.Timeout, webhook.Timeout), cmp.Or(o.BodyTime, bodyTime)
	if o.Now == nil {
		o.Now = time.Now
	}
	d := newDialer(o)
	s := &Sender{options: o, plain: transport(), secure: transport()}
	s.open, s.close = context.WithCancel(context.Background())
	bounded := func(dial dial) dial {
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := s.bound(ctx)
			defer cancel()
			return dial(ctx, network, address)
		}
	}
	s.plain.DialContext, s.secure.DialTLSContext = bounded(d.plain), bounded(d.secure)
	return s
}

// bound returns a context that ends after Timeout, and when the sender is closed: the transport continues to dial for a
// cancelled message.
func (s *Sender) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	stop := context.AfterFunc(s.open, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// transport returns a transport without a dialer. It speaks HTTP/1.1 alone, so each connection has one message at a
// time, and can be cut without an effect on others.
func transport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // even if the environment names a proxy
		Protocols:              &protocols,
		DisableCompression:     true,
		MaxIdleConns:           idleInAll,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: mostHeader,
	}
}

// Close cancels messages in flight, and closes the connections.
func (s *Sender) Close() error {
	s.close()
	s.plain.CloseIdleConnections()
	s.secure.CloseIdleConnections()
	return nil
}

// Send implements ports.WebhookSender.
func (s *Sender) Send(ctx context.Context, m ports.WebhookMessage) ports.WebhookAnswer {
	began := time.Now()
	answer := s.send(ctx, m)
	answer.Took = time.Since(began)
	return answer
}

func (s *Sender) send(ctx context.Context, m ports.WebhookMessage) ports.WebhookAnswer {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	var answered atomic.Bool
	r, err := s.request(
		httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { answered.Store(true) }}), m)
	if err != nil {
		return ports.WebhookAnswer{Failure: webhook.AddressRefused}
	}
	through := s.secure
	if r.URL.Scheme == "http" {
		through = s.plain
	}
	got, err := through.RoundTrip(r) // a client would follow redirects
	if err != nil {
		answer := ports.WebhookAnswer{Failure: failureOf(ctx, err, answered.Load())}
		if answer.Failure == webhook.TLSFailed {
			answer.Cause = causeOf(err)
		}
		return answer
	}
	over := time.AfterFunc(s.options.BodyTime, cancel)
	begins, _ := io.ReadAll(io.LimitReader(got.Body, webhook.MaxExcerpt+utf8.UTFMax))
	_, _ = io.CopyN(io.Discard, got.Body, int64(mostBody+1-len(begins))) // the status has decided
	over.Stop()
	_ = got.Body.Close() // closes the connection unless the body was read whole
	answer := ports.WebhookAnswer{Status: got.StatusCode}
	switch got.StatusCode / 100 {
	case 2:
		return answer
	case 3:
		answer.Failure = webhook.Redirected
	default:
		answer.Failure = webhook.NotAccepted
	}
	answer.Excerpt = webhook.Excerpt(begins)
	answer.RetryAfter = s.retryAfter(got.Header.Get("Retry-After"))
	return answer
}

var errNoAddress = errors.New("it is no address such as https://receiver.example/")

// request returns the signed request of a message.
func (s *Sender) request(ctx context.Context, m ports.WebhookMessage) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, err
	}
	if r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.Host == "" {
		return nil, errNoAddress
	}
	timestamp := strconv.FormatInt(s.options.Now().Unix(), 10)
	signatures := make([]string, len(m.Secrets))
	for i, secret := range m.Secrets {
		signatures[i] = signature(secret, m.ID, timestamp, m.Body)
	}
	for name, value := range map[string]string{
		"Content-Type":      "application/json",
		"User-Agent":        "resellerd",
		"Webhook-Id":        m.ID,
		"Webhook-Timestamp": timestamp,
		"Webhook-Signature": strings.Join(signatures, " "),
	} {
		r.Header.Set(name, value)
	}
	// This header is not sent. It allows the transport to send the request again if the receiver has closed the idle
	// connection at the same moment.
	r.Header["Idempotency-Key"] = nil
	return r, nil
}

// signature signs a message.
func signature(secret profile.Secret, id, timestamp string, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret.Reveal(), "whsec_"))
	if err != nil { // not a secret of ports.Generator
		key = []byte(secret.Reveal())
	}
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, id+"."+timestamp+".")
	_, _ = mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// retryAfter reads the wait in a Retry-After header (RFC 9110, 10.2.3), 0 for an invalid value.
func (s *Sender) retryAfter(header string) time.Duration {
	seconds, err := strconv.ParseUint(header, 10, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) { // out of range: seconds is the largest value
		return min(time.Duration(seconds)*time.Second, webhook.MaxRetryAfter)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(s.options.Now())), webhook.MaxRetryAfter)
}
