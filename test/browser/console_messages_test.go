package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// message returns the text of a message to a customer and its address: by WhatsApp, by Telegram, or as the screen shows
// it.
func (v *tab) message(t *testing.T, way string) (address, text string) {
	t.Helper()
	link, err := url.Parse(ask[string](t, v, fmt.Sprintf(`document.querySelector('a[href^="https://%s/"]').href`, way)))
	if err != nil {
		t.Fatal(err)
	}
	text = link.Query().Get("text") + link.Query().Get("url")
	link.RawQuery = ""
	return link.String(), text
}

// TestConsoleMessages has a master set the messages for customers, and a reseller below inherit them. The reseller
// sends the text that the screen shows, to a number with a country code and to a name. A cashier sees the messages, and
// can't change them.
func TestConsoleMessages(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	joao := maria.reseller(t, "joao", false, "20")
	id := joao.line(t, "ana.tv", "1")
	joao.send(t, "PATCH", fmt.Sprintf("/lines/%d", id),
		map[string]any{"username": "ana.tv", "password": "5566", "country": "BR", "whatsapp": "(11) 91234-5678"})

	v := open(t, 1280, 740)
	v.signIn(t, maria)
	v.more(t)
	v.press(t, "Messages")
	v.sees(t, "Standard", "Hi! Your access is ready", "How your resellers reach you")
	v.fits(t, "messages")
	v.fill(t, "server", "http://tv.example.com:8080")
	v.sees(t, "Server: http://tv.example.com:8080")
	v.fill(t, "access", "User: {username}\nApp: {apps}\nServer: {server}\nUntil: ")
	v.click(t, `.template .inserts button:nth-child(3)`)
	v.until(t,
		`document.querySelector('[name=access]').value.endsWith('Until: {expires}') && document.activeElement.name === 'access'`)
	v.until(t,
		`document.querySelector('.template [data-message]').textContent.startsWith('User: maria.tv\nServer: http://tv.example.com:8080\nUntil: ')`)
	v.fill(t, "whatsapp", "+55 11 98888-7777")
	v.fits(t, "messages that are changed")
	v.click(t, `form .primary`)
	v.sees(t, "Your messages are saved.", "Reset to the standard text")
	v.quiet(t, address)

	w := open(t, 360, 740)
	w.signIn(t, joao)
	w.do(t, chromedp.Navigate(address+"/console/messages"))
	w.sees(t, "From the account above")
	if ask[bool](t, w, `!!document.querySelector('[name=whatsapp]')`) {
		t.Error("a reseller with no account below it sees the fields of contacts")
	}
	if shown := ask[string](t, w, `document.querySelector('[name=access]').value`); !strings.HasPrefix(shown,
		"User: {username}\nApp: {apps}") {
		t.Errorf("the text from above shows as %q", shown)
	}
	w.fits(t, "messages from above")
	w.fill(t, "apps", "Android: Player One\niPhone: Player Two")
	w.click(t, `form .primary`)
	w.sees(t, "Your messages are saved.")

	w.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d", address, id)))
	w.sees(t, "WhatsApp +55 11 91234 5678")
	w.until(t, `document.querySelector('[data-message=access]')?.textContent.startsWith('User: ana.tv')`)
	w.fits(t, "an access to send")
	shown := ask[string](t, w, `document.querySelector('[data-message]').textContent`)
	if !strings.HasPrefix(shown,
		"User: ana.tv\nApp: Android: Player One\niPhone: Player Two\nServer: http://tv.example.com:8080\nUntil: ") {
		t.Errorf("the message is %q", shown)
	}
	for way, want := range map[string]string{"wa.me": "https://wa.me/5511912345678", "t.me": "https://t.me/share/url"} {
		if to, text := w.message(t, way); to != want || text != shown {
			t.Errorf("to %s goes %q", to, text)
		}
	}
	if hidden := ask[string](t, w, `document.querySelector('[data-password]').textContent`); hidden != "••••••" {
		t.Errorf("the password shows as %q", hidden)
	}
	w.click(t, `[aria-label="Show password"]`)
	w.until(t, `document.querySelector('[data-password]').textContent === '5566'`)
	ask[bool](t, w, `(navigator.clipboard.writeText = async (text) => { window.copied = text }, true)`)
	for label, want := range map[string]string{"Copy message": shown, "Copy user name": "ana.tv", "Copy password": "5566"} {
		w.click(t, fmt.Sprintf(`[aria-label=%q]`, label))
		w.until(t, fmt.Sprintf(`window.copied === %q`, want))
	}
	// A line that ends, whose customer has a name in Telegram.
	w.click(t, `[name=message][value=expired]`)
	w.until(t,
		`document.querySelector('[data-message=expired]').textContent.startsWith('Hi! Your access ana.tv ended on')`)
	joao.send(t, "PATCH", fmt.Sprintf("/lines/%d/details", id), map[string]any{"telegram": "t.me/ana_tv"})
	joao.send(t, "PUT", fmt.Sprintf("/users/%d/messages", joao.ID), map[string]any{"access": "{username}\n{password}"})
	joao.send(t, "POST", "/staff", map[string]any{"username": "caixa", "password": "s3cret-caixa",
		"scopes": []string{"lines:read"}})
	w.quiet(t, address)

	u := open(t, 360, 740)
	u.signIn(t, &account{address: address, Name: "caixa", Password: "s3cret-caixa"})
	u.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d", address, id)))
	u.sees(t, "You cannot see it.")
	u.shows(t, `[aria-label="Send on Telegram to @ana_tv"]`)
	u.until(t, `document.querySelector('[data-message=access]')?.textContent === 'ana.tv'`)
	if to, text := u.message(t, "t.me"); to != "https://t.me/ana_tv" || text != "ana.tv" {
		t.Errorf("to %s goes %q", to, text)
	}
	if ask[bool](t, u, `!!document.querySelector('[aria-label="Copy password"]')`) {
		t.Error("a password that is not shown can be copied")
	}
	u.do(t, chromedp.Navigate(address+"/console/messages"))
	u.sees(t, "Where customers sign in", "http://tv.example.com:8080")
	u.fits(t, "messages that one may read")
	if ask[bool](t, u, `!!document.querySelector('textarea')`) {
		t.Error("a user without the right to change messages sees the form")
	}
	u.quiet(t, address)
}
