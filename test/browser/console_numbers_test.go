package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// in has a tab be in a time zone.
func (v *tab) in(t *testing.T, zone string) {
	t.Helper()
	v.do(t, enable(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone}))
}

// module has the page's own modules under window.m, in a language.
func (v *tab) module(t *testing.T, language string, names ...string) {
	t.Helper()
	imports := ""
	for _, name := range append(names, "text.js") {
		imports += fmt.Sprintf(`Object.assign(all, await import(document.querySelector('link[rel=icon]').href.replace('icon.svg', %q)));`, name)
	}
	ask[bool](t, v, fmt.Sprintf(`(delete window.m, (async () => { const all = {}; %s await all.speak(%q); window.m = all })(), true)`, imports, language))
	v.until(t, `'m' in window`)
}

// TestConsoleNumbers reads and writes amounts, times, cells and telephone numbers in each language and far from
// Greenwich.
func TestConsoleNumbers(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	v := open(t, 1280, 800)
	v.in(t, "Asia/Kolkata")
	v.do(t, chromedp.Navigate(address+"/console"))
	v.sees(t, "Sign in")
	// What is read of what is typed: an amount, what it perhaps is, or why it is none.
	const typed = `((all) => all.map((text) => { const a = m.typedCredits(text); return a.amount || (a.perhaps ? 'perhaps ' + a.perhaps : a.wrong || '') }).join(' | '))`
	for _, row := range []struct{ language, expression, want string }{
		{"en", typed + `(['', '7', '007', '1,000', '1000.5', '1,234,567.8901', '.5', '5.', '1 000.25', ' 12 '])`, " | 7 | 7 | 1000 | 1000.5 | 1234567.8901 | 0.5 | 5 | 1000.25 | 12"},
		{"en", typed + `(['1,5', '1,00', '0,500', '1.000,50', '1.000.000', '1,0000'])`, "perhaps 1.5 | perhaps 1 | perhaps 0.5 | perhaps 1000.5 | perhaps 1000000 | perhaps 1"},
		{"pt-BR", typed + `(['1.000', '1000', '1.000,50', '1,5', '1,50000', ',5', '12.345.678,9'])`, "1000 | 1000 | 1000.5 | 1.5 | 1.5 | 0.5 | 12345678.9"},
		{"pt-BR", typed + `(['1.5', '1.00', '0.500', '1,000.50', '10.5'])`, "perhaps 1.5 | perhaps 1 | perhaps 0.5 | perhaps 1000.5 | perhaps 10.5"},
		{"es", typed + `(['1.000', '1000,5', '1,5', '1.5', '1,000.50'])`, "1000 | 1000.5 | 1.5 | perhaps 1.5 | perhaps 1000.5"},
		{"es", typed + `(['-1', '1e3', '1.2.3', 'x', '1,2,3', '.', '1,23456', '1234567890123'])`, "amount.none | amount.none | amount.none | amount.none | amount.none | amount.none | field.too-many-decimal-places | field.too-large"},
		// What is written can be typed.
		{"en", `m.credits('1234.5') + ' ' + m.typedCredits(m.credits('1234567.25')).amount`, "1,234.5 1234567.25"},
		{"pt-BR", `m.credits('1234.5') + ' ' + m.typedCredits(m.credits('1234567.25')).amount`, "1.234,5 1234567.25"},
		{"es", `m.credits('1234.5') + ' ' + m.typedCredits(m.credits('1234567.25')).amount`, "1.234,5 1234567.25"},
		{"en", `[36, 47, 49, 71.9, -36, -50].map((h) => m.left(new Date(m.now() + h * 3600_000 + 1000))).join(', ')`, "in 36 hours, in 47 hours, in 2 days, in 2 days, 36 hours ago, 2 days ago"},
		{"en", `[30 * 24, 1, 0.5].map((h) => m.left(new Date(m.now() + h * 3600_000 - 1000))).join(', ')`, "in 30 days, in 1 hour, in 29 minutes"},
		{"pt-BR", `m.dateTime('2030-01-31T20:00:00.000Z')`, "1 de fev. de 2030, 01:30"},
		{"en", `m.csv([['a', '-2', '=1+1', '@x', '-1+1', '-1.5'], [null, 'b,"c"', '+', '-x', '+5', 'd;e']])`,
			"a,-2,'=1+1,'@x,'-1+1,-1.5\r\n,\"b,\"\"c\"\"\",'+,'-x,'+5,\"d;e\"\r\n"},
		{"pt-BR", `m.csv([['a', '-1,5', '=1+1', 'b;c']])`, "a;-1,5;'=1+1;\"b;c\"\r\n"},
		// To whom a password may be sent.
		{"en", `[['+55 (11) 98888-7777', 'PT'], ['0055 11 98888 7777', 'PT'], ['11 98888-7777', 'br'], ['011 98888-7777', 'BR'], ['5511988887777', 'BR']].map((a) => m.dialled(...a)).join(' ')`,
			"5511988887777 5511988887777 5511988887777 5511988887777 5511988887777"},
		{"en", `[['11 98888-7777', 'PT'], ['11 8888-7777', 'BR'], ['912 345 678', 'PT'], ['5511988887777', 'PT'], ['+55', 'BR'], ['+55<b>11988887777', 'BR'], ['+1234567890123456', 'BR'], [null, 'BR'], ['11 98888-7777', 'Brasil']].map((a) => m.dialled(...a)).join(' ')`, "        "},
	} {
		v.module(t, row.language, "format.js", "csv.js", "whatsapp.js", "clock.js")
		if got := ask[string](t, v, row.expression); got != row.want {
			t.Errorf("%s: %s is %q, want %q", row.language, row.expression, got, row.want)
		}
	}
	v.quiet(t, address)
}
