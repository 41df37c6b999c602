package browser

import (
	_ "embed"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// looker is the script with which each page checks its own look.
//
//go:embed look.js
var looker string

// sizes are the windows in which screens are looked at: a phone, what is just wide enough for a desk, a tablet, a phone
// on its side, a desk, a large one.
var sizes = [][2]int64{{360, 740}, {640, 740}, {768, 1024}, {844, 390}, {1280, 740}, {1600, 1000}}

// walked returns the window sizes in which one of the walks looks at screens: a phone, and another size in each walk. The
// long form uses all sizes.
func walked(walk int) [][2]int64 {
	if long {
		return sizes
	}
	others := [][2]int64{sizes[4], sizes[2], sizes[1]}
	return [][2]int64{sizes[0], others[walk%len(others)]}
}

// zone is the time zone of all browsers. The service runs in another one, and its hours always differ from UTC.
const zone = "America/Sao_Paulo"

// fits checks the screen in the present window. No text or control is cut, broken within a word, in a column of
// letters, over another one, outside the screen, or too small for a thumb. No text is where none should be. An element
// has the focus, nothing jumped, times are in the zone, and no list ended before its end.
func (v *tab) fits(t *testing.T, screen string) {
	t.Helper()
	v.picture(t, screen)
	v.look(t, screen, `look.once()`)
	v.look(t, fmt.Sprintf("%s at %d", screen, v.width), `look.layout()`)
}

// fitsAt does so in windows of these sizes, and with texts twice as large in the first.
func (v *tab) fitsAt(t *testing.T, screen string, sizes ...[2]int64) {
	t.Helper()
	v.look(t, screen, `look.once()`)
	for i, s := range sizes {
		v.do(t, chromedp.EmulateViewport(s[0], s[1]))
		v.look(t, fmt.Sprintf("%s at %d", screen, s[0]), `look.layout()`)
		v.picture(t, fmt.Sprintf("%s %d", screen, s[0]))
		if i == 0 {
			v.letters(t, 32)
			v.look(t, fmt.Sprintf("%s at %d with texts of 200 %%", screen, s[0]), `look.layout()`)
			v.picture(t, fmt.Sprintf("%s %d large", screen, s[0]))
			v.letters(t, 16)
		}
	}
	v.do(t, chromedp.EmulateViewport(v.width, v.height))
}

// letters makes those the user has chosen so many pixels high.
func (v *tab) letters(t *testing.T, pixels int64) {
	t.Helper()
	// a move after this event is no jump, as after a change of the window's size
	ask[bool](t, v, `dispatchEvent(new Event('resize'))`)
	v.do(t, enable(page.SetFontSizes,
		page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: pixels, Fixed: pixels}}))
}

// look has the page look at itself in some way, which returns what is wrong.
func (v *tab) look(t *testing.T, where, how string) {
	t.Helper()
	for i, found := range v.await(t, how) {
		if i == 5 {
			t.Errorf("%s: and more", where)
			break
		}
		t.Errorf("%s: %s", where, found)
	}
}

// await returns the result of a promise of the page.
func (v *tab) await(t *testing.T, expression string) []string {
	t.Helper()
	found, err := chromedp.Run(v, chromedp.Evaluate[[]string](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v; the page said %q", expression, err, v.said)
	}
	return found
}
