package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestDocs reads the pages of the API on a desk, and below a base path on a phone: every operation of the document is on
// them.
func TestDocs(t *testing.T) {
	t.Parallel()
	for basePath, width := range map[string]int64{"": 1280, "/panel/api": 360} {
		t.Run(fmt.Sprintf("%s at %d", basePath, width), func(t *testing.T) {
			t.Parallel()
			address := serve(t, basePath)
			v := open(t, width, 800)
			v.do(t, chromedp.Navigate(address+"/"))
			v.click(t, `a[href="docs"]`)
			v.do(t, chromedp.WaitVisible(`//h1[contains(., "resellerd")]`))
			text := ask[string](t, v, `document.body.textContent`)
			overflow := ask[int](t, v, `document.documentElement.scrollWidth - document.documentElement.clientWidth`)
			for _, operation := range operations(t, address) {
				if !strings.Contains(text, operation) {
					t.Errorf("the pages do not show %q", operation)
				}
			}
			if overflow > 0 {
				t.Errorf("the page is %d pixels wider than the screen", overflow)
			}
			v.quiet(t, address)
		})
	}
}

// TestDocsRefuseOtherScripts tries an attack that each of these directives of the policy prevents.
func TestDocsRefuseOtherScripts(t *testing.T) {
	t.Parallel()
	v := open(t, 1280, 800)
	v.do(t, chromedp.Navigate(serve(t, "")+"/docs"))
	// The policy does not apply to scripts of the debugger; it does to later scripts of the page.
	ask[bool](t, v,
		`addEventListener('securitypolicyviolation', (e) => { window.refused.push(e.effectiveDirective) }), true`)
	for directive, attempt := range map[string]string{
		"script-src-elem": `(() => { const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s) })()`,
		"script-src":      `(() => { try { (0, eval)('window.ran = true') } catch {} })()`,
		"connect-src":     `fetch('http://127.0.0.1:9/').then(() => { window.ran = true }, () => {})`,
		"worker-src":      `(() => { try { new Worker(URL.createObjectURL(new Blob(['']))).onerror = () => {} } catch {} })()`,
	} {
		ask[int](t, v, `window.refused = []; setTimeout(() => { `+attempt+` }, 0)`)
		v.until(t, fmt.Sprintf(`window.refused.includes(%q)`, directive))
		if ask[bool](t, v, `window.ran === true`) {
			t.Errorf("what %s forbids ran", directive)
		}
	}
}

// documented returns the operations of the document that is served, by path and method.
func documented(t *testing.T, address string) map[string]map[string]json.RawMessage {
	t.Helper()
	answer, err := http.Get(address + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.NewDecoder(answer.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	return document.Paths
}

// operations returns the summaries of the document's operations.
func operations(t *testing.T, address string) (summaries []string) {
	t.Helper()
	for _, methods := range documented(t, address) {
		for _, raw := range methods {
			var operation struct{ Summary string }
			if json.Unmarshal(raw, &operation) != nil || operation.Summary == "" {
				continue
			}
			summaries = append(summaries, operation.Summary)
		}
	}
	if len(summaries) < 8 {
		t.Fatalf("the document has %d operations", len(summaries))
	}
	return summaries
}
