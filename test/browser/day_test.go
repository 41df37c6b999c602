package browser

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// day is a user's whole day in the console, through its screens alone, in any language.
type day struct {
	*tab

	t       *testing.T
	who     *account
	role    string // reseller, master or admin
	w       words
	address string
	width   int64
	program string                      // the address of a receiver of webhooks
	looks   func(d *day, screen string) // at each screen
}

func (d *day) at(screen string) {
	d.t.Helper()
	d.looks(d, screen)
}

// submit presses the button of the form that is open.
func (d *day) submit(danger bool) {
	d.t.Helper()
	button := `form .primary[type=submit]`
	if danger {
		button = `form .danger`
	}
	d.click(d.t, button)
}

// goes opens a screen, whose link may be behind "more".
func (d *day) goes(key string) {
	d.t.Helper()
	ask[bool](d.t, d.tab, fmt.Sprintf(`(() => {
		const link = [...document.querySelectorAll('nav a')].find((a) => a.textContent.trim() === %q)
		link.click()
		return true
	})()`, d.w.of(d.t, key)))
	d.until(d.t, fmt.Sprintf(`document.querySelector('h1')?.textContent === %q`, d.w.of(d.t, key)))
}

// signsIn, in the language of the day.
func (d *day) signsIn(language string) {
	d.do(d.t, chromedp.Navigate(d.address+"/console"))
	d.shows(d.t, `input[name=username]`)
	d.speak(d.t, language)
	d.seesKey("sign-in")
	d.at("sign-in")
	d.enter(d.t, d.who)
	d.isIn(d.t)
	if ask[string](d.t, d.tab, `document.documentElement.lang`) != language { // an admin's account has no language
		d.speak(d.t, language)
	}
	d.seesKey("home.activity")
	d.until(d.t, `document.querySelectorAll('.panel').length >= (document.querySelector('.steps') ? 3 : 5) && !document.querySelector('main [role=status]')`)
	d.at("home")
}

// lines creates, renews, repairs, suspends, resumes and deletes lines.
func (d *day) lines() {
	t := d.t
	name := d.role + ".tv"
	d.goes("nav.lines")
	d.pressKey("trial.new")
	d.seesKey("line.access")
	d.at("trial")
	d.click(t, `[data-pay]`)
	d.click(t, `main input[value="0.5"]`)
	d.click(t, `form summary`)
	d.fill(t, "username", name)
	d.fill(t, "password", "5566")
	d.at("activate")
	d.submit(false)
	d.until(t, fmt.Sprintf(`document.querySelector('h1').textContent === %q && !!document.querySelector('.note.good')`,
		name))
	if d.role != "admin" {
		d.until(t, `!!document.querySelector('[data-movement]')`)
	}
	d.at("line")
	d.click(t, `[data-pay]`)
	d.click(t, `main input[value="1"]`)
	d.until(t, `!!document.querySelector('[data-preview]')`)
	d.at("extend")
	d.submit(false)
	d.until(t, `!location.search.includes('do=') && !!document.querySelector('.note.good')`)
	d.pressKey("line.edit")
	d.fill(t, "whatsapp", "+55 11 91234-5678")
	d.fill(t, "notes", "pays on Fridays")
	d.click(t, `form summary`)
	d.fill(t, "external_id", "crm-7")
	d.fill(t, "metadata", "plan: gold\nsince: 2024")
	d.at("edit")
	d.submit(false)
	d.seesKey("line.edited", "name", name)
	d.sees(t, "pays on Fridays", "crm-7", "gold")
	d.at("line with details")
	d.click(t, fmt.Sprintf(`[aria-label=%q]`, d.w.of(t, "line.qr")))
	d.shows(t, `.qr path[d^=M]`)
	d.at("QR code")
	d.click(t, `.side-head button`)
	d.stops("line.suspend")
	d.seesKey("line.suspend-done", "name", name)
	d.pressKey("undo")
	d.seesKey("line.resume-done", "name", name)
	d.shows(t, `.glance [data-state=active]`)
	d.stops("line.suspend")
	d.seesKey("line.suspended-means")
	d.pressKey("reason")
	d.fill(t, "reason", "asked for a pause")
	d.at("suspend")
	d.submit(true)
	d.seesKey("line.edited", "name", name)
	d.sees(t, "asked for a pause", d.w.of(t, "line.suspended-means"))
	d.shows(t, `.glance [data-state=suspended]`)
	d.at("suspended line")
	d.goes("nav.lines")
	d.filters(t, "status", "suspended")
	d.until(t, `location.search === '?status=suspended' && !!document.querySelector('tr [data-state=suspended]')`)
	d.at("suspended lines")
	d.click(t, fmt.Sprintf(`//a[@data-row][normalize-space(.)=%q]`, name))
	d.sees(t, "asked for a pause")
	d.stops("line.resume")
	d.seesKey("line.resume-done", "name", name)
	d.shows(t, `.glance [data-state=active]`)
	d.goes("nav.lines")
	d.sees(t, name, d.w.of(t, "list.end"))
	d.at("lines")
	d.many(name)
	d.searches("zz")
	d.seesKey("search.none")
	d.at("search without a result")
	d.do(t, chromedp.Navigate(d.address+"/console/lines?q=zz"))
	d.seesKey("lines.none-such")
	d.at("no such line")
	d.pressKey("filter.clear")
	d.sees(t, name)
	// The line of this role, not of another: a parent sees the other lines, too.
	d.click(t, fmt.Sprintf(`//a[@data-row][normalize-space(.)=%q]`, name))
	d.seesKey("line.access")
	d.click(t, `.actions .pop > button`)
	d.press(t, d.w.of(t, "line.delete")+"…")
	d.seesKey("line.delete-meaning")
	d.at("delete")
	d.fill(t, "typed", name)
	d.submit(true)
	d.seesKey("line.deleted", "name", name)
	d.goes("nav.statement")
	d.sees(t, d.w.of(t, "list.end"))
	d.at("statement")
	d.saves("statement.csv")
	d.goes("nav.home")
}

// stops suspends the line on the screen, or resumes it, from its menu.
func (d *day) stops(key string) {
	d.t.Helper()
	d.click(d.t, `.actions .pop > button`)
	d.pressKey(key)
}

// saves presses a link to a file. The browser requests the file outside of the page, so the page does not report the
// request.
func (d *day) saves(key string) {
	d.t.Helper()
	address := ask[string](d.t, d.tab,
		fmt.Sprintf(`[...document.querySelectorAll('a[download]')].find((a) => a.textContent.trim() === %q).href`,
			d.w.of(d.t, key)))
	d.pressKey(key)
	d.mu.Lock()
	d.calls = append(d.calls, "GET "+address)
	d.mu.Unlock()
}

// searches for something everywhere, and waits for the results.
func (d *day) searches(text string) {
	d.t.Helper()
	d.click(d.t, `[data-search]`)
	d.do(d.t, chromedp.SendKeys(`.palette input`, text))
	d.until(d.t, `!!document.querySelector('.palette [role=status]').textContent`)
}

// many extends the lines that a search finds, and looks at the result. It extends one line, which tests the same
// screens as a million. It begins and ends in the list.
func (d *day) many(name string) {
	t := d.t
	d.searches(strings.ToUpper(name))
	d.at("search")
	d.click(t, `.palette a[href*="lines?q="]`)
	d.until(t, fmt.Sprintf(`location.search === '?q=%s' && document.querySelectorAll('tr[data-id]').length === 1`,
		strings.ToUpper(name)))
	if d.width < 768 {
		d.click(t, `.filters-all .chip`)
	}
	d.saves("export")
	d.selects(t)
	d.click(t, `td.pick input`)
	d.at("selected")
	d.click(t, `[data-all]`)
	d.at("all selected")
	d.click(t, `.pick-bar .primary`)
	d.sees(t, "“"+strings.ToUpper(name)+"”")
	d.click(t, `main input[value="0.5"]`)
	d.shows(t, `[data-outcome]`)
	d.at("extend many")
	d.submit(false)
	d.shows(t, `[data-job=done]`)
	d.at("job")
	d.saves("job.save")
	d.pressKey("job.all")
	d.shows(t, `a.row.job-row`)
	d.at("jobs")
	d.goes("nav.lines")
	d.sees(t, name, d.w.of(t, "list.end"))
}

// resellers are made, topped up, changed, blocked.
func (d *day) resellers() {
	t := d.t
	d.goes("nav.resellers")
	d.sees(t, "north")
	d.at("resellers")
	d.pressKey("resellers.all")
	d.sees(t, map[string]string{"master": "south", "admin": "joao"}[d.role])
	d.at("resellers at all levels")
	if d.width < 768 {
		d.pressKey("filter.more")
	}
	d.saves("export")
	name := "pedro" + d.role
	d.pressKey("reseller.new")
	d.fill(t, "username", name)
	d.fill(t, "password", "s3cret-pedro")
	d.fill(t, "credits", d.w.decimal("10.5"))
	d.fill(t, "country", "BR")
	d.at("new reseller")
	d.submit(false)
	d.seesKey("reseller.created", "name", name)
	d.seesKey("kind.opening")
	d.until(t, `!!document.querySelector('[data-movement]')`)
	d.at("reseller")
	d.pressKey("reseller.topup")
	d.fill(t, "credits", "5")
	d.at("top-up")
	d.submit(false)
	d.seesKey("reseller.topup-done", "name", name, "amount", d.w.credits(t, "5"))
	d.menu(name)
	d.pressKey("reseller.reclaim")
	d.fill(t, "credits", d.w.decimal("2.25"))
	d.at("reclaim")
	d.submit(false)
	d.seesKey("reseller.reclaim-done", "name", name, "amount", d.w.credits(t, "2.25"))
	d.sees(t, d.w.credits(t, "13.25"))
	d.pressKey("reseller.contact")
	d.fill(t, "telegram", "@pedro")
	d.at("contact")
	d.submit(false)
	d.seesKey("reseller.contact-done", "name", name)
	d.press(t, d.w.of(t, "reseller.block-title", "name", name)+"…")
	d.seesKey("reseller.block-meaning")
	d.click(t, `main input[name=lines][value=suspend]`)
	d.shows(t, `[data-stops="0"]`)
	d.fill(t, "reason", "has not paid")
	d.at("block")
	d.submit(true)
	d.seesKey("reseller.block-done", "name", name)
	d.sees(t, "has not paid", d.w.of(t, "block.suspend"))
	d.at("blocked")
	d.press(t, d.w.of(t, "reseller.unblock-title", "name", name))
	d.sees(t, "has not paid", d.w.of(t, "block.over"))
	d.at("lift a block")
	d.submit(false)
	d.seesKey("reseller.unblock-done", "name", name)
	d.pressKey("reseller.contact")
	d.click(t, `form summary`)
	d.fill(t, "password", "another-s3cret")
	d.fill(t, "whatsapp", "+55 11 91234-5678")
	d.at("password")
	d.submit(false)
	d.seesKey("password.changed", "name", name)
	d.menu(name)
	d.setsAlert(fmt.Sprintf(`//main//button[normalize-space(.)=%q]`, d.w.of(t, "alert")), name)
	d.at("reseller with an alert")
	begins(t, d.address, name, "another-s3cret")
	d.menu(name)
	d.press(t, d.w.of(t, "reseller.totp")+"…")
	d.at("reset a second factor")
	d.submit(true)
	d.seesKey("reseller.totp-done", "name", name)
}

// menu opens the menu of the screen of a reseller.
func (d *day) menu(name string) {
	d.t.Helper()
	d.click(d.t, fmt.Sprintf(`.head [aria-label=%q]`, d.w.of(d.t, "more-about", "name", name)))
}

// setsAlert sets the threshold of an account's low-balance alert.
func (d *day) setsAlert(button, name string) {
	t := d.t
	d.click(t, button)
	d.fill(t, "credits", "500")
	d.at("alert")
	d.submit(false)
	d.seesKey("alert.set", "name", name, "amount", d.w.credits(t, "500"))
}

// webhooks are made, tested, changed, and deleted.
func (d *day) webhooks() {
	t := d.t
	d.goes("nav.webhooks")
	d.seesKey("webhook.none")
	d.at("no webhooks")
	d.pressKey("webhook.new")
	d.fill(t, "url", d.program+"/"+d.role)
	d.at("new webhook")
	d.submit(false)
	d.shows(t, `[data-secret]`)
	d.pressKey("webhook.test")
	d.until(t,
		`!!document.querySelector('main .row.delivery [data-state=good]') && !!document.querySelector('main > .screen .note.good')`)
	d.at("webhook")
	d.pressKey("line.edit")
	d.click(t, `main input[name=everything][value=false]`)
	d.seesKey("webhook.choose")
	d.click(t, `main .check input`)
	d.click(t, `main [role=group]:nth-of-type(2) summary`)
	d.click(t, `main input[value="balance.low"]`)
	d.fill(t, "description", "the office's CRM")
	d.at("edit a webhook")
	d.submit(false)
	d.seesKey("webhook.edited")
	d.sees(t, d.w.of(t, "activity.lines")+"; "+d.w.of(t, "activity.balance")+" (")
	d.pressKey("webhook.rotate")
	d.at("rotate a webhook")
	d.submit(false)
	d.shows(t, `[data-secret]`)
	d.pressKey("webhook.replay")
	d.until(t, `!document.querySelector('form .primary').disabled`)
	d.at("replay")
	d.submit(false)
	d.seesKey("webhook.replayed")
	d.sees(t, d.w.of(t, "delivery.entry", "n", ""))
	d.pressKey("webhook.disable")
	d.submit(false)
	d.seesKey("webhook.why.requested")
	d.at("disabled webhook")
	d.goes("nav.webhooks")
	d.seesKey("webhook.mend.requested")
	d.at("webhooks")
	d.click(t, `main a.row.webhook`)
	d.pressKey("webhook.enable")
	d.submit(false)
	d.seesKey("webhook.enable-done")
	d.pressKey("line.delete")
	d.at("delete a webhook")
	d.submit(true)
	d.seesKey("webhook.none")
	d.goes("nav.home")
	if d.role != "admin" {
		d.setsAlert(`[data-alert]`, d.who.Name)
		d.seesKey("home.low", "amount", "500")
		d.at("home with a low balance")
	}
}

// principals act for the account: keys are made, changed and revoked, people of the staff as well.
func (d *day) principals() {
	t := d.t
	d.goes("nav.keys")
	d.seesKey("key.none")
	d.at("no keys")
	d.pressKey("key.new")
	d.fill(t, "name", "shop")
	d.click(t, `main input[value="cashier"]`)
	d.fill(t, "credits", d.w.decimal("10.5"))
	d.at("new key")
	d.submit(false)
	d.shows(t, `[data-secret]`)
	d.at("key")
	d.pressKey("line.edit")
	d.click(t, `main input[name=role][value=""]`)
	d.click(t, `main input[value="lines:passwords"]`)
	d.chooses(t, "expires_at", "2031-02-03")
	d.fill(t, "allowed_addresses", "192.0.2.7\n2001:db8::/32")
	d.at("edit a key")
	d.submit(false)
	d.sees(t, "192.0.2.7, 2001:db8::/32", d.w.of(t, "scope.lines:read")+"; ")
	d.goes("nav.keys")
	d.sees(t, "shop", d.w.of(t, "key.unused"))
	d.at("keys")
	d.click(t, `main a.row.principal`)
	d.pressKey("key.remove")
	d.seesKey("key.remove-meaning")
	d.at("revoke a key")
	d.submit(true)
	d.seesKey("key.removed", "name", "shop")

	name := "ana-" + d.role
	d.goes("nav.staff")
	d.seesKey("staff.none")
	d.at("no staff")
	d.pressKey("staff.new")
	d.fill(t, "username", name)
	d.fill(t, "password", "s3cret-ana")
	d.click(t, `main input[value="cashier"]`)
	d.at("new member")
	d.submit(false)
	d.seesKey("staff.created", "name", name)
	d.seesKey("sessions.none")
	d.pressKey("line.edit")
	d.fill(t, "credits", "10")
	d.at("edit a member")
	d.submit(false)
	d.seesKey("limit.spent", "spent", "0", "limit", d.w.credits(t, "10"))
	d.pressKey("password.new")
	d.fill(t, "password", "another-s3cret")
	d.at("password of a member")
	d.submit(false)
	d.seesKey("staff.password-done", "name", name)
	begins(t, d.address, name, "another-s3cret")
	d.goes("nav.staff")
	d.sees(t, name)
	d.at("staff")
	d.click(t, `main a.row.principal`)
	d.seesKey("sessions.end")
	d.at("member")
	d.pressKey("reseller.totp")
	d.at("reset the second factor of a member")
	d.submit(true)
	d.seesKey("reseller.totp-done", "name", name)
	d.pressKey("staff.remove")
	d.at("remove a member")
	d.submit(true)
	d.seesKey("staff.removed", "name", name)
}

// begins signs a user in by the API alone, and sets up a second factor.
func begins(t *testing.T, address, name, password string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	in := &account{address: address, jar: jar}
	in.send(t, "POST", "/auth/session", map[string]any{"username": name, "password": password})
	secret, _ := in.send(t, "POST", "/auth/totp", map[string]any{"password": password})["secret"].(string)
	in.send(t, "POST", "/auth/totp/confirm", map[string]any{"code": code(t, secret, time.Now())})
}

// secondFactor sets a second factor up, signs in with it and removes it.
func (d *day) secondFactor() {
	t := d.t
	d.goes("nav.sessions")
	d.pressKey("factor.new")
	d.seesKey("factor.apps")
	d.at("begin with a second factor")
	d.fill(t, "password", d.who.Password)
	d.submit(false)
	d.shows(t, `svg.qr`)
	d.at("second factor")
	secret := strings.ReplaceAll(ask[string](t, d.tab, `document.querySelector('[data-secret]').textContent`), " ", "")
	d.fill(t, "code", code(t, secret, time.Now()))
	d.submit(false)
	d.shows(t, `.codes`)
	d.at("recovery codes")
	var recovery []string
	for i := range 2 {
		recovery = append(recovery,
			ask[string](t, d.tab, fmt.Sprintf(`document.querySelectorAll('.codes code')[%d].textContent`, i)))
	}
	d.pressKey("factor.kept")
	d.seesKey("factor.remove")
	d.at("with a second factor")
	d.signsOut()
	d.enter(t, d.who)
	d.seesKey("sign-in.code", "name", d.who.Name)
	d.at("sign-in with a code")
	d.pressKey("factor.use-recovery")
	d.fill(t, "totp", recovery[0])
	d.click(t, `form .primary`)
	d.isIn(t)
	d.forgives("status of 401") // which requested the code
	d.goes("nav.sessions")
	d.pressKey("factor.remove")
	d.fill(t, "password", d.who.Password)
	d.pressKey("factor.use-recovery")
	d.fill(t, "totp", recovery[1])
	d.at("remove a second factor")
	d.submit(true)
	d.seesKey("factor.removed")
}

// forgives drops a complaint that there should be.
func (d *day) forgives(what string) {
	d.t.Helper()
	before := d.hush()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, said := range before {
		if !strings.Contains(said, what) {
			d.said = append(d.said, said)
		}
	}
}

// signsOut ends the session.
func (d *day) signsOut() {
	d.account(d.t)
	d.pressKey("sign-out")
	d.seesKey("sign-in")
}

// looksUp visits the remaining screens of an admin.
func (d *day) looksUp() {
	d.goes("nav.proof")
	d.seesKey("proof.good")
	d.at("proof")
}

// prices creates a plan and takes it off sale, and publishes prices for the platform and for a reseller: for a date, which
// it cancels, and at once.
func (d *day) prices() {
	t := d.t
	d.goes("nav.prices")
	d.seesKey("prices.whom")
	d.at("prices")
	d.pressKey("plan.new")
	d.fill(t, "name", "Family")
	d.fill(t, "connections", "2")
	d.at("new plan")
	d.submit(false)
	d.seesKey("plan.created", "plan", "Family")
	d.click(t, `[data-plan="7"] th button`)
	d.fill(t, "name", "Family 2")
	d.at("edit a plan")
	d.submit(false)
	d.seesKey("line.edited", "name", "Family 2")
	d.click(t, `[data-plan="7"] .switch`)
	d.seesKey("plan.off", "plan", "Family 2")
	publish := func(version int) {
		d.fill(t, "p7", "2")
		d.click(t, `.publish [value=at]`)
		d.until(t, `(() => {
			const at = document.querySelector('[name=at]')
			if (!at) return false
			at.value = new Date(Date.now() + 864e5).toISOString().slice(0, 16)
			return at.dispatchEvent(new Event('input', { bubbles: true }))
		})()`)
		d.at("prices for a date")
		d.submit(false)
		d.click(t, fmt.Sprintf(`[data-version="%d"] button`, version))
		d.seesKey("prices.cancelled", "version", strconv.Itoa(version))
		d.until(t, fmt.Sprintf(`!document.querySelector('[data-version="%d"]')`, version))
		d.fill(t, "p7", "3")
		d.submit(false)
		d.shows(t, fmt.Sprintf(`[data-version="%d"]`, version+1))
	}
	publish(2)
	d.pressKey("prices.another")
	d.at("reseller for prices")
	d.click(t, `//li//a[normalize-space(.)='joao']`)
	d.seesKey("prices.inherited", "name", "joao")
	publish(1)
	d.at("prices of a reseller")
	d.pressKey("prices.inherit")
	d.seesKey("prices.inherits", "name", "joao")
	d.goes("nav.home")
}

// activity visits the list of entries, in which new ones appear while it is open.
func (d *day) activity() {
	t := d.t
	d.goes("nav.activity")
	// Other accounts have newer entries, which their parents see first.
	d.until(t, fmt.Sprintf(`(scrollTo(0, document.body.scrollHeight), document.body.innerText.includes(%q))`,
		d.role+".tv"))
	d.seesKey("event.line.deleted")
	ask[bool](t, d.tab, `(scrollTo(0, 0), true)`)
	d.at("activity")
	d.who.send(t, "POST", "/lines/test", map[string]any{})
	d.until(t, fmt.Sprintf(`!!document.querySelector('ul[aria-label=%q] .row.event')`, d.w.of(t, "activity.new")))
	d.at("activity with new entries")
	d.until(t, `(() => {
		const what = document.querySelector('.filters select')
		what.value = 'access'
		return what.dispatchEvent(new Event('change', { bubbles: true }))
	})()`)
	d.seesKey("event.session.started")
	d.at("sign-ins")
	d.goes("nav.home")
	d.seesKey("figures.in-days", "days", "30")
	d.at("home after a day")
}

// sessions are looked at and ended, the own password is changed, and the day ends.
func (d *day) sessions() {
	t := d.t
	elsewhere := &account{address: d.address}
	elsewhere.send(t, "POST", "/auth/session", map[string]any{"username": d.who.Name, "password": d.who.Password})
	d.goes("nav.sessions")
	d.seesKey("sessions.this")
	d.until(t, `document.querySelectorAll('.row.session').length === 2`)
	d.at("sessions")
	d.click(t, `.row.session button`)
	d.until(t, `document.querySelectorAll('.row.session').length === 1`)
	d.pressKey("password.change")
	d.fill(t, "password", d.who.Password)
	d.fill(t, "new_password", "my-new-s3cret")
	d.at("own password")
	d.submit(false)
	d.seesKey("password.own-changed")
	d.pressKey("name.change")
	d.fill(t, "password", "my-new-s3cret")
	d.fill(t, "whatsapp", "+55 11 91234-5678")
	d.at("own name")
	d.submit(false)
	d.seesKey("name.changed", "name", d.who.Name)
	d.do(t, chromedp.Reload())
	d.isIn(t)
	d.seesKey("sessions.meaning")
	d.more(t)
	d.at("more")
	if d.width < 768 {
		const closed = `!document.querySelector('.more.open')`
		d.do(t, chromedp.KeyEvent(kb.Escape))
		d.until(t, closed)
		d.more(t)
		ask[bool](t, d.tab, `document.querySelector('.rest > .veil').click() ?? true`)
		d.until(t, closed)
	}
	d.signsOut()
}

// all of the day.
func (d *day) all(language string) {
	d.signsIn(language)
	d.lines()
	if d.role != "reseller" {
		d.resellers()
	}
	if d.role == "admin" {
		d.looksUp()
		d.prices()
	}
	d.webhooks()
	d.principals()
	d.secondFactor()
	d.activity()
	d.sessions()
	d.quiet(d.t, d.address)
}

var roles = []string{"reseller", "master", "admin"}

// days are lived in these roles at once, on one program.
func days(t *testing.T, address, language string, width int64, roles []string, looks func(d *day, screen string)) {
	boss := admin(t, address)
	maria := boss.reader(t, language, "maria", true, "100")
	joao := maria.reader(t, language, "joao", false, "20")
	maria.reader(t, language, "north", true, "0").reader(t, language, "south", false, "0")
	boss.reader(t, language, "north-of-admin", true, "0")
	told := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(told.Close)
	for _, role := range roles {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			d := &day{tab: open(t, width, 740), t: t, role: role, w: wordsOf(t, language), address: address, width: width,
				program: told.URL, looks: looks}
			d.who = map[string]*account{"reseller": joao, "master": maria, "admin": boss}[role]
			d.all(language)
			d.hasUsed(t)
		})
	}
}

// TestDays plays the day of each role through the screens: in English and in memory, an admin on a desk and the others on
// a phone; in the long form each at both widths, in each language on both stores. Every screen fits, has its texts and is
// accessible. Every operation of the console is used.
func TestDays(t *testing.T) {
	t.Parallel()
	looks := func(d *day, screen string) {
		d.t.Helper()
		if d.width > 360 {
			d.fitsAt(d.t, screen, sizes[1], sizes[4])
		} else {
			d.fitsAt(d.t, screen, sizes[0])
		}
		d.isWorded(d.t, screen, d.w)
		d.isAccessible(d.t, screen)
	}
	stores, spoken, at := []string{"memory"}, languages[:1], map[int64][]string{1280: roles[2:], 360: roles[:2]}
	if long {
		stores, spoken, at = []string{"sqlite", "mongodb"}, languages, map[int64][]string{1280: roles, 360: roles}
	}
	for _, store := range stores {
		for _, language := range spoken {
			for width, roles := range at {
				t.Run(fmt.Sprintf("%s, %s, %d", store, language, width), func(t *testing.T) {
					if !long {
						t.Parallel()
					}
					days(t, serveOn(t, uriOf(t, store), adminPassword, "RESELLERD_SECRET=the secret of a test of the console", toHere),
						language, width, roles, looks)
				})
			}
		}
	}
}

// uriOf returns an empty store. That of MongoDB is on the server that test/mongotest/with started.
func uriOf(t *testing.T, store string) string {
	t.Helper()
	switch store {
	case "sqlite":
		return "sqlite:" + filepath.Join(t.TempDir(), "resellerd.db")
	case "mongodb":
		server := os.Getenv("RESELLERD_TEST_MONGODB")
		if server == "" || server == "none" {
			if os.Getenv("RESELLERD_TEST_MONGODB_REQUIRED") != "" {
				t.Fatal("no MongoDB to test with, and there must be one")
			}
			t.Skip("no MongoDB to test with: RESELLERD_TEST_MONGODB is not set")
		}
		host, settings, _ := strings.Cut(strings.TrimPrefix(server, "mongodb://"), "/")
		_, settings, _ = strings.Cut(settings, "?")
		return "mongodb://" + host + "/console_" + strings.ToLower(rand.Text()) + "?" + settings
	}
	return "memory:"
}

// unused returns the operations that the console need not use, with the reasons that their rows in test/api have.
func unused(t *testing.T) map[string]string {
	t.Helper()
	table, err := os.ReadFile(filepath.Join("..", "api", "operations.go"))
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for _, row := range regexp.MustCompile(`\{ID: "(\w+)"[^{]*Console: +"([^"]+)"`).FindAllStringSubmatch(string(table), -1) {
		reasons[row[1]] = row[2]
	}
	return reasons
}

// elsewhere are those that need what a day has not, or are done by other means.
var elsewhere = map[string]string{
	"stopJob":     "TestConsoleBulkStops has a job of so many lines that it can be stopped",
	"setMessages": "TestConsoleMessages sets them",
}

var notFor = map[string][]string{
	"reseller": {"listResellers", "createReseller", "getReseller", "changeContact", "addCredits", "reclaimCredits",
		"blockReseller", "unblockReseller", "resetTOTP", "proveLedger", "getService", "exportResellers", "listPlans",
		"createPlan", "updatePlan", "getPlatformPrices", "setPlatformPrices", "listPlatformPrices", "cancelPlatformPrices",
		"getPrices", "setPrices", "inheritPrices", "listVersions", "cancelPrices"},
	"master": {"proveLedger", "getService", "listPlans", "createPlan", "updatePlan", "getPlatformPrices",
		"setPlatformPrices", "listPlatformPrices", "cancelPlatformPrices", "getPrices", "setPrices", "inheritPrices",
		"listVersions", "cancelPrices"},
}

// hasUsed checks that the day has used every operation of the document that is for the role, and no other.
func (d *day) hasUsed(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	known, unused := map[string]bool{}, unused(t)
	for path, methods := range documented(t, d.address) {
		// An id is digits, or the long text that a session has.
		pattern := regexp.MustCompile("^" +
			regexp.MustCompile(`\{\w+\}`).ReplaceAllLiteralString(path, `([0-9]+|[0-9A-Za-z_-]{16,})`) + "$")
		for method, raw := range methods {
			var operation struct{ OperationID string }
			if json.Unmarshal(raw, &operation) != nil || operation.OperationID == "" {
				continue
			}
			known[operation.OperationID] = true
			used := slices.ContainsFunc(d.calls, func(call string) bool {
				asked, found := strings.CutPrefix(call, strings.ToUpper(method)+" "+d.address)
				asked, _, _ = strings.Cut(asked, "?")
				return found && pattern.MatchString(asked)
			})
			needed := unused[operation.OperationID] == "" && elsewhere[operation.OperationID] == "" &&
				!slices.Contains(notFor[d.role], operation.OperationID)
			if needed && !used {
				t.Errorf("the day of the %s did without %s", d.role, operation.OperationID)
			}
			if used && unused[operation.OperationID] != "" {
				t.Errorf("the day of the %s used %s, though: %s", d.role, operation.OperationID, unused[operation.OperationID])
			}
		}
	}
	for _, ids := range notFor {
		for _, id := range ids {
			if !known[id] {
				t.Errorf("there is no operation %s", id)
			}
		}
	}
}

// TestScreens makes a picture of each screen, light and dark, on a desk and on a phone, in the folder that
// RESELLERD_TEST_SCREENSHOTS names.
func TestScreens(t *testing.T) {
	folder := os.Getenv("RESELLERD_TEST_SCREENSHOTS")
	if folder == "" {
		t.Skip("RESELLERD_TEST_SCREENSHOTS names no folder")
	}
	t.Parallel()
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			days(t, serveOn(t, "memory:", adminPassword, toHere), "en", width, roles, func(d *day, screen string) {
				for _, scheme := range schemes {
					d.colour(d.t, scheme)
					ask[bool](d.t, d.tab, `(scrollTo(0, 0), true)`)
					picture, err := chromedp.Run(d, chromedp.CaptureScreenshot())
					if err != nil {
						d.t.Fatal(err)
					}
					name := strings.ReplaceAll(fmt.Sprintf("%s %s %d %s.png", d.role, screen, d.width, scheme), " ", "-")
					if err := os.WriteFile(filepath.Join(folder, name), picture, 0o600); err != nil {
						d.t.Fatal(err)
					}
				}
			})
		})
	}
}
