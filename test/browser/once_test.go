package browser

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// once is a master that sends forms. Each form takes effect exactly once, whatever fails.
type once struct {
	*tab

	t          *testing.T
	f          *flaky
	random     *rand.Rand
	boss       *account
	who, below *account
	steps      []string // of this trial, for the report of a failure
}

// effect is the service's record of an operation, before and after.
type effect struct {
	seq  int    // of the newest movement of the payer, or the payee
	key  string // under which it was made
	kind string
	made int // lines, or resellers
}

// kindOfForm is a kind of form: how to open it and fill it in, where its effect is, and the kind of its movement.
type kindOfForm struct {
	name  string
	opens func(o *once, n int) (look func() effect, kind string)
}

var kindsOfForms = []kindOfForm{
	{"top-up", func(o *once, n int) (func() effect, string) { return o.credits("topup", n), "recharge" }},
	{"reclaim", func(o *once, n int) (func() effect, string) { return o.credits("reclaim", n), "reclaim" }},
	{"activation", func(o *once, n int) (func() effect, string) {
		id := o.who.line(o.t, "", "")
		o.opened(fmt.Sprintf("/lines/%d?do=activate", id), "username")
		o.put("username", fmt.Sprintf("line%d.tv", n))
		o.chooses("0.5")
		return func() effect { return o.newest(o.who) }, "activation"
	}},
	{"extension", func(o *once, n int) (func() effect, string) {
		id := o.who.line(o.t, fmt.Sprintf("old%d.tv", n), "0.5")
		o.opened(fmt.Sprintf("/lines/%d?do=extend", id), "credits")
		o.chooses("1")
		return func() effect { return o.newest(o.who) }, "extension"
	}},
	{"trial", func(o *once, _ int) (func() effect, string) {
		o.opened("/lines", "")
		return func() effect { return effect{made: o.count("/lines?isTrial=1")} }, ""
	}},
	{"creation", func(o *once, n int) (func() effect, string) {
		name := fmt.Sprintf("new%d", n)
		o.opened("/resellers?do=create", "username")
		o.put("username", name)
		o.put("password", "s3cret-"+name)
		o.put("credits", "1.5")
		o.put("country", "BR")
		return func() effect {
			e := o.newest(o.who)
			e.made = o.count("/users?username=" + name)
			return e
		}, "opening"
	}},
}

// hush forgets what the console, the policy and the network complained of, and returns it.
func (v *tab) hush() (said []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	said, v.said = v.said, nil
	return said
}

// credits opens a top-up or what takes one back.
func (o *once) credits(form string, n int) func() effect {
	o.opened(fmt.Sprintf("/resellers/%d?do=%s", o.below.ID, form), "credits")
	o.put("credits", fmt.Sprintf("0.%04d", n%9000+1))
	o.put("notes", fmt.Sprint("trial ", n))
	return func() effect { return o.newest(o.below) }
}

// newest returns the newest movement of an account.
func (o *once) newest(a *account) (e effect) {
	o.t.Helper()
	data, _ := o.who.send(o.t, "GET", fmt.Sprintf("/users/%d/ledger?limit=1", a.ID), nil)["data"].([]any)
	if len(data) > 0 {
		entry, _ := data[0].(map[string]any)
		seq, _ := entry["seq"].(float64)
		e.seq, e.key, e.kind = int(seq), fmt.Sprint(entry["request_id"]), fmt.Sprint(entry["kind"])
	}
	return e
}

// count returns the number of records in a list.
func (o *once) count(list string) (n int) {
	o.t.Helper()
	for cursor := ""; ; {
		page := o.who.send(o.t, "GET", list+"&limit=500"+cursor, nil)
		data, _ := page["data"].([]any)
		n += len(data)
		next, more := page["next_cursor"].(string)
		if !more {
			return n
		}
		cursor = "&cursor=" + next
	}
}

// opened goes to a form, which has a field, and waits for it.
func (o *once) opened(path, field string) {
	o.t.Helper()
	o.do(o.t, chromedp.Navigate(o.f.address+"/console"+path))
	if field == "" {
		o.until(o.t, `!!document.querySelector('.trial .primary:not(:disabled)')`)
		return
	}
	o.until(o.t, fmt.Sprintf(`!!document.querySelector('form [name=%s]:not(:disabled)')`, field))
}

// put fills a field in at once.
func (o *once) put(name, text string) {
	o.t.Helper()
	ask[bool](o.t, o.tab,
		fmt.Sprintf(
			`(() => { const e = document.querySelector('form [name=%s]'); e.value = %q; e.dispatchEvent(new Event('input', { bubbles: true })); return true })()`, name, text))
}

// chooses a price, and waits until it can be sent.
func (o *once) chooses(credits string) {
	o.t.Helper()
	o.until(o.t, fmt.Sprintf(`!!document.querySelector('form input[value="%s"]')`, credits))
	ask[bool](o.t, o.tab, fmt.Sprintf(`(document.querySelector('form input[value="%s"]').click(), true)`, credits))
}

const (
	sendButton  = `(document.querySelector('main form .primary[type=submit]') || document.querySelector('.trial .primary'))`
	againButton = `document.querySelector('[data-again]')`
)

// clickSomehow presses a button, twice at once or 20 ms apart where the chance has it so.
func (o *once) clickSomehow(button string) {
	o.t.Helper()
	how := []string{"once", "twice at once", "twice, one shortly after the other"}[o.random.IntN(3)]
	o.steps = append(o.steps, "click "+how)
	pressed := fmt.Sprintf(`const b = %s; if (b && !b.disabled) b.click()`, button)
	again := ""
	if how == "twice at once" {
		again = pressed
	}
	o.pressNow(button, again)
	if how == "twice, one shortly after the other" {
		later := fmt.Sprintf(`new Promise((done) => setTimeout(() => { %s; done(true) }, 20))`, pressed)
		if _, err := chromedp.Run(o, chromedp.Evaluate[bool](later, chromedp.EvalAwaitPromise)); err != nil {
			o.t.Fatal(err)
		}
	}
}

// pressNow presses a button as soon as it can be pressed, and runs what follows at once. It looks and presses in one
// go, for the button may be another one a moment later.
func (o *once) pressNow(button, then string) {
	o.t.Helper()
	o.until(o.t,
		fmt.Sprintf(`(() => { const b = %s; if (!b || b.disabled) return false; b.click(); { %s } return true })()`,
			button, then))
}

// incidents are the faults of a request. waysOn are the ways on from a request whose outcome is unknown.
var (
	incidents = []fault{lost, never, unavailable, heldBack, tooLate}
	waysOn    = []string{"stay", "reload", "elsewhere", "sign in again"}
)

// trial sends one form.
func (o *once) trial(n int) {
	t := o.t
	t.Helper()
	kind := kindsOfForms[o.random.IntN(len(kindsOfForms))]
	o.steps = []string{kind.name}
	o.hush()
	defer func() {
		if t.Failed() {
			t.Logf("trial %d: %s", n, strings.Join(o.steps, "; "))
		}
	}()
	look, moves := kind.opens(o, n)
	before := look()
	keys, _ := o.f.sent()
	plan := make([]fault, o.random.IntN(4))
	for i := range plan {
		plan[i] = incidents[o.random.IntN(len(incidents))]
	}
	button, elsewhere := sendButton, false
	for _, incident := range plan {
		o.steps = append(o.steps, string(incident))
		reached := o.f.always(incident)
		o.clickSomehow(button)
		button = againButton
		if incident == heldBack || incident == tooLate {
			select {
			case <-reached:
			case <-time.After(patience):
				t.Fatal("no request came")
			}
			o.do(t, chromedp.Reload())
		}
		o.until(t, `!!`+againButton)
		way := waysOn[o.random.IntN(len(waysOn))]
		o.steps = append(o.steps, way)
		switch way {
		case "reload":
			o.do(t, chromedp.Reload())
		case "elsewhere":
			o.f.always("")
			ask[bool](t, o.tab, `(document.querySelector('nav .brand').click(), true)`)
			o.until(t, `location.pathname.endsWith('/console')`)
			elsewhere = true
		case "sign in again":
			o.f.always("")
			o.forgetSession(t)
			// A list of the screen that is still read may be the first to be refused: then there is no such button.
			o.until(t,
				fmt.Sprintf(`(%s?.click(), !!document.body && document.body.innerText.includes('Your session has ended'))`,
					againButton))
			o.enter(t, o.who)
		}
		o.until(t, `!!`+againButton)
	}
	o.f.always("")
	o.clickSomehow(button)
	o.until(t, `!!document.querySelector('.note.good') && !`+againButton)

	after := look()
	if moves != "" && (after.seq != before.seq+1 || after.kind != moves) {
		t.Errorf("the movements were %+v and are %+v", before, after)
	}
	wantMade := map[string]int{"trial": 1, "creation": 1}[kind.name]
	if after.made != before.made+wantMade {
		t.Errorf("there were %d and are %d", before.made, after.made)
	}
	if now, _ := o.f.sent(); now != keys+1 {
		t.Errorf("%d keys were sent", now-keys)
	}
	if moves != "" && after.key != o.f.latest() {
		t.Errorf("the movement came of %s, and the key was %s", after.key, o.f.latest())
	}
	if moves != "" && !(elsewhere && kind.name == "creation") {
		o.until(t, `!!document.querySelector('[data-movement]')`)
		want := after.seq
		if kind.name == "creation" {
			want = 1 // of the new account
		}
		if named := ask[string](t, o.tab,
			`document.querySelector('[data-movement]').dataset.movement`); named != strconv.Itoa(want) {
			t.Errorf("the message names movement %s, and it was %d", named, want)
		}
	}
	if left := ask[int](t, o.tab,
		`Object.keys(sessionStorage).filter((k) => k.includes(' form ') && JSON.parse(sessionStorage[k]).sent).length`); left != 0 {
		t.Errorf("the tab stores %d forms that were sent", left)
	}
	for _, line := range o.hush() {
		if !strings.HasPrefix(line, "loading failed") && !strings.Contains(line, "Failed to load resource") {
			t.Error(line)
		}
	}
}

// TestOnce tries forms by chance: double clicks, lost requests and answers, 503s, reloads at any moment, other screens
// and ended sessions, in any order. Each ends in exactly one movement, line or account, and in a message that names it.
// RESELLERD_TEST_SEED repeats a run.
func TestOnce(t *testing.T) {
	t.Parallel()
	trials := 15
	if long {
		trials = 500
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("RESELLERD_TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			t.Logf("RESELLERD_TEST_SEED=%d repeats this", seed)
			address := serve(t, "")
			boss := admin(t, address)
			maria := boss.reseller(t, "maria", true, "100000")
			joao := maria.reseller(t, "joao", false, "1000")
			o := &once{tab: open(t, width, 800), t: t, f: between(t, address),
				random: rand.New(rand.NewPCG(seed, uint64(width))), boss: boss, who: maria, below: joao}
			o.signIn(t, &account{address: o.f.address, Name: maria.Name, Password: maria.Password})
			for n := range trials {
				if o.trial(n); t.Failed() {
					t.FailNow()
				}
			}
			proof := boss.send(t, "GET", "/ledger/proof", nil)
			if proof["balanced"] != true {
				text, _ := json.Marshal(proof)
				t.Errorf("the ledger is not balanced: %s", text)
			}
		})
	}
}

// latest returns the key that was new last: that of the present form.
func (f *flaky) latest() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.order) == 0 {
		return ""
	}
	return f.order[len(f.order)-1]
}
