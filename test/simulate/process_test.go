package simulate

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"resellerd/adapters/loginlimit"
	"resellerd/adapters/servicekey"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/inprocess"
)

// expiringDays are the days before an expiry on which reminders are sent.
var expiringDays = []int{14, 3, 1}

// trialRuns is how long a trial lasts.
const trialRuns = inprocess.TrialRuns

// process is one of the processes that serve the store: what main wires, less its sockets.
type process struct {
	*servicekey.Keyring

	r       *run
	number  int
	skew    time.Duration // of its clock
	handler http.Handler
	begun   int // how often it was started
	// looked is up to which entry of the journal it remembers to have looked for a webhook.
	looked map[int64]int64
	// underWay are the requests at the process that have no answer yet.
	underWay map[*attempt]bool
}

// start starts the process, whose memory is empty.
func (p *process) start() error {
	p.underWay = map[*attempt]bool{}
	p.forget()
	p.begun++
	kept := ports.Store(p.r.store)
	if p.r.broken != nil {
		kept = p.r.broken(kept)
	}
	store := &port{kept, p.r}
	service, err := inprocess.New(store, inprocess.At(p.clock), func(parts *inprocess.Parts) {
		parts.Generator, parts.Tokens, parts.Vault = p.r.generator, p.r.keyring, p
		parts.Hasher = inprocess.PlainHasher{Salt: func() string {
			p.r.hashed++
			return strconv.Itoa(p.r.hashed)
		}}
		parts.Limiter = loginlimit.New(math.MaxInt, time.Minute, p.now)
		parts.NoReader = true // one goroutine runs at a time
		parts.Policy.ExpiringDays = expiringDays
		parts.HTTP.Log = slog.New(inprocess.Causes(func(cause string) { p.r.cause = cause })) // for the story
	})
	if err != nil {
		return err
	}
	p.handler, p.r.services[p.number] = service.Handler, service.Service
	return nil
}

// kind names the requests that wait for each other inside of the service, "" for none.
func (q *request) kind() string {
	switch path, _, _ := strings.Cut(q.path, "?"); {
	case q.method != http.MethodGet || q.by == nil:
		return ""
	case path == proofPath:
		return "proof"
	}
	return fmt.Sprintf("reads of account %d", q.by.ID)
}

// admits reports whether a request can be sent and does not wait inside of the service for another one. A waiting
// request would hold up all simulated clients until its time is over.
func (p *process) admits(q *request) bool {
	for t := range p.underWay {
		if kind := q.kind(); kind != "" && t.request.kind() == kind {
			return false
		}
	}
	return true
}

// now is the time of the process's clock.
func (p *process) now() time.Time { return p.r.now().Add(p.skew) }

// clock is the clock port. The model uses the time that a use case got from it.
func (p *process) clock() time.Time {
	now := p.now()
	if a := p.r.current; a != nil {
		if a.clockRead = now; a.attempt != nil {
			a.attempt.now = now
			a.attempt.clocks++
		}
	}
	return now
}

// Seal fails where the process does not know whether its service key is still the present one.
func (p *process) Seal(plain []byte, label string) ([]byte, error) {
	if err := keyKnown(p.r); err != nil {
		return nil, err
	}
	return p.Keyring.Seal(plain, label)
}

// generator implements ports.Generator with the seed's randomness, and notes the values that an attempt got.
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

// LineUsername implements ports.Generator. Now and then it returns a taken name.
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

func (g *generator) LinePassword() profile.Secret {
	text := g.text()
	if a := g.r.attempt(); a != nil {
		a.password = text
	}
	return profile.NewSecret(text)
}

func (g *generator) Generation() (made reseller.Generation) {
	binary.BigEndian.PutUint64(made[:], g.random.Uint64())
	binary.BigEndian.PutUint64(made[8:], g.random.Uint64())
	return made
}

func (g *generator) SessionSecret() profile.Secret {
	return g.given(base64.RawURLEncoding.EncodeToString(g.bits()))
}

// given notes a secret for the attempt that gets it.
func (g *generator) given(text string) profile.Secret {
	if a := g.r.attempt(); a != nil {
		a.secret = text
	}
	return profile.NewSecret(text)
}

func (g *generator) RecoveryCode() profile.Secret {
	return profile.NewSecret(hex.EncodeToString(g.bits()[:8]))
}

func (g *generator) WebhookSecret() profile.Secret {
	return g.given("whsec_" + base64.StdEncoding.EncodeToString(g.bits()))
}

// bits returns 256 of them.
func (g *generator) bits() (made []byte) {
	for range 4 {
		made = binary.BigEndian.AppendUint64(made, g.random.Uint64())
	}
	return made
}
