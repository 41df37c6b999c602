package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// ending has an admin take official lines over for a reseller, which end so much later, or have ended.
func (a *account) ending(t *testing.T, owner *account, lines map[string]time.Duration) {
	t.Helper()
	var rows bytes.Buffer
	for name, in := range lines {
		if err := json.NewEncoder(&rows).Encode(map[string]any{
			"external_id": name, "username": name, "password": "7788", "owner": owner.ID, "whatsapp": "11 98888-7777",
			"country": "BR",
			"expDate": time.Now().Add(in).UTC().Format(time.RFC3339),
		}); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.address+"/imports/lines", &rows)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Authorization", "Bearer "+a.token)
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var report struct{ Created int }
	if err := json.NewDecoder(got.Body).Decode(&report); err != nil || report.Created != len(lines) {
		t.Fatal(fmt.Errorf("%d of %d lines were taken over: %s %w", report.Created, len(lines), got.Status, err))
	}
}

// inRow is an element of the row of a line.
func inRow(name, selector string) string {
	return fmt.Sprintf(
		`[...document.querySelectorAll('tr[data-id]')].find((e) => e.querySelector('.name').textContent === %q)?.querySelector(%q)`,
		name, selector)
}

// taps clicks in the row of a line.
func (v *tab) taps(t *testing.T, name, selector string) {
	t.Helper()
	v.until(t,
		fmt.Sprintf(
			`((e) => { if (!e || e.disabled || !e.checkVisibility()) return false; e.focus(); e.click(); return true })(%s)`,
			inRow(name, selector)))
}

// places returns the positions of the rows of a page.
const places = `JSON.stringify([...document.querySelectorAll('tr[data-id]')].map((e) => [e.querySelector('.name').textContent, Math.round(e.getBoundingClientRect().top + scrollY)]))`

// asks returns how often a list of lines was requested.
func (v *tab) asks(part string) (n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, address := range v.asked {
		if strings.Contains(address, part) {
			n++
		}
	}
	return n
}

// reminds goes through the queue of the lines that expire this week, ana.tv and bia.tv. A closed queue keeps its place.
func (v *tab) reminds(t *testing.T) {
	t.Helper()
	ask[bool](t, v,
		`!document.addEventListener('click', (e) => { if (e.target.closest('[data-next]')) e.preventDefault() }, true)`)
	turn := func(at, name string) {
		t.Helper()
		v.sees(t, "Customer "+at+" of 2")
		v.until(t, fmt.Sprintf(
			`!!((a) => a?.href.startsWith('https://wa.me/5511988887777?text=') && decodeURIComponent(a.href).includes(%q) && document.activeElement === a)(document.querySelector('[data-next]'))`, name))
	}
	v.press(t, "Remind these 2")
	turn("1", "ana.tv")
	v.fits(t, "queue")
	v.isAccessible(t, "queue")
	v.press(t, "Edit message")
	v.do(t, chromedp.SendKeys(`.turn textarea`, "Bye."))
	v.until(t, `decodeURIComponent(document.querySelector('[data-next]').href).endsWith('Bye.')`)
	v.click(t, `[data-next]`)
	turn("2", "bia.tv")
	v.do(t, chromedp.KeyEvent(kb.Escape))
	v.until(t, `!document.querySelector('dialog[open]')`)
	v.press(t, "Remind these 2")
	turn("2", "bia.tv")
	v.press(t, "Skip")
	v.sees(t, "All reminders are done.")
}

// TestConsoleRenewsInPlace renews lines in the first screen and in a list, with two taps. The row shows the result,
// nothing else moves, and no list is read again.
func TestConsoleRenewsInPlace(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			address := serve(t, "")
			joao := admin(t, address).reseller(t, "joao", false, "10")
			admin(t, address).ending(t, joao, map[string]time.Duration{"ana.tv": 50 * time.Hour, "bia.tv": 74 * time.Hour,
				"caio.tv": -49 * time.Hour})
			v := open(t, width, 740)
			v.signIn(t, joao)
			v.sees(t, "Expire within 7 days", "ana.tv", "caio.tv")
			v.fits(t, "home")
			v.reminds(t)
			before, lists, at := ask[string](t, v, places), v.asks("/lines?"), ask[string](t, v, `location.href`)

			v.taps(t, "ana.tv", "[data-renew]")
			v.until(t,
				fmt.Sprintf(`%s?.textContent.trim() === 'Renew for 1 credit' && !!document.querySelector('[data-preview]')`,
					inRow("ana.tv", ".primary")))
			v.sees(t, "New end: ", "1 credit · balance 10 → 9")
			v.fits(t, "renew")
			v.taps(t, "ana.tv", ".primary")
			v.until(t, fmt.Sprintf(`%s?.textContent.startsWith('Renewed until ')`, inRow("ana.tv", "[role=status]")))
			v.until(t,
				fmt.Sprintf(`document.activeElement === %s && document.querySelector('header').textContent.includes('9 credits')`,
					inRow("ana.tv", "[data-renew]")))
			v.taps(t, "caio.tv", "[data-renew]")
			v.taps(t, "caio.tv", ".primary")
			v.until(t, fmt.Sprintf(`!!%s && %s?.textContent.startsWith('Renewed until ')`, inRow("caio.tv", "[data-state=active]"),
				inRow("caio.tv", "[role=status]")))
			v.sees(t, "8 credits")
			v.fits(t, "renewed")
			if after := ask[string](t, v, places); after != before {
				t.Errorf("the rows are at %s, and were at %s", after, before)
			}
			if n := v.asks("/lines?"); n != lists || ask[string](t, v, `location.href`) != at {
				t.Errorf("lists were read %d times more, at %s", n-lists, ask[string](t, v, `location.href`))
			}
			if kinds := joao.movements(t); !slices.Equal(kinds, []string{"extension", "extension", "opening"}) {
				t.Errorf("the movements are %v", kinds)
			}

			// The renewed line no longer matches this list. Its row stays and shows the new state, and the last choice
			// is selected again.
			v.do(t, chromedp.Navigate(address+"/console/lines?when=soon"))
			v.sees(t, "bia.tv", "End of list")
			v.until(t, `document.querySelector('[data-tab=soon]').textContent.endsWith(' 1')`)
			before, lists = ask[string](t, v, places), v.asks("/lines?")
			v.taps(t, "bia.tv", "[data-renew]")
			v.taps(t, "bia.tv", `input[value="2"]`)
			v.until(t,
				fmt.Sprintf(`%s?.textContent.trim() === 'Renew for 2 credits' && !!document.querySelector('[data-preview]')`,
					inRow("bia.tv", ".primary")))
			v.fits(t, "renew in a list")
			v.isAccessible(t, "renew in a list")
			v.taps(t, "bia.tv", ".primary")
			v.until(t, fmt.Sprintf(`%s?.textContent.startsWith('Renewed until ')`, inRow("bia.tv", "[role=status]")))
			v.until(t, `document.querySelector('[data-tab=soon]').textContent.endsWith(' 0')`)
			if after := ask[string](t, v, places); after != before || v.asks("/lines?") != lists {
				t.Errorf("the rows are at %s, and were at %s; lists were read %d times more", after, before,
					v.asks("/lines?")-lists)
			}
			v.click(t, `[data-tab=all]`)
			v.sees(t, "caio.tv")
			v.taps(t, "ana.tv", "[data-renew]")
			v.until(t, fmt.Sprintf(`%s?.textContent.trim() === 'Renew for 2 credits'`, inRow("ana.tv", ".primary")))
			v.do(t, chromedp.KeyEvent(kb.Escape))

			// The chosen amount has the focus; Esc closes the panel and returns the focus.
			v.taps(t, "caio.tv", "[data-renew]")
			v.until(t, fmt.Sprintf(`document.querySelectorAll('.renew').length === 1 && document.activeElement === %s`,
				inRow("caio.tv", "input:checked")))
			v.do(t, chromedp.KeyEvent(kb.Escape))
			v.until(t, fmt.Sprintf(`!document.querySelector('.renew') && document.activeElement === %s`,
				inRow("caio.tv", "[data-renew]")))
			v.do(t, chromedp.KeyEvent("r"))
			v.shows(t, ".renew")
			v.click(t, `.side-head button`)
			v.until(t, fmt.Sprintf(`!document.querySelector('.renew') && document.activeElement === %s`,
				inRow("caio.tv", "[data-renew]")))
			v.do(t, chromedp.KeyEvent("kj"))
			v.until(t, `document.activeElement.matches('[data-row]')`)
			if kinds := joao.movements(t); len(kinds) != 4 {
				t.Errorf("the movements are %v", kinds)
			}
			v.quiet(t, address)
		})
	}
}
