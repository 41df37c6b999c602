package browser

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// code is what an app shows at an instant of a second factor with this secret (RFC 6238).
func code(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	key, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, at.Unix()/30)
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[len(sum)-1]&15:])&0x7fffffff%1_000_000)
}

// answered asks the API, and returns with which status and problem it answers.
func answered(t *testing.T, method, address, bearer string, body any) (status int, problem string) {
	t.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var said struct{ Code string }
	if err := json.NewDecoder(got.Body).Decode(&said); err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, said.Code
}

// chooses a day in a field.
func (v *tab) chooses(t *testing.T, name, date string) {
	t.Helper()
	v.until(t,
		fmt.Sprintf(
			`((e) => { e.value = %q; return e.dispatchEvent(new Event('input', { bubbles: true })) })(document.querySelector('main [name=%s]'))`, date, name))
}

// copies presses what copies a text, and returns that.
func (v *tab) copies(t *testing.T, words string) string {
	t.Helper()
	ask[bool](t, v, `(navigator.clipboard.writeText = async (text) => { window.copied = text }, window.copied = '', true)`)
	v.press(t, words)
	v.until(t, `window.copied !== ''`)
	return ask[string](t, v, `window.copied`)
}

// keeps checks that nothing that the browser keeps has a text in it.
func (v *tab) keeps(t *testing.T, secrets ...string) {
	t.Helper()
	kept := ask[string](t, v, `JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state])`)
	for _, secret := range secrets {
		if strings.Contains(kept, secret) {
			t.Errorf("the browser keeps %s: %s", secret, kept)
		}
	}
}

// lacks checks that the screen has none of these words.
func (v *tab) lacks(t *testing.T, words ...string) {
	t.Helper()
	text := ask[string](t, v,
		`document.body.innerText + [...document.querySelectorAll('nav a')].map((a) => a.textContent).join(' ')`)
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("the screen has %q", w)
		}
	}
}

// signsOut of the console.
func (v *tab) signsOut(t *testing.T) {
	t.Helper()
	v.more(t)
	v.press(t, "Sign out")
	v.sees(t, "Sign in")
}

// TestConsoleKey makes a key, of which the answer is lost, copies it and uses it, changes and revokes it. It is shown
// once, and nothing keeps it.
func TestConsoleKey(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	joao := admin(t, address).reseller(t, "joao", false, "20")
	f := between(t, address)
	v := open(t, 360, 740)
	v.signIn(t, &account{address: f.address, Name: joao.Name, Password: joao.Password})
	v.more(t)
	v.press(t, "Keys")
	v.sees(t, "There are no keys yet.")
	// With a name, and one of the roles, it is three taps.
	v.press(t, "New key")
	v.fill(t, "name", "shop")
	v.click(t, `main input[name=role][value=cashier]`)
	f.fail(lost)
	v.click(t, `form .main`)
	v.sees(t, "No answer came")
	v.do(t, chromedp.Navigate(f.address+"/console/lines"))
	v.sees(t, "Sent, but not answered: New key") // what its answer shows is shown there alone
	v.lacks(t, "Check it")
	v.press(t, "Back to the form")
	v.press(t, "Check it")
	v.sees(t, "The key shop was created.", "It cannot be shown again.", "Cashier.", "no daily limit", "for ever",
		"from anywhere", "not used yet")
	key := v.copies(t, "Copy key")
	if shown := ask[string](t, v, `document.querySelector('[data-secret]').textContent`); key != shown ||
		!strings.HasPrefix(key, "rsk_") {
		t.Errorf("%q is copied of %q", key, shown)
	}
	v.keeps(t, "rsk_")
	if all, _ := joao.send(t, "GET", "/keys", nil)["data"].([]any); len(all) != 1 {
		t.Fatalf("there are %d keys", len(all))
	}
	if status, problem := answered(t, "POST", address+"/lines/test", key, map[string]any{}); status != 201 {
		t.Errorf("by the key: %d %s", status, problem)
	}
	if status, problem := answered(t, "GET", address+"/keys", key, nil); status != 403 || problem != "insufficient-scope" {
		t.Errorf("beyond the key: %d %s", status, problem)
	}
	v.do(t, chromedp.Reload())
	v.sees(t, "last used", "from 127.0.0.1")
	if ask[bool](t, v, `document.body.innerText.includes('rsk_')`) {
		t.Error("the key is shown a second time")
	}
	v.fits(t, "key")

	v.press(t, "Edit")
	v.click(t, `main input[name=role][value=""]`)
	for _, scope := range []string{"lines:passwords", "lines:write"} { // as the role has them, one less each
		v.until(t, fmt.Sprintf(`document.querySelector('main input[value="%s"]').checked`, scope))
	}
	v.click(t, `main input[value="lines:passwords"]`)
	v.fill(t, "credits", "12.5")
	v.chooses(t, "expires_at", "2031-02-03")
	v.fill(t, "allowed_addresses", "192.0.2.0/24")
	v.click(t, `form .main`)
	v.sees(t, "shop was changed.",
		"See lines; Make trials, change and suspend lines; Activate and renew lines for credits",
		"today 0 of 12.5 credits spent", "Feb 3, 2031", "192.0.2.0/24")
	if status, problem := answered(t, "GET", address+"/lines", key, nil); status != 403 ||
		problem != "address-not-allowed" {
		t.Errorf("from elsewhere: %d %s", status, problem)
	}
	made := joao.send(t, "GET", "/keys/1", nil)
	if made["expires_at"] != "2031-02-04T02:59:59.000Z" { // the end of the day in São Paulo
		t.Errorf("it expires at %v", made["expires_at"])
	}
	joao.send(t, "PATCH", "/keys/1", map[string]any{"expires_at": "2031-02-03T12:34:56.789Z"})
	v.do(t, chromedp.Reload())
	v.press(t, "Edit")
	v.fill(t, "allowed_addresses", "")
	v.click(t, `form .main`)
	v.sees(t, "shop was changed.", "from anywhere")
	if now := joao.send(t, "GET", "/keys/1", nil); now["expires_at"] != "2031-02-03T12:34:56.789Z" || now["role"] != nil {
		t.Errorf("what was not changed is %v", now)
	}
	v.press(t, "Edit")
	v.fill(t, "allowed_addresses", "nowhere")
	v.click(t, `form .main`)
	v.until(t, `document.querySelector('[data-form]').dataset.form === 'refused'`)
	v.sees(t, "Some fields need another look.", "This is not understood. Write it as in the example.")
	v.press(t, "Cancel")

	v.press(t, "Revoke")
	v.sees(t, "Programs that use this key are refused")
	v.fits(t, "revoke")
	v.click(t, `form .danger`)
	v.sees(t, "The key shop was revoked.", "There are no keys yet.")
	if status, problem := answered(t, "GET", address+"/lines", key, nil); status != 401 || problem != "key-revoked" {
		t.Errorf("by a key that was revoked: %d %s", status, problem)
	}
	v.more(t)
	v.press(t, "Activity")
	v.sees(t, "Key created #1", "by the key shop", "Key changed #1",
		"Changed: Only from these addresses, Good until, May do, and Daily spending limit", "Key revoked #1")
	for _, said := range v.hush() {
		if !strings.Contains(said, "status of 422") && !strings.Contains(said, "CONTENT_LENGTH_MISMATCH") &&
			!strings.Contains(said, "loading failed") {
			t.Error(said)
		}
	}
}

// TestConsoleStaff has an owner add a cashier who may spend 10 credits a day. The cashier sees what it may and no more,
// is stopped at the limit, learns at once that it may less, and is out once it is removed.
func TestConsoleStaff(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	maria.reseller(t, "joao", false, "5")
	owner := open(t, 360, 740)
	owner.signIn(t, maria)
	owner.more(t)
	owner.press(t, "Staff")
	owner.press(t, "New member")
	owner.fill(t, "username", "joao")
	owner.fill(t, "password", "s3cret-ana")
	owner.click(t, `main input[value=cashier]`)
	owner.fill(t, "credits", "10")
	owner.click(t, `form .main`)
	owner.sees(t, "This user name is taken.")
	owner.fill(t, "username", "ana")
	owner.click(t, `form .main`)
	owner.sees(t, "ana can sign in now.", "today 0 of 10 credits spent", "Not signed in anywhere.")
	owner.fits(t, "member")

	v := open(t, 1280, 740)
	v.signIn(t, &account{address: address, Name: "ana", Password: "s3cret-ana"})
	v.sees(t, "ana for maria", "95 credits", "Latest activity")
	v.more(t)
	v.lacks(t, "Keys", "Staff", "Webhooks", "Set a low balance alert", "Ask for credits")
	v.fits(t, "home of a cashier")
	v.press(t, "Resellers")
	v.sees(t, "joao")
	v.lacks(t, "New reseller")
	v.click(t, `main a.row.reseller`)
	v.sees(t, "Country")
	v.lacks(t, "Top up", "Take back", "Block", "Edit", "Name and password", "Reset the second factor")
	v.press(t, "Sign-in and security")
	v.sees(t, "Change password", "Where you are signed in.", "This one")
	v.lacks(t, "Change user name")

	sell := func(name string) {
		t.Helper()
		v.press(t, "Lines")
		v.press(t, "New trial")
		v.sees(t, "is ready.")
		v.lacks(t, "Delete")
		v.press(t, "Activate")
		v.fill(t, "username", name)
		v.fill(t, "password", "5566")
		v.click(t, `main input[value="5"]`)
		v.click(t, `form .main`)
	}
	sell("one.tv")
	v.sees(t, "one.tv is active until", "−5 credits, balance 90 credits")
	sell("two.tv")
	v.sees(t, "two.tv is active until")
	sell("three.tv")
	v.sees(t, "Your limit is 10 credits a day: 10 are spent, and 5 are needed.")
	v.press(t, "Cancel")
	owner.do(t, chromedp.Reload())
	owner.sees(t, "today 10 of 10 credits spent", "Chrome · Linux · ana")
	v.do(t, chromedp.Navigate(address+"/console/staff"))
	v.sees(t, "You may not do this for the account.")
	v.more(t)
	v.press(t, "Activity")
	v.sees(t, "Activated two.tv", "by you", "by maria")

	// What it may less from now on is known as soon as it is refused.
	v.press(t, "Lines")
	v.sees(t, "New trial")
	owner.press(t, "Edit")
	owner.click(t, `main input[name=role][value=""]`)
	for _, scope := range []string{"lines:passwords", "lines:write", "lines:spend"} {
		owner.click(t, fmt.Sprintf(`main input[value="%s"]`, scope))
	}
	owner.click(t, `form .main`)
	owner.sees(t, "ana was changed.", "See lines; See resellers")
	v.press(t, "New trial")
	v.until(t, `![...document.querySelectorAll('button')].some((b) => b.textContent.trim() === 'New trial')`)
	v.click(t, `//a[contains(@class, "line")][starts-with(normalize-space(.), "two.tv")]`)
	v.sees(t, "Access", "Not shown to you.")
	v.lacks(t, "5566", "Copy access", "Renew", "Edit", "Details")

	owner.press(t, "New password")
	owner.fill(t, "password", "another-s3cret")
	owner.click(t, `form .main`)
	owner.sees(t, "ana has a new password.")
	v.do(t, chromedp.Reload())
	v.sees(t, "Your session has ended.")
	v.enter(t, &account{Name: "ana", Password: "another-s3cret"})
	v.isIn(t)
	owner.do(t, chromedp.Reload())
	owner.press(t, "End it")
	owner.sees(t, "Not signed in anywhere.")
	owner.press(t, "Remove")
	owner.sees(t, "The person is signed out at once")
	owner.click(t, `form .danger`)
	owner.sees(t, "ana was removed.", "There is nobody on the staff yet.")
	v.do(t, chromedp.Reload())
	v.sees(t, "Sign in")
	v.enter(t, &account{Name: "ana", Password: "another-s3cret"})
	v.sees(t, "Wrong user name or password.")
	owner.more(t)
	owner.press(t, "Activity")
	owner.sees(t, "Added to the staff #", "Staff changed #", "Changed: Password", "Removed from the staff #",
		"Activated two.tv", "by ana", "by you")

	// In one browser, whoever signs in next finds nothing of whom was there before.
	owner.do(t, chromedp.Navigate(address+"/console/keys?do=create"))
	owner.fill(t, "name", "not for everybody")
	maria.send(t, "POST", "/staff", map[string]any{"username": "eva", "password": "s3cret-eva",
		"scopes": []string{"manage"}})
	ask[bool](t, owner,
		fmt.Sprintf(
			`(fetch(%q, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ username: 'eva', password: 's3cret-eva' }) }).then(() => { window.another = true }), true)`, address+"/auth/session"))
	owner.until(t, `window.another === true`)
	owner.do(t, chromedp.Reload())
	owner.sees(t, "eva for maria", "New key")
	owner.until(t, `document.querySelector('main [name=name]').value === ''`)
	owner.fill(t, "name", "too strong")
	owner.click(t, `form .main`)
	owner.sees(t, "You cannot give, or change, what goes beyond what you may do yourself.")
	owner.press(t, "Home")
	owner.sees(t, "Your balance")
	owner.lacks(t, "Today and this month", "Latest activity", "Latest movements", "New trial", "Statement", "Lines")
	owner.fits(t, "home of somebody who only manages")
	for _, said := range append(v.hush(), owner.hush()...) {
		if !strings.Contains(said, "Failed to load resource") {
			t.Error(said)
		}
	}
}

// TestConsoleSecondFactor sets one up, of which the answer that has the recovery codes is lost; signs in by a code and
// by a recovery code; removes it; and has one that was lost reset by who stands above.
func TestConsoleSecondFactor(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	joao := maria.reseller(t, "joao", false, "5")
	f := between(t, address)
	here := &account{address: f.address, Name: joao.Name, Password: joao.Password}
	v := open(t, 360, 740)
	v.signIn(t, here)
	v.more(t)
	v.press(t, "Sign-in and security")
	begin := func() (secret string) {
		t.Helper()
		v.press(t, "Set up a second factor")
		v.fill(t, "password", joao.Password)
		v.click(t, `form .main`)
		v.shows(t, `svg.qr`)
		secret = v.copies(t, "Copy secret")
		v.keeps(t, secret, joao.Password)
		if link := ask[string](t, v, `document.querySelector('a[href^="otpauth:"]').href`); !strings.Contains(link,
			"secret="+secret) {
			t.Errorf("the app is opened by %s", link)
		}
		return secret
	}
	v.press(t, "Set up a second factor")
	v.fill(t, "password", "not-the-password")
	v.click(t, `form .main`)
	v.sees(t, "This is not the present password.")
	v.press(t, "Cancel")
	begin()
	v.do(t, chromedp.Reload()) // what is shown once is gone, and nothing has changed
	v.shows(t, `main [name=password]`)
	v.press(t, "Cancel")
	v.sees(t, "Off")
	secret := begin()
	v.fits(t, "a QR code")
	v.fill(t, "code", "12345")
	v.click(t, `form .main`)
	v.sees(t, "This code is wrong, or was used already.")
	f.fail(lost)
	first := code(t, secret, time.Now())
	v.fill(t, "code", first[:3]+" "+first[3:]) // as apps show it
	v.click(t, `form .main`)
	v.sees(t, "No answer came")
	v.do(t, chromedp.Reload())
	v.press(t, "Check it")
	v.shows(t, `.codes`)
	recovery := strings.Split(v.copies(t, "Copy codes"), "\n")
	if len(recovery) != 10 {
		t.Fatalf("there are %d recovery codes", len(recovery))
	}
	v.keeps(t, append(recovery, secret)...)
	v.fits(t, "recovery codes")
	v.press(t, "I have kept them")
	v.sees(t, "The second factor is on", "Remove the second factor")
	if ask[bool](t, v, fmt.Sprintf(`document.body.innerText.includes(%q)`, recovery[0])) {
		t.Error("the recovery codes are shown a second time")
	}
	v.signsOut(t)

	// A sign-in with a code takes two taps: the password's, and the code's.
	v.enter(t, here)
	v.sees(t, "joao has a second factor.")
	v.until(t, `document.activeElement.name === 'totp'`)
	v.fits(t, "sign-in with a code")
	v.fill(t, "totp", first)
	v.click(t, `form .main`)
	v.sees(t, "This code is wrong, or was used already.")
	v.until(t, `document.activeElement.name === 'totp'`)
	v.fill(t, "totp", code(t, secret, time.Now().Add(30*time.Second)))
	v.click(t, `form .main`)
	v.isIn(t)
	v.signsOut(t)
	v.enter(t, here)
	v.press(t, "Use a recovery code")
	v.sees(t, "One of the ten that you kept.")
	v.until(t, `document.activeElement.name === 'totp' && document.activeElement.inputMode === 'text'`)
	v.fill(t, "totp", strings.ToUpper(recovery[3]))
	v.click(t, `form .main`)
	v.isIn(t)
	v.signsOut(t)
	v.enter(t, here)
	v.press(t, "Back")
	v.fill(t, "password", "wrong")
	v.click(t, `form .main`)
	v.sees(t, "Wrong user name or password.")
	v.enter(t, here)
	v.press(t, "Use a recovery code")
	v.fill(t, "totp", recovery[4])
	v.click(t, `form .main`)
	v.isIn(t)

	v.do(t, chromedp.Navigate(f.address+"/console/sessions?do=totp"))
	v.sees(t, "There is a second factor already.")
	v.press(t, "Close")
	v.press(t, "Remove the second factor")
	v.fill(t, "password", joao.Password)
	v.fill(t, "totp", first)
	v.click(t, `form .danger`)
	v.sees(t, "Wrong password or code, or the code was used already.")
	v.press(t, "Use a recovery code")
	v.fill(t, "totp", recovery[5])
	v.click(t, `form .danger`)
	v.sees(t, "There is no second factor any more.", "Set up a second factor")
	secret = begin()
	v.fill(t, "code", code(t, secret, time.Now()))
	v.click(t, `form .main`)
	v.press(t, "I have kept them")
	v.more(t)
	v.press(t, "Activity")
	v.sees(t, "Second factor turned on", "Second factor removed")
	v.signsOut(t)

	above := open(t, 1280, 740)
	above.signIn(t, maria)
	above.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/resellers/%d", address, joao.ID)))
	above.press(t, "Reset the second factor")
	above.sees(t, "Make sure that it is really they who ask for it.")
	above.fits(t, "reset a second factor")
	above.click(t, `form .danger`)
	above.sees(t, "joao signs in without a second factor now.", "Lost second factor reset")
	above.press(t, "Reset the second factor")
	above.click(t, `form .danger`)
	above.sees(t, "There is no second factor.")
	v.enter(t, here)
	v.isIn(t)
	for _, said := range append(v.hush(), above.hush()...) {
		if !strings.Contains(said, "Failed to load resource") && !strings.Contains(said, "CONTENT_LENGTH_MISMATCH") &&
			!strings.Contains(said, "loading failed") {
			t.Error(said)
		}
	}
}
