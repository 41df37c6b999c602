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

func TestMutantsOfAFixture(t *testing.T) {
	root := t.TempDir()
	write(t, root, fixture)
	for _, c := range []struct {
		name   string
		list   string
		status int
		says   []string
	}{
		{
			"all caught",
			`mutant rule
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
tests  ./acceptance`,
			0,
			[]string{"caught     rule      by fixture TestLeast/enough\n", "caught     embedded  by fixture/acceptance TestProgram\n", "2 caught, 0 survived\n"},
		},
		{
			"one survives",
			`mutant over
why    nobody asks for less
in     rule.go
- n >= 3
+ n >= 2
tests  . ./acceptance`,
			survivors,
			[]string{"SURVIVED   over  nobody asks for less\n", "0 caught, 1 survived\n"},
		},
		{
			"the list is wrong in every way",
			`mutant stale
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
tests  -run TestMost .`,
			misused,
			[]string{
				"mutant stale: the list is stale: this stands 0 times in rule.go",
				"mutant twice: the list is stale: this stands ",
				"mutant elsewhere: the list is stale: this stands 0 times in . Most",
				"not-go     it does not compile: ",
				"untested   go test -count=1 -run TestMost .: the list is stale: there are no such tests\n",
				"0 caught, 0 survived, 5 ERROR\n",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out := mutate(t, root, c.list)
			if status != c.status {
				t.Errorf("the status is %d, want %d", status, c.status)
			}
			for _, text := range c.says {
				if !strings.Contains(out, text) {
					t.Errorf("it does not say %q:\n%s", text, out)
				}
			}
		})
	}
	for name, want := range fixture {
		if got, err := os.ReadFile(filepath.Join(root, name)); string(got) != want {
			t.Errorf("%s was touched: %q, %v", name, got, err)
		}
	}
}

// TestWhatFailsWithoutTheBugCatchesNothing has a test that is red with and without
// the bug.
func TestWhatFailsWithoutTheBugCatchesNothing(t *testing.T) {
	root := t.TempDir()
	write(t, root, fixture)
	write(t, root, map[string]string{"rule_test.go": strings.Replace(fixture["rule_test.go"], "t.Skip", "t.Error", 1)})
	status, out := mutate(t, root, "mutant over\nwhy nobody asks for less\nin rule.go\n- n >= 3\n+ n >= 2\ntests .")
	if want := "fixture TestRed fails without the bug as well:\n"; status != misused || !strings.Contains(out, want) {
		t.Errorf("the status is %d, and it does not say %q:\n%s", status, want, out)
	}
}

// TestALoopCatchesNineOfTen of the bugs in its code: here a loop that runs the rule, the text beside it, and not the program.
func TestALoopCatchesNineOfTen(t *testing.T) {
	root := t.TempDir()
	write(t, root, fixture)
	const (
		rule     = "mutant rule\nwhy it is a rule\nin rule.go\n- n >= 3\n+ n > 3\ntests .\n"
		text     = "mutant text\nwhy it is printed\nin text.txt\n- one two\n+ two one\ntests ./acceptance\n"
		printed  = "mutant printed\nwhy it is printed\nin program/main.go\n- fmt.Print(\n+ fmt.Println(\ntests ./acceptance\n"
		asked    = "mutant asked\nwhy it is a rule\nin rule.go\n- n >= 3\n+ n > 3\ntests -short .\n"
		uncaught = "caught     text     by fixture/acceptance TestProgram, and not by the loop\n"
	)
	for name, c := range map[string]struct {
		list, loop string
		status     int
		says       string
	}{
		"no loop":             {rule + text, "", 0, "2 caught, 0 survived\n"},
		"half":                {text + rule + printed, ".", survivors, uncaught},
		"counted":             {text + rule + printed, ".", survivors, "3 caught, 0 survived; of 2 in code of the loop, 1 by its tests\n"},
		"all":                 {rule + text, ". ./acceptance", 0, "2 caught, 0 survived; of 2 in code of the loop, 2 by its tests\n"},
		"by its own run":      {asked, ".", 0, "1 caught, 0 survived; of 1 in code of the loop, 1 by its tests\n"},
		"packages of nowhere": {rule, "./nowhere", misused, "mutants: the packages of the loop: "},
	} {
		status, out := mutate(t, root, c.list, "-loop", c.loop)
		if status != c.status || !strings.Contains(out, c.says) {
			t.Errorf("%s: the status is %d, want %d, and it says, without %q:\n%s", name, status, c.status, c.says, out)
		}
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
	if err != nil || len(got) != 1 || len(got[0].changes) != 2 || got[0].changes[0] != (change{place{"f", ""}, "\ta\nb", "c"}) || got[0].changes[1] != (change{place{"g", "M"}, "d", ""}) || len(got[0].steps) != 2 {
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
	status = command(append(flags, "-root", root, "-list", file, "-parallel", "2", "-timeout", (5*time.Minute).String()), &stdout, &stderr)
	return status, regexp.MustCompile(` in [0-9][0-9hms.]*`).ReplaceAllString(stdout.String(), "") + stderr.String()
}
