// Package inprocess assembles the whole service in the process of a test: the use cases over any store, and the API's
// handler, without sockets. Every test that assembles the service does it here.
//
//	s, err := inprocess.New(memstore.New(), func(p *inprocess.Parts) { p.Clock = clock.Now })
package inprocess

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"resellerd/adapters/credentials"
	"resellerd/adapters/httpapi"
	"resellerd/adapters/loginlimit"
	"resellerd/adapters/onetime"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/fixture"
)

// TrialRuns is for how long a trial runs, unless a test sets it otherwise.
const TrialRuns = 4 * time.Hour

// Parts are the parts of the service. Without a part the program's own is used, with four exceptions: passwords are
// hashed at the least cost, the clock stays at fixture.Noon, the service key is new, and nothing is logged.
type Parts struct {
	application.Dependencies

	Policy application.Policy
	HTTP   httpapi.Options
}

// Service is the service of a process. Several may serve one store.
type Service struct {
	*application.Service

	Handler http.Handler
	Keyring *servicekey.Keyring // that seals and signs; nil where the test has parts of its own for both
}

// New returns the service over a store.
func New(store ports.Store, changes ...func(*Parts)) (s *Service, err error) {
	p := Parts{Policy: application.Policy{TrialDuration: TrialRuns}}
	p.Store, p.HTTP.Ready, p.HTTP.Log = store, store.Ready, slog.New(slog.DiscardHandler)
	for _, change := range changes {
		change(&p)
	}
	s = new(Service)
	if p.Clock == nil {
		p.Clock = fixture.NewClock(fixture.Noon).Now
	}
	if p.Generator == nil {
		p.Generator = credentials.Generator{}
	}
	if p.Hasher == nil {
		p.Hasher = credentials.NewHasher(credentials.Least, 0)
	}
	if p.Tokens == nil || p.Vault == nil {
		if s.Keyring, err = servicekey.New(servicekey.Generate()); err != nil {
			return nil, err
		}
		p.Tokens, p.Vault = s.Keyring, s.Keyring
	}
	if p.Codes == nil {
		p.Codes = onetime.Codes{Issuer: "resellerd"}
	}
	if p.Limiter == nil {
		p.Limiter = loginlimit.New(10, time.Minute, p.Clock)
	}
	if p.Process.Store == "" {
		p.Process = application.Process{Version: "(devel)", Store: "memory", Started: p.Clock()}
	}
	s.Service = application.New(p.Dependencies, p.Policy)
	p.HTTP.Service = s.Service
	s.Handler, err = httpapi.New(p.HTTP)
	return s, err
}

// Sealed has the keyring of a secret seal and sign.
func Sealed(keyring *servicekey.Keyring) func(*Parts) {
	return func(p *Parts) { p.Tokens, p.Vault = keyring, keyring }
}

// At has a clock tell the time.
func At(clock func() time.Time) func(*Parts) { return func(p *Parts) { p.Clock = clock } }

// Admin makes the first admin, who signs in as tests of the API do.
func (s *Service) Admin(ctx context.Context) error {
	return s.Admins.Create(ctx, fixture.Name(api.AdminName), profile.NewSecret(api.AdminPassword))
}

// PlainHasher implements ports.PasswordHasher at no cost. No two hashes are the same where no two salts are.
type PlainHasher struct{ Salt func() string }

// Hash implements ports.PasswordHasher.
func (h PlainHasher) Hash(_ context.Context, _ string, p profile.Secret) (string, error) {
	return "plain " + h.Salt() + " " + p.Reveal(), nil
}

// Matches implements ports.PasswordHasher.
func (PlainHasher) Matches(_ context.Context, _ string, p profile.Secret, hash string) (bool, error) {
	return strings.HasSuffix(hash, " "+p.Reveal()), nil
}

// Queue implements ports.PasswordHasher.
func (h PlainHasher) Queue(string) (ports.Comparison, time.Duration) { return comparison{h}, 0 }

type comparison struct{ PlainHasher }

// Matches implements ports.Comparison.
func (c comparison) Matches(ctx context.Context, p profile.Secret, hash string) (bool, time.Duration, error) {
	right, err := c.PlainHasher.Matches(ctx, "", p, hash)
	return right, 0, err
}

// Leave implements ports.Comparison.
func (comparison) Leave() {}

// Causes returns a log handler that passes the cause of each failure to tell. It may call tell from several goroutines
// at once.
func Causes(tell func(cause string)) slog.Handler {
	return slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "error" {
				tell(a.Value.String())
			}
			return a
		}})
}
