package deliveries

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

// business is what goes on: accounts of a platform, each with its webhooks, and what they do.
type business struct {
	*site
	to      *receiver
	admin   api.Reseller
	shops   []*shop
	hooks   []*hook
	passed  []*hook // that were removed, each for the same
	ended   atomic.Bool
	replays atomic.Int64
	work    sync.WaitGroup
}

// shop is a reseller below a master. One goroutine does what both do.
type shop struct {
	*client
	business        *business
	master, seller  api.Reseller
	trials, running []api.Line
	hooks           []*hook // that it looks after
}

// mostPause is between two things that a shop does.
const mostPause = 120 * time.Millisecond

func open(s *site, to *receiver, seed uint64) *business {
	s.t.Helper()
	b := &business{site: s, to: to}
	first := s.processes[0].at.Load()
	b.admin = api.Reseller{Caller: first.Admin(s.t)}
	b.admin.ID = b.admin.Get(s.t, "/users/logged").ID()
	setup := &client{site: s, name: "setup", random: rand.New(rand.NewPCG(seed, 0))}
	masters := []api.Reseller{b.admin.Master(s.t, "1000000"), b.admin.Master(s.t, "1000000")}
	for i := range 4 {
		sh := &shop{
			client:   &client{site: s, name: fmt.Sprintf("shop-%d", i), random: rand.New(rand.NewPCG(seed, uint64(i+1)))},
			business: b, master: masters[i/2]}
		sh.seller = sh.master.Reseller(s.t, "10")
		b.shops = append(b.shops, sh)
	}
	for i, h := range []*hook{
		setup.hook(to, mixed, b.admin, "tree", "*"),
		setup.hook(to, mixed, b.admin, "own", "reseller.*", "webhook.*", "operator.*"),
		setup.hook(to, mixed, masters[0], "tree", "line.*"),
		setup.hook(to, leaving, masters[0], "own", "*"),
		setup.hook(to, mixed, masters[0], "tree", "line.expiring", "line.expired", "balance.*"),
		setup.hook(to, dead, masters[1], "tree", "*"),
		setup.hook(to, mixed, b.shops[0].seller, "own", "*"),
		setup.hook(to, leaving, b.shops[1].seller, "own", "line.expired"),
		setup.hook(to, mixed, b.shops[2].seller, "own", "line.trial_created", "reseller.credited"),
		setup.hook(to, kind, b.shops[3].seller, "tree", "*"),
	} {
		if h == nil {
			s.t.FailNow()
		}
		b.hooks = append(b.hooks, h)
		sh := b.shops[i%len(b.shops)]
		sh.hooks = append(sh.hooks, h)
	}
	return b
}

// run has all shops do something or other until the end.
func (b *business) run() {
	for _, s := range b.shops {
		b.work.Go(func() {
			for !b.ended.Load() && !b.t.Failed() {
				s.act()
				s.pause(mostPause)
			}
		})
	}
}

// close ends what goes on, with nobody blocked.
func (b *business) close() {
	b.ended.Store(true)
	b.work.Wait()
}

// acts are what a shop does, each so often.
var acts = []struct {
	weight int
	do     func(s *shop)
}{
	{12, (*shop).trial},
	{6, (*shop).activate},
	{6, (*shop).extend},
	{3, func(s *shop) {
		if l, is := s.line(s.running); is {
			s.settle(s.seller.Caller, "PATCH", api.Path("/lines", l.ID, "/details"), api.Fields{"notes": "seen"}, "not-found")
		}
	}},
	{2, (*shop).remove},
	{4, func(s *shop) {
		s.settle(s.master.Caller, "PATCH", api.Path("/users/credits", s.seller.ID),
			api.Fields{"credits": 1 + s.random.IntN(9)})
	}},
	{2, func(s *shop) {
		s.settle(s.master.Caller, "POST", api.Path("/users", s.seller.ID, "/credits/reclaim"),
			api.Fields{"credits": 1 + s.random.IntN(4)}, "insufficient-credits")
	}},
	{2, func(s *shop) {
		s.settle(s.master.Caller, "PUT", api.Path("/users", s.seller.ID, "/alerts"),
			api.Fields{"balance_low": 1 + s.random.IntN(9)})
	}},
	{1, func(s *shop) { s.block(s.master, s.seller) }},
	{1, func(s *shop) {
		if s.random.IntN(4) == 0 { // its other reseller goes without as well
			s.block(s.business.admin, s.master)
		}
	}},
	{3, (*shop).look},
	{1, (*shop).ask},
	{1, (*shop).pass},
}

func (s *shop) act() {
	total := 0
	for _, a := range acts {
		total += a.weight
	}
	n := s.random.IntN(total)
	for _, a := range acts {
		if n -= a.weight; n < 0 {
			a.do(s)
			return
		}
	}
}

func (s *shop) line(of []api.Line) (api.Line, bool) {
	if len(of) == 0 {
		return api.Line{}, false
	}
	return of[s.random.IntN(len(of))], true
}

func (s *shop) trial() {
	if a, done := s.settle(s.seller.Caller, "POST", "/lines/test", nil); done {
		s.trials = append(s.trials, api.Line{ID: a.ID(), Username: a.Text("username"), Password: a.Text("password")})
	}
	const most = 30
	s.trials = s.trials[max(0, len(s.trials)-most):]
}

// price is any that buys less than what the month lasts, or as much.
func (s *shop) price() string { return []string{"0.5", "1"}[s.random.IntN(2)] }

func (s *shop) activate() {
	l, is := s.line(s.trials)
	if !is {
		return
	}
	if _, done := s.settle(s.seller.Caller, "PATCH", api.Path("/lines/active", l.ID), l.Activation(s.price()),
		"insufficient-credits", "not-found"); done {
		s.running = append(s.running, l)
		s.trials = slices.DeleteFunc(s.trials, func(other api.Line) bool { return other.ID == l.ID })
	}
}

func (s *shop) extend() {
	if l, is := s.line(s.running); is {
		s.settle(s.seller.Caller, "PATCH", api.Path("/lines/extend", l.ID), api.Fields{"credits": s.price()},
			"insufficient-credits", "not-found", "period-too-long")
	}
}

func (s *shop) remove() {
	l, is := s.line(append(slices.Clone(s.running), s.trials...))
	if !is {
		return
	}
	s.settle(s.seller.Caller, "DELETE", api.Path("/lines", l.ID), nil, "not-found")
	gone := func(other api.Line) bool { return other.ID == l.ID }
	s.running, s.trials = slices.DeleteFunc(s.running, gone), slices.DeleteFunc(s.trials, gone)
}

// block blocks an account for a while.
func (s *shop) block(by, account api.Reseller) {
	if _, done := s.settle(by.Caller, "PUT", api.Path("/users", account.ID, "/block"), nil); !done {
		return
	}
	s.pause(time.Second)
	for done := false; !done && !s.t.Failed(); s.pause(mostPause) { // whoever blocked it may be blocked
		_, done = s.settle(by.Caller, "DELETE", api.Path("/users", account.ID, "/block"), nil)
	}
}

// look has a webhook whose receiver wanted nothing more go on.
func (s *shop) look() {
	h := s.hooks[s.random.IntN(len(s.hooks))]
	if a, done := s.settle(h.owner, "GET", h.path(), nil); done && a.Fields["disabled_reason"] == "gone" {
		s.enable(h, true)
	}
}

func (s *shop) enable(h *hook, enabled bool) {
	for done := false; !done && !s.t.Failed(); s.pause(mostPause) {
		_, done = s.settle(h.owner, "PATCH", h.path(), api.Fields{"enabled": enabled})
	}
}

// ask asks something of a webhook.
func (s *shop) ask() {
	h := s.hooks[s.random.IntN(len(s.hooks))]
	switch s.random.IntN(6) {
	case 0, 1:
		s.settle(h.owner, "POST", h.path("/test"), nil, "webhook-disabled")
	case 2:
		s.settle(h.owner, "PATCH", h.path(), api.Fields{"description": s.name})
	case 3:
		s.business.replays.Add(1)
		s.settle(h.owner, "POST", h.path("/replay"), api.Fields{"after_seq": max(h.floor, s.last(h.owner)-10)})
	case 4:
		s.enable(h, false)
		s.pause(time.Second)
		s.enable(h, true)
	case 5:
		s.rotate(h, 24+s.random.IntN(24))
	}
}

// pass makes a webhook, and removes it after a while.
func (s *shop) pass() {
	h := s.hook(s.business.to, mixed, s.seller, "own", "line.*")
	if h == nil {
		return
	}
	s.pause(time.Second)
	for done := false; !done && !s.t.Failed(); s.pause(mostPause) {
		_, done = s.settle(h.owner, "DELETE", h.path(), nil)
	}
	h.removed = time.Now()
	s.business.mu.Lock()
	defer s.business.mu.Unlock()
	s.business.passed = append(s.business.passed, h)
}

// conclude has receivers answer well and whatever waits begin anew, and expects that all arrives that webhooks are for,
// and nothing else. It returns what has come.
func (b *business) conclude() (sum tally) {
	b.t.Helper()
	began := time.Now()
	b.to.improve()
	c := b.shops[0].client
	for _, h := range b.hooks {
		for _, enabled := range []bool{false, true} {
			c.settle(h.owner, "PATCH", h.path(), api.Fields{"enabled": enabled})
		}
	}
	whole := newFeed(b.admin.Caller)
	feeds := make([]*feed, len(b.hooks))
	for i, h := range b.hooks {
		feeds[i] = h.feed()
	}
	over := b.clock(began.Add(trialTime)) // no trial runs any more
	for late := began.Add(program.Patience); ; time.Sleep(100 * time.Millisecond) {
		whole.read(b.t, c.at(c.random))
		lines, _ := untold(b.t, whole.entries, over)
		left := len(lines)
		for i, h := range b.hooks {
			if h.made == 0 && !h.found(whole.entries) {
				b.t.Fatalf("no entry tells of webhook %d", h.id)
			}
			feeds[i].read(b.t, c.at(c.random))
			missing := h.missing(feeds[i].entries)
			if left += len(missing); len(missing) == 0 {
				continue
			}
			// by an answer from before
			if is, _ := c.settle(h.owner, "GET", h.path(), nil); is.Fields["disabled_reason"] == "gone" {
				c.settle(h.owner, "PATCH", h.path(), api.Fields{"enabled": true})
			}
			if time.Now().After(late) {
				b.t.Errorf("of %d entries for webhook %d, %d have not arrived: %s", len(feeds[i].entries), h.id, len(missing),
					missing[0].text)
				b.t.Errorf("it is %s", h.owner.On(c.at(c.random)).Get(b.t, h.path()).Body)
				b.t.Errorf("its deliveries: %s", h.owner.On(c.at(c.random)).Get(b.t, h.path("/deliveries")).Body)
			}
		}
		if b.t.Failed() || left == 0 || time.Now().After(late) {
			break
		}
	}
	took := time.Since(began)
	of := map[int64]*feed{} // those that were removed are alike
	for _, h := range b.passed {
		if of[h.account] == nil {
			of[h.account] = h.feed()
		}
		h.judge(b.t, b.site, of[h.account], new(tally))
	}
	for i, h := range b.hooks {
		h.judge(b.t, b.site, feeds[i], &sum)
	}
	b.to.unharmed(b.t)
	disabled := map[string]int{}
	for _, e := range whole.entries {
		if e.Type == "webhook.disabled" {
			disabled[e.Reason]++
		}
	}
	b.t.Logf("webhooks were disabled by the service as %v, and replayed %d times", disabled, b.replays.Load())
	b.t.Logf("%d entries of the journal; %s", len(whole.entries), remindedOnce(b.t, whole.entries, over))
	b.t.Logf("%d requests, %d of them at first without an answer; %d webhooks, %d more that were removed",
		b.requests.Load(), b.unknown.Load(), len(b.hooks), len(b.passed))
	b.t.Logf(
		"%d entries for webhooks, all arrived after %s: %d attempts came (%s); %d of them of what had been accepted before, %d tests, %d signed by two secrets",
		sum.entries, took.Round(time.Millisecond), sum.arrivals, b.to.counts(), sum.again, sum.tests, sum.signedTwice)
	return sum
}

// said returns what the processes logged that is no request.
func (s *site) said(t *testing.T) {
	t.Helper()
	for i, p := range s.processes {
		for line := range strings.Lines(string(p.Logs())) {
			if !strings.Contains(line, `"level":"INFO"`) && !strings.Contains(line, "the store has accounts") {
				t.Logf("process %d: %s", i, line)
			}
		}
	}
}
