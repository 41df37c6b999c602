package browser

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axe is axe-core 4.14.1, as its package on npm has it (testdata/LICENSE.axe-core.txt).
//
//go:embed testdata/axe.min.js
var axe string

// schemes are the ways in which the console is coloured.
var schemes = []string{"light", "dark"}

// colour shows the page as on a device that is light or dark.
func (v *tab) colour(t *testing.T, scheme string) {
	t.Helper()
	v.do(t, enable(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}))
}

// isAccessible runs axe-core on the screen: all of its rules in the light scheme, and the colour contrast in the dark
// one. A finding that is serious or critical fails the test. During the check the window is as high as the screen, so
// that no part is behind the navigation.
func (v *tab) isAccessible(t *testing.T, screen string) {
	t.Helper()
	if !ask[bool](t, v, `!!window.axe`) {
		ask[bool](t, v, axe+`;!!window.axe`)
	}
	v.do(t, chromedp.EmulateViewport(v.width, ask[int64](t, v, `document.documentElement.scrollHeight`)))
	for scheme, options := range map[string]string{
		"light": `{ resultTypes: ['violations'], preload: false, rules: { 'target-size': { enabled: true } } }`,
		"dark":  `{ resultTypes: ['violations'], preload: false, runOnly: ['color-contrast'] }`,
	} {
		v.colour(t, scheme)
		found, err := chromedp.Run(v,
			chromedp.Evaluate[string](`axe.run(document, `+options+`).then((found) => JSON.stringify(found.violations
			.filter((v) => v.impact === 'serious' || v.impact === 'critical')
			.map((v) => [v.id, v.help, ...v.nodes.map((n) => n.html.slice(0, 200) + ' ' + (n.any[0]?.message || n.failureSummary))])))`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatalf("%s: %v", screen, err)
		}
		var findings [][]string
		if err := json.Unmarshal([]byte(found), &findings); err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			t.Errorf("%s, %s: %q", screen, scheme, f)
		}
	}
	v.colour(t, "light")
	v.do(t, chromedp.EmulateViewport(v.width, v.height))
}

// TestAxeFinds runs axe-core on a page with faults. Without a finding here its silence elsewhere would prove nothing.
func TestAxeFinds(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	v := open(t, 360, 800)
	v.do(t, chromedp.Navigate(address+"/console"))
	v.sees(t, "Sign in")
	ask[bool](t, v,
		axe+`;document.querySelector('form').append(document.createElement('input'), (() => { const p = document.createElement('p'); p.textContent = 'pale'; p.style.color = '#eee'; return p })()), true`)
	found, err := chromedp.Run(v,
		chromedp.Evaluate[string](
			`axe.run(document, { preload: false }).then((found) => found.violations.map((v) => v.id + ' ' + v.impact).join())`,
			chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"label critical", "color-contrast serious"} {
		if !strings.Contains(found, want) {
			t.Errorf("it found %q, and not %q", found, want)
		}
	}
}
