package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixture has a package for each way to fail, and one that does not.
var fixture = map[string]string{
	"go.mod":          "module fixture\n\ngo 1.26\n",
	"a/a_test.go":     "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tt.Run(\"good\", func(*testing.T) {})\n\tt.Run(\"bad one\", func(t *testing.T) { t.Error(\"words\\n--- FAIL: TestQuoted (0.00s)\") })\n}\n\nfunc TestB(t *testing.T) { t.Fatal() }\n",
	"green/g_test.go": "package green\n\nimport \"testing\"\n\nfunc TestGreen(*testing.T) {}\n",
	"built/b_test.go": "package built\n\nvar x int = \"\"\n",
	"main/m_test.go":  "package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(3) }\n\nfunc TestGreen(*testing.T) {}\n",
	"panic/p_test.go": "package panic\n\nimport \"testing\"\n\nfunc TestPanic(*testing.T) { panic(\"!\") }\n",
	"stuck/s_test.go": "package stuck\n\nimport \"testing\"\n\nfunc TestStuck(t *testing.T) { t.Run(\"for ever\", func(*testing.T) { select {} }) }\n\nfunc TestAfter(*testing.T) {}\n",
	"none/n.go":       "package none\n",

	"slash/s_test.go": "package slash\n\nimport \"testing\"\n\nfunc TestSlash(t *testing.T) { t.Run(\"/b/c\", func(t *testing.T) { t.Fatal() }) }\n",
}

func TestWhatFailedStandsAtTheEnd(t *testing.T) {
	root := t.TempDir()
	for name, text := range fixture {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	for _, c := range []struct {
		args   []string
		status int
		end    string
	}{
		{[]string{"go", "test", "./green", "./none"}, 0, "?   \tfixture/none\t[no test files]\n"},
		{[]string{"go", "test", "-timeout", "1s", "./green", "./stuck"}, 1, "\nfailed (tests: 1, packages: 0; what they say stands above):\n    fixture/stuck TestStuck/for_ever (ran when the time was over)\n"},
		{[]string{"go", "test", "-skip", "TestStuck", "./..."}, 1, `
failed (tests: 4, packages: 2; what they say stands above):
    fixture/a TestA/bad_one
    fixture/a TestB
    fixture/built [build failed]
    fixture/main (none of its tests)
    fixture/panic TestPanic
    fixture/slash TestSlash//b/c
`},
		{[]string{"go", "test", "-v", "./green", "./a"}, 1, "\nfailed (tests: 2, packages: 0; what they say stands above):\n    fixture/a TestA/bad_one\n    fixture/a TestB\n"},
		{[]string{"go", "test", "./nowhere"}, 1, "\nfailed (tests: 0, packages: 1; what they say stands above):\n    ./nowhere [setup failed]\n"},
		{[]string{"go", "no such command"}, 2, ""},
		{[]string{"./nothing"}, 1, ""},
		{nil, 2, ""},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			status := run(c.args, &stdout, &stderr)
			if status != c.status || !strings.HasSuffix(stdout.String(), c.end) {
				t.Errorf("the status is %d, want %d with the end %q:\n%s%s", status, c.status, c.end, &stdout, &stderr)
			}
			if c.end == "" && stderr.Len() == 0 {
				t.Error("it says nothing")
			}
		})
	}
}

// TestLinesInPieces has lines that arrive in parts.
func TestLinesInPieces(t *testing.T) {
	var out bytes.Buffer
	w := &watcher{out: &out}
	const text = "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\nFAIL\nFAIL\tx/y\t0.1s\nok  \tx/z\t0.1s\nFAIL"
	for i := range len(text) {
		if n, err := w.Write([]byte(text[i : i+1])); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	w.summarize()
	if want := text + "\n\nfailed (tests: 1, packages: 0; what they say stands above):\n    x/y TestA/b\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
