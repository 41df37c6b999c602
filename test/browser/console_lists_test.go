package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// atTop returns the first row in view, and its position.
const atTop = `(() => {
	const covered = document.querySelector('header').getBoundingClientRect().bottom
	const row = [...document.querySelectorAll('[data-id]')].find((e) => e.getBoundingClientRect().bottom > covered)
	return row ? row.dataset.id + ' at ' + Math.round(row.getBoundingClientRect().top) : ''
})()`

// filters chooses a value of a filter of the list of customers.
func (v *tab) filters(t *testing.T, name, value string) {
	t.Helper()
	opener := fmt.Sprintf(`.filter-of[data-of=%s] .filter`, name)
	if v.width < 768 {
		opener = `.filters-all .chip`
	}
	v.click(t, opener)
	v.click(t, fmt.Sprintf(`[data-filter=%s][data-value=%s]`, name, value))
}

// selects begins to select rows, for which a phone has a button.
func (v *tab) selects(t *testing.T) {
	t.Helper()
	if v.width < 768 {
		v.click(t, `.thumb[aria-pressed=false]`)
	}
}

// TestConsoleComesBack scrolls down a long list, edits a line and comes back: to the same row at the same position. A
// reload, and a return from another screen, show the same row, too.
func TestConsoleComesBack(t *testing.T) {
	t.Parallel()
	const lines = 330
	left := lines / 3 // official ones
	address := serve(t, "")
	reseller := admin(t, address).reseller(t, "joao", false, "1000")
	for i := range lines {
		credits := ""
		if i%3 == 0 {
			credits = "1"
		}
		reseller.line(t, fmt.Sprintf("line%03d", i), credits)
	}
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			v := open(t, width, 700)
			v.signIn(t, reseller)
			v.do(t, chromedp.Navigate(address+"/console/lines?show=official&sort=expiry"))
			for _, wanted := range []int{50, 100} {
				v.until(t,
					fmt.Sprintf(`(scrollTo(0, document.body.scrollHeight), document.querySelectorAll('[data-id]').length > %d)`,
						wanted-1))
			}
			ask[bool](t, v, `(document.querySelectorAll('[data-id]')[70].scrollIntoView({ block: 'center' }), true)`)
			// it is stored
			v.until(t, fmt.Sprintf(`%s.startsWith(history.state.list?.anchor?.id + ' at ') && location.search.includes('at=')`,
				atTop))
			before := ask[string](t, v, atTop)
			name := ask[string](t, v, `document.querySelectorAll('[data-id]')[72].querySelector('.name').textContent`)
			same := func(when string) {
				t.Helper()
				v.until(t, `!!document.querySelector('[data-id]')`)
				v.until(t, fmt.Sprintf(`document.querySelectorAll('[data-id]').length > 0 && %s === %q`, atTop, before))
				v.picture(t, when)
			}

			for range 5 {
				v.do(t, chromedp.Reload())
				same("after a reload")
			}

			v.press(t, "Home")
			v.sees(t, "Recent activity")
			ask[bool](t, v, `history.back() ?? true`)
			same("after going back")

			ask[bool](t, v,
				fmt.Sprintf(`[...document.querySelectorAll('[data-row]')].find((r) => r.textContent.startsWith(%q)).click() ?? true`,
					name))
			v.sees(t, "Access")
			v.press(t, "Edit")
			v.fill(t, "whatsapp", "+55 11 91234-5678")
			v.fill(t, "notes", "was here")
			v.click(t, `form .primary`)
			v.sees(t, name+" was changed.")
			v.click(t, `.crumb button`)
			if width > 768 { // a phone shows no notes
				v.sees(t, "was here")
			}
			same("after an edit")

			v.press(t, "Home")
			v.sees(t, "Recent activity")
			v.do(t, chromedp.Reload())
			v.sees(t, "Recent activity")
			ask[bool](t, v, `history.back() ?? true`)
			same("after a reload elsewhere")

			// In another browser the address leads near the row.
			place := ask[string](t, v, `location.href`)
			other := open(t, width, 700)
			other.signIn(t, reseller)
			other.do(t, chromedp.Navigate(place))
			other.sees(t, "Show from the beginning", name)
			other.press(t, "Show from the beginning")
			other.sees(t, "line000")
			other.quiet(t, address)

			ids := ask[int](t, v,
				`(scrollTo(0, 0), new Set([...document.querySelectorAll('[data-id]')].map((e) => e.dataset.id)).size - document.querySelectorAll('[data-id]').length)`)
			if ids != 0 {
				t.Errorf("%d rows are shown twice", -ids)
			}
			const end = `(scrollTo(0, document.body.scrollHeight), document.body.innerText.includes('End of list'))`
			v.until(t, end)

			// One of its first rows goes: the pages that follow begin elsewhere, and none of their rows is shown twice or left
			// out.
			v.until(t, `(scrollTo(0, 0), !!document.querySelector('[data-page="0"] [data-id]'))`)
			gone := ask[string](t, v, `document.querySelectorAll('[data-id]')[1].dataset.id`)
			reseller.send(t, "DELETE", "/lines/"+gone, nil)
			left--
			ask[bool](t, v,
				`(() => { const now = Date.now; Date.now = () => now() + 120_000; return document.dispatchEvent(new Event('visibilitychange')) })()`)
			v.press(t, "Refresh")
			v.until(t, fmt.Sprintf(`!document.querySelector('[data-id="%s"]')`, gone))
			v.until(t,
				fmt.Sprintf(
					`%s && document.querySelectorAll('[data-id]').length === %d && new Set([...document.querySelectorAll('[data-id]')].map((e) => e.dataset.id)).size === %[2]d`, end, left))

			// The browser's history stores a part of a very long list, and the list continues where the part ends. The
			// pages after the second are out of view.
			v.until(t, `(scrollTo(0, 1), history.state.list?.anchor?.page === 0 && history.state.list.pages.length > 1)`)
			ask[bool](t, v, `(() => {
				const { list } = history.state, [first, second] = list.pages
				const pages = [first, [second[0], 9000], ...Array.from({ length: 450 }, (_, i) => ['page ' + (i + 2), 9000])]
				history.replaceState({ ...history.state, list: { ...list, pages, next: 'page 452' } }, '')
				return true
			})()`)
			v.do(t, chromedp.Reload())
			v.until(t, `!!document.querySelector('[data-id]') && (scrollTo(0, 9), history.state.list.pages.length === 400)`)
			if next := ask[string](t, v, `history.state.list.next`); next != "page 400" {
				t.Errorf("the entry goes on at %q", next)
			}
			v.quiet(t, address)
		})
	}
}

// TestConsoleKeys goes through a list by the keyboard alone.
func TestConsoleKeys(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	reseller := admin(t, address).reseller(t, "joao", false, "1000")
	for _, name := range []string{"ana.tv", "bia.tv", "caio.tv"} {
		reseller.line(t, name, "1")
	}
	v := open(t, 1280, 700)
	v.signIn(t, reseller)
	v.press(t, "Customers")
	v.sees(t, "caio.tv")
	key := func(keys string) { v.do(t, chromedp.KeyEvent(keys)) }
	// As a keyboard has it: no letter comes of a key that the page takes for itself.
	letter := func(text string) {
		t.Helper()
		name := text
		if text == kb.Enter {
			name = "Enter"
		}
		v.do(t,
			enable(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: name,
				Text: text}),
			enable(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: name}))
	}
	key("jjjk")
	v.until(t, `document.activeElement.textContent.startsWith('bia.tv')`)
	letter("/")
	v.until(t, `document.activeElement.role === 'combobox'`)
	key("CAIO")
	v.until(t, `document.querySelector('.palette [role=status]').textContent === '1 result'`)
	v.until(t, `document.querySelector('[role=option][aria-selected=true] mark').textContent === 'caio'`)
	key(kb.ArrowDown)
	v.fits(t, "search")
	v.isAccessible(t, "search")
	letter(kb.Enter)
	v.until(t, `document.querySelectorAll('tr[data-id]').length === 1 && location.search === '?q=CAIO'`)
	v.until(t, `document.activeElement.matches('[data-search]')`)
	key("j")
	v.until(t, `document.activeElement.textContent.startsWith('caio.tv')`)
	key(kb.Enter)
	v.sees(t, "Access")
	v.click(t, `[data-pay]`)
	v.sees(t, "Renew caio.tv")
	key(kb.Escape)
	v.until(t, `!location.search.includes('do=')`)
	ask[bool](t, v,
		`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true })) || true`)
	v.until(t, `document.activeElement.role === 'combobox'`)
	key("bia.t" + kb.Enter) // before its answer
	v.until(t, `document.querySelector('h1').textContent === 'bia.tv' && !document.querySelector('.palette')`)
	letter("?")
	v.until(t, `document.querySelector('dialog').open`)
	v.picture(t, "keys")
	v.click(t, `dialog input`)
	v.press(t, "Close")
	v.press(t, "Customers")
	v.sees(t, "bia.tv")
	key("j")
	v.until(t, `!document.activeElement.matches('[data-row]')`)
	v.do(t, chromedp.Navigate(address+"/console/sign-in"))
	v.until(t, `location.pathname === '/console' && !!document.querySelector('h1')`)
	v.quiet(t, address)
}

// TestConsoleLists has a list fail, be empty except for its cursor, and become outdated.
func TestConsoleLists(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	reseller := admin(t, address).reseller(t, "joao", false, "10")
	reseller.line(t, "ana.tv", "1")
	f := between(t, address)
	v := open(t, 360, 700)
	v.signIn(t, &account{address: f.address, Name: reseller.Name, Password: reseller.Password})
	v.sees(t, "Expire within 7 days")
	v.until(t, `!document.body.innerText.includes('Loading')`)

	empty := func(next string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, `{"data":[],"next_cursor":%q}`, next)
		}
	}
	f.mu.Lock()
	f.lists = []func(http.ResponseWriter, *http.Request){
		refuse, empty("b"), empty("c"), func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("cursor") != "c" {
				t.Errorf("the cursor is %q", r.URL.Query().Get("cursor"))
			}
			query := r.URL.Query()
			query.Del("cursor")
			r.URL.RawQuery = query.Encode()
			f.program.ServeHTTP(w, r)
		},
	}
	f.mu.Unlock()
	v.press(t, "Customers")
	v.sees(t, "cannot reach its storage")
	v.press(t, "Try again")
	v.sees(t, "ana.tv", "End of list")

	reseller.line(t, "bia.tv", "1")
	ask[bool](t, v,
		`(() => { const now = Date.now; Date.now = () => now() + 120_000; return document.dispatchEvent(new Event('visibilitychange')) })()`)
	v.sees(t, "As of")
	v.picture(t, "old")
	v.press(t, "Refresh")
	v.sees(t, "bia.tv")
	v.until(t, `!document.body.innerText.includes('As of')`)
}
