package architecture

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"resellerd/test/require"
)

// checkout is the names at the top level of the checkout, and its Go files.
var checkout = sync.OnceValues(func() ([]string, []source) {
	names, files, err := parse(os.DirFS("../.."))
	if err != nil {
		panic(err)
	}
	return names, files
})

// TestSource checks the checkout itself against every rule.
func TestSource(t *testing.T) {
	names, files := checkout()
	for _, violation := range check(names, files, files) {
		t.Error(violation)
	}
}

// TestRulesFindViolations adds files to the checkout, each of which breaks one rule.
func TestRulesFindViolations(t *testing.T) {
	names, files := checkout()
	violates := func(name, text, want string) {
		t.Helper()
		added, err := parseFile(token.NewFileSet(), name, []byte(text))
		require.NoError(t, err)
		found := check(append(slices.Clone(names), name), append(slices.Clone(files), added), []source{added})
		if !slices.ContainsFunc(found, func(v string) bool { return strings.Contains(v, want) }) {
			t.Errorf("%s: found %q, want %q", name, found, want)
		}
	}
	importing := func(folder, imported string) string {
		return "package " + path.Base(folder) + "\n\nimport _ \"" + imported + "\"\n"
	}
	for folder, forbidden := range map[string][]string{
		"domain/line":         {"os", "net/http", "encoding/json", "github.com/google/uuid", "resellerd/ports"},
		"ports":               {"strings"},
		"application":         {"resellerd/adapters/memstore", "github.com/google/uuid", "resellerd/application/audit"},
		"application/lines":   {"resellerd/application", "resellerd/application/resellers"},
		"adapters/httpapi":    {"resellerd/application/audit", "resellerd/adapters/storekit", "resellerd/ports"},
		"adapters/memstore":   {"resellerd/application"},
		"adapters/cli":        {"resellerd/ports"},
		"bootstrap/resellerd": {"resellerd/test/storetest"},
	} {
		for _, imported := range forbidden {
			violates(folder+"/b.go", importing(folder, imported), folder+" may not import "+imported)
		}
	}
	for imported, c := range map[string]struct{ folder, owner string }{
		"resellerd/adapters/storekit": {"bootstrap/resellerd", "adapters"},
		"github.com/gin-gonic/gin":    {"adapters/memstore", "adapters/httpapi"},
		"go.uber.org/fx":              {"adapters/httpapi", "bootstrap"},
		"zombiezen.com/go/sqlite":     {"adapters/cli", "adapters/sqlitestore"},
		"modernc.org/sqlite/lib":      {"adapters/cli/panels", "adapters/sqlitestore"},
		"testing":                     {"adapters/memstore", "test"},
	} {
		violates(c.folder+"/b.go", importing(c.folder, imported), "only "+c.owner+" may import "+imported)
	}
	for _, c := range []struct{ name, text, want string }{
		{"domain/utils/b.go", "// Package utils is.\npackage utils\n", "no row of the import table covers domain/utils"},
		{"ports/b.go", "package ports\n\nfunc f() {\n\tfor {\n\t}\n}\n", "but f does more than return"},
		{"bootstrap/b.go", "package bootstrap\n\nvar a = store.(interface{ ports.Archive })\n", "b.go:3: asserts ports.Archive"},
		{"bootstrap/b.go", "package bootstrap\n\nfunc f() {\n\tswitch store.(type) {\n\tcase int, ports.Sessions:\n\t}\n}\n",
			"b.go:5: asserts ports.Sessions"},
		{"bootstrap/b.go", "package bootstrap\n" + strings.Repeat("\n", mostWiring), "bootstrap: "},
		{"bootstrap/b.go", "package bootstrap\n\ntype b struct{ ports.Store }\n\nfunc (b) Close() error { return nil }\n",
			"b implements ports.Store"},
		{"adapters/sqlitestore/internals/a.go", "package internals\n" + strings.Repeat("\n", mostInternals), "internals: "},
		{"application/b.go", "package application\n\nimport \"time\"\n\nvar clock = time.Now\n",
			"b.go:5: time is an argument here, not time.Now"},
		{"domain/line/b.go", "package line\n\nimport t \"time\"\n\nvar now = t.Since(t.Time{})\n", "not t.Since"},
		{"application/b.go", importing("application", "math/rand/v2"), "randomness is an argument here, not math/rand/v2"},
		{"main.go", "// Package main is.\npackage main\n", "main.go: does not belong at the top level"},
	} {
		violates(c.name, c.text, c.want)
	}
}

// check returns the violations of the top level, of all files together, and of some by themselves.
func check(names []string, files, some []source) []string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.Contains(name, "/") })
	found := slices.Concat(checkTopLevel(names), checkInternals(files), checkWiring(files))
	plain := plainOf(files)
	for _, f := range some {
		if !f.test {
			found = slices.Concat(found, checkImports(f), checkGenerators(f), checkDeclarations(f), checkAssertions(f, plain))
		}
	}
	slices.Sort(found)
	return found
}

// ignoredNames returns the names at the root that Git leaves out.
func ignoredNames(root fs.FS) ([]string, error) {
	list, err := fs.ReadFile(root, ".gitignore")
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(list)) {
		if name := strings.Trim(strings.TrimSpace(line), "/"); name != "" && !strings.HasPrefix(name, "#") {
			names = append(names, name)
		}
	}
	return names, nil
}

// parse returns the names at the root and every Go file of the module; folders with a go.mod of their own are other
// modules.
func parse(root fs.FS) (names []string, files []source, err error) {
	ignored, err := ignoredNames(root)
	if err != nil {
		return nil, nil, err
	}
	positions := token.NewFileSet()
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		skipped := strings.HasPrefix(path.Base(name), ".") || slices.ContainsFunc(ignored, func(pattern string) bool {
			match, _ := path.Match(pattern, path.Base(name))
			return match
		})
		switch {
		case err != nil || name == ".":
			return err
		case skipped && entry.IsDir():
			return fs.SkipDir
		case !skipped && path.Dir(name) == ".":
			names = append(names, name)
		}
		if entry.IsDir() {
			_, err := fs.Stat(root, name+"/go.mod")
			if err == nil || path.Base(name) == "testdata" {
				return fs.SkipDir
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parseFile(positions, name, text)
		files = append(files, file)
		return err
	})
	return names, files, err
}

func parseFile(positions *token.FileSet, name string, text []byte) (source, error) {
	tree, err := parser.ParseFile(positions, name, text, parser.ParseComments|parser.SkipObjectResolution)
	dir := path.Dir(name)
	return source{name, dir, strings.HasSuffix(name, "_test.go") || within("test", dir), tree, positions}, err
}
