package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// summary is what the API sums up.
type summary struct {
	Lines map[string]any
	Days  []struct {
		Day                             string
		Trials, Activations, Extensions int
		Spent                           json.Number
	}
}

// into asks the API for something of a type.
func into[T any](t *testing.T, a *account, path string) (value T) {
	t.Helper()
	text, err := json.Marshal(a.send(t, "GET", path, nil))
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// tidy holds that panels fill their rows: those beside each other are equally tall, and no row ends before the screen
// does.
const tidy = `(() => {
	const found = [], rows = new Map(), right = document.querySelector('.home').getBoundingClientRect().right
	for (const e of document.querySelectorAll('.home > *')) {
		const box = e.getBoundingClientRect()
		rows.set(Math.round(box.top), [...rows.get(Math.round(box.top)) || [], box])
	}
	for (const [top, row] of rows) {
		if (new Set(row.map((b) => Math.round(b.height))).size > 1) found.push('the row at ' + top + ' has the heights ' + row.map((b) => b.height))
		if (Math.abs(Math.max(...row.map((b) => b.right)) - right) > 1) found.push('the row at ' + top + ' leaves room at its end')
	}
	return Promise.resolve(found)
})()`

// TestConsoleHome holds Home of each role against what the API tells: its figures, its chart by bars, by keys and as a
// table, its balance and the message that asks for credits, the proof, the service, a webhook that stands still. It
// asks for nothing twice, and for nothing that it does not show.
func TestConsoleHome(t *testing.T) {
	t.Parallel()
	address := sandbox(t, toHere)
	receiver := listens(t)
	boss := logIn(t, address, "admin", "sandbox-admin")
	nora := boss.reseller(t, "nora", true, "100")
	otto := nora.reseller(t, "otto", false, "20")
	otto.line(t, "half.tv", "0.5")
	whole := otto.line(t, "whole.tv", "1")
	boss.send(t, "POST", "/sandbox/clock", map[string]any{"forward": "624h"})
	boss, nora, otto = logIn(t, address, "admin", "sandbox-admin"), logIn(t, address, "nora", nora.Password),
		logIn(t, address, "otto", otto.Password)
	otto.line(t, "long.tv", "2")
	otto.line(t, "", "")
	nora.line(t, "nora.tv", "1")
	long := otto.line(t, "renewed.tv", "0.5")
	otto.send(t, "PATCH", fmt.Sprintf("/lines/extend/%d", long), map[string]any{"credits": "0.5"})
	receiver.answers(http.StatusGone)
	hook := otto.send(t, "POST", "/webhooks", map[string]any{"url": receiver.URL, "types": []string{"line.updated"},
		"scope": "own"})
	otto.send(t, "PATCH", fmt.Sprintf("/lines/%d", whole),
		map[string]any{"username": "whole.tv", "password": "7788", "country": "BR", "whatsapp": "+55 11 98888-7777",
			"notes": "changed"})
	for stood := time.Now(); into[struct{ Enabled bool }](t, otto, fmt.Sprint("/webhooks/", hook["id"])).
		Enabled; time.Sleep(50 * time.Millisecond) {
		if time.Since(stood) > soon {
			t.Fatal("the webhook still runs")
		}
	}
	reaches := func(a *account, whatsapp, telegram string) {
		t.Helper()
		a.send(t, "PUT", fmt.Sprintf("/users/%d/messages", a.ID), map[string]any{"whatsapp": whatsapp, "telegram": telegram})
	}
	reaches(boss, "+55 11 98888-7777", "")
	for _, c := range []struct {
		who              *account
		tree             bool
		asks             []string // and nothing else; the frame asks for jobs
		balance, message string
		has              string
	}{
		{who: otto, balance: "15.5 credits",
			message: "Hello! This is otto. I have 15.5 credits left, and 1 line expires within 7 days. Could you top me up?",
			asks: []string{"alerts", "bulk", "events", "lines", "lines", "logged", "messages", "prices", "session", "summary",
				"webhooks"}, has: "1 webhook stands still"},
		{who: nora, tree: true, balance: "79 credits",
			message: "Hello! This is nora. I have 79 credits left, and 1 line expires within 7 days. Could you top me up?",
			asks: []string{"alerts", "bulk", "events", "lines", "lines", "logged", "messages", "prices", "session", "summary",
				"webhooks"}},
		{who: boss, tree: true,
			asks: []string{"bulk", "events", "lines", "lines", "logged", "messages", "proof", "service", "session", "summary",
				"webhooks"}},
	} {
		t.Run(c.who.Name, func(t *testing.T) {
			v := open(t, 1280, 740)
			v.signIn(t, &account{address: address, Name: c.who.Name, Password: c.who.Password})
			v.speak(t, "en")
			v.sees(t, "Latest activity")
			v.await(t, `look.once()`)
			v.mu.Lock()
			v.calls = nil
			v.mu.Unlock()
			v.do(t, chromedp.Reload())
			v.sees(t, "Latest activity", "Today and this month", c.balance, c.has)
			v.until(t, `document.querySelectorAll('.plot rect').length > 0`)
			v.fitsAt(t, "home", sizes...)
			for _, width := range []int64{1280, 1600} {
				v.do(t, chromedp.EmulateViewport(width, 740))
				v.look(t, fmt.Sprintf("home at %d", width), tidy)
			}
			v.do(t, chromedp.EmulateViewport(v.width, v.height))

			var asked []string
			v.mu.Lock()
			for _, call := range v.calls {
				if u, err := url.Parse(strings.TrimPrefix(call, "GET ")); err == nil && !strings.Contains(u.Path, "/console") &&
					!strings.Contains(u.Path, "/users/") || strings.HasSuffix(call, "logged") {
					asked = append(asked, u.Path[strings.LastIndexByte(u.Path, '/')+1:])
				} else if err == nil &&
					(strings.HasSuffix(u.Path, "/alerts") || strings.HasSuffix(u.Path, "/messages") ||
						strings.HasSuffix(u.Path, "/ledger")) {
					asked = append(asked, u.Path[strings.LastIndexByte(u.Path, '/')+1:])
				}
			}
			v.mu.Unlock()
			if slices.Sort(asked); !slices.Equal(asked, c.asks) {
				t.Errorf("it asks for %q, want %q", asked, c.asks)
			}

			query := "/reports/summary?days=31"
			if c.tree {
				query += fmt.Sprint("&tree=", c.who.ID)
			}
			s := into[summary](t, c.who, query)
			shown := ask[map[string][]string](t, v,
				`Object.fromEntries([...document.querySelectorAll('dl [data-figure]')].map((e) => [e.dataset.figure, [...e.querySelectorAll('dd')].map((d) => d.textContent)]))`)
			today, month := s.Days[len(s.Days)-1], map[string]int{}
			var ten int64 // thousandths that the month's credits come to
			for _, d := range s.Days {
				if d.Day[:7] == today.Day[:7] {
					month["trials"] += d.Trials
					month["activations"] += d.Activations
					month["extensions"] += d.Extensions
					ten += tenths(t, d.Spent)
				}
			}
			for what, now := range map[string]int{"trials": today.Trials, "activations": today.Activations,
				"extensions": today.Extensions} {
				if want := []string{fmt.Sprint(now), fmt.Sprintf("%d this month", month[what])}; !slices.Equal(shown[what], want) ||
					now == 0 {
					t.Errorf("%s are %q, want %q", what, shown[what], want)
				}
			}
			if want := []string{today.Spent.String(), written(ten) + " this month"}; !slices.Equal(shown["spent"], want) {
				t.Errorf("spent was %q, want %q", shown["spent"], want)
			}
			for what, to := range map[string]string{
				"running": "/lines?status=running&show=official", "trials": "/lines?status=running&show=trials",
				"expiring_7d": "/lines?when=soon&show=official", "expired_14d": "/lines?when=past&show=official",
			} {
				tile := ask[[]string](t, v,
					fmt.Sprintf(`((e) => [e.querySelector('.figure').textContent, e.href])(document.querySelector('[data-count=%s]'))`,
						what))
				if tile[0] != fmt.Sprint(s.Lines[what]) || tile[0] == "0" || tile[1] != address+"/console"+to {
					t.Errorf("%s is %q, and the API counts %v", what, tile, s.Lines[what])
				}
			}
			v.charted(t, s)

			if c.balance == "" {
				proof := c.who.send(t, "GET", "/ledger/proof", nil)
				for _, what := range []string{"issued", "balances", "consumed"} {
					if got := shown[what]; len(got) != 1 || strings.ReplaceAll(got[0], ",", "") != proof[what] {
						t.Errorf("%s is %q, want %v", what, got, proof[what])
					}
				}
				service := into[struct{ Version, Store string }](t, c.who, "/service")
				v.sees(t, "Balanced", "Version\n"+service.Version, "Records in\n"+service.Store, "Running since")
				v.lacks(t, "Ask for credits", "Your balance", "Last backup")
				v.quiet(t, address)
				return
			}
			v.asksFor(t, "https://wa.me/5511988887777", c.message, false)
			c.who.send(t, "PUT", fmt.Sprintf("/users/%d/alerts", c.who.ID), map[string]any{"balance_low": "80"})
			reaches(boss, "912 345 678", "@the_boss")
			v.do(t, chromedp.Reload())
			v.sees(t, "Low: below 80", "Alert below 80")
			v.until(t, `document.querySelector('.urgent a').href.startsWith('https://t.me/')`)
			v.asksFor(t, "https://t.me/the_boss", c.message, true)
			v.fits(t, "home with a low balance")
			reaches(boss, "+55 11 98888-7777", "")
			v.quiet(t, address)
		})
	}
}

// tenths reads credits of at most one decimal place.
func tenths(t *testing.T, n json.Number) int64 {
	t.Helper()
	units, tenth, _ := strings.Cut(n.String(), ".")
	var of int64
	if _, err := fmt.Sscan(units+cmp.Or(tenth, "0"), &of); err != nil || len(tenth) > 1 {
		t.Fatal(n, err)
	}
	return of
}

func written(tenths int64) string {
	if tenths%10 == 0 {
		return fmt.Sprint(tenths / 10)
	}
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}

// charted checks the chart of what was spent: its table, its bars and what the keys lead to are what the API sums up.
func (v *tab) charted(t *testing.T, s summary) {
	t.Helper()
	table := ask[[][]string](t, v,
		`[...document.querySelectorAll('.plot tbody tr')].map((r) => [...r.children].map((c) => c.textContent))`)
	bars := ask[map[string]float64](t, v,
		`Object.fromEntries([...document.querySelectorAll('.plot rect')].map((r) => [Math.floor(Number(r.getAttribute('x'))), Number(r.getAttribute('height'))]))`)
	axis := ask[[]float64](t, v, `[...document.querySelectorAll('.plot .scale span')].map((s) => Number(s.textContent))`)
	if len(table) != len(s.Days) || len(axis) < 3 || axis[len(axis)-1] != 0 {
		t.Fatalf("the table has %d rows for %d days, the axis %v", len(table), len(s.Days), axis)
	}
	for i, d := range s.Days {
		at, err := time.Parse(time.DateOnly, d.Day)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{at.Format("Jan 2"), d.Spent.String()}; !slices.Equal(table[i], want) {
			t.Errorf("a row of the table is %q, want %q", table[i], want)
		}
		spent, err := d.Spent.Float64()
		if height, drawn := bars[fmt.Sprint(i)]; err != nil || drawn != (spent > 0) || height-spent*100/axis[0] > 0.01 ||
			height-spent*100/axis[0] < -0.01 {
			t.Errorf("%s is a bar %v tall below %v, and %v were spent", d.Day, height, axis[0], d.Spent)
		}
	}
	v.sees(t, table[len(table)-1][0]+", today")
	for key, i := range map[string]int{"Home": 0, "End": len(table) - 1} {
		said := ask[string](t, v,
			fmt.Sprintf(
				`(() => { const e = document.querySelector('.plot [role=slider]'); e.focus(); e.dispatchEvent(new KeyboardEvent('keydown', { key: %q, bubbles: true })); return document.activeElement === e ? '' : 'it takes no focus' })()`, key))
		value := table[i][1] + " credits"
		if table[i][1] == "1" {
			value = "1 credit"
		}
		v.until(t,
			fmt.Sprintf(
				`((want) => document.querySelector('.plot .said').textContent === want && document.querySelector('.plot [role=slider]').ariaValueText === want)(%q)`, table[i][0]+": "+value))
		if said != "" {
			t.Error(said)
		}
	}
	v.click(t, `.plot summary`)
	v.until(t, `document.querySelector('.plot table').checkVisibility()`)
	v.fits(t, "the chart as a table")
}

// asksFor checks where "ask for credits" leads, and that the same text is copied.
func (v *tab) asksFor(t *testing.T, to, message string, urgent bool) {
	t.Helper()
	v.until(t, fmt.Sprintf(`[...document.querySelectorAll('.own a')].some((a) => a.href.startsWith(%q))`, to))
	link, err := url.Parse(
		ask[string](t, v, `[...document.querySelectorAll('.own a')].find((a) => a.textContent === 'Ask for credits').href`))
	if err != nil || link.Scheme+"://"+link.Host+link.Path != to || link.Query().Get("text") != message {
		t.Errorf("credits are asked for at %v: %v", link, err)
	}
	if is := ask[bool](t, v,
		`!!document.querySelector('.own .urgent') && !!document.querySelector('[data-low]')`); is != urgent {
		t.Errorf("that it is urgent is %v", is)
	}
	ask[bool](t, v, `(navigator.clipboard.writeText = async (text) => { window.copied = text }, window.copied = '', true)`)
	v.click(t, `.own [aria-label="Copy message"]`)
	v.until(t, fmt.Sprintf(`window.copied === %q`, message))
}

// TestConsolePrints prints a statement and recovery codes, on a dark screen: black on white, with whose they are and
// when, and nothing of what is pressed.
func TestConsolePrints(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	maria.line(t, "ana.tv", "0.5")
	v := open(t, 1280, 740)
	v.signIn(t, maria)
	prints := func(what string, sees ...string) {
		t.Helper()
		media := func(media, scheme string) {
			v.do(t, enable(emulation.SetEmulatedMedia,
				emulation.SetEmulatedMediaParams{Media: media,
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))
		}
		if _, err := chromedp.Call(v, page.PrintToPDF, page.PrintToPDFParams{}); err != nil {
			t.Fatal(err)
		}
		media("print", "dark")
		v.sees(t, append(sees, "Printed ")...)
		if colours := ask[string](t, v,
			`(({ color, backgroundColor }) => color + ' on ' + backgroundColor)(getComputedStyle(document.body))`); colours !=
			"rgb(0, 0, 0) on rgb(255, 255, 255)" {
			t.Errorf("%s are printed %s", what, colours)
		}
		if seen := ask[[]string](t, v,
			`[...document.querySelectorAll('header, nav, button, .head, .plot, .notice, .end')].filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 60))`); len(seen) > 0 {
			t.Errorf("%s are printed with %q", what, seen)
		}
		v.picture(t, what)
		media("", "light")
		v.until(t, `!document.querySelector('.printed').checkVisibility()`)
	}
	v.press(t, "Statement")
	v.sees(t, "That is all.")
	prints("statement", "Statement of maria", "Movements from", "Activation ana.tv", "balance 99.5")
	if broken := ask[bool](t, v,
		`[...document.querySelectorAll('.row.movement > .amount')].some((e) => getComputedStyle(e).textAlign !== 'end')`); broken {
		t.Error("credits are not at the end of their column")
	}

	v.do(t, chromedp.Navigate(address+"/console/sessions?do=totp"))
	v.fill(t, "password", maria.Password)
	v.click(t, `form .main`)
	v.shows(t, `[data-secret]`)
	v.fill(t, "code", code(t, ask[string](t, v, `document.querySelector('[data-secret]').textContent.replaceAll(' ', '')`),
		time.Now()))
	v.click(t, `form .main`)
	v.shows(t, `.codes`)
	codes := strings.Split(v.copies(t, "Copy codes"), "\n")
	prints("recovery codes", append(codes, "Recovery codes of maria")...)
	v.quiet(t, address)
}
