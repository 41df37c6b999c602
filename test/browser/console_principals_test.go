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

// code is the code of an authenticator app with this secret at an instant (RFC 6238).
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

// answered sends a request to the API, and returns the status and the problem of the answer.
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

// keeps checks that the browser has stored no secret.
func (v *tab) keeps(t *testing.T, secrets ...string) {
	t.Helper()
	kept := ask[string](t, v, `JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state])`)
	for _, secret := range secrets {
		if strings.Contains(kept, secret) {
			t.Errorf("the browser stores %s: %s", secret, kept)
		}
	}
}

// lacks checks that none of these words is on the screen.
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

// TestConsoleKey creates a key and loses the answer, copies the key and uses it, changes and revokes it. The key is
// shown once, and the browser does not store it.
func TestConsoleKey(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	joao := admin(t, address).reseller(t, "joao", false, "20")
	f := between(t, address)
	v := open(t, 360, 740)
	v.signIn(t, &account{address: f.address, Name: joao.Name, Password: joao.Password})
	v.more(t)
	v.press(t, "API keys")
	v.sees(t, "No API keys yet.")
	// With a name, and one of the roles, it is three taps.
	v.press(t, "New API key")
	v.fill(t, "name", "shop")
	v.click(t, `main input[name=role][value=cashier]`)
	f.fail(lost)
	v.click(t, `form .primary`)
	v.sees(t, "No answer came")
	v.do(t, chromedp.Navigate(f.address+"/console/lines"))
	v.sees(t, "Sent, no answer yet: New API key") // what its answer shows is shown there alone
	v.lacks(t, "Check")
	v.press(t, "Back to the form")
	v.press(t, "Check")
	v.sees(t, "The API key shop was created.", "It can’t be shown again.", "Cashier.", "no daily limit", "never",
		"from anywhere", "not used yet")
	key := v.copies(t, "Copy API key")
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
	v.click(t, `form .primary`)
	v.sees(t, "shop was changed.",
		"See customers; Create trials, change and suspend customers; Activate and renew customers with credits",
		"0 of 12.5 credits spent today", "Feb 3, 2031", "192.0.2.0/24")
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
	v.click(t, `form .primary`)
	v.sees(t, "shop was changed.", "from anywhere")
	if now := joao.send(t, "GET", "/keys/1", nil); now["expires_at"] != "2031-02-03T12:34:56.789Z" || now["role"] != nil {
		t.Errorf("what was not changed is %v", now)
	}
	v.press(t, "Edit")
	v.fill(t, "allowed_addresses", "nowhere")
	v.click(t, `form .primary`)
	v.until(t, `document.querySelector('[data-form]').dataset.form === 'refused'`)
	v.sees(t, "Check the marked fields.", "Check this value. Write it as in the example.")
	v.press(t, "Cancel")

	v.press(t, "Revoke")
	v.sees(t, "Programs that use this API key are rejected")
	v.fits(t, "revoke")
	v.click(t, `form .danger`)
	v.sees(t, "The API key shop was revoked.", "No API keys yet.")
	if status, problem := answered(t, "GET", address+"/lines", key, nil); status != 401 || problem != "key-revoked" {
		t.Errorf("by a key that was revoked: %d %s", status, problem)
	}
	v.more(t)
	v.press(t, "Activity")
	v.sees(t, "API key created\n#1", "by the API key shop", "API key changed\n#1",
		"Changed: Only from these addresses, Expires, Permissions, and Daily spending limit", "API key revoked\n#1")
	for _, said := range v.hush() {
		if !strings.Contains(said, "status of 422") && !strings.Contains(said, "CONTENT_LENGTH_MISMATCH") &&
			!strings.Contains(said, "loading failed") {
			t.Error(said)
		}
	}
}
