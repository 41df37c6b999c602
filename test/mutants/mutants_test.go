package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheListsFitTheSource fails where a function that has a bug of a list was changed.
func TestTheListsFitTheSource(t *testing.T) {
	var lists []byte
	for _, name := range []string{"mutants.txt", "equivalents.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lists = append(lists, text...)
	}
	both, out := filepath.Join(t.TempDir(), "both"), bytes.Buffer{}
	if err := os.WriteFile(both, lists, 0o600); err != nil {
		t.Fatal(err)
	}
	if command(t.Context(), []string{"-root", "../..", "-only", both, "-list", "-o", both + ".out"}, &out, &out) != 0 {
		t.Error(out.String())
	}
}

// TestGeneratedBugs plants every bug of a module whose tests catch some of them.
func TestGeneratedBugs(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module fixture\n\ngo 1.26\n",
		"rule.go": `package fixture

import "errors"

var errFew = errors.New("few")

type count int

func (c *count) Add(n int, check func() error) error {
	if err := check(); err != nil {
		return err
	}
	if n < 3 && n != 1 {
		return errFew
	}
	*c += count(n)
	return nil
}

func Never() bool { return true }

func Nor() bool { return false }

func Most() uint8 { var most uint8 = 255; return most }
`,
		"rule_test.go": `package fixture

import "testing"

func TestAdd(t *testing.T) {
	fine := func() error { return nil }
	var c count
	t.Run("and (all) adds", func(t *testing.T) {
		if c.Add(2, fine) != errFew || c.Add(1, fine) != nil || c.Add(3, fine) != nil || c != 4 {
			t.Error(c)
		}
	})
}

func TestRed(t *testing.T) { t.Error("with a bug and without one") }
`,
		"equivalents": "# Bugs.\n\n. count.Add: `n < 3` becomes `n <= 3`\n  It is not one.\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if status := command(t.Context(), []string{"-root", root, "-in", "./...", "-with", "./...", "-equivalents",
		filepath.Join(root, "equivalents"), "-o", filepath.Join(root, "out")}, &out, &out); status != 1 {
		t.Errorf("the status is %d", status)
	}
	said := regexp.MustCompile(`(?m)^\d+\t`).ReplaceAllString(out.String(), "")
	for _, want := range []string{
		"bugs, without 1 that do not compile\n",
		"fixture TestRed fails without a bug, and is not run\n",
		"rule.go:10\t. count.Add: `err != nil` is ignored\tSURVIVED: no test reaches it\n",
		"rule.go:13\t. count.Add: `3` becomes `3 + 1`\tcaught by fixture TestAdd/and_(all)_adds\n",
		"rule.go:13\t. count.Add: `n < 3` is always true\tcaught by fixture TestAdd/and_(all)_adds\n",
		"rule.go:13\t. count.Add: `n != 1` becomes `n == 1`\tcaught by fixture TestAdd/and_(all)_adds\n",
		"rule.go:13\t. count.Add: `n < 3 && n != 1` is always false\tcaught by fixture TestAdd/and_(all)_adds\n",
		"rule.go:16\t. count.Add: `*c += count(n)` is left out\tcaught by fixture TestAdd/and_(all)_adds\n",
		"rule.go:20\t. Never: `true` becomes `!true`\tSURVIVED: no test reaches it\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(said, "<=") || t.Failed() {
		t.Error(said)
	}
}
