package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/adapters/mongostore"
	"resellerd/adapters/sqlitestore"
	"resellerd/domain/journal"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/journals"
	"resellerd/test/mongotest"
	"resellerd/test/program"
)

const (
	serviceKey = "7f1de0a8c3b64955b21e08d4a6f37c90112233445566778899aabbccddeeff00"
	// trialTime is how long a trial runs where the workload says nothing else.
	trialTime = 4 * time.Hour
	// gone is when a process counts as not coming back, and a cluster as broken. It is the campaigns' own bound.
	gone = 2 * time.Minute
)

// site is the processes of the service on one store.
type site struct {
	t         *testing.T
	row       *row
	cluster   *mongotest.Cluster // nil where the row has no cluster of its own
	open      func(ctx context.Context) (ports.Store, error)
	processes []*process
	seed      uint64
	random    *rand.Rand // of the goroutine that runs the row
	admin     api.Caller
	start     time.Time

	last, ids, requests, unknown, failures atomic.Int64

	mu    sync.Mutex
	ahead []setting
}

// process is a process of a site. A killed process is started again at another address.
type process struct {
	*program.Program
	name    string
	apart   time.Duration // how far its clock is ahead of that of the first one
	at      atomic.Pointer[api.Service]
	shunned atomic.Bool // clients use another one
}

// setting is how far the clocks of the processes are ahead from an instant on.
type setting struct {
	from time.Time
	by   time.Duration
}

// newSite starts the processes of a row.
func newSite(t *testing.T, r *row, seed uint64) *site {
	t.Helper()
	s := &site{t: t, row: r, seed: seed, random: rand.New(rand.NewPCG(seed, 100)), ahead: []setting{{}}, start: time.Now()}
	file := filepath.Join(t.TempDir(), "resellerd.db")
	address := "sqlite:" + file
	s.open = func(ctx context.Context) (ports.Store, error) { return sqlitestore.Open(ctx, file) }
	if r.store != onSQLite {
		s.open = func(ctx context.Context) (ports.Store, error) { return mongostore.Open(ctx, address) }
	}
	switch r.store {
	case onMongoDB:
		address = mongotest.URI(t)
	case onCluster:
		s.newCluster()
		address = s.cluster.URI("campaign")
	case onSQLite:
	}
	for i := range max(1, r.processes) {
		p := &process{name: string(rune('A' + i))}
		settings := map[string]string{
			"RESELLERD_STORE": address, "RESELLERD_SECRET": serviceKey, "RESELLERD_WEBHOOK_ALLOW": "127.0.0.0/8",
			"RESELLERD_TRIAL_DURATION": trialTime.String(),
		}
		if r.store == onCluster { // where relays know a process by its name, and clocks differ
			settings["RESELLERD_STORE"] += "&appName=" + p.name
			p.apart = time.Duration(i) * 37 * time.Second
		}
		maps.Copy(settings, r.settings)
		p.Program = program.New(t, settings, built(p.apart)...)
		s.processes = append(s.processes, p)
		s.launch(p)
	}
	t.Cleanup(func() {
		if t.Failed() {
			s.said()
		}
	})
	s.admin = s.processes[0].at.Load().Admin(t)
	return s
}

// built has the settings that are compiled into the binary, with a clock that is so far ahead.
func built(ahead time.Duration) []string {
	settings := []string{program.CheapPasswords, program.QuickSettling}
	if ahead > 0 {
		settings = append(settings, program.Ahead+ahead.String())
	}
	return settings
}

// launch starts a process, as often as it takes: it ends where its store has no primary in that moment.
func (s *site) launch(p *process) {
	s.t.Helper()
	for began := time.Now(); ; time.Sleep(time.Second) {
		err := p.Run(s.t.Context())
		if err == nil {
			break
		}
		if s.cluster == nil || time.Since(began) > gone {
			s.t.Fatalf("process %s: %v", p.name, err)
		}
	}
	p.at.Store(&api.Service{Address: p.Address})
	p.shunned.Store(false)
}

// kill ends a process as a power failure would.
func (s *site) kill(p *process) {
	p.Kill()
	api.Client.CloseIdleConnections()
	connections.CloseIdleConnections()
}

// forward sets the clocks of all processes further ahead from their next start on. No process may run.
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

// clock returns the time of the processes' clocks at an instant.
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

// holder waits for the process that does the background work.
func (s *site) holder() *process {
	s.t.Helper()
	var at int
	s.until("background work", func() bool {
		at = slices.IndexFunc(s.processes, func(p *process) bool {
			log := p.Log()
			return bytes.LastIndex(log, []byte("this process sends reminders and webhooks")) >
				bytes.LastIndex(log, []byte("another process sends reminders and webhooks"))
		})
		return at >= 0
	})
	return s.processes[at]
}

// now is the campaign's monotonic time. No two calls return the same, so that the order of two events is known.
func (s *site) now() time.Duration {
	for {
		last := s.last.Load()
		if now := max(int64(time.Since(s.start)), last+1); s.last.CompareAndSwap(last, now) {
			return time.Duration(now)
		}
	}
}

func (s *site) progress(format string, values ...any) {
	s.t.Logf("%7.1f s  %s", s.now().Seconds(), fmt.Sprintf(format, values...))
}

// fail reports a failure, from any goroutine. It reports only the first ones: more of the same add nothing.
func (s *site) fail(format string, values ...any) {
	const most = 25
	if n := s.failures.Add(1); n <= most {
		s.t.Errorf("at %.1f s: %s", s.now().Seconds(), fmt.Sprintf(format, values...))
	}
}

// id returns a name that nothing else in the campaign has.
func (s *site) id(of string) string { return fmt.Sprintf("%s-%d", of, s.ids.Add(1)) }

// said logs what the processes logged last, without the requests.
func (s *site) said() {
	for _, p := range s.processes {
		var found []string
		for line := range strings.Lines(string(p.Log())) {
			if !strings.Contains(line, `"level":"INFO"`) {
				found = append(found, line)
			}
		}
		s.t.Logf("process %s:\n%s", p.name, strings.Join(found[max(0, len(found)-20):], ""))
	}
}

// client sends requests for accounts, one after the other, each until it has an answer.
type client struct {
	*site
	name   string
	random *rand.Rand
	asked  int
}

func (s *site) client(name string) *client {
	return &client{site: s, name: name, random: rand.New(rand.NewPCG(s.seed, uint64(s.ids.Add(1))))}
}

// settle sends a request to any process until it has an answer, a command under one key. It expects success, or a
// refusal with one of these codes. A blocked account is always refused.
func (c *client) settle(by api.Caller, method, path string, body any, codes ...string) (a api.Answer, done bool) {
	c.t.Helper()
	var headers []string
	if c.asked++; method != http.MethodGet {
		headers = []string{"Idempotency-Key", c.key(), "X-Request-Id", c.key()}
	}
	c.requests.Add(1)
	for late := time.Now().Add(program.Patience); ; time.Sleep(30 * time.Millisecond) {
		a, err := by.On(c.at(c.random)).Try(c.t, method, path, body, headers...)
		if err != nil || a.Status == http.StatusServiceUnavailable || a.Status == http.StatusTooManyRequests {
			if c.unknown.Add(1); time.Now().After(late) {
				c.fail("%s %s has no answer: %v, %s", method, path, err, a.Body)
				return a, false
			}
			continue
		}
		if code, _ := a.Fields["code"].(string); a.Status >= 300 && code != "account-blocked" &&
			!slices.Contains(codes, code) {
			c.fail("%s: %d %s", a.Request, a.Status, a.Body)
		}
		return a, a.Status < 300
	}
}

// key returns that of the latest command, which is its request id as well.
func (c *client) key() string { return c.name + "-" + strconv.Itoa(c.asked) }

// pause waits for some time below most.
func (c *client) pause(most time.Duration) { time.Sleep(rand.N(most)) }

// until waits for a condition.
func (s *site) until(what string, holds func() bool) {
	s.t.Helper()
	for late := time.Now().Add(program.Patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			s.t.Fatalf("%s: it does not come", what)
		}
	}
}

// sums are the totals of a ledger.
type sums struct {
	issued, consumed, held units
	movements              int64
}

func (a sums) plus(b sums) sums {
	return sums{a.issued + b.issued, a.consumed + b.consumed, a.held + b.held, a.movements + b.movements}
}

// conclude checks the rules of every workload. Each process proves the same sums and shows the same journal, from 1 on
// without a gap. All processes end in order. The audit finds nothing, and the journal fits the ledger.
func (s *site) conclude() (found sums, entries []journal.Numbered) {
	s.t.Helper()
	var proofs []sums
	var texts []string
	for _, p := range s.processes {
		by := s.admin.On(p.at.Load())
		a := by.Get(s.t, "/ledger/proof").Has(api.Fields{"balanced": true})
		var proof struct {
			Issued, Consumed, Balances units
			Movements                  int64
		}
		s.decode(a.Body, &proof)
		proofs = append(proofs, sums{proof.Issued, proof.Consumed, proof.Balances, proof.Movements})
		f := newFeed(s.admin)
		f.read(s, p.at.Load())
		var all strings.Builder
		for _, e := range f.entries {
			all.Write(e.text)
		}
		texts = append(texts, all.String())
	}
	for i, p := range s.processes {
		// It may have an entry more, which had no number yet.
		if same := strings.HasPrefix(texts[i], texts[0]); proofs[i] != proofs[0] || !same {
			s.t.Errorf("process %s proves %+v, and process A %+v; it shows the same journal: %t", p.name, proofs[i], proofs[0],
				same)
		}
		if err := p.Stop(); err != nil {
			s.t.Error(err)
		}
	}
	s.t.Log(s.processes[0].Verified(s.t))
	store, err := s.open(context.Background())
	if err == nil {
		entries, err = journals.Sound(context.Background(), store)
		err = errors.Join(err, store.Close())
	}
	if err != nil {
		s.t.Errorf("the journal: %v", err)
	}
	return proofs[0], entries
}
