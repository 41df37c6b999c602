package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// wanted bounds how long after its first answer a list shows its first rows, in milliseconds: the median of five openings.
const wanted = 300

// watchRows notes when the first row of a list is there, and drawn.
const watchRows = `new MutationObserver((_, o) => {
	if (!document.querySelector('[data-id]')) return
	o.disconnect()
	window.rowsAt = performance.now()
	requestAnimationFrame(() => setTimeout(() => { window.drawnAt = performance.now() }))
}).observe(document, { childList: true, subtree: true })`

// firstRows returns the time from the first answer of the list until its first rows were drawn.
const firstRows = `(() => {
	const asked = performance.getEntriesByType('resource').find((e) => new URL(e.name).pathname.endsWith('/lines') && e.initiatorType === 'fetch')
	return [rowsAt - asked.responseStart, drawnAt - asked.responseStart, asked.responseStart - asked.requestStart].map((n) => Math.round(n))
})()`

// TestManyLines opens lists of very many lines: a few thousand in the short form, a million in the long one, which also
// checks the time to the first rows. RESELLERD_TEST_LINES sets another number.
func TestManyLines(t *testing.T) {
	t.Parallel()
	lines := 3_000
	if long {
		lines = 1_000_000
	}
	if text := os.Getenv("RESELLERD_TEST_LINES"); text != "" {
		var err error
		if lines, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	filling := exec.Command("go", "run", "-tags", "nomsgpack", "./test/bench/load", "fill", "-resellerd", program, "-dir",
		folder, "-lines", fmt.Sprint(lines))
	filling.Dir = filepath.Join("..", "..")
	filling.Stderr = os.Stderr
	printed, err := filling.Output()
	if err != nil {
		t.Fatal(err)
	}
	says := strings.Split(string(printed), "\n")
	address := serveOn(t, "sqlite:"+filepath.Join(folder, "resellerd.db"), "", says[2])
	owner := logIn(t, address, says[0], says[1])
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			v := open(t, width, 740)
			v.signIn(t, owner)
			if _, err := chromedp.Call(v, page.AddScriptToEvaluateOnNewDocument,
				page.AddScriptToEvaluateOnNewDocumentParams{Source: watchRows}); err != nil {
				t.Fatal(err)
			}
			openings := 1
			if long {
				openings = 5
			}
			for _, list := range []string{"/lines", "/lines?show=official", "/lines?status=1", "/lines?username=a"} {
				var took [][]int // ms to the first rows, until they are drawn, and for the answer
				for range openings {
					v.do(t, chromedp.Navigate(address+"/console"+list))
					v.until(t, `'drawnAt' in window`)
					took = append(took, ask[[]int](t, v, firstRows))
				}
				slices.SortFunc(took, func(a, b []int) int { return a[0] - b[0] })
				median := took[openings/2]
				t.Logf("%d lines, %s: %d ms from the first answer to the first rows, %d until they are drawn; the answer took %d ms", lines, list, median[0], median[1], median[2])
				if long && median[0] > wanted {
					t.Errorf("%s: the first rows came %d ms after the first answer, wanted %d", list, median[0], wanted)
				}
			}

			v.quiet(t, address)
		})
	}
}
