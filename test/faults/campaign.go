package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/test/mongotest"
)

// The load is modest: what matters is what meets, not how much.
const (
	groupCount      = 4
	clientsPerGroup = 3
	mostRest        = 400 * time.Millisecond // of a client between two attempts
)

// load is how clients behave.
type load struct {
	pause time.Duration // at most, of a client between two requests
	calm  time.Duration // how long nothing is hurt before a fault, between two and after the last
	// hasty clients give a request up, now and then, while it may still be executed. Where all are
	// patient, what is without an answer was asked of a process that is gone, and is done by now or never.
	hasty bool
	terse bool // a fault is no news
}

// ofCluster is the load of a replica set.
var ofCluster = load{pause: 100 * time.Millisecond, calm: 2 * time.Second, hasty: true}

const (
	// patience is longer than the 10 s after which the service answers 503; some
	// clients have little, as people do.
	patience       = 20 * time.Second
	littlePatience = 1500 * time.Millisecond
	// lingering is how long what a client gave up may still be executed: the 10 s
	// that a request may take, and some for a machine that is busy. A refusal under
	// the same key tells nothing of it before.
	lingering = 15 * time.Second
	// endless is when a request that still has no answer counts as never answered.
	endless = 3 * time.Minute
	// judging bounds the search for an order of a group's history.
	judging = 2 * time.Minute
	// mostFailures are reported; more of the same say no more.
	mostFailures = 25
)

// campaign is one run: a store, the service's processes on it, clients, and everything
// that they have seen.
type campaign struct {
	t        testing.TB
	out      io.Writer
	cluster  *mongotest.Cluster // nil where the store is a file
	load     load
	services []*service
	random   *rand.Rand // of the goroutine that hurts
	asking   *rand.Rand // of the one that makes groups
	start    time.Time
	admin    string // token

	last     atomic.Int64 // what now returned last
	seen     attempts
	feed     feed
	repeated atomic.Int64 // acknowledged requests that were asked again
	failures atomic.Int64
	ids      atomic.Int64
	using    []*group // of the present round
	groups   []*group // of the rounds before
	outages  []outage
	verdicts []string

	judged  int  // operations of all histories
	untimed bool // nobody is promised to be served soon: clients rest between histories

	open, done int // requests that were asked once and not answered, and those of them that were done
}

// newCampaign returns a campaign without services.
func newCampaign(t testing.TB, out io.Writer, load load, seed uint64) *campaign {
	return &campaign{
		t: t, out: out, load: load, start: time.Now(),
		random: rand.New(rand.NewPCG(seed, seed)), asking: rand.New(rand.NewPCG(seed, seed+1)),
	}
}

// now is the campaign's monotonic time. No two calls return the same, so that what
// happened one after the other is known to have.
func (c *campaign) now() time.Duration {
	for {
		last := c.last.Load()
		if now := max(int64(time.Since(c.start)), last+1); c.last.CompareAndSwap(last, now) {
			return time.Duration(now)
		}
	}
}

func (c *campaign) progress(format string, values ...any) {
	fmt.Fprintf(c.out, "%7.1f s  %s\n", c.now().Seconds(), fmt.Sprintf(format, values...))
}

// fail reports what must not be. It may be called from any goroutine.
func (c *campaign) fail(format string, values ...any) {
	switch n := c.failures.Add(1); {
	case n <= mostFailures:
		c.t.Errorf("at %.1f s: %s", c.now().Seconds(), fmt.Sprintf(format, values...))
	case n == mostFailures+1:
		c.t.Error("there is more of it")
	}
}

// id returns a name that nothing else in the campaign has.
func (c *campaign) id(of string) string { return fmt.Sprintf("%s-%d", of, c.ids.Add(1)) }

// attempt sends a request once and keeps what came of it.
func (c *campaign) attempt(ctx context.Context, service int, p purpose, patience time.Duration,
	q call) (answer, attempt, error) {
	tried := attempt{service: service, purpose: p, began: c.now()}
	a, err := c.services[service].ask(ctx, patience, q)
	tried.ended = c.now()
	if err == nil {
		tried.status, tried.replayed = a.status, a.header.Get("Idempotency-Replayed") == "true"
		if wrong := a.malformed(); wrong != "" {
			c.fail("%s %s: status %d: %s: %s", q.method, q.path, a.status, wrong, a.body)
		}
	}
	if ctx.Err() == nil && !errors.Is(err, errNotSent) {
		c.seen.add(tried)
	}
	return a, tried, err
}

// errOpen says that a request may have been done.
var errOpen = errors.New("no answer")

// once asks one time, with enough patience for the service's own.
func (c *campaign) once(ctx context.Context, random *rand.Rand, q call) (answer, error) {
	for service := random.IntN(len(c.services)); ; service = (service + 1) % len(c.services) {
		a, _, err := c.attempt(ctx, service, effect, patience, q)
		switch {
		case ctx.Err() != nil:
			return a, ctx.Err()
		case errors.Is(err, errNotSent):
			rest(ctx, mostRest)
		case err != nil || a.status == http.StatusServiceUnavailable:
			return a, errOpen
		case a.status/100 != 2 && !slices.Contains(refusals, a.status):
			return a, c.unexpected(service, q, a)
		default:
			return a, nil
		}
	}
}

// unexpected is an answer that nothing explains, with what the process logged of it.
func (c *campaign) unexpected(service int, q call, a answer) error {
	return fmt.Errorf("process %s answered %d to %s %s: %s\n%s",
		c.services[service].name, a.status, q.method, q.path, a.body, c.services[service].said(q.id))
}

// refusals are the statuses of what a client of a group may be refused.
var refusals = []int{http.StatusPaymentRequired, http.StatusNotFound, http.StatusConflict}

// settle asks until the outcome is known, at whichever process, and returns the
// answer with the number of attempts that left it open.
func (c *campaign) settle(ctx context.Context, random *rand.Rand, q call) (a answer, unknown int, err error) {
	asked := c.now()
	var doubtful time.Duration // until then an attempt that was given up may be executed
	service := random.IntN(len(c.services))
	for {
		wait := patience
		if c.load.hasty && random.IntN(4) == 0 {
			wait = littlePatience
		}
		a, tried, err := c.attempt(ctx, service, effect, wait, q)
		switch {
		case ctx.Err() != nil:
			return a, unknown, ctx.Err()
		case errors.Is(err, errNotSent):
		case err != nil:
			unknown++
			if c.load.hasty {
				doubtful = tried.began + lingering
			}
		case a.status == http.StatusServiceUnavailable:
			unknown++
		case a.status/100 == 2:
			if q.key != "" && random.IntN(24) == 0 {
				c.askAgain(ctx, len(c.services)-1-service, q, a) // the other one, where there are two
			}
			return a, unknown, nil
		case !slices.Contains(refusals, a.status):
			return a, unknown, c.unexpected(service, q, a)
		case tried.began >= doubtful:
			return a, unknown, nil
		}
		if c.now()-asked > endless {
			return a, unknown, fmt.Errorf("%s %s [%s] has no answer after %s, the last one by process %s was %d, %v",
				q.method, q.path, q.id, endless, c.services[service].name, a.status, err) //nolint:errorlint // it may be nil
		}
		if random.IntN(3) > 0 {
			service = (service + 1) % len(c.services)
		}
		rest(ctx, mostRest/4+rand.N(mostRest*3/4))
	}
}

// askAgain repeats a request that was acknowledged, which must give the same
// answer.
func (c *campaign) askAgain(ctx context.Context, service int, q call, was answer) {
	a, _, err := c.attempt(ctx, service, effect, patience, q)
	if err != nil || a.status == http.StatusServiceUnavailable {
		return // others will be asked again
	}
	c.repeated.Add(1)
	if a.status != was.status || !bytes.Equal(a.body, was.body) || a.header.Get("Idempotency-Replayed") != "true" {
		c.fail("%s %s [%s] was answered %d %s and, asked again, %d (replayed: %q) %s",
			q.method, q.path, q.id, was.status, was.body, a.status, a.header.Get("Idempotency-Replayed"), a.body)
	}
}

// rest waits, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// must asks for what can't be refused.
func (c *campaign) must(ctx context.Context, q call) answer {
	c.t.Helper()
	a, _, err := c.settle(ctx, c.asking, q)
	if err == nil && a.status/100 != 2 {
		err = fmt.Errorf("%s %s: %d %s", q.method, q.path, a.status, a.body)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

func (c *campaign) login(ctx context.Context, username, password string) string {
	c.t.Helper()
	return c.must(ctx,
		call{method: http.MethodPost, path: "/auth/static-token",
			body: map[string]any{"username": username, "password": password}}).text("token")
}

// newGroup makes a group whose resellers have what they start with.
func (c *campaign) newGroup(ctx context.Context) *group {
	c.t.Helper()
	g := &group{admin: c.admin}
	create := func(i int, token string, credits units) {
		username := strings.ReplaceAll(c.id("account"), "-", "")
		id := c.id("opening")
		q := call{method: http.MethodPost, path: "/users", token: token, id: id, key: id, body: map[string]any{
			"username": username, "password": "a reseller's password", "country": "BR", "is_master": 0,
			"credits": credits.String(),
		}}
		if i == master {
			q.body.(map[string]any)["is_master"] = 1
		}
		made := &reader{answer: c.must(ctx, q)}
		g.resellers[i] = reseller{id: made.number("id"), token: c.login(ctx, username, "a reseller's password")}
		if made.err != nil {
			c.t.Fatal(made.err)
		}
		d := done{request{kind: opening, id: id, reseller: i, amount: credits}, outcome{balance: credits}}
		g.openings = append(g.openings, d)
		var contradiction string
		if g.initial, contradiction = g.initial.after(d.request, d.told); contradiction != "" {
			c.t.Fatal(contradiction)
		}
	}
	create(master, c.admin, masterOpening)
	for i := 1; i < groupSize; i++ {
		create(i, g.resellers[master].token, resellerOpening)
	}
	id := c.id("key")
	key := &reader{
		answer: c.must(ctx, call{method: http.MethodPost, path: "/keys", token: g.resellers[master].token, id: id, key: id,
			body: map[string]any{
				"name": id, "role": "manager", "spend_limit": map[string]any{"credits": "1000000", "per": "day"},
			}})}
	g.key = reseller{id: key.number("id"), token: key.text("key")}
	c.feed.aside = append(c.feed.aside, id)
	c.read(key)
	return g
}

// over reports whether a client is to stop.
func over(ctx context.Context, enough <-chan struct{}) bool {
	select {
	case <-enough:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// use is a client: it asks one thing after the other, each until it is answered,
// and stops when it has its last answer.
func (c *campaign) use(ctx context.Context, g *group, client int, random *rand.Rand, enough <-chan struct{}) {
	for !over(ctx, enough) {
		if !c.step(ctx, g, client, random) {
			return
		}
	}
}

// step asks one thing of a group, and keeps what came of it. It returns false where
// ctx has ended.
func (c *campaign) step(ctx context.Context, g *group, client int, random *rand.Rand) bool {
	r, q := g.choose(random, c.id("request"))
	began := c.now()
	var a answer
	var unknown int
	var err error
	if q.key != "" {
		a, unknown, err = c.settle(ctx, random, q)
	} else if a, err = c.once(ctx, random, q); errors.Is(err, errOpen) {
		g.leaveOpen(record{done: done{request: r}, client: client, began: began})
		return true
	}
	ends := c.now()
	var told outcome
	if err == nil {
		if told, err = g.outcomeOf(r, a); err != nil {
			err = fmt.Errorf("%w: %s", err, a.body)
		}
	}
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		c.fail("%s: %v", r, err) // what follows from it is reported as well
		return true
	}
	g.add(record{done: done{r, told}, client: client, began: began, ends: ends, unknown: unknown}, a)
	rest(ctx, rand.N(c.load.pause))
	return true
}

// watch asks a process again and again for readiness and for a reseller's
// statement, which is there or not: nothing else may be answered.
func (c *campaign) watch(ctx context.Context, service int, p purpose, q call, enough <-chan struct{}) {
	for !over(ctx, enough) {
		a, _, err := c.attempt(ctx, service, p, patience, q)
		if err == nil && a.status != http.StatusOK && a.status != http.StatusServiceUnavailable {
			c.fail("process %s answered %d to %s: %s", c.services[service].name, a.status, q.path, a.body)
		}
		rest(ctx, mostRest/4+rand.N(mostRest*3/4))
	}
}

// round lets clients use new groups while faults strike one after the other, and
// judges what they were told.
func (c *campaign) round(ctx context.Context, seed uint64, faults []fault) {
	c.t.Helper()
	var groups []*group
	for range groupCount {
		groups = append(groups, c.newGroup(ctx))
	}
	c.using = groups
	enough := make(chan struct{})
	var using sync.WaitGroup
	// Fatal, and a signal, leave no client behind.
	ctx, cancel := context.WithCancel(ctx)
	defer using.Wait()
	defer cancel()
	for i, g := range groups {
		for j := range clientsPerGroup {
			client := i*clientsPerGroup + j
			random := rand.New(rand.NewPCG(seed, uint64(len(c.groups)*clientsPerGroup+client)))
			using.Go(func() { c.use(ctx, g, j, random, enough) })
		}
	}
	for s := range c.services {
		statement := call{method: http.MethodGet,
			path: fmt.Sprintf("/users/%d/ledger?limit=3", groups[s].resellers[master].id), token: c.admin}
		using.Go(func() { c.watch(ctx, s, readiness, call{method: http.MethodGet, path: "/readyz"}, enough) })
		using.Go(func() { c.watch(ctx, s, reading, statement, enough) })
	}
	c.following(ctx, seed, enough, &using)
	rest(ctx, c.load.calm)
	for _, f := range faults {
		if ctx.Err() == nil {
			c.strike(ctx, f)
			rest(ctx, c.load.calm)
		}
	}
	close(enough)
	using.Wait()
	if ctx.Err() != nil {
		c.t.Fatal("interrupted")
	}
	for i, g := range groups {
		c.conclude(ctx, len(c.groups)+i, g)
	}
	c.checkJournal(ctx, groups)
	c.groups = append(c.groups, groups...)
}
