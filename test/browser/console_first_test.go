package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// fewest is how many requests the first screen takes: the page, its style, two of modules, its texts, its icon.
const fewest = 6

// TestConsoleBegins shows the sign-in in a new browser: it takes few requests, and none comes twice. The second time
// only the request for the page comes.
func TestConsoleBegins(t *testing.T) {
	t.Parallel()
	for _, basePath := range []string{"", "/panel/api"} {
		front := between(t, serve(t, basePath))
		var mu sync.Mutex
		var came []string
		counts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			came = append(came, r.URL.Path)
			mu.Unlock()
			front.ServeHTTP(w, r)
		}))
		t.Cleanup(counts.Close)
		taken := func() []string {
			mu.Lock()
			defer mu.Unlock()
			defer func() { came = nil }()
			return came
		}
		v := open(t, 360, 740)
		v.do(t, chromedp.Navigate(counts.URL+basePath+"/console"))
		v.sees(t, "Sign in")
		v.await(t, `look.once()`)
		var first []string
		isIcon := func(path string) bool { return strings.HasSuffix(path, "/icon.svg") }
		for end := time.Now().Add(soon); !slices.ContainsFunc(first, isIcon) && time.Now().Before(end); {
			first = append(first, taken()...) // the browser asks for the icon when it has the time
			time.Sleep(10 * time.Millisecond)
		}
		if once := slices.Compact(slices.Sorted(slices.Values(first))); len(first) > fewest || len(once) != len(first) ||
			!strings.Contains(strings.Join(once, " "), "/text/en.js") {
			t.Errorf("the first screen requested %q", first)
		}
		v.do(t, chromedp.Reload())
		v.sees(t, "Sign in")
		v.await(t, `look.once()`)
		if again := taken(); len(again) != 1 || !strings.HasSuffix(again[0], "/console") {
			t.Errorf("the second time it requested %q", again)
		}
		v.quiet(t, counts.URL)
	}
}

// TestConsoleBrand checks an operator's name, colour and logo on every screen and in the manifest, and that texts on
// them are readable.
func TestConsoleBrand(t *testing.T) {
	t.Parallel()
	logo := filepath.Join(t.TempDir(), "logo.svg")
	if err := os.WriteFile(logo,
		[]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20"><script>window.ran = 1</script><rect width="60" height="20" fill="#e4007c"/></svg>`), 0o600); err != nil {
		t.Fatal(err)
	}
	address := serveOn(t, "memory:", adminPassword, "RESELLERD_BRAND_NAME=Canal <Mais>", "RESELLERD_BRAND_COLOR=#ffd400",
		"RESELLERD_BRAND_LOGO="+logo)
	v := open(t, 360, 740)
	v.do(t, chromedp.Navigate(address+"/console"))
	v.sees(t, "Canal <Mais>")
	v.isAccessible(t, "sign-in of a brand")
	v.enter(t, &account{address: address, Name: "admin", Password: adminPassword})
	v.isIn(t)
	v.until(t, `document.title.endsWith(' · Canal <Mais>') && document.querySelector('header .own-logo').naturalWidth > 0`)
	v.isAccessible(t, "home of a brand")
	var manifest struct {
		Name  string
		Start string `json:"start_url"`
		Icons []struct{ Src, Type string }
	}
	got, err := chromedp.Call(v, page.GetAppManifest, page.GetAppManifestParams{})
	if err != nil || len(got.Errors) != 0 {
		t.Fatalf("%v: %+v", err, got.Errors)
	}
	if err := json.Unmarshal([]byte(got.Data), &manifest); err != nil || manifest.Name != "Canal <Mais>" ||
		manifest.Start != "../../console" ||
		len(manifest.Icons) != 1 || manifest.Icons[0].Src != "logo.svg" {
		t.Errorf("%v: %s", err, got.Data)
	}
	missing, err := chromedp.Call(v, page.GetInstallabilityErrors, cdp.Empty{})
	for _, e := range missing.InstallabilityErrors {
		if e.ErrorID != "in-incognito" { // which each tab of a test is
			t.Errorf("a phone does not put it among its programs: %+v", e)
		}
	}
	if err != nil {
		t.Error(err)
	}
	v.quiet(t, address)
}

// TestConsoleStart shows the steps of a new account, one after the other, until the user has a customer or hides them.
func TestConsoleStart(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	joao := admin(t, address).reseller(t, "joao", false, "5")
	v := open(t, 360, 740)
	at := func(step string) {
		t.Helper()
		v.do(t, chromedp.Navigate(address+"/console"))
		v.until(t, fmt.Sprintf(`document.querySelector('[aria-current=step]')?.dataset.step === %q`, step))
	}
	v.signIn(t, joao)
	at("server")
	v.press(t, "Enter the address")
	v.fill(t, "server", "http://tv.example.com:8080")
	v.click(t, `form .primary`)
	v.sees(t, "Your messages are saved.")
	at("trial")
	v.sees(t, "Three steps to start", "http://tv.example.com:8080", "1 of 3 done", "A month costs 1 credit.")
	v.fits(t, "start")
	v.isAccessible(t, "start")
	v.press(t, "New trial")
	v.shows(t, `[data-message=access]`)
	at("customer")
	v.press(t, "Not now")
	v.sees(t, "No customer expires within 7 days.")
	v.do(t, chromedp.Reload())
	v.sees(t, "No customer expires within 7 days.")
	joao.line(t, "ana.tv", "1")
	ask[bool](t, v, `localStorage.removeItem([...Object.keys(localStorage)].find((key) => key.includes('started'))) ?? true`)
	v.do(t, chromedp.Reload())
	v.sees(t, "No customer expires within 7 days.")
	v.quiet(t, address)
}

// TestConsoleAppearance chooses light or dark. After a reload the choice applies before anything is shown, on any
// device.
func TestConsoleAppearance(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	v := open(t, 1280, 740)
	v.colour(t, "light")
	v.signIn(t, admin(t, address))
	ground := func() string { return ask[string](t, v, `getComputedStyle(document.body).backgroundColor`) }
	light := ground()
	choose := func(what string) {
		ask[bool](t, v, `((s) => { s.value = `+"`"+what+"`"+
			`; s.dispatchEvent(new Event('change', { bubbles: true })); return true })([...document.querySelectorAll('select')].find((s) => [...s.options].some((o) => o.value === 'dark')))`)
	}
	choose("dark")
	dark := ground()
	if dark == light {
		t.Errorf("dark is %s, as light is", dark)
	}
	if _, err := chromedp.Call(v, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `new MutationObserver((_, o) => { if (document.body) { o.disconnect(); window.begun = document.documentElement.dataset.theme } }).observe(document, { childList: true, subtree: true })`,
	}); err != nil {
		t.Fatal(err)
	}
	v.do(t, chromedp.Reload())
	v.isIn(t)
	if now, begun := ground(), ask[string](t, v, `window.begun`); now != dark || begun != "dark" {
		t.Errorf("after a reload it is %s, and began as %q", now, begun)
	}
	choose("light")
	v.colour(t, "dark")
	if now := ground(); now != light {
		t.Errorf("light on a dark device is %s", now)
	}
	choose("device")
	if now := ground(); now != dark {
		t.Errorf("as the device, which is dark, is %s", now)
	}
	v.quiet(t, address)
}
