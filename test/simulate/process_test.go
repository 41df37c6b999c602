package simulate

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"resellerd/adapters/loginlimit"
	"resellerd/adapters/servicekey"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/inprocess"
	"resellerd/test/model"
)

// expiringDays are how many days before their expiry the owners of lines are told.
var expiringDays = []int{14, 3, 1}

// What the service is set to.
const (
	trialRuns        = inprocess.TrialRuns
	trialsPerDay     = 3
	mostFailedLogins = inprocess.FailedLogins
	loginWindow      = inprocess.LoginWindow
)

// process is one of the processes that serve the store: what main wires, less its sockets.
type process struct {
	r       *run
	number  int
	skew    time.Duration // of its clock
	given   []profile.Secret
	keyring atomic.Pointer[servicekey.Keyring]
	epoch   int // of the tokens that its keyring signs
	handler http.Handler
	// failed are the failed logins that its limiter should know of.
	failed map[string][]time.Time
	begun  int // how often it was started
	// looked is up to which entry of the journal it remembers to have looked for a webhook.
	looked map[int64]int64
	// underWay are the requests that it was sent and has not answered.
	underWay map[*attempt]bool
}

// start starts the process, whose memory is empty.
func (p *process) start() error {
	recorded, err := p.r.store.ServiceKey(context.Background())
	if err != nil {
		return err
	}
	keyring, err := servicekey.Restore(recorded, p.given...)
	if err != nil {
		return err
	}
	p.keyring.Store(keyring)
	p.epoch = p.r.epoch
	p.failed, p.underWay = map[string][]time.Time{}, map[*attempt]bool{}
	p.forget()
	p.begun++
	kept := ports.Store(p.r.store)
	if p.r.broken != nil {
		kept = p.r.broken(kept)
	}
	store := &port{kept, p.r, p.r}
	service, err := inprocess.New(store, inprocess.At(p.clock), func(parts *inprocess.Parts) {
		parts.Generator, parts.Hasher, parts.Tokens, parts.Vault = p.r.generator, &hasher{r: p.r}, tokens{p}, p
		parts.Codes = codes{next: p.r.generator.factorSecret}
		parts.Limiter = &limiter{p: p, real: loginlimit.New(mostFailedLogins, loginWindow, p.now)}
		parts.NoReader = true // one goroutine runs at a time
		parts.Policy.ExpiringDays = expiringDays
		// stands in the story
		parts.Policy.TrialsPerDay, parts.HTTP.Log = trialsPerDay,
			slog.New(inprocess.Causes(func(cause string) { p.r.cause = cause }))
	})
	if err != nil {
		return err
	}
	p.handler, p.r.services[p.number] = service.Handler, service.Service
	return nil
}

// What a process has under way at once without a request that waits for another one: pages of an account, exports in
// all. An account has no more exports at once.
const (
	pagesAtOnce   = 1
	exportsAtOnce = 2
)

// Kinds of requests that wait for others of their kind inside of the service.
const (
	aProof   = "proof"
	aPage    = "page" // or another read of an account
	anExport = "export"
)

func (q *request) kind() string {
	switch path, _, _ := strings.Cut(q.path, "?"); {
	case q.method != http.MethodGet || q.by == nil:
		return ""
	case path == proofPath:
		return aProof
	case strings.HasPrefix(path, exportsPath):
		return anExport
	}
	return aPage
}

// besides counts the requests under way of a request's kind, by its account and by others.
func (p *process) besides(q *request) (same, others int) {
	for t := range p.underWay {
		switch {
		case t.request.kind() != q.kind():
		case t.request.by == q.by:
			same++
		default:
			others++
		}
	}
	return same, others
}

// admits reports whether a request can be sent and does not wait inside of the service for another one: one that did
// would hold up all simulated clients, until its time is over. Of exports of one account any number can be sent: those
// beyond the bound are refused.
func (p *process) admits(q *request) bool {
	same, others := p.besides(q)
	switch q.kind() {
	case aProof:
		return same+others == 0
	case anExport:
		return others == 0 || same+others < exportsAtOnce
	case aPage:
		return same < pagesAtOnce
	}
	return true
}

// follow takes over the service key that the store has recorded by now, as a process does each second.
func (p *process) follow() error {
	recorded, err := p.r.store.ServiceKey(context.Background())
	if err != nil || recorded == p.keyring.Load().Recorded() {
		return err
	}
	keyring, err := servicekey.Restore(recorded, p.given...)
	if err != nil {
		return err
	}
	p.keyring.Store(keyring)
	p.epoch = p.r.epoch
	return nil
}

// now is what the process's clock shows.
func (p *process) now() time.Time { return p.r.now().Add(p.skew) }

// clock is the clock port: what a use case was told counts for the model as well.
func (p *process) clock() time.Time {
	now := p.now()
	if a := p.r.current; a != nil {
		if a.told = now; a.attempt != nil {
			a.attempt.now = now
			a.attempt.clocks++
			p.r.provesItself(a.attempt)
		}
	}
	return now
}

// Seal implements ports.Vault.
func (p *process) Seal(plain []byte, label string) ([]byte, error) {
	v := vault{hooks: p.r}
	if err := v.known(); err != nil {
		return nil, err
	}
	return p.keyring.Load().Seal(plain, label) // of this moment
}

// Open implements ports.Vault.
func (p *process) Open(sealed []byte, label string) ([]byte, error) {
	return p.keyring.Load().Open(sealed, label)
}

// Renew implements ports.Vault.
func (p *process) Renew(sealed []byte, label string) (renewed []byte, changed bool, err error) {
	return p.keyring.Load().Renew(sealed, label)
}

// Digest implements ports.Vault.
func (p *process) Digest(content []byte) []byte { return p.keyring.Load().Digest(content) }

// Digested implements ports.Vault.
func (p *process) Digested(digest, content []byte) (bool, error) {
	return p.keyring.Load().Digested(digest, content)
}

// tokens implements ports.Tokens, and tells the attempt under which key its token was signed.
type tokens struct{ p *process }

// Issue implements ports.Tokens.
func (t tokens) Issue(token ports.Token) profile.Secret {
	if a := t.p.r.attempt(); a != nil {
		a.epoch = t.p.epoch
	}
	return t.p.keyring.Load().Issue(token)
}

// Verify implements ports.Tokens.
func (t tokens) Verify(token string) (ports.Token, error) { return t.p.keyring.Load().Verify(token) }

// generator implements ports.Generator with the seed's randomness, and keeps what it gave to an attempt.
type generator struct {
	r      *run
	random *rand.Rand
}

const alphabet = "abcdefghjkmnpqrstuvwxyz23456789"

func (g *generator) text() string {
	var b strings.Builder
	for range 12 {
		b.WriteByte(alphabet[g.random.IntN(len(alphabet))])
	}
	return b.String()
}

// LineUsername implements ports.Generator. Now and then it gives a name that is taken.
func (g *generator) LineUsername() profile.Username {
	text := g.text()
	if lines := g.r.world.Lines; len(lines) > 0 && g.random.IntN(20) == 0 {
		if l := lines[g.random.IntN(len(lines))]; l.Trial {
			text = l.Name
		}
	}
	name, err := profile.ParseUsername(text)
	if err != nil {
		panic(err)
	}
	return name
}

// LinePassword implements ports.Generator.
func (g *generator) LinePassword() profile.Secret {
	text := g.text()
	if a := g.r.attempt(); a != nil {
		a.password = text
	}
	return profile.NewSecret(text)
}

// Generation implements ports.Generator.
func (g *generator) Generation() (made reseller.Generation) {
	binary.BigEndian.PutUint64(made[:], g.random.Uint64())
	binary.BigEndian.PutUint64(made[8:], g.random.Uint64())
	return made
}

// SessionSecret implements ports.Generator.
func (g *generator) SessionSecret() profile.Secret {
	text := base64.RawURLEncoding.EncodeToString(g.bits())
	if a := g.r.attempt(); a != nil {
		a.secret = text
	}
	return profile.NewSecret(text)
}

// RecoveryCode implements ports.Generator.
func (g *generator) RecoveryCode() profile.Secret {
	text := hex.EncodeToString(g.bits()[:8])
	if a := g.r.attempt(); a != nil {
		a.recovery = append(a.recovery[max(0, len(a.recovery)-model.RecoveryCodes+1):], text)
	}
	return profile.NewSecret(text)
}

// factorSecret makes that of a second factor.
func (g *generator) factorSecret() string {
	text := base32.StdEncoding.EncodeToString(g.bits()[:20])
	if a := g.r.attempt(); a != nil {
		a.secret = text
	}
	return text
}

// WebhookSecret implements ports.Generator.
func (g *generator) WebhookSecret() profile.Secret {
	text := "whsec_" + base64.StdEncoding.EncodeToString(g.bits())
	if a := g.r.attempt(); a != nil {
		a.secret = text
	}
	return profile.NewSecret(text)
}

// bits returns 256 of them.
func (g *generator) bits() (made []byte) {
	for range 4 {
		made = binary.BigEndian.AppendUint64(made, g.random.Uint64())
	}
	return made
}

// hasher implements ports.PasswordHasher at no cost: each hash has a number for a salt. The test of the real one is
// beside it.
type hasher struct{ r *run }

func hashOf(salt int, password profile.Secret) string {
	digest := sha256.Sum256(fmt.Appendf(nil, "%d %s", salt, password.Reveal()))
	return fmt.Sprintf("simulated$%d$%s", salt, hex.EncodeToString(digest[:]))
}

// Hash implements ports.PasswordHasher.
func (h *hasher) Hash(ctx context.Context, _ string, password profile.Secret) (hash string, err error) {
	err = h.wait(ctx, "Hash")
	if err == nil {
		h.r.hashed++
		hash = hashOf(h.r.hashed, password)
	}
	return hash, err
}

// Matches implements ports.PasswordHasher.
func (h *hasher) Matches(ctx context.Context, _ string, password profile.Secret, hash string) (bool, error) {
	if err := h.wait(ctx, "Matches"); err != nil || hash == "" {
		return false, err
	}
	var salt int
	if _, err := fmt.Sscanf(hash, "simulated$%d$", &salt); err != nil {
		return false, err
	}
	return hashOf(salt, password) == hash, nil
}

// wait waits for the turn of a computation.
func (h *hasher) wait(ctx context.Context, name string) error {
	if h.r.called(ctx, call{name: name}) == before || ctx.Err() != nil {
		h.r.unanswered()
		return unavailable(name)
	}
	return nil
}

// Queue implements ports.PasswordHasher. Now and then there are others before, as where many log in.
func (h *hasher) Queue(string) (ports.Comparison, time.Duration) {
	if t := h.r.attempt(); h.r.called(context.Background(), call{name: "Queue"}) == before && t != nil {
		t.decided = &outcome{status: http.StatusTooManyRequests, code: "logins-busy",
			wait: time.Duration(1+h.r.current.random.IntN(5)) * time.Second}
		return comparison{h}, t.decided.wait
	}
	return comparison{h}, 0
}

// comparison implements ports.Comparison.
type comparison struct{ h *hasher }

// Matches implements ports.Comparison.
func (c comparison) Matches(ctx context.Context, password profile.Secret, hash string) (bool, time.Duration, error) {
	right, err := c.h.Matches(ctx, "", password, hash)
	return right, 0, err
}

// Leave implements ports.Comparison.
func (comparison) Leave() {}

// limiter is the real one of a process, beside which the model counts.
type limiter struct {
	p    *process
	real *loginlimit.Limiter
}

// Attempt implements ports.LoginLimiter. Nobody waits inside of the real one, where the other simulated clients would
// wait as well.
func (l *limiter) Attempt(ctx context.Context, usernameKey, client string) (func(failed bool), time.Duration, error) {
	ended, end := context.WithCancel(ctx)
	end()
	for {
		done, wait, err := l.real.Attempt(ended, usernameKey, client)
		if err == nil {
			l.p.limited(usernameKey, client)
			return done, wait, nil
		}
		if l.p.r.called(ctx, call{name: "wait for other logins"}) == before || ctx.Err() != nil {
			l.p.r.unanswered()
			return nil, 0, unavailable("wait for other logins")
		}
	}
}

// limited has the model say whether a login waits.
func (p *process) limited(usernameKey, client string) {
	now, pair := p.now(), usernameKey+" "+client
	var failed []time.Time
	for _, at := range p.failed[pair] {
		if at.After(now) {
			at = now
		}
		if at.Add(loginWindow).After(now) {
			failed = append(failed, at)
		}
	}
	p.failed[pair] = failed
	a := p.r.attempt()
	if a.pair = pair; len(failed) >= mostFailedLogins {
		a.decided = &outcome{status: http.StatusTooManyRequests, code: "too-many-attempts",
			wait: failed[0].Add(loginWindow).Sub(now)}
	}
}
