package deliveries

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

// trialTime is how long a trial runs: as short as it is useful, so that many expire.
const trialTime = time.Second

// site is the processes of the service on one store.
type site struct {
	t         *testing.T
	store     string
	processes []*process
	requests  atomic.Int64
	unknown   atomic.Int64 // requests without an answer

	mu    sync.Mutex
	ahead []setting
}

// process is one of them. It may be killed and started again, then at another address.
type process struct {
	*program.Program
	at      atomic.Pointer[api.Service]
	shunned atomic.Bool // clients ask another one
}

// setting is how far the clocks of the processes are ahead from an instant on.
type setting struct {
	from time.Time
	by   time.Duration
}

func newSite(t *testing.T, store string, processes int, settings map[string]string) *site {
	t.Helper()
	s := &site{t: t, store: store, ahead: []setting{{}}}
	all := map[string]string{
		"RESELLERD_STORE":          store,
		"RESELLERD_SECRET":         "7f1de0a8c3b64955b21e08d4a6f37c90112233445566778899aabbccddeeff00",
		"RESELLERD_WEBHOOK_ALLOW":  "127.0.0.0/8",
		"RESELLERD_TRIAL_DURATION": trialTime.String(),
	}
	maps.Copy(all, settings)
	for range processes {
		p := &process{Program: program.New(t, all, built(0)...)}
		s.processes = append(s.processes, p)
		s.launch(p)
	}
	return s
}

// built is what the binary has otherwise, with a clock that is so far ahead.
func built(ahead time.Duration) []string {
	settings := []string{program.CheapPasswords, program.QuickSettling}
	if ahead > 0 {
		settings = append(settings, program.Ahead+ahead.String())
	}
	return settings
}

func (s *site) launch(p *process) {
	s.t.Helper()
	p.Launch(s.t)
	p.at.Store(&api.Service{Address: p.Address})
	p.shunned.Store(false)
}

// kill ends a process as a power failure would.
func (s *site) kill(p *process) {
	p.Kill()
	api.Client.CloseIdleConnections()
}

// forward sets the clocks of all processes, none of which may run, further ahead from their next start on.
func (s *site) forward(by time.Duration) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	by += s.ahead[len(s.ahead)-1].by
	s.ahead = append(s.ahead, setting{time.Now(), by})
	for _, p := range s.processes {
		p.Become(s.t, built(by)...)
	}
}

// clock returns what the processes' clocks show at an instant.
func (s *site) clock(at time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, is := range slices.Backward(s.ahead) {
		if !at.Before(is.from) {
			return at.Add(is.by)
		}
	}
	return at
}

// made returns when the processes' clocks showed this.
func (s *site) made(shown time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, is := range slices.Backward(s.ahead) {
		if at := shown.Add(-is.by); !at.Before(is.from) {
			return at
		}
	}
	return shown
}

// at returns any of the processes that are not shunned.
func (s *site) at(random *rand.Rand) *api.Service {
	for {
		if p := s.processes[random.IntN(len(s.processes))]; !p.shunned.Load() {
			return p.at.Load()
		}
	}
}

// holder waits for the process that delivers.
func (s *site) holder() *process {
	s.t.Helper()
	for late := time.Now().Add(program.Patience); time.Now().Before(late); time.Sleep(20 * time.Millisecond) {
		for _, p := range s.processes {
			if p.holds() {
				return p
			}
		}
	}
	s.t.Fatal("no process delivers")
	return nil
}

// holds reports whether the process says that it delivers.
func (p *process) holds() bool {
	log := p.Log()
	return bytes.LastIndex(log, []byte("this process sends reminders and webhooks")) > bytes.LastIndex(log,
		[]byte("another process sends reminders and webhooks"))
}

// client asks on behalf of accounts, by itself: each request until it has an answer.
type client struct {
	*site
	name   string
	random *rand.Rand
	asked  int
}

// settle asks any process until there is an answer, and expects that the command is done, or refused as one of these
// codes says. A blocked account is always refused.
func (c *client) settle(by api.Caller, method, path string, body any, codes ...string) (a api.Answer, done bool) {
	c.t.Helper()
	var headers []string
	if c.asked++; method != http.MethodGet {
		key := c.name + "-" + strconv.Itoa(c.asked)
		headers = []string{"Idempotency-Key", key, "X-Request-Id", key}
	}
	c.requests.Add(1)
	for late := time.Now().Add(program.Patience); ; time.Sleep(30 * time.Millisecond) {
		a, err := by.On(c.at(c.random)).Try(c.t, method, path, body, headers...)
		if err != nil || a.Status == http.StatusServiceUnavailable {
			if c.unknown.Add(1); time.Now().After(late) {
				c.t.Errorf("%s %s has no answer: %v, %s", method, path, err, a.Body)
				return a, false
			}
			continue
		}
		if code := a.Fields["code"]; a.Status >= 300 && code != "account-blocked" && !slices.Contains(codes, a.Text("code")) {
			c.t.Errorf("%s: %d %s", a.Request, a.Status, a.Body)
		}
		return a, a.Status < 300
	}
}

// pause waits some time below most.
func (c *client) pause(most time.Duration) { time.Sleep(rand.N(most)) }

// verified ends the processes in order, and has the program examine its records.
func (s *site) verified() string {
	s.t.Helper()
	for _, p := range s.processes {
		if err := p.Stop(); err != nil {
			s.t.Error(err)
		}
	}
	said := s.processes[0].Verified(s.t)
	first, _, _ := strings.Cut(said, "\n")
	return first
}
