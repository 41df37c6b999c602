// Package webhooks sends messages to the receivers of webhooks, as Standard Webhooks 1.0.0 has it. Anybody who has an
// account writes their addresses, so a receiver counts as hostile: it must neither have the service reach what is not
// public, nor hold it up, nor fill its memory.
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
	// mostHeader is how many bytes an answer's header has, and mostBody how many of its body are read.
	mostHeader = 64 << 10
	mostBody   = 64 << 10
	// bodyTime is how long the body is read: only a connection whose answer was read whole is used again.
	bodyTime = time.Second
	// idlePerHost is how many connections to one receiver are kept for the next messages: as many as are sent to it at
	// a time. idleInAll is how many are kept in all, and idleTime for how long.
	idlePerHost = 8
	idleInAll   = 64
	idleTime    = 30 * time.Second
)

// Options say where a sender may send to. All may be left out.
type Options struct {
	// Allow are the addresses that the operator opens beside the public ones, at any port and unencrypted as well.
	Allow []netip.Prefix
	// Now is what the clock shows that receivers compare with theirs, the system's by default.
	Now func() time.Time
	// Timeout is for a message, webhook.Timeout by default, and BodyTime for the body of its answer.
	Timeout, BodyTime time.Duration
	// Roots sign the certificates of receivers, those of the system by default.
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

// bound returns a context that ends in time, and when the sender is closed: the transport goes on to dial for a message
// that was given up.
func (s *Sender) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	stop := context.AfterFunc(s.open, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// transport returns one that dials nothing yet. It speaks HTTP/1.1 alone: one receiver's connections are few, and each
// can be cut without a thought of other messages on it.
func transport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // whatever the environment says
		Protocols:              &protocols,
		DisableCompression:     true,
		MaxIdleConns:           idleInAll,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: mostHeader,
	}
}

// Close ends what is under way, and closes the connections.
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
	_, _ = io.CopyN(io.Discard, got.Body, int64(mostBody+1-len(begins))) // the header has decided
	over.Stop()
	_ = got.Body.Close() // closes the connection unless that was all
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
	// The header is not sent. It says that the request may be sent again where the receiver has closed an idle
	// connection at the same moment.
	r.Header["Idempotency-Key"] = nil
	return r, nil
}

// signature signs a message.
func signature(secret profile.Secret, id, timestamp string, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret.Reveal(), "whsec_"))
	if err != nil { // it is none that a generator made
		key = []byte(secret.Reveal())
	}
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, id+"."+timestamp+".")
	_, _ = mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// retryAfter reads how long to wait, 0 where that is no value of the header.
func (s *Sender) retryAfter(header string) time.Duration {
	seconds, err := strconv.ParseUint(header, 10, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) { // then it is the most there is
		return min(time.Duration(seconds)*time.Second, webhook.MaxRetryAfter)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(s.options.Now())), webhook.MaxRetryAfter)
}
