package console

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"resellerd/adapters/webfile"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/webhook"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// screens returns the sources of the modules by name.
func screens(t *testing.T) map[string]string {
	t.Helper()
	from, all := os.DirFS("files"), map[string]string{}
	if err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, name)
		all[name] = string(content)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEveryFileIsServedWithItsHeaders by GET and HEAD.
func TestEveryFileIsServedWithItsHeaders(t *testing.T) {
	t.Parallel()
	own, err := build(os.DirFS("served"), Brand{})
	require.NoError(t, err)
	served := map[string]bool{}
	for _, f := range Of(Brand{}).Files {
		got, head := httptest.NewRecorder(), httptest.NewRecorder()
		f.ServeHTTP(got, httptest.NewRequest(http.MethodGet, f.Path, nil))
		f.ServeHTTP(head, httptest.NewRequest(http.MethodHead, f.Path, nil))
		h := got.Header()
		if got.Code != 200 || got.Body.Len() == 0 || head.Code != 200 || head.Body.Len() != 0 ||
			h.Get("Content-Length") != head.Header().Get("Content-Length") || h.Get("ETag") != "" {
			t.Errorf("%s: GET %d %d bytes, HEAD %d %d bytes, %v", f.Path, got.Code, got.Body.Len(), head.Code,
				head.Body.Len(), h)
		}
		name, hashed := strings.CutPrefix(f.Path, "/console/"+own.hash+"/")
		served[name] = true
		want := map[string]string{
			"Content-Type": map[string]string{
				".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
				".webmanifest": "application/manifest+json", ".map": "application/json",
			}[path.Ext(name)],
			"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff",
			"Vary":                         "Accept-Encoding",
			"Cross-Origin-Resource-Policy": "same-origin",
		}
		if !hashed {
			maps.Copy(want, map[string]string{
				"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache",
				"Content-Security-Policy": "default-src 'none'; script-src 'self' '" + hashOfBeginning(t, got.Body.String()) +
					"'; style-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; " +
					"require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
				"Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			})
		}
		for header, value := range want {
			expect.Equal(t, h.Get(header), value, "%s: %s", f.Path, header)
		}
	}
	for name := range own.served {
		expect.Equal(t, served[name], true, "%s is served", name)
	}
}

// TestFirstScreenIsSmall adds what a browser loads before the sign-in: at most 60 KB compressed, in any language.
func TestFirstScreenIsSmall(t *testing.T) {
	t.Parallel()
	sizes := map[string]int{}
	for _, f := range Of(Brand{}).Files {
		r, got := httptest.NewRequest(http.MethodGet, f.Path, nil), httptest.NewRecorder()
		r.Header.Set("Accept-Encoding", "gzip")
		f.ServeHTTP(got, r)
		_, name, _ := strings.Cut(strings.TrimPrefix(f.Path, "/console/"), "/")
		sizes[name] = got.Body.Len() // "" for a page
	}
	first := 0
	for _, name := range []string{"", app, "chunk.js", styles, "icon.svg"} {
		first += sizes[name]
	}
	for _, language := range []string{"en", "es", "pt-BR"} {
		if all := first + sizes["text/"+language+".js"]; all > 60_000 || all < 40_000 {
			t.Errorf("%s: %d bytes", language, all)
		}
	}
}

// hashOfBeginning returns the hash of the script within a page, as a browser calculates it.
func hashOfBeginning(t *testing.T, page string) string {
	t.Helper()
	_, script, _ := strings.Cut(page, "<script>")
	script, _, found := strings.Cut(script, "</script>")
	if !found || len(script) < 100 {
		t.Fatalf("the page begins with no script: %s", page)
	}
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// TestFilesOfEachShellExist at the paths that a browser resolves from the shell's own path.
func TestFilesOfEachShellExist(t *testing.T) {
	t.Parallel()
	site, there := Of(Brand{Parts: true}), map[string]bool{}
	for _, f := range site.Files {
		there[f.Path] = true
	}
	named := regexp.MustCompile(`(?:href|src)="([^"]+)"`) // an empty one is the page itself
	pages := 0
	for _, f := range site.Files {
		if f.Type != webfile.HTML {
			continue
		}
		pages++
		got := httptest.NewRecorder()
		f.ServeHTTP(got, httptest.NewRequest(http.MethodGet, f.Path, nil))
		links := named.FindAllStringSubmatch(got.Body.String(), -1)
		if len(links) < 3 {
			t.Errorf("%s names %q", f.Path, links)
		}
		for _, link := range links {
			if to := path.Join(path.Dir(f.Path), link[1]); !there[to] || strings.HasPrefix(link[1], "/") {
				t.Errorf("%s names %s, and there is no %s", f.Path, link[1], to)
			}
		}
	}
	expect.Equal(t, pages, len(deepLinks)+1, "pages at deep links, and of the parts")
	expect.Equal(t, len(site.Files)-len(Of(Brand{}).Files), 3, "files of the parts, which only a sandbox serves")
	for depth, f := range site.Nowhere {
		got := httptest.NewRecorder()
		f.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/console/x", nil))
		for _, link := range named.FindAllStringSubmatch(got.Body.String(), -1) {
			if to := path.Join("/console"+strings.Repeat("/x", depth), link[1]); got.Code != 404 || !there[to] {
				t.Errorf("page %d for unknown paths has the status %d and names %s, and there is no %s", depth, got.Code, link[1], to)
			}
		}
	}
}

// TestEachChangeChangesTheHash in a file, the shell or the brand, so that no browser uses an old copy.
func TestEachChangeChangesTheHash(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, of := range map[string]struct {
		shell, app string
		brand      Brand
	}{
		"one":            {shell: "a", app: "b"},
		"another file":   {shell: "a", app: "c"},
		"another shell":  {shell: "c", app: "b"},
		"a brand's name": {shell: "a", app: "b", brand: Brand{Name: "Shop"}},
		"a brand's logo": {shell: "a", app: "b", brand: Brand{Logo: []byte("x"), kind: ".png"}},
	} {
		from := fstest.MapFS{shell: {Data: []byte(of.shell)}, "app.js": {Data: []byte(of.app)}}
		f, err := build(from, of.brand)
		require.NoError(t, err)
		expect.Equal(t, seen[f.hash], "", "the version with the same hash as %s", name)
		seen[f.hash] = name
	}
}

var entry = regexp.MustCompile(`(?m)^ *'([^']+)': '((?:[^'\\]|\\.)*)',$`)

// texts returns the texts of a language.
func texts(t *testing.T, f map[string]string, name string) map[string]string {
	t.Helper()
	found := map[string]string{}
	source := f[name]
	for _, m := range entry.FindAllStringSubmatch(source, -1) {
		if _, twice := found[m[1]]; twice {
			t.Errorf("%s has %s twice", name, m[1])
		}
		found[m[1]] = m[2]
	}
	for line := range strings.SplitSeq(source, "\n") {
		trimmed := strings.TrimSpace(line)
		if trimmed != "" && !strings.HasPrefix(trimmed, "//") && trimmed != "export default {" && trimmed != "}" &&
			!entry.MatchString(line) {
			t.Errorf("%s: this is not one text on one line: %s", name, line)
		}
	}
	return found
}

// TestLanguagesHaveTheSameKeysAndValues in each text.
func TestLanguagesHaveTheSameKeysAndValues(t *testing.T) {
	t.Parallel()
	f := screens(t)
	value := regexp.MustCompile(`\{\w+\}`)
	valuesOf := func(text string) []string {
		return slices.Compact(slices.Sorted(slices.Values(value.FindAllString(text, -1))))
	}
	english := texts(t, f, "text/en.js")
	for name := range f {
		if path.Dir(name) != "text" {
			continue
		}
		other := texts(t, f, name)
		for key, text := range english {
			if _, has := other[key]; !has {
				t.Errorf("%s has no %s", name, key)
			} else if !slices.Equal(valuesOf(text), valuesOf(other[key])) {
				t.Errorf("%s: %s has the values %v, and in English %v", name, key, valuesOf(other[key]), valuesOf(text))
			}
		}
		for key, text := range other {
			if _, has := english[key]; !has {
				t.Errorf("%s has %s, which English has not", name, key)
			}
			if stem, one := strings.CutSuffix(key, ".one"); text == "" || one && other[stem+".other"] == "" {
				t.Errorf("%s: %s is empty, or has no other", name, key)
			}
		}
	}
}

// TestEachTextOfAModuleExists in English.
func TestEachTextOfAModuleExists(t *testing.T) {
	t.Parallel()
	f := screens(t)
	english := texts(t, f, "text/en.js")
	used := regexp.MustCompile(`\bt\('([^']+)'(\))?`)
	for name := range f {
		if path.Ext(name) != ".js" || path.Dir(name) == "text" || path.Dir(name) == "vendor" {
			continue
		}
		for _, m := range used.FindAllStringSubmatch(f[name], -1) {
			key := m[1]
			_, plain := english[key]
			_, plural := english[key+".other"]
			prefix := strings.HasSuffix(key, ".") &&
				slices.ContainsFunc(slices.Collect(maps.Keys(english)), func(k string) bool { return strings.HasPrefix(k, key) })
			if !plain && !plural && !prefix {
				t.Errorf("%s uses %s, which has no text", name, key)
			}
		}
	}
}

// TestEachTypeReasonAndScopeHasAText: types of events, reasons of failed attempts and of disabled webhooks, and scopes.
// Each type can be chosen for a webhook, and each scope for an API key.
func TestEachTypeReasonAndScopeHasAText(t *testing.T) {
	t.Parallel()
	f := screens(t)
	english := texts(t, f, "text/en.js")
	var wanted []string
	for _, failure := range webhook.Failures() {
		wanted = append(wanted, "delivery.why."+string(failure))
	}
	for _, cause := range webhook.Causes() {
		wanted = append(wanted, "delivery.tls."+string(cause))
	}
	for _, reason := range webhook.Reasons() {
		wanted = append(wanted, "webhook.why."+string(reason), "webhook.mend."+string(reason))
	}
	chosen := f["webhook.js"]
	for _, of := range journal.Types() {
		wanted = append(wanted, "event."+of.String())
		beginning, end, _ := strings.Cut(of.String(), ".")
		if !regexp.MustCompile(`\b` + beginning + `: \[[^\]]*'` + end + `'`).MatchString(chosen) {
			t.Errorf("%v cannot be chosen for a webhook", of)
		}
	}
	var scopes []string
	for _, scope := range principal.Scopes() {
		wanted, scopes = append(wanted, "scope."+string(scope)), append(scopes, string(scope))
	}
	expect.Contains(t, f["principal.js"], fmt.Sprintf("const scopes = ['%s']\n", strings.Join(scopes, "', '")))
	for _, key := range wanted {
		if english[key] == "" {
			t.Errorf("%s has no text", key)
		}
	}
}

// TestModulesUseNoMarkupAndNoNumbersOfCredits as the conventions of the package require.
func TestModulesUseNoMarkupAndNoNumbersOfCredits(t *testing.T) {
	t.Parallel()
	f := screens(t)
	for name := range f {
		source := f[name]
		if path.Ext(name) != ".js" || path.Dir(name) == "vendor" {
			continue
		}
		for _, forbidden := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
			"new Function", "parseFloat", "http://"} {
			expect.Lacks(t, source, forbidden, "%s", name)
		}
		if regexp.MustCompile(`(?i)number\([^)]*(credits|balance|amount)`).MatchString(source) {
			t.Errorf("%s makes a number of credits", name)
		}
	}
}

// TestEachScreenIsADeepLink of the service.
func TestEachScreenIsADeepLink(t *testing.T) {
	t.Parallel()
	source := screens(t)["routes.js"]
	routes := regexp.MustCompile(`\['(/[^']*)', \w+\]`).FindAllStringSubmatch(source, -1)
	if len(routes) < 3 {
		t.Fatalf("%d routes were found", len(routes))
	}
	for _, m := range routes {
		expect.Equal(t, slices.Contains(deepLinks, strings.TrimSuffix(m[1], "/")), true, "%s is a deep link", m[1])
	}
}
