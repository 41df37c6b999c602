package browser

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// begins has each page of a tab run a script before its own.
func (v *tab) begins(t *testing.T, script string) {
	t.Helper()
	if _, err := chromedp.Call(v, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		t.Fatal(err)
	}
}

// before is a proxy that answers instead of the service, where answers is not nil.
func before(t *testing.T, address string) (front string, answers *atomic.Pointer[http.HandlerFunc]) {
	t.Helper()
	service := between(t, address)
	answers = &atomic.Pointer[http.HandlerFunc]{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := answers.Load(); answer != nil {
			(*answer)(w, r)
			return
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, answers
}

// TestConsoleTabOlderThanAnUpdateLoadsAgain signs in, and chooses a language, in a tab whose texts the service no
// longer has.
func TestConsoleTabOlderThanAnUpdateLoadsAgain(t *testing.T) {
	t.Parallel()
	older, newer := serveOn(t, "memory:", adminPassword, "RESELLERD_BRAND_NAME=Older"),
		serveOn(t, "memory:", adminPassword, "RESELLERD_BRAND_NAME=Newer")
	ana := admin(t, newer).reader(t, "es", "ana", false, "5")
	address, answers := before(t, older)
	updated := http.HandlerFunc(between(t, newer).ServeHTTP)
	for name, does := range map[string]func(v *tab){
		"signs in": func(v *tab) {
			v.enter(t, ana)
			v.sees(t, "Su saldo", "5 créditos")
			v.until(t, `document.title.endsWith('Newer')`)
		},
		"chooses a language": func(v *tab) {
			v.click(t, `[data-lang=pt-BR]`)
			v.sees(t, "Newer", "Entrar")
		},
	} {
		answers.Store(nil)
		v := open(t, 360, 740)
		v.do(t, chromedp.Navigate(address+"/console"))
		v.sees(t, "Older", "Sign in")
		answers.Store(&updated)
		does(v)
		v.await(t, `look.once()`)
		for _, said := range v.hush() {
			if !strings.Contains(said, "404") && !strings.Contains(said, "icon") {
				t.Errorf("%s: the page said %q", name, said)
			}
		}
	}
}

// TestConsoleSaysThatItDidNotLoad breaks the files that the page loads: a sentence in the page itself stays until the
// console is there.
func TestConsoleSaysThatItDidNotLoad(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	program := between(t, address)
	for _, width := range []int64{1280, 360} {
		v := open(t, width, 740)
		for _, part := range []string{"/app.js", "/chunk.js", "/text/en.js", "/app.js cut"} {
			broken := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				file, cut := strings.CutSuffix(part, " cut")
				switch {
				case !strings.HasSuffix(r.URL.Path, file):
					program.ServeHTTP(w, r)
				case cut:
					w.Header().Set("Content-Type", "text/javascript")
					_, _ = w.Write([]byte("const $store = (() => {"))
				default:
					w.WriteHeader(http.StatusForbidden)
				}
			})
			front := httptest.NewServer(broken)
			v.do(t, chromedp.Navigate(front.URL+"/console"))
			v.sees(t, "The console has not loaded yet.", "Load again")
			v.look(t, part, `look.layout()`)
			v.picture(t, "not loaded")
			if text := ask[string](t, v, `document.body.innerText`); strings.Contains(text, "cookies") ||
				strings.Contains(text, "carregou") {
				t.Errorf("%s: the page says %q", part, text)
			}
			front.Close()
		}
		v.do(t, chromedp.Navigate(address+"/console"))
		v.sees(t, "Sign in")
		v.until(t, `!document.querySelector('.before')`)

		var broken atomic.Bool
		broken.Store(true)
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if broken.Load() && strings.HasSuffix(r.URL.Path, "/inside.js") {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			program.ServeHTTP(w, r)
		}))
		t.Cleanup(front.Close)
		v.do(t, chromedp.Navigate(front.URL+"/console"))
		v.enter(t, admin(t, address))
		v.sees(t, "Try again")
		v.look(t, "/inside.js", `look.layout()`)
		broken.Store(false)
		v.click(t, `main button`)
		v.isIn(t)
	}
}

// TestConsoleSaysThatCookiesAreBlocked opens the console in browsers that store no site data, no cookies, or not the
// session's cookie.
func TestConsoleSaysThatCookiesAreBlocked(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	for _, blocks := range []string{
		`for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied', 'SecurityError') } })`,
		`Object.defineProperty(navigator, 'cookieEnabled', { value: false })`,
	} {
		for _, width := range []int64{1280, 360} {
			v := open(t, width, 740)
			v.begins(t, blocks)
			v.do(t, chromedp.Navigate(address+"/console/lines"))
			v.sees(t, "This browser blocks cookies", "Load again")
			if text := ask[string](t, v, `document.body.innerText`); strings.Contains(text, "has not loaded") ||
				strings.Contains(text, "bloquea") {
				t.Errorf("the page says %q", text)
			}
			v.look(t, "blocked", `look.layout()`)
			v.isAccessible(t, "blocked")
			v.quiet(t, address)
		}
	}

	joao := admin(t, address).reseller(t, "joao", false, "5")
	service := between(t, address)
	drops := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Cookie")
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(drops.Close)
	v := open(t, 360, 740)
	v.do(t, chromedp.Navigate(drops.URL+"/console"))
	v.enter(t, joao)
	v.sees(t, "the browser did not store the session", "Sign in")
	v.fits(t, "dropped")
}

// TestConsoleCopiesWhereTheBrowserRefuses copies where pages may not write to the clipboard: in the older way, or with
// a text that the user copies.
func TestConsoleCopiesWhereTheBrowserRefuses(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	joao := admin(t, address).reseller(t, "joao", false, "5")
	line := joao.line(t, "ana.tv", "1")
	for _, width := range []int64{1280, 360} {
		v := open(t, width, 740)
		v.begins(t,
			`navigator.clipboard.writeText = () => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'))
			document.execCommand = (what) => { // the older way, which takes a click of a hand
				if (what !== 'copy' || window.refuses) return false
				window.got = document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)
				return true
			}`)
		v.signIn(t, joao)
		v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d", address, line)))
		v.click(t, `[aria-label="Copy password"]`)
		v.until(t, `window.got === '7788' && document.activeElement.getAttribute('aria-label') === 'Copy password'`)
		v.click(t, `[aria-label="Copy message"]`)
		v.sees(t, "Copied")
		v.until(t, `window.got.includes('ana.tv')`)

		ask[bool](t, v, `window.refuses = true`)
		v.click(t, `[aria-label="Copy password"]`)
		v.sees(t, "This browser does not let the page copy.")
		v.until(t, `((e) => e.value === '7788' && e.selectionStart === 0 && e.selectionEnd === 4)(document.activeElement)`)
		v.fits(t, "by hand")
		v.isAccessible(t, "by hand")
		v.press(t, "Close")
		v.until(t,
			`!document.querySelector('dialog[open]') && document.activeElement.getAttribute('aria-label') === 'Copy password'`)
		v.quiet(t, address)
	}
}

// TestConsoleReportsRequestsWithoutAnAnswer has each request of each screen fail in turn: blocked by an extension,
// answered by a proxy, cut. The screen reports it. Once the request can be answered, a click shows the result.
func TestConsoleReportsRequestsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "1000")
	joao := maria.reseller(t, "joao", false, "50")
	line, trial := maria.line(t, "ana.tv", "1"), maria.line(t, "", "")
	// Requests that a screen can do without: without the answer it shows less, and nothing wrong.
	besides := regexp.MustCompile(
		`^(/|/lines\S*) /users/\d+/messages$|^\S+ /bulk\?limit=1$|^/activity /events\?.*wait=|^\S+ /users/\d+/alerts$|^/ /(prices|webhooks)$|^/lines/\d+ /prices$|^/lines /reports/summary`)
	v := open(t, 1280, 900)
	v.begins(t, `const answered = window.fetch
		window.fetch = (...what) => {
			const [fails, how] = JSON.parse(sessionStorage.fails || '["", ""]')
			if (!fails || (location.origin + fails) !== new URL(what[0], location).href.replace(/(expires_(after|before)|cursor)=[^&]*/g, '$1=')) return answered(...what)
			if (how === 'blocked') return Promise.reject(new TypeError('Failed to fetch'))
			if (how === 'proxy') return Promise.resolve(new Response('<html><h1>502 Bad Gateway</h1></html>', { status: 502, headers: { 'Content-Type': 'text/html' } }))
			return Promise.resolve(new Response('{"data":[{"id":1,"user', { headers: { 'Content-Type': 'application/json' } }))
		}`)
	v.signIn(t, maria)
	hidden := regexp.MustCompile(`(expires_(?:after|before)|cursor)=[^&]*`)
	for i, path := range []string{
		"", "/lines", fmt.Sprintf("/lines/%d", line), fmt.Sprintf("/lines/%d?do=extend", line),
		fmt.Sprintf("/lines/%d?do=activate", trial), "/jobs", "/resellers",
		fmt.Sprintf("/resellers/%d", joao.ID), fmt.Sprintf("/resellers/%d?do=topup", joao.ID), "/statement", "/activity",
		"/webhooks", "/keys", "/staff", "/messages", "/sessions",
	} {
		fails := func(what, how string) {
			ask[string](t, v, fmt.Sprintf(`sessionStorage.fails = JSON.stringify([%q, %q])`, what, how))
		}
		fails("", "")
		v.await(t, `look.once()`) // no request of the last screen is under way
		v.mu.Lock()
		v.calls = nil
		v.mu.Unlock()
		v.do(t, chromedp.Navigate(address+"/console"+path))
		v.isIn(t)
		v.await(t, `look.once()`)
		v.mu.Lock()
		var asked []string
		for _, call := range v.calls {
			if to, is := strings.CutPrefix(call, "GET "+address); is && !strings.HasPrefix(to, "/console") {
				asked = append(asked, hidden.ReplaceAllString(to, "$1="))
			}
		}
		v.mu.Unlock()
		for n, what := range slices.Compact(slices.Sorted(slices.Values(asked))) {
			how := []string{"blocked", "proxy", "cut"}[(i+n)%3]
			// its balance in the head stays away, and Home says why
			if besides.MatchString(cmp.Or(path, "/")+" "+what) || path != "" && what == "/users/logged" {
				continue
			}
			fails(what, how)
			v.do(t, chromedp.Navigate(address+"/console"+path))
			said := false
			// A busy machine draws late.
			for end := time.Now().Add(2 * soon); !said && time.Now().Before(end); time.Sleep(40 * time.Millisecond) {
				said = v.holds(t, `!!document.body?.innerText.includes('does not answer')`)
			}
			if !said {
				t.Errorf("%s: %s %s is silent", path, what, how)
				continue
			}
			fails("", "")
			if v.holds(t, `!!document.querySelector('dialog[open]')`) {
				if !v.holds(t, `document.querySelector('dialog[open]').innerText.includes('Try again')`) {
					v.click(t, `dialog [aria-label=Close]`) // the panel lies over the screen; a list may try again by itself then
				}
				v.until(t, `[...document.querySelectorAll('main button')].forEach((b) => b.textContent === 'Try again' && b.click()) ??
					!document.body.innerText.includes('does not answer')`)
				continue
			}
			v.press(t, "Try again")
			v.until(t, `!!document.querySelector('header') && !document.body.innerText.includes('does not answer')`)
		}
	}
}

// TestConsoleSendsNothingThatTheTabCannotStore fills the tab's storage: a form that could take effect twice after a
// reload is not sent.
func TestConsoleSendsNothingThatTheTabCannotStore(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	joao := admin(t, address).reseller(t, "joao", false, "5")
	line := joao.line(t, "ana.tv", "1")
	v := open(t, 360, 740)
	v.begins(t, `const set = Storage.prototype.setItem
		Storage.prototype.setItem = function (...what) { if (window.full) throw new DOMException('It is full', 'QuotaExceededError'); set.apply(this, what) }`)
	v.signIn(t, joao)
	v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d?do=edit", address, line)))
	v.shows(t, `[name=notes]`)
	ask[bool](t, v, `window.full = true`)
	v.fill(t, "notes", "by the window")
	v.click(t, `form .primary`)
	v.sees(t, "Nothing was sent. This browser has no room left")
	v.fits(t, "full")
	if notes := joao.send(t, "GET", fmt.Sprintf("/lines/%d", line), nil)["notes"]; notes != nil {
		t.Errorf("the notes are %q", notes)
	}
	ask[bool](t, v, `window.full = false`)
	v.click(t, `form .primary`)
	v.sees(t, "ana.tv was changed.", "by the window")
	v.quiet(t, address)
}

// TestConsoleSaysThatAScreenFailed breaks a screen from within: it is not blank, and its links work.
func TestConsoleSaysThatAScreenFailed(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	joao := admin(t, address).reseller(t, "joao", false, "5")
	v := open(t, 360, 740)
	v.signIn(t, joao)
	ask[bool](t, v,
		`((format) => { Intl.ListFormat = Intl.RelativeTimeFormat = Intl.DateTimeFormat = function () { throw new RangeError('none such') }; return true })()`)
	v.press(t, "Statement")
	v.sees(t, "This page stopped working.")
	v.fits(t, "failed")
	v.press(t, "Load again")
	v.sees(t, "Opening credits")
	if said := v.hush(); len(said) != 1 || !strings.Contains(said[0], "exception") {
		t.Errorf("the page said %q", said)
	}
}

// TestConsoleAcceptsCharactersThatKeyboardsAdd signs in with a space after the name, and tops up in digits of other
// scripts.
func TestConsoleAcceptsCharactersThatKeyboardsAdd(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	joao := maria.reseller(t, "joao", false, "5")
	v := open(t, 360, 740)
	v.signIn(t, &account{address: address, Name: " maria ", Password: maria.Password})
	types := func(name, text string) { // no key types these
		t.Helper()
		v.shows(t, "main [name="+name+"]")
		ask[bool](t, v,
			fmt.Sprintf(
				`((e) => { e.value = %q; return e.dispatchEvent(new Event('input', { bubbles: true })) })(document.querySelector('main [name=%s]'))`, text, name))
	}
	for _, typed := range []string{"١٢٫٥", "۱۲٫۵", "１２．５"} {
		v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/resellers/%d?do=topup", address, joao.ID)))
		types("credits", typed)
		v.press(t, "Add 12.5 credits")
		v.sees(t, "joao was topped up with 12.5 credits.")
	}
	v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/resellers/%d?do=password", address, joao.ID)))
	types("username", "joana\u200f ")
	v.fill(t, "password", "s3cret-joana")
	types("whatsapp", "+٥٥ ١١ ٩١٢٣٤-٥٦٧٨")
	v.click(t, `form .primary`)
	v.sees(t, "joana")
	v.until(t, `location.search === ''`)
	is := joao.address
	joao = logIn(t, is, "joana", "s3cret-joana")
	if own := joao.send(t, "GET", "/users/logged", nil); own["whatsapp"] != "+55 11 91234-5678" ||
		own["credits"] != "42.5" {
		t.Errorf("joana is %v", own)
	}
	v.quiet(t, address)
}
