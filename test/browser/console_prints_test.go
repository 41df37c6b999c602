package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestConsolePrints prints a statement and recovery codes from a dark screen: black on white, with their owner and the
// date, and without buttons.
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
			`[...document.querySelectorAll('header, nav, button, .head, .plot, .note, .end')].filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 60))`); len(seen) > 0 {
			t.Errorf("%s are printed with %q", what, seen)
		}
		v.picture(t, what)
		media("", "light")
		v.until(t, `!document.querySelector('.printed').checkVisibility()`)
	}
	v.press(t, "Statement")
	v.sees(t, "End of list", "Balance at the end of each day")
	v.until(t, `!document.querySelector('button.print').disabled`)
	prints("statement", "Statement of maria", "resellerd · ", "Opening balance", "Activation ana.tv", "−0.5", "99.5")
	if broken := ask[bool](t, v,
		`[...document.querySelectorAll('.ledger .num')].some((e) => getComputedStyle(e).textAlign !== 'end')`); broken {
		t.Error("credits are not at the end of their column")
	}

	v.do(t, chromedp.Navigate(address+"/console/sessions?do=totp"))
	v.fill(t, "password", maria.Password)
	v.click(t, `form .primary`)
	v.shows(t, `[data-secret]`)
	v.fill(t, "code", code(t, ask[string](t, v, `document.querySelector('[data-secret]').textContent.replaceAll(' ', '')`),
		time.Now()))
	v.click(t, `form .primary`)
	v.shows(t, `.codes`)
	codes := strings.Split(v.copies(t, "Copy codes"), "\n")
	prints("recovery codes", append(codes, "Recovery codes of maria")...)
	v.quiet(t, address)
}
