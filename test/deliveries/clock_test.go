package deliveries

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

const day = 24 * time.Hour

// thresholds are how many days before its end a line is told of, and 0, in the order in which a smaller one wins.
var thresholds = []int{0, 1, 3, 7}

// sandbox is the program with a clock to set, and the calendar that says what it has to tell.
type sandbox struct {
	t      *testing.T
	random *rand.Rand
	at     *api.Service
	admin  api.Caller
	owners []api.Caller
	now    time.Time // as it was set last
	feed   *feed
	lines  map[int64]*dated
	passed map[told]bool // thresholds that are over, whether it was told of them or not
	due    map[told]int  // what has to be told by now
	late   time.Duration // at most, after the clock was set
}

// dated is a line as the rules see it.
type dated struct {
	owner   api.Caller
	details api.Line
	trial   bool
	created time.Time
	expires time.Time
}

func newSandbox(t *testing.T, seed uint64) *sandbox {
	t.Helper()
	binary, err := program.Binary(built(0)...)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	p, err := program.Serve(folder, "sandbox",
		[]string{"HOME=" + folder, "RESELLERD_ADDR=127.0.0.1:0", "RESELLERD_WEBHOOK_ALLOW=127.0.0.0/8"}, binary, "sandbox")
	if p != nil {
		t.Cleanup(p.Kill)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := &sandbox{
		t: t, random: rand.New(rand.NewPCG(seed, 60)), at: &api.Service{Address: p.ListensOn},
		lines: map[int64]*dated{}, passed: map[told]bool{}, due: map[told]int{},
	}
	login := func(name string) api.Caller { return b.at.As(b.at.Login(t, name, "sandbox-"+name)) }
	b.admin = login(api.AdminName)
	b.owners = []api.Caller{login("joao"), login("maria"), b.admin}
	b.admin.Fund(t, b.owners[0].Get(t, "/users/logged").ID(), 100_000).Is(200)
	b.admin.Fund(t, b.owners[1].Get(t, "/users/logged").ID(), 100_000).Is(200)
	b.feed = newFeed(b.admin)
	b.feed.query["type"] = []string{"line.expiring", "line.expired"}
	b.forward(time.Millisecond)
	for _, l := range b.admin.Get(t, "/lines?limit=500").List() {
		b.keep(b.admin, l)
	}
	b.pass()
	clear(b.due) // what is inside a window at the first start is not told of
	return b
}

// forward sets the clock forward.
func (b *sandbox) forward(by time.Duration) {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+b.at.Address+"/sandbox/clock",
		bytes.NewBufferString(fmt.Sprintf(`{"forward":%q}`, by)))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + b.admin.Token}, "Content-Type": {"application/json"}}
	answer, err := api.Client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	_, err = body.ReadFrom(answer.Body)
	shown := bytes.Split(body.Bytes(), []byte(`"`))
	if err != nil || answer.StatusCode != http.StatusOK || len(shown) < 4 {
		b.t.Fatalf("the clock answers %d %s (%v)", answer.StatusCode, &body, err)
	}
	if b.now, err = time.Parse(time.RFC3339, string(shown[3])); err != nil {
		b.t.Fatal(err)
	}
}

// keep takes a line as an answer shows it.
func (b *sandbox) keep(owner api.Caller, a api.Answer) *dated {
	b.t.Helper()
	l := b.lines[a.ID()]
	if l == nil {
		l = &dated{owner: owner, created: a.Instant("createdAt"),
			details: api.Line{ID: a.ID(), Username: a.Text("username"), Password: "a line's password"}}
		b.lines[a.ID()] = l
	}
	l.trial, l.expires = api.Equal(a.Fields["isTrial"], 1), a.Instant("expDate")
	return l
}

// pass decides by the rules what is to be told at the instant that the clock was set to. Whatever happens on a day has
// its thresholds at the same time of another day, or, of a trial, hours later: at no instant that is shown soon.
func (b *sandbox) pass() {
	for id, l := range b.lines {
		smallest := true
		for _, days := range thresholds {
			opens := l.expires.Add(-time.Duration(days) * day)
			if b.now.Before(opens) {
				continue
			}
			r := told{"line.expiring", id, l.expires.Format(expiryFormat), strconv.Itoa(days)}
			if days == 0 {
				r.kind, r.days = "line.expired", ""
			}
			if smallest && !b.passed[r] && l.created.Before(opens) && (days == 0 || !l.trial) {
				b.due[r]++
			}
			b.passed[r], smallest = true, false
		}
	}
}

// expiryFormat is that of times in answers.
const expiryFormat = "2006-01-02T15:04:05.000Z"

// tells waits until all is told that is due, and expects that nothing else is.
func (b *sandbox) tells() {
	b.t.Helper()
	began := time.Now()
	for first := true; ; first = false {
		b.feed.read(b.t, b.at)
		got := reminders(b.feed.entries)
		if maps.Equal(got, b.due) {
			break
		}
		for r, times := range got {
			if times > b.due[r] {
				b.t.Fatalf("on %s it is told %d times, and has to be %d times: %+v", b.now, times, b.due[r], r)
			}
		}
		if time.Since(began) > program.Patience {
			for r := range b.due {
				if got[r] == 0 {
					b.t.Errorf("by %s it is not told: %+v", b.now, r)
				}
			}
			b.t.FailNow()
		}
		if !first {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// next sets the clock forward, and expects what is to be told by then.
func (b *sandbox) next(by time.Duration) {
	b.t.Helper()
	before := len(b.feed.entries)
	b.forward(by)
	b.pass()
	b.tells()
	for _, e := range b.feed.entries[before:] {
		if after := e.Timestamp.Sub(b.now); after < 0 || after > program.Patience {
			b.t.Errorf("when the clock was set to %s this was told: %s", b.now, e.text)
		} else {
			b.late = max(b.late, after)
		}
	}
}

func (b *sandbox) trial() *dated {
	b.t.Helper()
	owner := b.owners[b.random.IntN(len(b.owners))]
	return b.keep(owner, owner.Send(b.t, "POST", "/lines/test", nil).Is(201))
}

// activate makes a line official for credits.
func (b *sandbox) activate(l *dated, credits string) {
	b.t.Helper()
	b.keep(l.owner, l.owner.Activate(b.t, l.details, credits).Is(201))
}

// goesOn does what is done on a day.
func (b *sandbox) goesOn() {
	b.t.Helper()
	for range 1 + b.random.IntN(3) {
		l := b.trial()
		if b.random.IntN(3) > 0 {
			b.activate(l, []string{"0.5", "0.5", "1", "2"}[b.random.IntN(4)])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.lines)) {
		l := b.lines[id]
		left := l.expires.Sub(b.now)
		switch chance := b.random.IntN(100); {
		case left > 8*day || left < -3*day:
		case l.trial && chance < 5:
			b.activate(l, "0.5") // an expired one, too
		case !l.trial && chance < 7:
			b.keep(l.owner, l.owner.Extend(b.t, id, []string{"0.5", "1"}[b.random.IntN(2)]).Is(200))
		case chance == 99:
			l.owner.DeleteLine(b.t, id).Is(200)
			delete(b.lines, id)
		}
	}
}

// concludes expects that a webhook was sent each reminder once, as the feed has it.
func (b *sandbox) concludes(h *hook) {
	b.t.Helper()
	for late := time.Now().Add(program.Patience); len(h.missing(b.feed.entries)) > 0 && time.Now().Before(late); {
		time.Sleep(10 * time.Millisecond)
	}
	listed := map[string]entry{}
	for _, e := range b.feed.entries {
		listed[e.ID] = e
	}
	for _, a := range h.arrivals() {
		if e, is := listed[a.id]; !is || !bytes.Equal(e.text, h.body(a.id)) || !a.signedBy(e.text, h.secrets[0].text) {
			b.t.Errorf("%s came, and in the feed it is %s", h.body(a.id), e.text)
		}
		delete(listed, a.id)
	}
	if came := len(h.arrivals()); came != len(b.feed.entries) || len(listed) > 0 {
		b.t.Errorf("%d reminders came, %d of %d did not", came, len(listed), len(b.feed.entries))
	}
	h.unharmed(b.t)
	kinds := map[string]int{}
	for r, times := range reminders(b.feed.entries) {
		kinds[r.kind+" "+r.days] += times
	}
	b.t.Logf("%d lines are left; %v, each once in the feed and once by webhook, at most %s after the clock was set",
		len(b.lines), kinds, b.late)
	for _, days := range []string{"line.expired ", "line.expiring 1", "line.expiring 3", "line.expiring 7"} {
		if kinds[days] == 0 {
			b.t.Errorf("nothing was told by %s", days)
		}
	}
}

// hook makes a webhook for all reminders.
func (b *sandbox) hook(to *receiver) *hook {
	b.t.Helper()
	h := &hook{endpoint: to.endpoint(kind), owner: b.admin}
	a := b.admin.MakeWebhook(b.t, api.Fields{"url": h.address(), "types": b.feed.query["type"]})
	h.secrets = []secret{{text: a.Text("secret")}}
	return h
}

// TestRemindersDayByDay sets the clock forward by a day again and again, while lines are made, extended and removed:
// what is told is what the rules say, of each line, each end and each number of days once.
func TestRemindersDayByDay(t *testing.T) {
	t.Parallel()
	_, long := kills(t)
	days := 18 // the shortest period is over, and then some
	if long {
		days = 60
	}
	seed := seedOf(t)
	b := newSandbox(t, seed)
	h := b.hook(receive(t, seed))
	for range 8 { // some of which nobody extends or removes
		b.activate(b.trial(), "0.5")
	}
	for range days {
		b.goesOn()
		b.next(day)
	}
	b.concludes(h)
}

// TestRemindersAfterADowntime sets the clock forward by 40 days at once: of each line only what applies by then is
// told.
func TestRemindersAfterADowntime(t *testing.T) {
	t.Parallel()
	const before, after = 24, 8
	seed := seedOf(t)
	b := newSandbox(t, seed)
	h := b.hook(receive(t, seed))
	for range before {
		b.activate(b.trial(), "2")
		b.next(day)
	}
	for range after {
		b.trial()
		b.activate(b.trial(), []string{"0.5", "1", "2"}[b.random.IntN(3)])
	}
	b.next(40 * day)
	for range after {
		b.next(day)
	}
	b.concludes(h)
}
