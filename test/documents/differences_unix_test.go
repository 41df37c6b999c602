//go:build unix

package documents

import (
	"fmt"
	"slices"
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
		{"an answer differs", fenced("sh", `echo '{"a":1}'`) + fenced("json", `{"a": 2}`), "a.md:1: the answer.a is 1, and 2 is shown"},
		{"an answer is no JSON", fenced("sh", `echo hello`) + fenced("json", `{"a": 2}`), "there was no answer"},
		{"an answer is shown wrongly", fenced("sh", `echo 1`) + fenced("json", `{"a": ...}`), "no JSON"},
		{"a console differs", fenced("console", "$ echo all\nall\n$ echo well\nill"), `a.md:1: "ill\n" is shown`},
		{"a console prints more", fenced("console", "$ echo well; echo but\nwell"), "is shown"},
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
			if len(left) > 0 || c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)) {
				t.Errorf("found %q, want %q; left out %q", found, c.want, left)
			}
		})
	}
}

// TestStatusesAreThoseShown holds the statuses of a block's calls.
func TestStatusesAreThoseShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ answer, printed, statuses, want string }{
		{"", "", "200\n201\n", ""},
		{"", "", "200\n404\n", "[a call was answered 404]"},
		{`{"status": 402}`, `{"status":402}`, "201 402", ""},
		{`{"status": 402}`, `{"status":402}`, "402 402", "[a call was answered 402]"},
		{`{"status": 402}`, `{"status":402}`, "402 200", "[a call was answered 402 the call was not refused with 402]"},
		{`{"status": 200}`, `{"status":200}`, "200", ""},
		{`{"a": 1}`, `{"status":422,"a":1}`, "422", "[a call was answered 422]"},
	} {
		found := step{answer: c.answer}.failures(c.printed, c.statuses)
		if got := fmt.Sprint(found); got != c.want && (c.want != "" || len(found) > 0) {
			t.Errorf("%s after %s: %s, want %s", c.answer, c.statuses, got, c.want)
		}
	}
}

// TestAnAnswerIsComparedInPart shows what differs and what does not.
func TestAnAnswerIsComparedInPart(t *testing.T) {
	t.Parallel()
	const now, later = `"2026-01-02T03:04:05.678Z"`, `"2027-12-31T23:59:59.000Z"`
	const id, other = `"01a1fdb1-b618-7e37-a278-f890978cb119"`, `"01a20121-bca9-70c8-8903-0678df68ecb4"`
	for _, c := range []struct {
		shown, got string
		same       bool
	}{
		{`{}`, `{"a":1}`, true},
		{`{"a":1}`, `{}`, false},
		{`{"a":null}`, `{"a":null}`, true},
		{`{"a":null}`, `{}`, false},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":1.5}`, `{"a":1.50}`, false},
		{`{"a":{"b":true}}`, `{"a":{"b":true,"c":1}}`, true},
		{`[{"a":1}]`, `[{"a":1,"b":2}]`, true},
		{`[1]`, `[1,2]`, false},
		{`[]`, `{}`, false},
		{`{}`, `[]`, false},
		{`"..."`, `"any"`, true},
		{`"..."`, `null`, false},
		{`"any"`, `"other"`, false},
		{now, later, true},
		{now, `"tomorrow"`, false},
		{id, other, true},
		{id, now, false},
	} {
		if _, difference := answered(c.shown, c.got); (difference == "") != c.same {
			t.Errorf("%s shown for %s: %q", c.shown, c.got, difference)
		}
	}
}

// TestAConsoleIsComparedInKind shows what stands for what in what a command prints.
func TestAConsoleIsComparedInKind(t *testing.T) {
	t.Parallel()
	const one, another = "0db2886eaa22a5fc1e43dc4317eea2a0", "ffffffffffffffffffffffffffffffff"
	for _, c := range []struct {
		shown, printed string
		same           bool
	}{
		{"4 accounts", "4 accounts", true},
		{"4 accounts", "5 accounts", false},
		{"password: ...", "password: x7.$", true},
		{"...", "one\ntwo", false},
		{"key " + one, "key " + another, true},
		{"key " + one, "key 1", false},
		{"a.b", "aXb", false},
		{"a", "a and more", false},
	} {
		if got := pattern(c.shown).MatchString(c.printed); got != c.same {
			t.Errorf("%q shown for %q: %t", c.shown, c.printed, got)
		}
	}
}

// TestWhatIsNoExampleIsRefused breaks the convention in one way at a time.
func TestWhatIsNoExampleIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, document, want string }{
		{"an answer to nothing", fenced("json", "{}"), "right before it"},
		{"an answer apart", fenced("sh", "a") + "words\n" + fenced("json", "{}"), "a.md:5: a json block"},
		{"two answers", fenced("sh", "a") + fenced("json", "{}") + fenced("json", "{}"), "right before it"},
		{"an answer of a console", fenced("console", "$ a") + fenced("json", "{}"), "right before it"},
		{"output without a command", fenced("console", "all well"), "begins with a command"},
		{"a file without a name", fenced("go", "package a"), "name of its file"},
		{"a call that is not run", fenced("text", "see: curl -s localhost:8080"), `has "curl"`},
		{"a command that is not run", fenced("text", "resellerd verify"), `has "resellerd verify"`},
		{"another language", fenced("bash", "a"), "no language"},
		{"no language", fenced("", "a"), "no language"},
	} {
		if _, err := steps(Parse("a.md", c.document)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestWhatServesIsLeftRunning shows which commands a block may end with.
func TestWhatServesIsLeftRunning(t *testing.T) {
	t.Parallel()
	const settings = `A=b C_D=$(e -f 1) G="$h i" J='k l' M=mystore:here `
	for script, want := range map[string]string{
		"make run":                        "start make run",
		"resellerd serve --addr :80":      "start resellerd serve --addr :80",
		settings + "./panel serve":        settings + "start ./panel serve",
		"a=b\n" + settings + "make run":   "a=b\n" + settings + "start make run",
		"make run\necho on":               "",
		"make test":                       "",
		"echo resellerd serve; sleep 1":   "",
		settings + "resellerd copy serve": "",
	} {
		all, err := steps(Parse("a.md", fenced("sh", script)))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = script
		}
		if s := all[0]; s.script != want+"\n" || s.serves != (want != script) {
			t.Errorf("%q becomes %q, want %q; it serves: %t", script, s.script, want, s.serves)
		}
	}
}

// TestADocumentIsTakenApart holds what the rules of documents are told.
func TestADocumentIsTakenApart(t *testing.T) {
	t.Parallel()
	d := Parse("a.md", "# It's `code`, isn't it?\nsee `a b` and `c`\n\n```sh\n# no heading `x`\n```\n\n```json\n1\n```\nend\n```text\n```\n")
	if got := fmt.Sprint(d.Spans()); got != "[{1 code} {2 a b} {2 c}]" {
		t.Errorf("spans: %s", got)
	}
	if got := d.Anchors(); !slices.Equal(got, []string{"its-code-isnt-it"}) {
		t.Errorf("anchors: %q", got)
	}
	want := []Block{{"sh", "# no heading `x`\n", 4, false}, {"json", "1\n", 8, true}, {"text", "", 12, false}}
	if !slices.Equal(d.Blocks, want) {
		t.Errorf("blocks: %+v", d.Blocks)
	}
}
