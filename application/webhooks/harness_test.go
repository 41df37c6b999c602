package webhooks_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/adapters/servicekey"
	"resellerd/application/access"
	"resellerd/application/background"
	"resellerd/application/internal/usecase"
	"resellerd/application/resellers"
	"resellerd/application/webhooks"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// place is a store with processes that do background work, and the receivers that they send to. All of it is in the
// bubble of a test, whose time passes at once.
type place struct {
	t       *testing.T
	store   *memstore.Store
	keyring *servicekey.Keyring
	ahead   atomic.Int64 // of the service's clock, nanoseconds
	service *inprocess.Service
	admin   usecase.Call

	mu       sync.Mutex
	answers  map[string]answers // by address
	arrived  map[string][]message
	sent     map[string][]message // arrived or not, as they began
	flying   map[string]int       // attempts in flight
	together map[string]int       // the most at a time
	running  map[string]*process
}

// answers returns how long a receiver takes for its nth message, from 0 on, and its answer.
type answers func(n int, m message) (takes time.Duration, status int)

// message is a message that a receiver got.
type message struct {
	id      string
	seq     int64
	of      string
	at      time.Time
	by      string // process
	secrets []string
}

// hangs is no valid status: the receiver does not answer.
const hangs = 0

func well(int, message) (time.Duration, int)  { return 0, 200 }
func never(int, message) (time.Duration, int) { return time.Hour, hangs }

// inPlace runs a test in a bubble.
func inPlace(t *testing.T, do func(t *testing.T, p *place)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &place{
			t: t, store: memstore.New(), answers: map[string]answers{}, arrived: map[string][]message{},
			sent:   map[string][]message{},
			flying: map[string]int{}, together: map[string]int{}, running: map[string]*process{},
		}
		var err error
		p.keyring, err = servicekey.New(servicekey.Generate())
		p.check(err)
		p.service = p.over(p.store)
		p.check(p.service.Epochs.Begin(t.Context()))
		p.check(p.service.Admin(t.Context()))
		p.admin = p.signIn(api.AdminName, api.AdminPassword)
		defer func() {
			for name := range p.running {
				p.stop(name)
			}
			expect.Error(t, p.store.Close(), nil)
		}()
		do(t, p)
	})
}

func (p *place) check(err error) {
	p.t.Helper()
	require.NoError(p.t, err)
}

func (p *place) over(store ports.Store) *inprocess.Service {
	p.t.Helper()
	s, err := inprocess.New(store, inprocess.At(p.now), inprocess.Sealed(p.keyring), func(parts *inprocess.Parts) {
		parts.Policy.ExpiringDays = line.Reminders{7, 3, 1}
	})
	p.check(err)
	return s
}

// now returns the time of the service's clock.
func (p *place) now() time.Time {
	return time.Now().Add(time.Duration(p.ahead.Load())).UTC().Truncate(time.Millisecond)
}

func (p *place) signIn(name, password string) usecase.Call {
	p.t.Helper()
	token, err := p.service.Access.Login(p.t.Context(),
		access.Login{Username: fixture.Name(name), Password: profile.NewSecret(password)})
	p.check(err)
	caller, err := p.service.Authentication.Authenticate(token.Reveal())
	p.check(err)
	return usecase.Call{Caller: caller}
}

func nothing[R any](R) usecase.Receipt { return usecase.Receipt{} }

// reseller creates a reseller below the admin.
func (p *place) reseller(name string) (id int64, call usecase.Call) {
	p.t.Helper()
	p.check(kit.ErrorOf(p.service.Resellers.Create(p.t.Context(), p.admin, resellers.Create{
		Username: fixture.Name(name), Password: profile.NewSecret("password-" + name), Master: true,
		Contact: reseller.Contact{Country: fixture.Text("BR")},
	}, func(made resellers.Reseller) usecase.Receipt {
		id = made.ID()
		return usecase.Receipt{}
	})))
	return id, p.signIn(name, "password-"+name)
}

// hook creates a webhook for the entries of the caller, trials unless types are named, with these answers.
func (p *place) hook(of usecase.Call, name string, a answers, types ...string) (id int64) {
	p.t.Helper()
	if types == nil {
		types = []string{"line.trial_created"}
	}
	return p.hookFor(webhook.OwnAccount, of, name, a, types...)
}

func (p *place) hookFor(scope webhook.Scope, of usecase.Call, name string, a answers, types ...string) (id int64) {
	p.t.Helper()
	p.answer(name, a)
	c := webhooks.Create{URL: "https://" + name, Types: types, Scope: scope}
	p.check(kit.ErrorOf(p.service.Webhooks.Create(p.t.Context(), of, c, func(made webhooks.Webhook) usecase.Receipt {
		id = made.ID
		return usecase.Receipt{}
	})))
	return id
}

// answer changes the answers of a receiver.
func (p *place) answer(name string, a answers) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers["https://"+name] = a
}

// trials appends so many entries, and returns their numbers.
func (p *place) trials(of usecase.Call, times int) (seqs []int64) {
	p.t.Helper()
	for range times {
		p.check(kit.ErrorOf(p.service.Lines.CreateTrial(p.t.Context(), of, line.Description{}, nothing)))
		seqs = append(seqs, p.head())
	}
	return seqs
}

// funds appends so many entries that concern a reseller, even if an account is blocked, and returns their numbers.
func (p *place) funds(id int64, times int) (seqs []int64) {
	p.t.Helper()
	for range times {
		p.check(kit.ErrorOf(p.service.Credits.Add(p.t.Context(), p.admin, resellers.Move{ID: id,
			Credits: fixture.Credits("1")},
			nothing)))
		seqs = append(seqs, p.head())
	}
	return seqs
}

func (p *place) head() int64 {
	p.t.Helper()
	head, err := p.service.Deliveries.LastEntry(p.t.Context())
	p.check(err)
	return head
}

// entries returns the entries of the journal.
func (p *place) entries(types ...journal.Type) (all []journal.Numbered) {
	p.t.Helper()
	p.check(p.store.View(p.t.Context(), func(ctx context.Context, s ports.Snapshot) error {
		page, err := s.Journal.List(ctx, ports.EventQuery{Types: types, Limit: 1 << 20})
		all = page.Entries
		return err
	}))
	return all
}

func (p *place) progress(id int64) (progress webhook.Progress) {
	p.t.Helper()
	p.check(p.store.View(p.t.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		progress, err = ports.WebhookProgress.From(s.Records).Get(ctx, id)
		return err
	}))
	return progress
}

func (p *place) change(of usecase.Call, id int64, c webhook.Change) {
	p.t.Helper()
	p.check(kit.ErrorOf(p.service.Webhooks.Update(p.t.Context(), of, webhooks.Update{ID: id, Change: c}, nothing)))
}

// passes lets time pass.
func (p *place) passes(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// got returns the numbers of entries that a receiver has accepted, in their order, or with their types.
func (p *place) got(name string) (seqs []int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.arrived["https://"+name] {
		seqs = append(seqs, m.seq)
	}
	slices.Sort(seqs)
	return seqs
}

// messages returns the messages that were sent to a receiver, accepted or not.
func (p *place) messages(name string) []message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sent["https://"+name])
}

// wants fails the test unless a receiver has accepted these entries, each as often as it is listed.
func (p *place) wants(when, name string, want []int64) {
	p.t.Helper()
	p.compare(when, name, p.got(name), want)
}

// wantsAtLeast is wants for entries that the receiver may have accepted several times.
func (p *place) wantsAtLeast(when, name string, want []int64) {
	p.t.Helper()
	p.compare(when, name, slices.Compact(p.got(name)), want)
}

func (p *place) compare(when, name string, got, want []int64) {
	p.t.Helper()
	if slices.Equal(got, want) {
		return
	}
	lacks, rest := []int64(nil), slices.Clone(got)
	for _, seq := range want {
		if at := slices.Index(rest, seq); at >= 0 {
			rest = slices.Delete(rest, at, at+1)
		} else {
			lacks = append(lacks, seq)
		}
	}
	p.t.Errorf("%s: %s has taken %d of %d, it lacks %v, and has %v besides", when, name, len(got), len(want), lacks, rest)
}

// process is a process that does background work.
type process struct {
	name    string
	place   *place
	figures background.Figures
	service *inprocess.Service
	end     context.CancelFunc
	ended   chan struct{}

	views, updates atomic.Int64 // calls of the store
	log            bytes.Buffer

	dead    atomic.Bool
	mu      sync.Mutex
	stalled time.Time // stalled until then
	at      time.Time // of its last calls of the store
	calls   int       // at that time
}

func (p *place) start(name string) *process {
	p.t.Helper()
	r := &process{name: name, place: p, ended: make(chan struct{})}
	r.service = p.over(&slow{p.store, r})
	p.running[name] = r
	ctx, end := context.WithCancel(p.t.Context())
	r.end = end
	start := time.Now()
	go func() {
		defer close(r.ended)
		o := background.Options{Service: r.service.Service, Figures: &r.figures}
		o.Process, o.After, o.Log = name, time.After, slog.New(slog.NewTextHandler(&r.log, nil))
		o.Passed = func() time.Duration { return time.Since(start) }
		o.Sender, o.Spread = sendingOf{r}, func() float64 { return 0.5 }
		o.Encode = func(n journal.Numbered) []byte { return fmt.Appendf(nil, "%d %s", n.Seq, n.Type) }
		background.Run(ctx, o)
	}()
	return r
}

// stop ends a process in order. kill ends it at once: nothing that it does later has an effect.
func (p *place) stop(name string) {
	r := p.running[name]
	delete(p.running, name)
	r.end()
	<-r.ended
}

func (p *place) kill(name string) {
	p.running[name].dead.Store(true)
	p.stop(name)
}

// stall stalls the process, like one that swaps, or whose machine sleeps.
func (r *process) stall(still time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stalled = time.Now().Add(still)
}

var errDead = errors.New("the process has ended")

// step precedes every action of a process.
func (r *process) step(ctx context.Context) error {
	const busy = 5000 // calls while no time passes
	r.mu.Lock()
	still := time.Until(r.stalled)
	if now := time.Now(); !now.Equal(r.at) {
		r.at, r.calls = now, 0
	}
	r.calls++
	calls := r.calls
	r.mu.Unlock()
	if calls > busy {
		panic("a process goes round and round")
	}
	if still > 0 {
		select {
		case <-time.After(still):
		case <-ctx.Done():
		}
	}
	if r.dead.Load() {
		return errDead
	}
	return nil
}

// slow is the store with the delays of a process.
type slow struct {
	ports.Store
	by *process
}

func (s *slow) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	s.by.views.Add(1)
	if err := s.by.step(ctx); err != nil {
		return err
	}
	return s.Store.View(ctx, look)
}

func (s *slow) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error,
	hints ...ports.Reads) error {
	s.by.updates.Add(1)
	if err := s.by.step(ctx); err != nil {
		return err
	}
	return s.Store.Update(ctx, work, hints...)
}

func (s *slow) AwaitEntry(ctx context.Context, after int64) error {
	if err := s.by.step(ctx); err != nil {
		return err
	}
	return s.Store.AwaitEntry(ctx, after)
}

// sendingOf sends the messages of a process.
type sendingOf struct{ by *process }

func (s sendingOf) Send(ctx context.Context, of ports.WebhookMessage) ports.WebhookAnswer {
	p := s.by.place
	if err := s.by.step(ctx); err != nil {
		return ports.WebhookAnswer{Failure: webhook.ConnectionFailed}
	}
	seq, kind, _ := strings.Cut(string(of.Body), " ")
	m := message{id: of.ID, of: kind, at: time.Now(), by: s.by.name}
	m.seq, _ = strconv.ParseInt(seq, 10, 64)
	for _, secret := range of.Secrets {
		m.secrets = append(m.secrets, secret.Reveal())
	}
	p.mu.Lock()
	n := len(p.sent[of.URL])
	p.sent[of.URL] = append(p.sent[of.URL], m)
	p.flying[of.URL]++
	p.together[of.URL] = max(p.together[of.URL], p.flying[of.URL])
	takes, status := p.answers[of.URL](n, m)
	if status/100 == 2 { // whether or not a process waits for the answer
		p.arrived[of.URL] = append(p.arrived[of.URL], m)
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.flying[of.URL]--
		p.mu.Unlock()
	}()
	began := time.Now()
	answer := func(status int, why webhook.Failure) ports.WebhookAnswer {
		return ports.WebhookAnswer{Status: status, Failure: why, Took: time.Since(began)}
	}
	select {
	case <-time.After(min(takes, webhook.Timeout)):
	case <-ctx.Done():
		return answer(0, webhook.ConnectionFailed)
	}
	switch {
	case takes > webhook.Timeout || status == hangs:
		return answer(0, webhook.TimedOut)
	case status/100 != 2:
		return answer(status, webhook.NotAccepted)
	}
	return answer(status, "")
}

// holder returns the process with the lease of background work.
func (p *place) holder() string {
	p.t.Helper()
	l, err := p.service.Leases.Get(p.t.Context())
	p.check(err)
	return l.Holder
}
