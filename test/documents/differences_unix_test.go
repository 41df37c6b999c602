//go:build unix

package documents

import (
	"strings"
	"testing"
)

// fenced writes a block of a document.
func fenced(language, text string) string { return "```" + language + "\n" + text + "\n```\n" }

// TestExamplesCanFail runs examples that differ from what their document says, and
// one that does not, without the service.
func TestExamplesCanFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, document, want string }{
		{"all is as shown", fenced("sh", "a=1\ncd $(mktemp -d)") + fenced("go", "// a.go\npackage a") +
			fenced("sh", `echo "{\"a\":$a} {\"b\":$(wc -l <a.go),\"c\":[\"x\"]}"`) + "\n" + fenced("json", `{"b": 2}`) +
			fenced("console", "$ b=7\n$ echo $((b +\n> 1)) \"$a\"\n8 1"), ""},
		{"an answer differs", fenced("sh", `echo '{"a":1}'`) + fenced("json", `{"a": 2}`),
			"a.md:1: the answer.a is 1, and 2 is shown"},
		{"an entry of another epoch", fenced("sh", `echo '{"id":"evt_0badc0de_12"}'`) +
			fenced("json", `{"id": "evt_4d1f0a7c_12"}`), ""},
		{"another entry", fenced("sh", `echo '{"id":"evt_4d1f0a7c_2"}'`) + fenced("json", `{"id": "evt_4d1f0a7c_12"}`),
			"and evt_4d1f0a7c_12 is shown"},
		{"an answer is no JSON", fenced("sh", `echo hello`) + fenced("json", `{"a": 2}`), "there was no answer"},
		{"an answer is shown wrongly", fenced("sh", `echo 1`) + fenced("json", `{"a": ...}`), "no JSON"},
		{"a console differs", fenced("console", "$ echo all\nall\n$ echo well\nill"), `a.md:1: "ill\n" is shown`},
		{"a console prints more", fenced("console", "$ echo well; echo but\nwell"), "is shown"},
		{"a console prints nothing", fenced("console", "$ true\n..."), `a.md:1: "...\n" is shown`},
		{"a command fails", fenced("sh", "true\nfalse\necho on") + fenced("sh", "echo on"), "exit status 1 at a.md:1"},
		{"a service does not start", fenced("sh", "RESELLERD_ADDR=nowhere resellerd serve"), "RESELLERD_ADDR"},
		{"a target does not exist", fenced("sh", "make nothing"), "exit status 2 at a.md:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all, err := steps(Parse("a.md", c.document))
			if err != nil {
				t.Fatal(err)
			}
			found, left := run(t, checkout(t), t.TempDir(), "", all)
			if len(left) > 0 || c.want == "" && len(found) > 0 || c.want != "" &&
				(len(found) != 1 || !strings.Contains(found[0], c.want)) {
				t.Errorf("found %q, want %q; left out %q", found, c.want, left)
			}
		})
	}
}
