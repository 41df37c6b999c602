package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// through is a proxy in front of the program. It has answer handle each request; next is the program.
func through(t *testing.T, address string,
	answer func(w http.ResponseWriter, r *http.Request, next http.Handler)) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	program := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = target.Scheme, target.Host, r.In.Host
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, program) }))
	t.Cleanup(server.Close)
	return server.URL + target.Path
}

// TestConsoleTypedCredits tops up with amounts as readers of each language type them. The button shows the amount, and
// that amount moves. Where a text could mean two amounts, the page asks.
func TestConsoleTypedCredits(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	boss := admin(t, address)
	for _, c := range []struct {
		language, typed, button string
		asks                    string // before it moves any
		has                     string
	}{
		{"pt-BR", "1.000", "Adicionar 1.000 créditos", "", "1000"},
		{"pt-BR", "1.5", "Adicionar 1,5 créditos", "Você quis dizer 1,5?", "1.5"},
		{"es", "1.000,50", "Añadir 1.000,5 créditos", "", "1000.5"},
		{"en", "1,000", "Add 1,000 credits", "", "1000"},
		{"en", "1.000,50", "Add 1,000.5 credits", "Did you mean 1,000.5?", "1000.5"},
	} {
		t.Run(c.language+" "+c.typed, func(t *testing.T) {
			t.Parallel()
			name := strings.NewReplacer(".", "-", ",", "-").Replace(c.language + c.typed)
			w := wordsOf(t, c.language)
			maria := boss.reader(t, c.language, "m"+name, true, "5000")
			joao := maria.reader(t, c.language, "j"+name, false, "0")
			v := open(t, 360, 740)
			v.signIn(t, maria)
			v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/resellers/%d?do=topup", address, joao.ID)))
			v.fill(t, "credits", c.typed)
			if c.asks != "" {
				v.sees(t, c.asks)
				v.fits(t, "an amount that is not clear")
				v.click(t, `form .primary`)
				v.until(t,
					`document.activeElement.name === 'credits' && document.activeElement.getAttribute('aria-invalid') === 'true'`)
				v.click(t, `form .field + button`)
			}
			v.until(t, fmt.Sprintf(`document.querySelector('form .primary').textContent.trim() === %q`, c.button))
			v.fits(t, "an amount")
			v.click(t, `form .primary`)
			v.sees(t, w.of(t, "nav.statement"))
			v.until(t, `!!document.querySelector('[data-movement]')`)
			if has := fmt.Sprint(boss.send(t, "GET", fmt.Sprintf("/users/%d", joao.ID), nil)["credits"]); has != c.has {
				t.Errorf("%s was typed, and %s moved, want %s", c.typed, has, c.has)
			}
			v.quiet(t, address)
		})
	}
}

// TestConsoleRestoresTypedText fills forms in and leaves them in each way. The text is there again, except for
// passwords of accounts, until the user discards the form or signs out.
func TestConsoleRestoresTypedText(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	joao := maria.reseller(t, "joao", false, "0")
	v := open(t, 1280, 800)
	v.signIn(t, maria)
	screen := fmt.Sprintf("%s/console/resellers/%d", address, joao.ID)
	v.do(t, chromedp.Navigate(screen))
	v.press(t, "Top up")
	v.until(t, `document.querySelector('dialog [name=credits]').value === '10'`)
	v.fill(t, "credits", "12.5")
	v.fill(t, "notes", "paid on Friday")
	there := func(how string) {
		t.Helper()
		v.until(t,
			`['12.5', 'paid on Friday'].join() === ['credits', 'notes'].map((name) => document.querySelector('main [name=' + name + ']')?.value).join()`)
		v.sees(t, "Your earlier input is back.", "Add 12.5 credits")
		v.picture(t, how)
	}
	for _, way := range []struct {
		name  string
		leave func()
	}{
		{"reload", func() { v.do(t, chromedp.Reload()); v.press(t, "Top up") }},
		{"the screen again", func() { v.do(t, chromedp.Navigate(screen)); v.press(t, "Top up") }},
		{"Esc", func() {
			ask[bool](t, v, `document.activeElement.blur() ?? true`)
			v.do(t, chromedp.KeyEvent(kb.Escape))
			v.until(t, `!document.querySelector('dialog[open]')`)
			v.press(t, "Top up")
		}},
		{"back", func() {
			v.do(t, chromedp.Navigate(address+"/console"), chromedp.Navigate(screen+"?do=topup"))
			ask[bool](t, v, `history.back() ?? true`)
			v.until(t, `location.pathname.endsWith('/console')`)
			v.do(t, chromedp.Navigate(screen))
			v.press(t, "Top up")
		}},
		{"another screen", func() {
			v.click(t, `dialog [aria-label=Close]`)
			v.press(t, "Customers")
			v.sees(t, "No customers yet.")
			v.do(t, chromedp.Navigate(screen+"?do=topup"))
		}},
	} {
		way.leave()
		there(way.name)
	}
	v.press(t, "Start over")
	v.until(t,
		`document.querySelector('main [name=credits]').value === '10' && !document.body.innerText.includes('Your earlier input is back.')`)
	v.do(t, chromedp.Navigate(screen+"?do=contact"))
	v.fill(t, "notes", "late")
	v.press(t, "Cancel")
	v.press(t, "Edit")
	v.until(t, `document.querySelector('main [name=notes]')?.value === ''`)

	v.do(t, chromedp.Navigate(address+"/console/resellers?do=create"))
	v.fill(t, "username", "pedro")
	v.fill(t, "password", "s3cret-pedro")
	v.do(t, chromedp.Reload())
	v.until(t,
		`document.querySelector('main [name=username]')?.value === 'pedro' && /^(....-){2}....$/.test(document.querySelector('main [name=password]').value)`)
	if kept := ask[string](t, v, `JSON.stringify(sessionStorage)`); strings.Contains(kept, "s3cret") ||
		!strings.Contains(kept, "pedro") {
		t.Errorf("the tab stores %s", kept)
	}
	v.account(t)
	v.press(t, "Sign out")
	v.until(t, `!document.querySelector('header[data-who]')`)
	if kept := ask[string](t, v, `JSON.stringify(sessionStorage)`); strings.Contains(kept, "pedro") ||
		strings.Contains(kept, "credits") {
		t.Errorf("after signing out the tab stores %s", kept)
	}
	v.quiet(t, address)
}

// TestConsoleSaysNoBalanceTwice loses the answers of forms that move credits and loads the page again. Once the shown
// balance includes the movement, the page does not predict a balance. A question about account 1 does not show for
// account 10. The page does not repeat a request that is older than the service's idempotency keys.
func TestConsoleSaysNoBalanceTwice(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	joao := maria.reseller(t, "joao", false, "0")
	line := maria.line(t, "ana.tv", "1")
	f := between(t, address)
	v := open(t, 360, 740)
	v.signIn(t, &account{address: f.address, Name: maria.Name, Password: maria.Password})
	for _, form := range []struct {
		path string
		fill func()
		sent string
	}{
		{fmt.Sprintf("/resellers/%d?do=topup", joao.ID), func() { v.fill(t, "credits", "10") }, "Sent: 10 credits."},
		{fmt.Sprintf("/lines/%d?do=extend", line), func() {
			v.click(t, `main input[value="1"]`)
			v.until(t, `!!document.querySelector('[data-preview]')`)
		}, "Cost: 1 credit"},
	} {
		v.do(t, chromedp.Navigate(f.address+"/console"+form.path))
		form.fill()
		v.sees(t, " → ")
		f.fail(lost)
		v.click(t, `form .primary`)
		v.sees(t, "No answer came")
		v.do(t, chromedp.Reload())
		v.sees(t, "No answer came", form.sent)
		if text := ask[string](t, v, `document.querySelector('main').innerText`); strings.Contains(text, " → ") {
			t.Errorf("%s says what the balance will be, and it is already: %s", form.path, text)
		}
		v.picture(t, "asked again "+form.sent)

		// As it is the form of account 10, 100, ... and days old.
		const stored = `Object.keys(sessionStorage).find((k) => k.includes(' form ') && JSON.parse(sessionStorage[k]).sent)`
		ask[bool](t, v,
			fmt.Sprintf(`((k) => { sessionStorage[k.replace(' form %d', ' form %d0')] = sessionStorage[k] })(%s) ?? true`,
				maria.ID, maria.ID, stored))
		v.do(t, chromedp.Navigate(f.address+"/console"))
		v.sees(t, "Sent, no answer yet")
		if waiting := ask[int](t, v, `document.querySelectorAll('.toasts > [data-form]').length`); waiting != 1 {
			t.Errorf("%d forms wait, and one is of this account", waiting)
		}
		ask[bool](t, v, fmt.Sprintf(`delete sessionStorage[Object.keys(sessionStorage).find((k) => k.includes(' form %d0'))]`,
			maria.ID))
		for _, age := range []struct {
			days float64
			says string
		}{{6.7, "this request is days old"}, {6.3, "Check the payment"}} {
			ask[bool](t, v,
				fmt.Sprintf(
					`((k) => { const form = JSON.parse(sessionStorage[k]); form.sent.at = Date.now() - %f * 24 * 3600_000; sessionStorage[k] = JSON.stringify(form) })(%s) ?? true`, age.days, stored))
			v.do(t, chromedp.Reload())
			v.sees(t, "Sent, no answer yet", age.says)
		}
		v.click(t, `[data-again]`)
		v.sees(t, "Done once")
		ask[bool](t, v,
			`Object.keys(sessionStorage).forEach((k) => k.includes(' form ') && sessionStorage.removeItem(k)) ?? true`)
	}
	if has := fmt.Sprint(maria.send(t, "GET", "/users/logged", nil)["credits"]); has != "88" {
		t.Errorf("the balance is %s", has)
	}
}
