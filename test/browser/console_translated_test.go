package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// translate has the page translated from now on, as browsers do: each text is replaced by elements with its
// translation, here the same in capitals, also those that come later. A stubborn one translates what is not to be
// translated as well.
func (v *tab) translate(t *testing.T, stubborn bool) {
	t.Helper()
	ask[bool](t, v, fmt.Sprintf(`((skipped) => {
		const translate = (root) => {
			const texts = [], all = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
			if (root.nodeType === 3) texts.push(root)
			else while (all.nextNode()) texts.push(all.currentNode)
			for (const text of texts) {
				if (!text.data.trim() || !text.parentElement || text.parentElement.closest(skipped)) continue
				const outer = document.createElement('font'), inner = document.createElement('font')
				inner.textContent = text.data.toUpperCase()
				outer.append(inner)
				text.replaceWith(outer)
			}
		}
		translate(document.body)
		new MutationObserver((records) => {
			for (const { addedNodes } of records) for (const node of addedNodes) if (node.nodeName !== 'FONT' && node.isConnected) translate(node)
		}).observe(document.body, { childList: true, subtree: true })
		return true
	})(%q)`, map[bool]string{false: "font, script, select, textarea, [translate=no]",
		true: "font, script, select, textarea"}[stubborn]))
}

// buys opens a form, has the page translated, changes the purchase, and sends it once the button shows the new price.
func (v *tab) buys(t *testing.T, path string, stubborn bool, change func(), says string) {
	t.Helper()
	v.do(t, chromedp.Navigate("about:blank"))
	v.do(t, chromedp.Navigate(path))
	v.until(t, `!!document.querySelector('main form [type=submit]') && !document.querySelector('[aria-busy=true]')`)
	v.translate(t, stubborn)
	change()
	v.until(t,
		fmt.Sprintf(
			`((b) => !b.disabled && b.textContent.trim().toLowerCase() === %q)(document.querySelector('main form [type=submit]'))`, strings.ToLower(says)))
	v.until(t, `!document.querySelector('[aria-busy=true]')`)
	v.click(t, `main form [type=submit]`)
}

// TestConsolePriceShownIsThePricePaid fills in each form that spends, on a page that the browser translates. The
// button, the sentence about the balance and the balance in the head show the price, and exactly that is spent.
func TestConsolePriceShownIsThePricePaid(t *testing.T) {
	t.Parallel()
	for _, stubborn := range []bool{false, true} {
		t.Run(fmt.Sprintf("stubborn %t", stubborn), func(t *testing.T) {
			t.Parallel()
			address := serve(t, "")
			maria := admin(t, address).reseller(t, "maria", true, "1000")
			joao := maria.reseller(t, "joao", false, "50")
			first, trial := maria.line(t, "ana.tv", "1"), maria.line(t, "", "")
			maria.line(t, "bia.tv", "1")
			v := open(t, 1280, 900)
			v.signIn(t, maria)
			chooses := func(credits, says string) func() {
				return func() {
					v.until(t, fmt.Sprintf(`((e) => !!e && !e.click())(document.querySelector('main form input[value="%s"]'))`,
						credits))
					v.until(t, fmt.Sprintf(`document.querySelector('main form').innerText.toLowerCase().includes(%q)`,
						strings.ToLower(says)))
				}
			}
			name := func(name string) string {
				if stubborn {
					return strings.ToUpper(name)
				}
				return name
			}
			types := func(credits, says string) func() {
				return func() {
					v.fill(t, "credits", credits)
					v.until(t, fmt.Sprintf(`document.querySelector('main form').innerText.toLowerCase().includes(%q)`,
						strings.ToLower(says)))
				}
			}
			balance := func(want string) {
				t.Helper()
				v.until(t, fmt.Sprintf(`document.querySelector('header .credits')?.textContent.toLowerCase() === '%s credits'`,
					want))
			}
			balance("948") // 1,000 less 50 for joao and two lines

			v.buys(t, fmt.Sprintf("%s/console/lines/%d?do=extend", address, first), stubborn,
				chooses("10", "10 credits · balance 948 → 938"), "Renew for 10 credits")
			balance("938")
			v.buys(t, fmt.Sprintf("%s/console/lines/%d?do=activate", address, trial), stubborn,
				chooses("2", "2 credits · balance 938 → 936"), "Activate for 2 credits")
			balance("936")
			v.do(t, chromedp.Navigate(address+"/console/lines"))
			v.shows(t, "[data-renew]")
			v.translate(t, stubborn)
			v.taps(t, name("ana.tv"), "[data-renew]")
			chooses("5", "5 credits · balance 936 → 931")()
			v.until(t, `document.querySelector('.renew .primary').textContent.toLowerCase() === 'renew for 5 credits'`)
			v.click(t, `.renew .primary`)
			balance("931")

			v.do(t, chromedp.Navigate(address+"/console/lines"))
			v.await(t, `look.once().then(() => [])`)
			v.picks(t, "ana.tv", "bia.tv")
			v.translate(t, stubborn)
			v.click(t, `.pick-bar .primary`)
			chooses("2", "balance 931 → 927")()
			v.until(t, `document.querySelector('main form .primary').textContent.toLowerCase() === 'renew 2 customers for 4 credits'`)
			v.click(t, `main form .primary`)
			v.shows(t, `[data-job=done]`)
			balance("927")

			v.buys(t, fmt.Sprintf("%s/console/resellers/%d?do=topup", address, joao.ID), stubborn, func() {
				types("5", "927 → 922")()
				types("7", "927 → 920")()
			}, "Add 7 credits")
			balance("920")
			v.buys(t, fmt.Sprintf("%s/console/resellers/%d?do=reclaim", address, joao.ID), stubborn, func() {
				types("1", "57 → 56")()
				types("3", "57 → 54")()
			}, "Take back 3 credits")
			balance("923")
			v.buys(t, address+"/console/resellers?do=create", stubborn, func() {
				v.fill(t, "username", " nina ")
				v.fill(t, "password", "s3cret-nina")
				v.fill(t, "country", "BR")
				v.fill(t, "credits", "4")
			}, "Create with 4 credits")
			balance("919")

			want := []string{"-4", "3", "-7", "-2", "-2", "-5", "-2", "-10"}
			data, _ := maria.send(t, "GET", fmt.Sprintf("/users/%d/ledger?limit=%d", maria.ID, len(want)), nil)["data"].([]any)
			for i, one := range data {
				if entry, _ := one.(map[string]any); entry["amount"] != want[i] {
					t.Errorf("movement %d from the newest is %v, want %s", i, entry["amount"], want[i])
				}
			}
			v.quiet(t, address)
		})
	}
}

// TestConsoleDrawsAgainInsteadOfSending changes the price on a button from outside of the console. The first click
// sends nothing and shows the price again with a sentence, and the next click sends the form.
func TestConsoleDrawsAgainInsteadOfSending(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	line := maria.line(t, "ana.tv", "1")
	v := open(t, 360, 740)
	v.signIn(t, maria)
	for _, what := range []string{"main form .primary", "main form .becomes [data-exact]",
		"main form .choice input:checked + span .credits"} {
		v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d?do=extend", address, line)))
		v.until(t, `!!document.querySelector('[data-preview]') && !!document.querySelector('.becomes [data-exact]')`)
		before := ask[string](t, v, fmt.Sprintf(`document.querySelector(%q).textContent`, what))
		ask[bool](t, v, fmt.Sprintf(`((e) => { e.textContent = '0.5 credits'; return true })(document.querySelector(%q))`,
			what))
		v.click(t, `main form .primary`)
		v.sees(t, "so nothing was sent")
		v.until(t, fmt.Sprintf(`document.querySelector(%q).textContent === %q`, what, before))
		v.picture(t, "redrawn")
		v.fits(t, "redrawn")
		if n := len(maria.movements(t)); n != 2 {
			t.Fatalf("%s: there are %d movements", what, n)
		}
	}
	v.click(t, `main form .primary`)
	v.sees(t, "ana.tv was renewed until")
	if n := len(maria.movements(t)); n != 3 {
		t.Errorf("there are %d movements", n)
	}
	v.quiet(t, address)
}
