package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTheListFitsTheSource tells who changes a text that a mutant replaces; it
// plants nothing.
func TestTheListFitsTheSource(t *testing.T) {
	list, err := os.ReadFile("mutants.txt")
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := parse(string(list))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		if _, err := m.planted("../.."); err != nil {
			t.Error(err)
		}
	}
}

// fixture is a module with a rule, a text that is embedded, and a test that builds
// its program, as those of this one do.
var fixture = map[string]string{
	"go.mod":   "module fixture\n\ngo 1.26\n",
	"rule.go":  "package fixture\n\nimport _ \"embed\"\n\n//go:embed text.txt\nvar Text string\n\nfunc Least(n int) bool { return n >= 3 }\n",
	"text.txt": "one two\n",
	"rule_test.go": `package fixture

import "testing"

func TestLeast(t *testing.T) {
	for _, n := range []int{3, 9} {
		t.Run("enough", func(t *testing.T) {
			if !Least(n) {
				t.Error(n)
			}
		})
	}
}

func TestRed(t *testing.T) { t.Skip("red only with a bug of its own") }
`,
	"program/main.go": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"fixture\"\n)\n\nfunc main() { fmt.Print(fixture.Text) }\n",
	"acceptance/program_test.go": `package acceptance

import (
	"os/exec"
	"testing"

	_ "fixture"
)

func TestProgram(t *testing.T) {
	if out, err := exec.Command("go", "run", "../program").Output(); string(out) != "one two\n" {
		t.Errorf("%q, %v", out, err)
	}
}
`,
}

// TestMutantsOfAFixture plants bugs of which tests catch some, one of them not by the loop, and bugs that the list has
// wrong in each way.
func TestMutantsOfAFixture(t *testing.T) {
	root := t.TempDir()
	write(t, root, fixture)
	const caught = `mutant rule
why    it is a rule
in     . Least
- >= 3
+ > 3
tests  ./acceptance
tests  .

mutant embedded
why    the program says it
in     text.txt
- one two
+ two one
tests  .
tests  ./acceptance

mutant over
why    nobody asks for less
in     rule.go
- n >= 3
+ n >= 2
tests  . ./acceptance
`
	const wrong = `
mutant stale
why    it was
in     rule.go
- n >= 4
+ n >= 3
tests  .

mutant twice
why    it is not clear which
in     rule.go
- n
+ m
tests  .

mutant elsewhere
why    there is no such rule
in     . Most
- n >= 3
+ n > 3
tests  .

mutant not-go
why    a compiler catches it
in     rule.go
- n >= 3
+ n >= "3"
tests  .

mutant untested
why    there is no such test
in     rule.go
- n >= 3
+ n > 3
tests  -run TestMost .

mutant no-part
why    there is such a test, and no such part of it
in     rule.go
- n >= 3
+ n > 3
tests  -run TestLeast/most .

mutant red
why    the test fails without the bug as well
in     rule.go
- n >= 3
+ n > 3
tests  -run TestRed .
`
	status, out := mutate(t, root, caught, "-loop", ".")
	if status != survivors {
		t.Errorf("the status is %d, want %d", status, survivors)
	}
	write(t, root, map[string]string{"rule_test.go": strings.Replace(fixture["rule_test.go"], "t.Skip", "t.Error", 1)})
	wrongly, errors := mutate(t, root, wrong)
	if wrongly != misused {
		t.Errorf("the status is %d, want %d", wrongly, misused)
	}
	for _, text := range []string{
		"caught     rule      by fixture TestLeast/enough\n",
		"caught     embedded  by fixture/acceptance TestProgram, and not by the loop\n",
		"SURVIVED   over      nobody asks for less\n",
		"2 caught, 1 survived; of 2 in code of the loop, 1 by its tests\n",
		"mutant stale: the list is stale: this stands 0 times in rule.go",
		"mutant twice: the list is stale: this stands ",
		"mutant elsewhere: the list is stale: this stands 0 times in . Most",
		"not-go     it does not compile: ",
		"untested   go test -count=1 -run TestMost .: the list is stale: there are no such tests\n",
		"go test -count=1 -run TestLeast/most .: the list is stale: there are no such tests\n",
		"fixture TestRed fails without the bug as well:\n",
		"0 caught, 0 survived, 7 ERROR\n",
	} {
		if !strings.Contains(out+errors, text) {
			t.Errorf("it does not say %q:\n%s\n%s", text, out, errors)
		}
	}
	if got, err := os.ReadFile(filepath.Join(root, "rule.go")); string(got) != fixture["rule.go"] {
		t.Errorf("the source was touched: %q, %v", got, err)
	}
}

func TestAWrongListIsRefused(t *testing.T) {
	const whole = "mutant m\nwhy w\nin f\n- a\n+ b\ntests .\n"
	if _, err := parse(whole); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]string{
		"nothing was begun":    "why w\n",
		"a name twice":         whole + whole,
		"an unknown word":      whole + "because w\n",
		"a word alone":         whole + "why\n",
		"no place":             "mutant m\nwhy w\n- a\n+ b\ntests .\n",
		"the place of another": whole + "mutant n\nwhy w\n- a\n+ b\ntests .\n",
		"no text to replace":   whole + "+ b\n",
		"no change":            "mutant m\nwhy w\nin f\ntests .\n",
		"no tests":             "mutant m\nwhy w\nin f\n- a\n+ b\n",
		"no why":               "mutant m\nin f\n- a\n+ b\ntests .\n",
	} {
		if got, err := parse(list); err == nil {
			t.Errorf("%s: it was read as %+v", name, got)
		}
	}
	got, err := parse("mutant m\nwhy w\nin f\n- \ta\n- b\n+ c\nin g M\n- d\ntests . -run X\ntests ./...\n")
	if err != nil || len(got) != 1 || len(got[0].changes) != 2 ||
		got[0].changes[0] != (change{place{"f", ""}, "\ta\nb", "c"}) ||
		got[0].changes[1] != (change{place{"g", "M"}, "d", ""}) || len(got[0].steps) != 2 {
		t.Errorf("it was read as %+v, %v", got, err)
	}
}

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func mutate(t *testing.T, root, list string, flags ...string) (status int, out string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	status = command(append(flags, "-root", root, "-list", file, "-parallel", "2", "-timeout", (5*time.Minute).String()),
		&stdout, &stderr)
	return status, regexp.MustCompile(` in [0-9][0-9hms.]*`).ReplaceAllString(stdout.String(), "") + stderr.String()
}
