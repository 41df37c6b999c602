package browser

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// account signs in to the API itself, to make what a test needs.
type account struct {
	address, token string
	jar            http.CookieJar // cookies of a sign-in without a browser
	ID             int64
	Name, Password string
}

// admin returns the admin of a program that was started by serve.
func admin(t *testing.T, address string) *account {
	t.Helper()
	return logIn(t, address, "admin", adminPassword)
}

func logIn(t *testing.T, address, name, password string) *account {
	t.Helper()
	a := &account{address: address, Name: name, Password: password}
	a.token, _ = a.send(t, "POST", "/auth/static-token",
		map[string]any{"username": name, "password": password})["token"].(string)
	id, _ := a.send(t, "GET", "/users/logged", nil)["id"].(float64)
	a.ID = int64(id)
	return a
}

// send sends a request to the API and returns the answer, which must be a success.
func (a *account) send(t *testing.T, method, path string, body any) map[string]any {
	t.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, a.address+path, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if a.token != "" {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
	got, err := (&http.Client{Jar: a.jar}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode == http.StatusTooManyRequests { // many tests log in at once
		time.Sleep(time.Second)
		return a.send(t, method, path, body)
	}
	var answer map[string]any
	if err := json.NewDecoder(got.Body).Decode(&answer); err != nil || got.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %v %v", method, path, got.Status, answer, err)
	}
	return answer
}

// reseller makes one below, who reads English.
func (a *account) reseller(t *testing.T, name string, master bool, credits string) *account {
	t.Helper()
	return a.reader(t, "en", name, master, credits)
}

// reader makes a reseller below, who reads a language.
func (a *account) reader(t *testing.T, language, name string, master bool, credits string) *account {
	t.Helper()
	is := 0
	if master {
		is = 1
	}
	a.send(t, "POST", "/users", map[string]any{
		"username": name, "password": "s3cret-" + name, "is_master": is, "credits": credits, "country": "BR",
		"language": language,
	})
	return logIn(t, a.address, name, "s3cret-"+name)
}

// line makes a trial, and an official line of it where credits is not empty.
func (a *account) line(t *testing.T, name, credits string) (id int64) {
	t.Helper()
	made, _ := a.send(t, "POST", "/lines/test", map[string]any{})["id"].(float64)
	if credits != "" {
		a.send(t, "PATCH", fmt.Sprintf("/lines/active/%d", int64(made)), map[string]any{
			"username": name, "password": "7788", "credits": credits, "country": "BR", "whatsapp": "+55 11 98888-7777",
		})
	}
	return int64(made)
}

// signIn signs an account in, and waits for its home.
func (v *tab) signIn(t *testing.T, a *account) {
	t.Helper()
	v.do(t, chromedp.Navigate(a.address+"/console"))
	v.enter(t, a)
	v.isIn(t)
}

// enter fills the sign-in in.
func (v *tab) enter(t *testing.T, a *account) {
	t.Helper()
	v.fill(t, "username", a.Name)
	v.fill(t, "password", a.Password)
	v.click(t, `button[type=submit]`)
}

// isIn waits until a user is signed in.
func (v *tab) isIn(t *testing.T) {
	t.Helper()
	v.shows(t, `header[data-who]`)
}

// click clicks on the first element of a CSS selector, or of an XPath, that is visible, is enabled and has nothing over
// it. It looks and clicks in one call: a moment later the screen may have another element there.
func (v *tab) click(t *testing.T, selector string) {
	t.Helper()
	v.until(t, fmt.Sprintf(`((selector) => {
		const found = selector.startsWith('/')
			? ((all) => Array.from({ length: all.snapshotLength }, (_, i) => all.snapshotItem(i)))(document.evaluate(selector, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE))
			: [...document.querySelectorAll(selector)]
		for (const element of found) {
			if (element.disabled || !element.checkVisibility({ visibilityProperty: true })) continue
			element.scrollIntoViewIfNeeded()
			const { left, top, width, height } = element.getBoundingClientRect()
			const hit = document.elementFromPoint(left + width / 2, top + height / 2)
			if (!hit || !element.contains(hit) && hit.closest('label')?.control !== element) continue
			element.focus({ preventScroll: true })
			element.click()
			return true
		}
		return false
	})(%q)`, selector))
}

// press presses a button or a link by its words.
func (v *tab) press(t *testing.T, words string) {
	t.Helper()
	v.click(t, fmt.Sprintf(`//*[self::a or self::button][normalize-space(.)=%q]`, words))
}

// more shows the links of the navigation that a phone has behind a button; a desk shows all of them.
func (v *tab) more(t *testing.T) {
	t.Helper()
	if v.width < 768 {
		v.click(t, `nav .rest > button`)
	}
}

// account opens the menu of the account, which a phone has among the links behind a button.
func (v *tab) account(t *testing.T) {
	t.Helper()
	if v.width < 768 {
		v.more(t)
	} else {
		v.click(t, `header .avatar`)
	}
}

// fill replaces the text of a field.
func (v *tab) fill(t *testing.T, name, text string) {
	t.Helper()
	field := fmt.Sprintf(`main [name=%q]`, name)
	v.shows(t, field)
	// A screen that has just come takes the focus to its heading, and with it what is typed in that moment.
	for {
		ask[bool](t, v, fmt.Sprintf(`document.querySelector(%q).select() ?? true`, field))
		v.do(t, chromedp.SendKeys(field, cmp.Or(text, kb.Backspace)))
		if ask[string](t, v, fmt.Sprintf(`document.querySelector(%q).value`, field)) == text {
			return
		}
	}
}

// shows waits until what a CSS selector finds first can be seen.
func (v *tab) shows(t *testing.T, selector string) {
	t.Helper()
	v.until(t, fmt.Sprintf(`!!document.querySelector(%q)?.checkVisibility({ visibilityProperty: true })`, selector))
}

// sees waits until the screen has these words.
func (v *tab) sees(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		v.until(t, fmt.Sprintf(`!!document.body && document.body.innerText.includes(%q)`, w))
	}
}

// until waits until an expression is true.
func (v *tab) until(t *testing.T, expression string) {
	t.Helper()
	deadline := time.Now().Add(soon)
	for !v.holds(t, expression) {
		if time.Now().After(deadline) {
			v.picture(t, "failed")
			t.Fatalf("it does not become true that %s at %s; the page says %q, and complained %q", expression,
				ask[string](t, v, `location.href + ' ' + JSON.stringify(history.state)`),
				ask[string](t, v, `document.body.innerText.slice(0, 3000)`), v.said)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// holds reports whether an expression is true. While another page loads it is false.
func (v *tab) holds(t *testing.T, expression string) bool {
	t.Helper()
	is, err := chromedp.Run(v, chromedp.Evaluate[bool](expression))
	if err != nil && !strings.Contains(err.Error(), "target navigated or closed") {
		t.Fatalf("%s: %v; the page said %q", expression, err, v.said)
	}
	return is
}

// picture makes a picture of the screen in the folder that RESELLERD_TEST_PICTURES names, where it names one.
func (v *tab) picture(t *testing.T, name string) {
	t.Helper()
	folder := os.Getenv("RESELLERD_TEST_PICTURES")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(v, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	file := strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()+" "+name) + ".png"
	if err := os.WriteFile(filepath.Join(folder, file), picture, 0o600); err != nil {
		t.Fatal(err)
	}
}
