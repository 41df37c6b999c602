package browser

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Times of a hand and an eye, in seconds, by the keystroke-level model of Card, Moran and Newell: to find something on
// a new screen, to put the thumb on it, to type a letter; and how long the thumb rests for a long press.
const (
	looking = 1.35
	tapping = 1.1
	typing  = 0.28
	resting = 0.5
)

// hand is a tab that counts a user's actions.
type hand struct {
	*tab
	taps, letters, screens, rests int
	screen                        string
}

// tap taps the element of a selector, and counts the screen if it differs from that of the tap before.
func (h *hand) tap(t *testing.T, selector string) {
	t.Helper()
	if !strings.HasPrefix(selector, "/") {
		h.shows(t, selector)
	}
	h.counts(t)
	h.click(t, selector)
}

// holds rests the thumb on the row of a line, which selects it.
func (h *hand) holds(t *testing.T, name string) {
	t.Helper()
	row := inRow(name, ".st")
	h.until(t, fmt.Sprintf(`!!%s`, row))
	h.counts(t)
	h.rests++
	at := ask[[]float64](t, h.tab,
		fmt.Sprintf(`((r) => [r.left + r.width / 2, r.top + r.height / 2])(%s.getBoundingClientRect())`, row))
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) chromedp.Action[chromedp.Void] {
		return enable(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	h.do(t, touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at[0], Y: at[1]}))
	h.shows(t, `.pick-bar`)
	h.do(t, touch(input.DispatchTouchEventTypeTouchEnd, []*input.TouchPoint{}...))
}

func (h *hand) counts(t *testing.T) {
	t.Helper()
	if at := ask[string](t, h.tab, `location.pathname + new URLSearchParams(location.search).get('do')`); at != h.screen {
		h.screen = at
		h.screens++
	}
	h.taps++
}

// types fills a field, which takes a tap if it has not the focus.
func (h *hand) types(t *testing.T, name, text string) {
	t.Helper()
	h.shows(t, fmt.Sprintf(`main [name=%q]`, name))
	if !ask[bool](t, h.tab, fmt.Sprintf(`document.activeElement?.name === %q`, name)) {
		h.counts(t)
	}
	h.letters += utf8.RuneCountInString(text)
	h.fill(t, name, text)
}

// leaves taps a link out of the console, whose address has to be like this, without following it.
func (h *hand) leaves(t *testing.T, selector, like string) {
	t.Helper()
	h.shows(t, selector)
	h.counts(t)
	if to := ask[string](t, h.tab, fmt.Sprintf(`document.querySelector(%q).href`, selector)); !regexp.MustCompile(like).
		MatchString(to) {
		t.Errorf("%s leads to %s", selector, to)
	}
}

func (h *hand) seconds() float64 {
	return looking*float64(h.screens) + tapping*float64(h.taps) + typing*float64(h.letters) + resting*float64(h.rests)
}

// TestTasks does a reseller's daily tasks with a thumb on a phone, and compares the result with the table of the
// console's document.
func TestTasks(t *testing.T) {
	t.Parallel()
	written, err := os.ReadFile("../../adapters/console/README.md")
	if err != nil {
		t.Fatal(err)
	}
	address := serve(t, "")
	boss := admin(t, address)
	maria := boss.reseller(t, "maria", true, "100")
	maria.reseller(t, "joao", false, "5")
	boss.ending(t, maria, map[string]time.Duration{"ana.tv": 50 * time.Hour, "bia.tv": 74 * time.Hour,
		"caio.tv": 20 * 24 * time.Hour})
	v := open(t, 360, 740)
	place := func(key string) string { return fmt.Sprintf(`//nav//a[normalize-space(.)=%q]`, key) }
	ana := func(what string) string { return `//tr[.//a[.='ana.tv']]//` + what }
	for _, task := range []struct {
		name string
		do   func(h *hand)
	}{
		{"Sign in", func(h *hand) {
			h.types(t, "username", maria.Name)
			h.types(t, "password", maria.Password)
			h.tap(t, `form .primary`)
			h.isIn(t)
		}},
		{"Find a customer by phone", func(h *hand) {
			h.tap(t, `[data-search]`)
			h.letters += len("988887777")
			h.do(t, chromedp.SendKeys(`.palette input`, "988887777"))
			h.until(t, `document.querySelectorAll('.palette mark').length === 3`)
			h.tap(t, `[role=option]`)
			h.until(t, `/lines\/\d+$/.test(location.pathname)`)
		}},
		{"Renew from Home", func(h *hand) {
			h.tap(t, ana("*[@data-renew]"))
			h.tap(t, ana("button[@type='submit']"))
			h.sees(t, "Renewed until")
		}},
		{"Remind from Home", func(h *hand) { h.leaves(t, `[data-remind]`, `^https://wa\.me/5511988887777\?text=`) }},
		{"Renew all that expire this week", func(h *hand) {
			h.tap(t, `.task .primary`)
			h.until(t, `document.querySelector('form .primary')?.textContent === 'Renew 1 customer for 1 credit'`)
			h.tap(t, `form .primary`)
			h.shows(t, `[data-job=done]`)
		}},
		{"New trial, sent", func(h *hand) {
			h.tap(t, `.trial button`)
			h.shows(t, `[data-message=access]`)
			h.leaves(t, `section a[href^="https://wa.me/"]`, `\?text=.*Password`)
		}},
		{"Activate a trial", func(h *hand) {
			h.tap(t, place("Customers"))
			h.tap(t, `//button[normalize-space(.)='Activate']`)
			h.tap(t, `//button[@type='submit'][normalize-space(.)='Activate for 1 credit']`)
			h.sees(t, "Active until")
		}},
		{"Recharge a reseller", func(h *hand) {
			h.tap(t, place("Resellers"))
			h.tap(t, `//button[@aria-label='Top up joao']`)
			h.tap(t, `dialog form .primary`)
			h.sees(t, "joao was topped up with 10 credits.")
		}},
		{"Statement to a spreadsheet", func(h *hand) {
			h.tap(t, place("Statement"))
			h.tap(t, `//a[normalize-space(.)='CSV']`)
		}},
		{"Suspend a line", func(h *hand) {
			h.tap(t, place("Customers"))
			h.tap(t, `//a[@data-row][contains(., 'caio.tv')]`)
			h.tap(t, `.actions .pop > button`)
			h.tap(t, `//button[normalize-space(.)='Suspend']`)
			h.sees(t, "caio.tv is suspended.")
		}},
		{"Block a reseller and its lines", func(h *hand) {
			h.tap(t, place("Resellers"))
			h.tap(t, `//a[@data-row][contains(., 'joao')]`)
			h.tap(t, `//button[normalize-space(.)='Block joao…']`)
			h.tap(t, `main input[value=suspend]`)
			h.tap(t, `form .danger`)
			h.sees(t, "joao is blocked.")
		}},
		{"Renew three lines at once", func(h *hand) {
			h.tap(t, place("Customers"))
			h.holds(t, "ana.tv")
			for _, name := range []string{"bia.tv", "caio.tv"} {
				h.tap(t, fmt.Sprintf(`//input[@aria-label='Select %s']`, name))
			}
			h.tap(t, `.pick-bar .primary`)
			h.until(t, `document.querySelector('form .primary')?.textContent.includes('3 customers')`)
			h.tap(t, `form .primary`)
			h.shows(t, `[data-job]`)
		}},
		{"Make a key", func(h *hand) {
			h.tap(t, `nav .rest > button`)
			h.tap(t, place("API keys"))
			h.tap(t, `//button[normalize-space(.)='New API key']`)
			h.types(t, "name", "bot")
			h.tap(t, `main input[value=read_only]`)
			h.tap(t, `form .primary`)
			h.shows(t, `[data-secret]`)
		}},
		{"Add a cashier", func(h *hand) {
			h.tap(t, `nav .rest > button`)
			h.tap(t, place("Staff"))
			h.tap(t, `//button[normalize-space(.)='New staff member']`)
			h.types(t, "username", "ana")
			h.tap(t, `main input[value=cashier]`)
			h.tap(t, `form .primary`)
			h.sees(t, "ana can sign in now.")
		}},
	} {
		v.do(t, chromedp.Navigate(address+"/console"))
		v.await(t, `look.once()`)
		h := &hand{tab: v}
		task.do(h)
		row := regexp.MustCompile(`\| ` + regexp.QuoteMeta(task.name) + ` \|[^|]*\| (\d+) taps?, (\d+) s \|`).FindSubmatch(
			written)
		took := fmt.Sprintf("%d taps, %.0f s", h.taps, h.seconds())
		t.Logf("%s: %s (%d screens, %d letters)", task.name, took, h.screens, h.letters)
		if row == nil || fmt.Sprintf("%s taps, %s s", row[1], row[2]) != took {
			t.Errorf("%s: %s, and the document says %q", task.name, took, row)
		}
	}
	v.quiet(t, address)
}
