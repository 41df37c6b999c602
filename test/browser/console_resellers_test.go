package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestConsoleResellers sorts and filters the list of resellers, tops up from a row and takes credits back, undoes a
// block, and sends a new reseller its access. The browser stores no password.
func TestConsoleResellers(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	master := maria.reseller(t, "carla", true, "9.5")
	master.reseller(t, "deep", false, "1")
	joao := maria.reseller(t, "joao", false, "20")
	maria.reseller(t, "ana", false, "0")
	v := open(t, 1280, 800)
	v.signIn(t, maria)
	lists := func(want ...string) {
		t.Helper()
		v.until(t, fmt.Sprintf(`[...document.querySelectorAll('.resellers [data-row]')].map((a) => a.textContent).join() === %q`,
			strings.Join(want, ",")))
	}
	v.press(t, "Resellers")
	lists("carla", "joao", "ana")
	v.sees(t, "No credits", "3 resellers")
	v.until(t, `[...document.querySelectorAll('.tabs b')].map((b) => b.textContent).join() === '3,2,0'`)
	v.press(t, "Balance")
	lists("ana", "carla", "joao")
	v.press(t, "Balance")
	lists("joao", "carla", "ana")
	v.click(t, `[data-tab=low]`)
	lists("carla", "ana")
	v.press(t, "All levels")
	lists("joao", "carla", "deep", "ana")
	v.press(t, "Direct")
	lists("joao", "carla", "ana")

	// The amount that was topped up last is chosen the next time, and the focus returns to the button.
	tops := func(chosen, says string) {
		t.Helper()
		v.click(t, `[aria-label="Top up joao"]`)
		v.until(t, fmt.Sprintf(`document.activeElement.value === %q`, chosen))
		v.sees(t, says)
	}
	tops("10", "20 → 30 credits")
	v.do(t, chromedp.KeyEvent(kb.ArrowRight))
	v.sees(t, "20 → 40 credits", "70.5 → 50.5 credits")
	v.fits(t, "top-up in a row")
	v.press(t, "Add 20 credits")
	v.sees(t, "joao was topped up with 20 credits.")
	v.until(t, `document.activeElement.ariaLabel === 'Top up joao' && document.activeElement.closest('tr').innerText.includes('40')`)
	tops("20", "40 → 60 credits")
	v.do(t, chromedp.KeyEvent(kb.Escape))

	v.press(t, "joao")
	v.click(t, `[data-add="50"]`)
	v.sees(t, "50.5 → 0.5 credits", "Add 50 credits")
	v.fill(t, "credits", "60")
	v.sees(t, "Not enough credits: you have 50.5, this needs 60 credits.")
	v.do(t, chromedp.KeyEvent(kb.Escape))
	v.click(t, `.head [aria-label="More about joao"]`)
	v.press(t, "Take back")
	v.fill(t, "credits", "5")
	v.sees(t, "40 → 35 credits", "50.5 → 55.5 credits")
	v.press(t, "Take back 5 credits")
	v.until(t, `document.querySelector('[data-balance]').dataset.balance === '35'`)

	v.press(t, "Block joao…")
	v.click(t, `form .danger`)
	v.sees(t, "joao is blocked.")
	v.press(t, "Undo")
	v.sees(t, "joao was unblocked.", "Block joao…")
	if is := maria.send(t, "GET", fmt.Sprintf("/users/%d", joao.ID), nil); is["block"] != nil {
		t.Errorf("joao is %v", is)
	}

	v.press(t, "Resellers")
	v.press(t, "New reseller")
	v.until(t, `document.querySelector('main [name=country]').value === 'BR'`)
	v.fill(t, "username", "nina")
	password := ask[string](t, v, `document.querySelector('main [name=password]').value`)
	v.click(t, `form .primary`)
	v.sees(t, "nina was created.", "Send access", "Password: "+password)
	if text := v.copies(t, "Copy message"); !strings.Contains(text, address+"/console") || !strings.Contains(text, "nina") {
		t.Errorf("the message is %q", text)
	}
	v.fits(t, "access to send")
	v.keeps(t, password)
	logIn(t, address, "nina", password)
	v.do(t, chromedp.Reload())
	v.sees(t, "nina")
	v.lacks(t, "Send access", password)
	v.quiet(t, address)
}
