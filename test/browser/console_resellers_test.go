package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestConsoleOfAMaster does with resellers what a master does, and what an admin looks at, on a desk and on a phone.
func TestConsoleOfAMaster(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			t.Parallel()
			address := serve(t, "")
			boss := admin(t, address)
			maria := boss.reseller(t, "maria", true, "100")
			joao := maria.reseller(t, "north", true, "0").reseller(t, "joao", false, "0")
			joao.send(t, "POST", "/lines/test", map[string]any{"notes": "asked on Saturday"})
			v := open(t, width, 740)
			v.signIn(t, maria)

			v.press(t, "Lines")
			v.sees(t, "asked on Saturday", "of joao")
			for _, now := range [][2]string{{"es", "de joao"}, {"en", "of joao"}} {
				v.speak(t, now[0])
				v.sees(t, now[1])
			}
			v.fits(t, "lines")
			v.press(t, "Resellers")
			v.sees(t, "north", "Master")
			v.click(t, `.twig[aria-expanded=false]`)
			v.sees(t, "joao")
			v.fits(t, "tree")
			v.do(t, chromedp.SendKeys(`[data-search]`, "JOÃO"))
			v.until(t,
				`location.search === '?q=JO%C3%83O' && [...document.querySelectorAll('a.row .name')].map((e) => e.textContent).join() === 'joao'`)
			v.press(t, "Resellers")
			v.sees(t, "north")
			v.press(t, "New reseller")
			v.fill(t, "username", "pedro")
			v.fill(t, "password", "s3cret-pedro")
			v.fill(t, "credits", "10.5")
			v.fill(t, "country", "BR")
			v.fits(t, "create")
			v.click(t, `form .main`)
			v.sees(t, "pedro was created.", "+10.5 credits, balance 10.5 credits", "First credits")
			v.fits(t, "reseller")

			v.press(t, "Top up")
			v.fill(t, "credits", "5")
			v.sees(t, "Balance of pedro: 10.5, then 15.5.", "Balance of maria: 89.5, then 84.5.")
			v.fits(t, "top-up")
			v.click(t, `form .main`)
			v.sees(t, "pedro was topped up with 5 credits.", "balance 15.5 credits")
			v.press(t, "Take back")
			v.fill(t, "credits", "2.25")
			v.fill(t, "notes", "=1+1")
			v.click(t, `form .main`)
			v.sees(t, "2.25 credits were taken back from pedro.", "balance 13.25 credits")

			v.press(t, "Edit")
			v.fill(t, "telegram", "@pedro")
			v.fill(t, "notes", "<script>alert(1)</script>")
			v.fits(t, "contact")
			v.click(t, `form .main`)
			v.sees(t, "pedro was changed.", "@pedro", "<script>alert(1)</script>")
			v.press(t, "Block")
			v.sees(t, "can do nothing from now on")
			v.click(t, `form .danger`)
			v.sees(t, "pedro is blocked.", "Blocked")
			v.press(t, "Lift the block")
			v.click(t, `form .main`)
			v.sees(t, "pedro is not blocked any more.")
			v.press(t, "Name and password")
			v.fill(t, "password", "another-s3cret")
			v.fill(t, "whatsapp", "+55 11 91234-5678")
			v.fits(t, "password")
			v.click(t, `form .main`)
			v.sees(t, "Name and password of pedro were saved.")

			v.press(t, "Statement")
			v.sees(t, "That is all.", "Taken back", "· account")
			v.fits(t, "statement")
			v.press(t, "Save all as CSV")

			v.more(t)
			v.press(t, "Sign-in and security")
			v.sees(t, "This one")
			v.fits(t, "sessions")
			second := open(t, 360, 740)
			second.signIn(t, maria)
			v.do(t, chromedp.Reload())
			v.press(t, "End it")
			v.until(t, `document.querySelectorAll('.row.session').length == 1`)
			second.do(t, chromedp.Reload())
			second.sees(t, "User name")
			second.enter(t, maria)
			second.isIn(t)
			v.press(t, "Change password")
			v.fill(t, "password", "not-mine")
			v.fill(t, "new_password", "my-new-s3cret")
			v.click(t, `form .main`)
			v.sees(t, "This is not the present password.")
			v.fits(t, "own password")
			v.fill(t, "password", maria.Password)
			v.click(t, `form .main`)
			v.sees(t, "Your password was changed. This session goes on", "This one")
			second.do(t, chromedp.Reload())
			second.sees(t, "User name")
			v.press(t, "Change user name")
			v.fill(t, "username", "mary")
			v.fill(t, "password", "not-mine-either")
			v.fill(t, "whatsapp", "+55 11 91234-5678")
			v.click(t, `form .main`)
			v.sees(t, "This is not the present password.")
			v.fill(t, "password", "my-new-s3cret")
			v.fits(t, "own name")
			v.click(t, `form .main`)
			v.sees(t, "Your user name is mary now.")
			v.until(t, `document.querySelector('header .who').innerText.startsWith('mary')`)
			refused := 0
			for _, said := range v.hush() {
				if strings.Contains(said, "status of 401") {
					refused++
				} else {
					t.Error(said)
				}
			}
			if refused != 2 {
				t.Errorf("%d passwords were refused", refused)
			}
			logIn(t, address, "mary", "my-new-s3cret")
			v.more(t)
			v.press(t, "Sign out")
			v.sees(t, "User name")

			v.enter(t, boss)
			v.isIn(t)
			v.more(t)
			v.press(t, "Proof of credits")
			v.sees(t, "It balances", "100 credits")
			v.fits(t, "proof")
			v.more(t)
			v.press(t, "Prices")
			v.sees(t, "1 month")
			v.fits(t, "prices")
			v.quiet(t, address)
		})
	}
}
