package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resellerd/adapters/httpapi/reference"
	"resellerd/test/expect"
	"resellerd/test/require"
)

var folder = filepath.Join("..", "..", "adapters", "httpapi")

// TestTheGuideIsCurrent writes the guide again, and compares it with the committed one. The test also fails if a code,
// a type of event or a scope has no description.
func TestTheGuideIsCurrent(t *testing.T) {
	again := t.TempDir()
	require.NoError(t, write(folder, again))
	committed := contents(t, folder)
	for name, text := range contents(t, again) {
		if text != committed[name] {
			t.Errorf("%s is not current: run make interface", name)
		}
		delete(committed, name)
	}
	for name := range committed {
		if strings.HasPrefix(name, served) {
			t.Errorf("%s has no source: run make interface", name)
		}
	}
}

// contents returns the docs and the pages in a folder, by name.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, of := range []string{sources, served} {
		require.NoError(t, filepath.WalkDir(filepath.Join(folder, of), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			name, _ := filepath.Rel(folder, path)
			all[filepath.ToSlash(name)] = string(content)
			return err
		}))
	}
	return all
}

// internal are codes that no client receives.
var internal = []string{"webhook-slot-taken", "principal-slot-taken", "out-of-range"}

// TestEachCodeOfTheSourceIsDescribed finds codes that the OpenAPI document does not list either.
func TestEachCodeOfTheSourceIsDescribed(t *testing.T) {
	described := slices.Concat(internal, codesOf(reference.Problems()), codesOf(reference.Fields()),
		codesOf(reference.Rows()))
	declared := regexp.MustCompile(`(?:fault\.New\(fault\.\w+|&refusal\{\s*http\.\w+),\s*"([a-z0-9-]+)"`)
	for _, room := range []string{"domain", "application", "adapters/httpapi", "adapters/testclock"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", room), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, code := range declared.FindAllStringSubmatch(string(source), -1) {
				if !slices.Contains(described, code[1]) {
					t.Errorf("%s has the code %s, which has no description", path, code[1])
				}
			}
			return err
		}))
	}
}

// TestLinks checks that links lead to pages that the service serves, or name a file that it does not serve.
func TestLinks(t *testing.T) {
	pages, err := render(map[string][]byte{
		index:         []byte("# Guide\n\n[b](how-to/b.md) [a](how-to/a.md#one-step) [document](../openapi.json)\n"),
		"how-to/a.md": []byte("# A\n\n<!-- a comment -->\n\n## One step\n\n[home](../README.md), [here](#one-step),\n[*above*](../../README.md#x), [RFC](https://www.rfc-editor.org/rfc/rfc9457)\n"),
		"how-to/b.md": []byte("# `B`\n\n| a | b |\n|---|--:|\n| `x<y>` | 1 |\n"),
	})
	require.NoError(t, err)
	for name, wants := range map[string][]string{
		"index.html": {
			`<a href="guide/how-to/b">b</a> <a href="guide/how-to/a#one-step">a</a> <a href="../openapi.json">document</a>`,
			"<li><a href=\"guide/how-to/b\">B</a></li>\n<li><a href=\"guide/how-to/a\">A</a></li>", `href="pages.css"`,
		},
		"how-to/a.html": {
			`<h2 id="one-step">One step</h2>`, `<a href="../../guide">home</a>, <a href="#one-step">here</a>`,
			"<em>above</em> (<code>adapters/httpapi/README.md</code>)", `<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC</a>`,
			`<a href="../../guide/how-to/a" aria-current="page">A</a>`,
		},
		"how-to/b.html": {"<title>B · resellerd</title>", `<td align="right">1</td>`, "<code>x&lt;y&gt;</code>"},
	} {
		for _, want := range wants {
			expect.Contains(t, string(pages[name]), want, "%s", name)
		}
	}
	expect.Lacks(t, string(pages["how-to/a.html"]), "comment", "a page")
	for text, want := range map[string]string{
		"no title":               "a.md has no title",
		"# A\n\n[x](none.md)":    "a.md: the link none.md is broken",
		"# A\n\n[x](#none)":      "a.md has no heading none",
		"# A\n\n![x](x.svg)":     "a.md: a picture is not shown: x.svg",
		"# A\n\n<b>x</b>":        "a.md: HTML is not shown: <b>",
		"# A\n\n<details>\n\nx":  "a.md: HTML is not shown: <details>",
		"# A\n\n[x](https://[x)": "a.md: ",
	} {
		_, err := render(map[string][]byte{"a.md": []byte(text)})
		if err == nil {
			t.Errorf("%q is rendered", text)
			continue
		}
		expect.Contains(t, err.Error(), want, "%q", text)
	}
	if _, err := render(map[string][]byte{"a.png": nil}); err == nil {
		t.Error("a picture is rendered")
	}
}

func TestProseIsBroken(t *testing.T) {
	var p page
	p.add("- %s `a b` end", strings.Repeat("word ", 23))
	want := "- " + strings.TrimSpace(strings.Repeat("word ", 23)) + "\n  `a b` end\n"
	if got := p.String(); got != want {
		t.Error(cmp.Diff(want, got))
	}
}
