package rapidflags

import (
	"cmp"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// inside is set in a process that runs the property alone.
const inside = "RAPIDFLAGS_TEST_PROPERTY"

// TestProperty fails where TestAFailureLeavesNoFile runs it.
func TestProperty(t *testing.T) {
	if os.Getenv(inside) == "" {
		t.Skip("fails on purpose")
	}
	rapid.Check(t, func(t *rapid.T) {
		if rapid.IntRange(0, 9).Draw(t, "n") < 10 {
			t.Fatal("on purpose")
		}
	})
}

func TestAFailureLeavesNoFile(t *testing.T) {
	for _, c := range []struct {
		flags []string
		left  bool
	}{
		{nil, false},
		{[]string{"-rapid.nofailfile=false"}, true},
	} {
		run := exec.Command(os.Args[0], append([]string{"-test.run", "^TestProperty$"}, c.flags...)...)
		run.Dir = t.TempDir()
		run.Env = append(run.Environ(), inside+"=1")
		said, err := run.CombinedOutput()
		if err == nil || !strings.Contains(string(said), "-rapid.seed=") {
			t.Errorf("%q: the property ends with %v and names no seed:\n%s", c.flags, err, said)
		}
		left, err := os.ReadDir(run.Dir)
		if err != nil || (len(left) > 0) != c.left {
			t.Errorf("%q: it leaves %v, %v", c.flags, left, err)
		}
	}
}

// TestWhoHasPropertiesImportsThis reads the imports of every test of the module.
func TestWhoHasPropertiesImportsThis(t *testing.T) {
	uses, imports := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("../..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			switch i.Path.Value {
			case `"pgregory.net/rapid"`:
				uses[filepath.Dir(name)] = true
			case `"resellerd/test/rapidflags"`:
				imports[filepath.Dir(name)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(uses, "../../test/rapidflags")
	if len(uses) == 0 {
		t.Error("no package has properties: the test looks in the wrong place")
	}
	for dir := range uses {
		if !imports[dir] {
			t.Errorf(`%s has properties and does not import _ "resellerd/test/rapidflags"`, dir)
		}
	}
}
