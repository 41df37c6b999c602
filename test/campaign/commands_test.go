package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"resellerd/domain/journal"
	"resellerd/test/api"
)

const (
	groupCount      = 4
	clientsPerGroup = 3
	perRound        = 5                      // failures, after which groups are judged, and others begin
	mostRest        = 400 * time.Millisecond // of a client between two attempts
	// patience is longer than the 10 s after which the service answers 503; some clients have little, as users do.
	patience     = 20 * time.Second
	shortTimeout = 1500 * time.Millisecond
	// lingering is how long the service may still execute an attempt that its client abandoned: the 10 s of a request's
	// limit, and some for a busy machine. Before its end a refusal under the same key proves nothing about that
	// attempt.
	lingering = 15 * time.Second
	// endless is when a request that still has no answer counts as never answered.
	endless = 3 * time.Minute
	// judging bounds the search for an order of a group's history.
	judging = 2 * time.Minute
	// numbering is how soon an entry has its number once nothing is hurt any more. It is the campaigns' own bound.
	numbering = time.Minute
)

// commands is the workload of groups of a master and two resellers. Three clients use each group. They request credits,
// trials, activations, extensions and deletions at any process. They repeat a request without an answer under its key
// until it has one. They send some requests once, without a key; the ledger shows later whether it was executed. Three
// followers read the journal at the same time.
type commands struct {
	*site
	hasty    bool // clients abandon a request, now and then, while it may still be executed
	asking   *client
	seen     attempts
	follows  []*feed
	judged   int             // entries of the first follower that were compared
	aside    map[string]bool // requests of no group, which may have an entry
	numbered bool            // nothing goes on, and each entry has its number
	total    sums

	using  []*group // of the present round
	rounds uint64
	struckInRound,
	operations, open, executed int
	repeated atomic.Int64
	enough   chan struct{}
	working  sync.WaitGroup
}

func newCommands(s *site) workload {
	c := &commands{site: s, hasty: s.cluster != nil, asking: s.client("setup"), aside: map[string]bool{}}
	s.t.Cleanup(c.working.Wait)
	for range 3 {
		f := newFeed(s.admin)
		f.query.Set("limit", "40")
		f.query.Set("wait", "2")
		c.follows = append(c.follows, f)
	}
	return c
}

// purpose is the purpose of an attempt.
type purpose string

const (
	effect    purpose = "effect"
	readiness purpose = "readiness"
	reading   purpose = "read"
)

// attempt is one request that was sent, and how it ended.
type attempt struct {
	service      int
	purpose      purpose
	began, ended time.Duration
	status       int  // 0: no answer
	replayed     bool // the answer repeats that of an earlier attempt
}

func (a attempt) good(p purpose) bool { return a.purpose == p && a.status/100 == 2 }

// attempts has the attempts of a campaign.
type attempts struct {
	mu  sync.Mutex
	all []attempt
}

func (as *attempts) add(a attempt) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.all = append(as.all, a)
}

// since returns those that ended at an instant or later, in their order.
func (as *attempts) since(from time.Duration) (late []attempt) {
	as.mu.Lock()
	defer as.mu.Unlock()
	for _, a := range slices.Backward(as.all) {
		if a.ended >= from {
			late = append(late, a)
		} else if a.ended < from-lingering {
			break
		}
	}
	slices.SortFunc(late, func(a, b attempt) int { return int(a.ended - b.ended) })
	return late
}

// call is an HTTP request.
type call struct {
	method, path string
	body         any // nil: none
	token        string
	id           string // X-Request-Id, which a movement has
	key          string // Idempotency-Key; "": none
}

// connections is the HTTP client of the workload's clients, who wait less long than others.
var connections = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}

// errNotSent says that no process can have read a request.
var errNotSent = errors.New("the process does not run")

// attempt sends a request once. An error other than errNotSent leaves its result open.
func (c *commands) attempt(ctx context.Context, service int, p purpose, patience time.Duration,
	q call) (a api.Answer, tried attempt, err error) {
	tried = attempt{service: service, purpose: p, began: c.now()}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sent := api.Encode(c.t, q.body)
	r, err := http.NewRequestWithContext(ctx, q.method, "http://"+c.processes[service].at.Load().Address+q.path,
		bytes.NewReader(sent))
	if err != nil {
		return a, tried, err
	}
	if r.Header.Set("X-Request-Id", q.id); q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	if q.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.key != "" {
		// In lower case, since net/http itself would repeat a request that has the key in its canonical form, and hide
		// that the first try may have been executed.
		r.Header["idempotency-key"] = []string{q.key}
	}
	response, err := connections.Do(r)
	tried.ended = c.now()
	if dial, is := errors.AsType[*net.OpError](err); is && dial.Op == "dial" {
		return a, tried, errNotSent
	}
	if err == nil {
		a = api.Answer{T: c.t, Request: q.method + " " + q.path, Status: response.StatusCode, Header: response.Header}
		a.Body, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
	}
	if tried.ended = c.now(); err == nil {
		tried.status, tried.replayed = a.Status, a.Header.Get("Idempotency-Replayed") == "true"
		decoder := json.NewDecoder(bytes.NewReader(a.Body))
		decoder.UseNumber()
		wrong := errors.Join(decoder.Decode(&a.Fields), api.Contract().Violation(r, r.URL.Path, sent, a))
		if wait, waitErr := strconv.Atoi(a.Header.Get("Retry-After")); a.Status == http.StatusServiceUnavailable &&
			(waitErr != nil || wait < 1 || a.Fields["code"] != "store-unavailable") {
			wrong = errors.Join(wrong, errors.New("a 503 that does not say store-unavailable, or for how long"))
		}
		if wrong != nil {
			c.fail("%s: status %d: %v: %s", a.Request, a.Status, wrong, a.Body)
		}
	}
	c.seen.add(tried)
	return a, tried, err
}

// errOpen says that a request may have been executed.
var errOpen = errors.New("no answer")

// refusals are the statuses of refusals that a client of a group may get.
var refusals = []int{http.StatusPaymentRequired, http.StatusNotFound, http.StatusConflict}

// settled sends a request until its outcome is known, at any process, and returns the answer with the number of
// attempts that left it open. Without a key it sends the request once, and waits longer than the service's own limit.
func (c *commands) settled(random *rand.Rand, q call) (a api.Answer, unknown int, err error) {
	asked := c.now()
	var doubtful time.Duration // until then an abandoned attempt may still be executed
	service := random.IntN(len(c.processes))
	for {
		wait := patience
		if c.hasty && q.key != "" && random.IntN(4) == 0 {
			wait = shortTimeout
		}
		a, tried, err := c.attempt(c.t.Context(), service, effect, wait, q)
		switch {
		case c.t.Context().Err() != nil:
			return a, unknown, c.t.Context().Err()
		case errors.Is(err, errNotSent):
		case q.key == "" && (err != nil || a.Status == http.StatusServiceUnavailable):
			return a, 1, errOpen
		case err != nil:
			if unknown++; c.hasty {
				doubtful = tried.began + lingering
			}
		case a.Status == http.StatusServiceUnavailable:
			unknown++
		case a.Status/100 == 2:
			if q.key != "" && random.IntN(24) == 0 {
				c.askAgain(len(c.processes)-1-service, q, a) // the other process, where there are two
			}
			return a, unknown, nil
		case tried.began >= doubtful || !slices.Contains(refusals, a.Status):
			return a, unknown, nil
		}
		if c.now()-asked > endless {
			return a, unknown, fmt.Errorf("no answer after %s, the last one was %d, %w", endless, a.Status, err)
		}
		if random.IntN(3) > 0 {
			service = (service + 1) % len(c.processes)
		}
		time.Sleep(mostRest/4 + rand.N(mostRest*3/4))
	}
}

// askAgain repeats an acknowledged request, which must have the same answer.
func (c *commands) askAgain(service int, q call, was api.Answer) {
	a, tried, err := c.attempt(c.t.Context(), service, effect, patience, q)
	if err != nil || a.Status == http.StatusServiceUnavailable {
		return // others will be repeated
	}
	if c.repeated.Add(1); a.Status != was.Status || !bytes.Equal(a.Body, was.Body) || !tried.replayed {
		c.fail("%s was answered %d %s and, repeated, %d (replayed: %t) %s", a.Request, was.Status, was.Body, a.Status,
			tried.replayed, a.Body)
	}
}

// run implements workload: it begins a round with new groups.
func (c *commands) run() {
	c.using, c.enough, c.struckInRound = nil, make(chan struct{}), 0
	c.rounds++
	for range groupCount {
		c.using = append(c.using, c.newGroup())
	}
	begin := func(do func(random *rand.Rand)) {
		random := rand.New(rand.NewPCG(c.seed, uint64(c.ids.Add(1))))
		c.working.Go(func() {
			for !c.over() {
				do(random)
			}
		})
	}
	for _, g := range c.using {
		for i := range clientsPerGroup {
			begin(func(random *rand.Rand) { c.step(g, i, random) })
		}
	}
	for _, f := range c.follows {
		begin(func(random *rand.Rand) {
			if answered, _ := f.page(c.site, c.at(random)); !answered {
				time.Sleep(mostRest)
			}
		})
	}
	for i := range c.processes {
		statement := fmt.Sprintf("/users/%d/ledger?limit=3", c.using[0].accounts[master].ID)
		begin(func(*rand.Rand) { c.watch(i, readiness, call{method: "GET", path: "/readyz"}) })
		begin(func(*rand.Rand) { c.watch(i, reading, call{method: "GET", path: statement, token: c.admin.Token}) })
	}
}

func (c *commands) over() bool {
	select {
	case <-c.enough:
		return true
	default:
		return c.t.Context().Err() != nil || c.failures.Load() > 100
	}
}

// watch reads from a process. The answer must be correct, or 503: there is no other one.
func (c *commands) watch(service int, p purpose, q call) {
	a, _, err := c.attempt(c.t.Context(), service, p, patience, q)
	if err == nil && a.Status != http.StatusOK && a.Status != http.StatusServiceUnavailable {
		c.fail("process %s answered %d to %s: %s", c.processes[service].name, a.Status, q.path, a.Body)
	}
	time.Sleep(mostRest/4 + rand.N(mostRest*3/4))
}

// step sends one request of a group, and stores the outcome.
func (c *commands) step(g *group, client int, random *rand.Rand) {
	r, q := g.choose(random, c.id("request"))
	began := c.now()
	a, unknown, err := c.settled(random, q)
	if errors.Is(err, errOpen) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.open = append(g.open, record{request: r, client: client, began: began})
		return
	}
	ends := c.now()
	var o outcome
	if err == nil {
		o, err = g.outcomeOf(r, a)
	}
	if c.t.Context().Err() != nil {
		return
	}
	if err != nil {
		c.fail("%+v: %v: %s", r, err, a.Body) // failures that follow from it are reported as well
		return
	}
	g.add(record{request: r, outcome: o, client: client, began: began, ends: ends, unknown: unknown}, a)
	time.Sleep(rand.N(30 * time.Millisecond))
}

// ready implements workload.
func (c *commands) ready() {
	if time.Sleep(time.Duration(c.random.Int64N(int64(700 * time.Millisecond)))); c.cluster != nil {
		time.Sleep(2 * time.Second)
	}
}

// struck implements workload: what was acknowledged before is there, once, and each process has an effect again.
func (c *commands) struck() {
	from := c.now()
	for _, g := range c.using {
		g.mu.Lock()
		acknowledged, _ := g.acknowledged()
		g.mu.Unlock()
		for i, a := range g.accounts {
			for _, problem := range compare(c.statement(a.ID), acknowledged[i], false) {
				c.fail("after a failure the statement of account %d: %s", a.ID, problem)
			}
		}
	}
	c.acknowledges(from, c.everyone()...)
	if c.struckInRound++; c.struckInRound >= perRound {
		c.judge()
		c.run()
	}
}

func (c *commands) everyone() (services []int) {
	for i := range c.processes {
		services = append(services, i)
	}
	return services
}

// acknowledges waits until each of these processes has acknowledged an effect since an instant.
func (c *commands) acknowledges(from time.Duration, services ...int) {
	for _, s := range services {
		for !slices.ContainsFunc(c.seen.since(from), func(a attempt) bool { return a.service == s && a.good(effect) }) {
			if c.now()-from > gone {
				c.t.Fatalf("process %s acknowledges nothing for %s", c.processes[s].name, c.now()-from)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// end implements workload.
func (c *commands) end() {
	c.judge()
	c.t.Logf("%d operations in %d rounds, %d unknown at first; %d sent once had no answer, %d of them were executed; "+
		"%d were repeated", c.operations, c.rounds, c.unknown.Load(), c.open, c.executed, c.repeated.Load())
}

// concluded implements workload.
func (c *commands) concluded(found sums, _ []journal.Numbered) {
	if found != c.total {
		c.t.Errorf("the ledger has %+v, and %+v was acknowledged", found, c.total)
	}
}

// judge ends a round, and judges what its clients were answered.
func (c *commands) judge() {
	c.t.Helper()
	close(c.enough)
	c.working.Wait()
	for _, g := range c.using {
		c.resolve(g)
	}
	c.judgeJournal()
	c.numbered = true
	for _, g := range c.using {
		c.judgeGroup(g)
	}
	c.numbered = false
}

// resolve finds in the ledger the result of the requests that were sent once and had no answer.
func (c *commands) resolve(g *group) {
	var last time.Duration
	for _, r := range g.open {
		last = max(last, r.began)
	}
	if len(g.open) > 0 && c.hasty {
		time.Sleep(last + lingering - c.now())
	}
	left := map[string]units{}
	for i, a := range g.accounts {
		for _, p := range c.statement(a.ID) {
			left[fmt.Sprint(i, p.Request)] = p.Balance
		}
	}
	for _, r := range g.open {
		if balance, found := left[fmt.Sprint(r.account, r.id)]; found {
			r.outcome, r.ends, r.unknown = outcome{balance: balance}, c.now(), 1
			g.records = append(g.records, r)
			c.executed++
		}
	}
	c.open += len(g.open)
}

// read reads from one process what must be there.
func (c *commands) read(p *process, path string) (a api.Answer) {
	c.t.Helper()
	c.until(path, func() (there bool) {
		var err error
		a, err = c.admin.On(p.at.Load()).Try(c.t, "GET", path, nil)
		return err == nil && a.Status != http.StatusServiceUnavailable
	})
	return a.Is(http.StatusOK)
}

// list reads all pages of a list, which all processes must show alike at rest. A statement has the name of an actor
// from the entry of the movement, and so once that has its number.
func (c *commands) list(path string) (all []json.RawMessage) {
	c.t.Helper()
	var lists [][]json.RawMessage
	for _, p := range c.processes {
		var list []json.RawMessage
		for at := path + "limit=500"; at != ""; {
			page := c.read(p, at)
			var body struct{ Data []json.RawMessage }
			c.decode(page.Body, &body)
			list = append(list, body.Data...)
			if at = ""; page.Next() != "" {
				at = path + "limit=500&cursor=" + url.QueryEscape(page.Next())
			}
		}
		lists = append(lists, list)
	}
	if c.numbered && !reflect.DeepEqual(lists[0], lists[len(lists)-1]) {
		c.fail("the processes show different lists at %s: %s and %s", path, lists[0], lists[len(lists)-1])
	}
	return lists[0]
}

// judgeGroup reads what a group has in the end, and judges its history with that.
func (c *commands) judgeGroup(g *group) {
	c.t.Helper()
	var history []porcupine.Operation
	for _, r := range g.records {
		c.unknown.Add(int64(min(1, r.unknown)))
		history = append(history, porcupine.Operation{ClientId: r.client, Input: r.request, Call: int64(r.began),
			Output: r.outcome, Return: int64(r.ends)})
	}
	seen := func(r request, o outcome) {
		at := int64(c.now())
		history = append(history, porcupine.Operation{ClientId: clientsPerGroup, Input: r, Call: at, Output: o, Return: at})
	}
	for i, a := range g.accounts {
		var account struct{ Credits units }
		c.decode(c.read(c.processes[i%len(c.processes)], api.Path("/users", a.ID)).Body, &account)
		seen(request{kind: accountRead, account: i}, outcome{balance: account.Credits})
	}
	there := map[int64]bool{}
	for _, text := range c.list(fmt.Sprintf("/lines?tree=%d&", g.accounts[master].ID)) {
		var l struct {
			ID      int64
			IsTrial int
			ExpDate time.Time
		}
		if c.decode(text, &l); !slices.ContainsFunc(g.lines, func(known ownedLine) bool { return known.ID == l.ID }) {
			c.fail("line %d is there, and no answer shows it", l.ID)
		}
		there[l.ID] = true
		seen(request{kind: lineRead, line: l.ID}, outcome{trial: l.IsTrial == 1, expires: l.ExpDate})
	}
	for _, l := range g.lines {
		if !there[l.ID] {
			seen(request{kind: lineRead, line: l.ID}, outcome{refusal: absent})
		}
	}
	if verdict, reason := judge(g.initial, history, judging); verdict != porcupine.Ok {
		c.fail("a history is not linearizable: %s: %s", verdict, reason)
	}
	c.operations += len(history)
	statements, total := g.acknowledged()
	c.total = c.total.plus(total)
	for i, a := range g.accounts {
		for _, problem := range compare(c.statement(a.ID), statements[i], true) {
			c.fail("the statement of account %d: %s", a.ID, problem)
		}
	}
}

// judgeJournal compares the journal with the acknowledged requests of the round's groups: each success has one entry,
// with its amount and its balances, and no other request has one.
func (c *commands) judgeJournal() {
	c.t.Helper()
	expected := map[string]expectation{}
	for _, g := range c.using {
		g.expect(expected)
	}
	missing, at, first := maps.Clone(expected), c.judged, c.follows[0]
	for began := c.now(); ; time.Sleep(20 * time.Millisecond) {
		together := true
		for _, f := range c.follows {
			f.query.Del("wait")
			f.read(c.site, c.at(c.random))
			f.query.Set("wait", "2")
			together = together && len(f.entries) == len(first.entries) || f.lost
		}
		for ; at < len(first.entries); at++ {
			delete(missing, first.entries[at].Request)
		}
		if len(missing) == 0 && together || c.failures.Load() > 0 {
			break
		}
		if c.now()-began > numbering {
			c.fail("after %s the journal has no entry of %d requests that succeeded: %.300v", numbering, len(missing), missing)
			break
		}
	}
	seen := map[string]entry{}
	for at := c.judged; at < len(first.entries); at++ {
		e := first.entries[at]
		for _, f := range c.follows {
			if at < len(f.entries) && !bytes.Equal(f.entries[at].text, e.text) {
				c.fail("one follower read %s, and another one %s", f.entries[at].text, e.text)
			}
		}
		want, is := expected[e.Request]
		twice, again := seen[e.Request]
		switch seen[e.Request] = e; {
		case c.aside[e.Request] || at < 2:
			continue
		case again:
			c.fail("%s has two entries: %s and %s", e.Request, twice.text, e.text)
		case !is:
			c.fail("no request that succeeded has the entry %s", e.text)
		case e.Type != want.kind || e.Account != want.account || e.Line != want.line || e.Movement.Amount != want.amount:
			c.fail("%s, %+v, has the entry %s", e.Request, want, e.text)
		}
	}
	c.judged = len(first.entries)
}
