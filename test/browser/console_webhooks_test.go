package browser

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// told is a program that webhooks tell of what happens.
type told struct {
	URL string

	mu     sync.Mutex
	status int
	heard  []message
}

// message is what it was sent.
type message struct {
	header http.Header
	body   []byte
}

// listens starts one that takes everything.
func listens(t *testing.T) *told {
	t.Helper()
	p := &told{status: http.StatusOK}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.heard = append(p.heard, message{r.Header, body})
		w.WriteHeader(p.status)
	}))
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// answers by another status from now on.
func (p *told) answers(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

// of waits until it was sent so many entries of a type, and returns the last.
func (p *told) of(t *testing.T, kind string, n int) message {
	t.Helper()
	for deadline := time.Now().Add(soon); ; time.Sleep(20 * time.Millisecond) {
		p.mu.Lock()
		var found []message
		for _, m := range p.heard {
			var entry struct{ Type string }
			if json.Unmarshal(m.body, &entry) == nil && entry.Type == kind {
				found = append(found, m)
			}
		}
		p.mu.Unlock()
		if len(found) >= n {
			return found[len(found)-1]
		}
		if time.Now().After(deadline) {
			t.Fatalf("it was sent %d entries of %s, want %d", len(found), kind, n)
		}
	}
}

// signedBy reports whether one of the signatures of what was sent is by a secret.
func (m message) signedBy(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", m.header.Get("Webhook-Id"), m.header.Get("Webhook-Timestamp"), m.body)
	return bytes.Contains([]byte(m.header.Get("Webhook-Signature")),
		[]byte("v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil))))
}

// TestConsoleWebhook makes a webhook, of which the answer is lost, and does with it all that one can: each secret is
// shown once and signs what is sent, a test is seen to arrive or says why it did not, what is sent again is counted
// before.
func TestConsoleWebhook(t *testing.T) {
	t.Parallel()
	address := serveOn(t, "memory:", adminPassword, toHere)
	joao := admin(t, address).reseller(t, "joao", false, "20")
	joao.line(t, "ana.tv", "0.5")
	program := listens(t)
	f := between(t, address)
	v := open(t, 360, 740)
	v.signIn(t, &account{address: f.address, Name: joao.Name, Password: joao.Password})
	v.more(t)
	v.press(t, "Webhooks")
	v.sees(t, "There are no webhooks yet.")
	v.press(t, "New webhook")
	if ask[bool](t, v, `!!document.querySelector('[name=scope]')`) {
		t.Error("who has nobody below is asked whose entries are meant")
	}
	v.fill(t, "url", program.URL+"/hook")
	v.click(t, `main input[name=everything][value=false]`)
	v.until(t, `document.querySelector('form .main').disabled`)
	v.click(t, `main [role=group] .check input`)
	f.fail(lost)
	v.click(t, `form .main`)
	v.sees(t, "No answer came")
	v.do(t, chromedp.Reload())
	v.press(t, "Check it")
	v.sees(t, "The webhook was created.", "It cannot be shown again.")
	first := ask[string](t, v, `document.querySelector('[data-secret]').textContent`)
	ask[bool](t, v, `(navigator.clipboard.writeText = async (text) => { window.copied = text }, true)`)
	v.press(t, "Copy secret")
	v.until(t, fmt.Sprintf(`window.copied === %q`, first))
	if kept := ask[string](t, v,
		`JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state])`); strings.Contains(kept, "whsec_") {
		t.Errorf("the browser keeps the secret: %s", kept)
	}
	all, _ := joao.send(t, "GET", "/webhooks", nil)["data"].([]any)
	if len(all) != 1 {
		t.Fatalf("there are %d webhooks", len(all))
	}

	v.press(t, "Send a test")
	v.sees(t, "The test arrived: status 200 after", "Test 1")
	if !program.of(t, "webhook.test", 1).signedBy(first) {
		t.Error("the secret that was shown does not sign what is sent")
	}
	program.answers(http.StatusInternalServerError)
	v.press(t, "Send a test")
	v.sees(t, "The test did not arrive. Your program answered, but not with a status of 2xx.", "Test 2", "status 500")
	program.answers(http.StatusOK)
	v.do(t, chromedp.Reload())
	v.sees(t, "Test 2")
	if ask[bool](t, v, `document.body.innerText.includes('whsec_')`) {
		t.Error("the secret is shown a second time")
	}

	v.press(t, "New secret")
	v.click(t, `main input[value="72"]`)
	v.click(t, `form .main`)
	v.sees(t, "There is a new secret. The old one holds as well until")
	second := ask[string](t, v, `document.querySelector('[data-secret]').textContent`)
	v.press(t, "Send a test")
	v.sees(t, "The test arrived", "Test 3")
	if m := program.of(t, "webhook.test", 3); second == first || !m.signedBy(first) || !m.signedBy(second) {
		t.Error("what is sent is not signed by both secrets")
	}
	v.press(t, "New secret")
	v.click(t, `main input[value="0"]`)
	v.click(t, `form .main`)
	v.sees(t, "The old one does not hold any more.")
	third := ask[string](t, v, `document.querySelector('[data-secret]').textContent`)
	v.press(t, "Send a test")
	v.sees(t, "The test arrived", "Test 4")
	if m := program.of(t, "webhook.test", 4); m.signedBy(second) || !m.signedBy(third) {
		t.Error("what is sent is not signed by the new secret alone")
	}

	// The line was made before the webhook was.
	v.press(t, "Send again")
	v.sees(t, "2 entries are sent again, the first of")
	v.click(t, `form .main`)
	v.sees(t, "The entries are on their way again.", "Entry ")
	seq := struct{ Seq int }{}
	if err := json.Unmarshal(program.of(t, "line.activated", 1).body, &seq); err != nil {
		t.Fatal(err)
	}
	v.press(t, "Send again")
	v.click(t, `main input[value="entry"]`)
	v.fill(t, "number", fmt.Sprint(seq.Seq))
	v.click(t, `form .main`)
	program.of(t, "line.activated", 2)

	program.answers(http.StatusGone)
	joao.send(t, "POST", "/lines/test", map[string]any{})
	program.of(t, "line.trial_created", 2)
	v.until(t,
		`(([...document.querySelectorAll('button')].find((b) => b.textContent.trim() === 'Refresh' && !b.disabled))?.click(), document.body.innerText.includes('Nothing is lost'))`)
	v.sees(t, "status 410")
	v.click(t, `button[aria-label="Back"]`)
	v.sees(t, "Its address answered that it wants nothing more (status 410). Ask who runs your program")
	v.click(t, `main a.row.webhook`)
	v.sees(t, "Nothing is lost")
	if ask[bool](t, v, `[...document.querySelectorAll('button')].some((b) => b.textContent === 'Send a test')`) {
		t.Error("a webhook that is off can be tested")
	}
	program.answers(http.StatusOK)
	v.press(t, "Turn on")
	v.click(t, `form .main`)
	v.sees(t, "The webhook was turned on.")
	program.of(t, "line.trial_created", 3)
	v.press(t, "Edit")
	v.fill(t, "url", "ftp://example.com/")
	v.click(t, `form .main`)
	v.sees(t, "This must be an address that begins with https://")
	v.fill(t, "url", "https://192.0.2.1:444/")
	v.click(t, `form .main`)
	v.sees(t, "The webhook was changed.")
	v.press(t, "Send a test")
	v.sees(t, "The test did not arrive. Nothing is sent there: it must be a public address, at port 443.")
	v.press(t, "Delete")
	v.click(t, `form .danger`)
	v.sees(t, "The webhook to 192.0.2.1:444 was deleted.", "There are no webhooks yet.")

	v.more(t)
	v.press(t, "Activity")
	v.sees(t, "Webhook deleted #1", "Webhook turned off #1", "Its address answered that it wants nothing more",
		"Changed: Address", "New secret of a webhook #1")
	for range 10 {
		joao.send(t, "POST", "/webhooks", map[string]any{"url": program.URL, "types": []string{"*"}, "scope": "own"})
	}
	v.more(t)
	v.press(t, "Webhooks")
	v.sees(t, "An account has at most 10 webhooks.")
	v.more(t)
	v.fits(t, "webhooks")
	for _, said := range v.hush() {
		if !strings.Contains(said, "status of 422") && !strings.Contains(said, "CONTENT_LENGTH_MISMATCH") &&
			!strings.Contains(said, "loading failed") {
			t.Error(said)
		}
	}
}

// TestConsoleReminders has Home tell of a low balance by the threshold by which others are told, and of lines that
// expire within a week, whenever others are told of these.
func TestConsoleReminders(t *testing.T) {
	t.Parallel()
	for _, days := range []string{"3,1", ""} {
		t.Run(days, func(t *testing.T) {
			t.Parallel()
			address := serveOn(t, "memory:", adminPassword, "RESELLERD_EXPIRING_DAYS="+days)
			maria := admin(t, address).reseller(t, "maria", true, "100")
			joao := maria.reseller(t, "joao", false, "10")
			v := open(t, 768, 740)
			v.signIn(t, joao)
			v.sees(t, "Set a low balance alert", "Expired in the last 14 days", "No line expires within 7 days.")
			if days == "3,1" {
				v.do(t, chromedp.Navigate(address+"/console/lines?when=soon&show=official&days=3"))
				v.sees(t, "No line matches.", "Ends within 3 days")
				v.do(t, chromedp.Navigate(address+"/console"))
			}
			v.press(t, "Set a low balance alert")
			v.sees(t, "Low balance alert of joao")
			v.do(t, chromedp.Reload())
			v.fill(t, "credits", "10.5")
			v.click(t, `form .main`)
			v.sees(t, "The alert of joao is set to 10.5 credits.", "Low: below 10.5")
			v.press(t, "Alert below 10.5")
			v.fill(t, "credits", "0")
			v.click(t, `form .main`)
			v.sees(t, "This must be more than 0.")
			v.fill(t, "credits", "10")
			v.click(t, `form .main`)
			v.sees(t, "The alert of joao is set to 10 credits.", "Alert below 10")
			if ask[bool](t, v, `document.body.innerText.includes('Low: below')`) {
				t.Error("the balance is as high as the threshold, and is called low")
			}
			v.quiet(t, address)

			above := open(t, 1280, 740)
			above.signIn(t, maria)
			above.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/resellers/%d", address, joao.ID)))
			above.sees(t, "Alert below", "10 credits")
			above.press(t, "Low balance alert")
			above.fill(t, "credits", "")
			above.click(t, `form .main`)
			above.sees(t, "joao has no alert any more.")
			above.until(t,
				`[...document.querySelectorAll('.facts > div')].some((row) => row.innerText.replace(/\s+/g, ' ') === 'Alert below none')`)
			above.more(t)
			above.press(t, "Activity")
			above.sees(t, "Balance low joao", "balance 10, alert below 10.5")
			above.quiet(t, address)
		})
	}
}
