package campaign

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"resellerd/test/api"
	"resellerd/test/program"
)

const (
	// shortTrial is the shortest useful one, so that many trials expire.
	shortTrial = time.Second
	// readBefore is how long before it arrives an entry may have been read with the webhook's secrets, at most.
	readBefore = 10 * time.Second
)

// webhooks is a business whose accounts have webhooks, at receivers that fail in many ways. In the end each entry that
// a webhook is for has arrived, signed, and nothing else.
type webhooks struct {
	*business
	to    *receiver
	setup *client
	hooks []*hook
	// Two of them are managed by overtake, and by no shop.
	silent, rotated *hook
}

// hook is a webhook.
type hook struct {
	*endpoint
	owner   api.Caller
	account int64
	id      int64
	scope   string
	types   []string
	floor   int64 // number of the last entry that its owner saw before it was made
	made    int64 // that of the entry of its creation

	mu      sync.Mutex
	secrets []secret
}

// secret is one of a hook's.
type secret struct {
	text     string
	from, by time.Time // when it was requested, and there
	until    time.Time // until when, as the service's clock shows it, the one before signs as well
}

func newWebhooks(s *site) workload {
	w := &webhooks{business: newBusiness(s), to: receive(s.t, s.seed), setup: s.client("setup")}
	operator := api.Reseller{Caller: s.admin, ID: s.admin.Get(s.t, "/users/logged").ID()}
	w.hooks = []*hook{
		w.hook(mixed, operator, "tree", "*"),
		w.hook(mixed, operator, "own", "reseller.*", "webhook.*", "operator.*"),
		w.hook(mixed, w.masters[0], "tree", "line.*"),
		w.hook(leaving, w.masters[0], "own", "*"),
		w.hook(hanging, w.masters[0], "tree", "line.expiring", "line.expired", "balance.*"),
		w.hook(dead, w.masters[1], "tree", "*"),
		w.hook(mixed, w.shops[0].seller, "own", "*"),
		w.hook(leaving, w.shops[1].seller, "own", "line.expired"),
		w.hook(mixed, w.shops[2].seller, "own", "line.trial_created", "reseller.credited"),
		w.hook(reliable, w.shops[3].seller, "tree", "*"),
	}
	for i, h := range w.hooks {
		sh := w.shops[i%len(w.shops)]
		sh.more = append(sh.more, act{1, func(s *shop) { w.manage(s, h) }})
	}
	w.silent, w.rotated = w.hook(reliable, operator, "tree", "line.*"), w.hook(reliable, operator, "tree", "line.*")
	w.hooks = append(w.hooks, w.silent, w.rotated)
	return w
}

func (h *hook) path(suffix ...string) string { return api.Path("/webhooks", h.id, suffix...) }

// hook makes a webhook that is sent to an endpoint of these habits.
func (w *webhooks) hook(habits []habit, owner api.Reseller, scope string, types ...string) *hook {
	w.t.Helper()
	h := &hook{endpoint: w.to.endpoint(habits), owner: owner.Caller, account: owner.ID, scope: scope, types: types}
	h.floor = w.last(w.setup, h.owner)
	from := time.Now()
	a, done := w.setup.settle(h.owner, "POST", "/webhooks",
		api.Fields{"url": h.address(), "types": types, "scope": scope})
	if !done {
		w.t.FailNow()
	}
	h.id = a.ID()
	h.secrets = []secret{{text: a.Text("secret"), from: from, by: time.Now()}}
	return h
}

// last returns the number of the last entry that an account sees.
func (w *webhooks) last(c *client, by api.Caller) int64 {
	a, _ := c.settle(by, "GET", "/events?order=desc&limit=1", nil)
	var page struct{ Data []entry }
	if w.decode(a.Body, &page); len(page.Data) == 0 {
		return 0
	}
	return page.Data[0].Seq
}

// manage changes a webhook. Most calls enable it again after its receiver answered that it is gone.
func (w *webhooks) manage(s *shop, h *hook) {
	enable := func(enabled bool) { s.insist(h.owner, "PATCH", h.path(), api.Fields{"enabled": enabled}) }
	switch s.random.IntN(12) {
	case 0, 1:
		s.settle(h.owner, "POST", h.path("/test"), nil, "webhook-disabled")
	case 2:
		s.settle(h.owner, "PATCH", h.path(), api.Fields{"description": s.name})
	case 3:
		s.settle(h.owner, "POST", h.path("/replay"), api.Fields{"after_seq": max(h.floor, w.last(s.client, h.owner)-10)})
	case 4:
		enable(false)
		s.pause(time.Second)
		enable(true)
	case 5:
		s.rotate(h, 24+s.random.IntN(24))
	default:
		if a, done := s.settle(h.owner, "GET", h.path(), nil); done && a.Fields["disabled_reason"] == "gone" {
			enable(true)
		}
	}
}

// rotate sets another secret of a webhook. The previous secret still signs for some hours.
func (c *client) rotate(h *hook, hours int) {
	from := time.Now()
	if a, done := c.settle(h.owner, "POST", h.path("/rotate"), api.Fields{"overlap_hours": hours}); done {
		s := secret{text: a.Text("secret"), from: from, by: time.Now()}
		if hours > 0 {
			s.until = a.Instant("previous_expires_at")
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.secrets = append(h.secrets, s)
	}
}

// arrives waits until something arrives that was sent after an instant, and reports whether it does in time.
func (w *webhooks) arrives(after time.Time, patience time.Duration) bool {
	const underWay = 20 * time.Millisecond // an entry that was sent before arrives within this time
	for late := time.Now().Add(patience); !w.to.since(after.Add(underWay)); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(late) {
			return false
		}
	}
	return true
}

// ready implements workload: some failures strike before anything has arrived.
func (w *webhooks) ready() {
	if w.random.IntN(4) > 0 && !w.arrives(time.Now(), program.Patience) {
		w.t.Fatal("nothing arrives")
	}
	w.business.ready()
}

// overtake pauses the process that delivers until another one does. During the pause a webhook is disabled and another
// one gets a new secret: the process knows neither when it goes on. On SQLite a paused process may keep the file
// locked.
var overtake = failure{"the process that delivers is paused until another one does", func(s *site, on workload) {
	w, p := on.(*webhooks), s.holder()
	p.shunned.Store(true)
	time.Sleep(100 * time.Millisecond) // the process answers its open requests in this time
	began := time.Now()
	p.signal(s, syscall.SIGSTOP)
	goOn := func() {
		p.signal(s, syscall.SIGCONT)
		p.shunned.Store(false)
	}
	patience := program.Patience
	if s.row.store == onSQLite {
		patience = 12 * time.Second
	}
	if !w.arrives(began, patience) {
		if goOn(); s.row.store != onSQLite {
			s.fail("no process takes over")
		}
		return
	}
	silent := w.silent
	w.setup.settle(silent.owner, "PATCH", silent.path(), api.Fields{"enabled": false})
	from := time.Now()
	w.setup.rotate(w.rotated, 0)
	time.Sleep(time.Second)
	goOn()
	time.Sleep(2 * time.Second)
	to := time.Now()
	for _, a := range silent.arrivals() {
		if made := s.entryOf(silent.body(a.id)).Timestamp; made.After(s.clock(from)) && a.at.Before(to) {
			s.fail("webhook %d was sent an entry of %s at %s, and was disabled from %s to %s", silent.id, made, a.at, from, to)
		}
	}
	w.setup.settle(silent.owner, "PATCH", silent.path(), api.Fields{"enabled": true})
}}

// feed reads the entries that the webhook is for, as the list of entries selects them.
func (h *hook) feed() *feed {
	f := newFeed(h.owner)
	f.gapless = false
	if h.scope == "own" {
		f.query.Set("account", strconv.FormatInt(h.account, 10))
	}
	if !slices.Contains(h.types, "*") {
		f.query["type"] = h.types
	}
	return f
}

// missing returns the entries of the feed that were not accepted yet.
func (h *hook) missing(entries []entry) (all []entry) {
	accepted := map[string]bool{}
	for _, a := range h.arrivals() {
		accepted[a.id] = accepted[a.id] || a.accepted
	}
	for _, e := range entries {
		if e.Seq >= h.made && !accepted[e.ID] {
			all = append(all, e)
		}
	}
	return all
}

// end implements workload. Receivers answer well from now on, and webhooks are disabled and enabled again, so that no
// entry waits for hours: then all of them arrive that webhooks are for, and nothing else has.
func (w *webhooks) end() {
	w.t.Helper()
	w.close()
	began := time.Now()
	w.to.improve()
	c := w.setup
	for _, h := range w.hooks {
		for _, enabled := range []bool{false, true} {
			c.settle(h.owner, "PATCH", h.path(), api.Fields{"enabled": enabled})
		}
	}
	whole := newFeed(w.admin)
	feeds := map[*hook]*feed{}
	over := w.clock(began.Add(shortTrial)) // no trial runs any more
	for late := began.Add(program.Patience); !w.t.Failed(); time.Sleep(100 * time.Millisecond) {
		whole.read(w.site, w.at(w.random))
		left := len(w.unsent(whole.entries, over))
		for _, h := range w.hooks {
			h.found(w.site, whole.entries)
			if feeds[h] == nil {
				feeds[h] = h.feed()
			}
			feeds[h].read(w.site, w.at(w.random))
			missing := h.missing(feeds[h].entries)
			if left += len(missing); len(missing) == 0 {
				continue
			}
			is, _ := c.settle(h.owner, "GET", h.path(), nil)
			if is.Fields["disabled_reason"] == "gone" { // by an answer from before
				c.settle(h.owner, "PATCH", h.path(), api.Fields{"enabled": true})
			}
			if time.Now().After(late) {
				w.t.Errorf("%d entries for webhook %d have not arrived: %s; it is %s", len(missing), h.id, missing[0].text,
					is.Body)
			}
		}
		if left == 0 {
			break
		}
		if time.Now().After(late) {
			w.t.Errorf("%d entries have not arrived, or reminders were not sent", left)
		}
	}
	var sum tally
	for _, h := range w.hooks {
		h.judge(w.site, feeds[h], &sum)
	}
	w.to.unharmed(w.t)
	if long() && (sum.entries == 0 || sum.again == 0 || sum.signedTwice == 0) {
		w.t.Errorf("the campaign has not met what it is for: %+v", sum)
	}
	w.t.Logf("%d requests, %d without an answer at first; %+v", w.requests.Load(), w.unknown.Load(), sum)
}

// found finds the entry of the hook's creation: it is for all that follows.
func (h *hook) found(s *site, owners []entry) {
	for _, e := range owners {
		if id, is := e.Data["webhook"].(float64); is && e.Type == "webhook.created" && int64(id) == h.id {
			h.made = e.Seq
			return
		}
	}
	s.t.Fatalf("no entry is of the creation of webhook %d", h.id)
}

// tally counts arrivals.
type tally struct{ entries, arrivals, again, signedTwice, tests int }

// judge expects that nothing has come that the hook is not for, and that each arrival is the entry as the feed has it,
// signed by the secrets of its time.
func (h *hook) judge(s *site, f *feed, sum *tally) {
	arrivals := h.arrivals()
	f.read(s, s.at(s.random)) // it has all that came before
	listed := map[string]entry{}
	for _, e := range f.entries {
		if e.Seq > h.floor {
			listed[e.ID] = e
			sum.entries++
		}
	}
	accepted := map[string]bool{}
	for _, a := range arrivals {
		sum.arrivals++
		body := h.body(a.id)
		e, is := listed[a.id]
		switch test := strings.HasPrefix(a.id, fmt.Sprintf("test_%d_", h.id)); {
		case test:
			sum.tests++
		case !is || !bytes.Equal(body, e.text):
			s.fail("webhook %d of account %d, for %s of %v, was sent %s, and the feed has %s", h.id, h.account, h.scope, h.types,
				body, e.text)
			continue
		}
		if accepted[a.id] {
			sum.again++
		}
		accepted[a.id] = accepted[a.id] || a.accepted
		if len(a.signatures) > 1 {
			sum.signedTwice++
		}
		if problem := h.signed(s, a, s.entryOf(body)); problem != "" {
			s.fail("webhook %d, at %s: %s", h.id, a.at.Format(time.StampMilli), problem)
		}
	}
}

// signed returns the fault of an arrival's signatures, "" for none.
func (h *hook) signed(s *site, a arrival, e entry) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var expected []string
	read := a.at.Add(-readBefore) // with the secrets, or later
	if made := s.made(e.Timestamp); made.After(read) {
		read = made
	}
	earliest, latest := s.clock(read), s.clock(a.at)
	for i, is := range h.secrets {
		if is.from.After(a.at) || i+1 < len(h.secrets) && h.secrets[i+1].by.Before(read) {
			continue // not requested yet at that time, or already replaced
		}
		if i > 0 && earliest.Before(is.until) {
			if a.signedBy(e.text, is.text, h.secrets[i-1].text) {
				return ""
			}
			expected = append(expected, fmt.Sprintf("secrets %d and %d", i, i-1))
		}
		if i == 0 || !latest.Before(is.until) {
			if a.signedBy(e.text, is.text) {
				return ""
			}
			expected = append(expected, fmt.Sprintf("secret %d", i))
		}
	}
	return fmt.Sprintf("%s has the signatures %q, want %s", a.id, a.signatures, strings.Join(expected, ", or "))
}

// signedBy reports whether an arrival has the signatures of these secrets, in their order, and no others, by the
// library of Standard Webhooks.
func (a *arrival) signedBy(body []byte, secrets ...string) bool {
	for i, text := range secrets {
		by, err := standardwebhooks.NewWebhook(text)
		if err != nil || len(a.signatures) != len(secrets) {
			return false
		}
		header := http.Header{"Webhook-Id": {a.id}, "Webhook-Timestamp": {a.timestamp},
			"Webhook-Signature": {a.signatures[i]}}
		if by.VerifyIgnoringTimestamp(body, header) != nil {
			return false
		}
	}
	return true
}
