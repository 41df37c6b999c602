package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostInACycle is how many files of one package may depend on each other.
const mostInACycle = 8

// TestFewFilesOfAPackageDependOnEachOther keeps features from growing together again.
func TestFewFilesOfAPackageDependOnEachOther(t *testing.T) {
	err := filepath.WalkDir("../../application", func(folder string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		uses := usesOf(t, files)
		for _, name := range files {
			all := reached(uses, name)
			cycle := slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(other string) bool {
				return !reached(uses, other)[name]
			})
			if len(cycle) > mostInACycle {
				t.Errorf("%d files depend on each other: %q", len(cycle), cycle)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// usesOf returns, for each file of a package, the files that declare what it names.
func usesOf(t *testing.T, files []string) map[string][]string {
	t.Helper()
	declaredIn, named := map[string]string{}, map[string][]*ast.Ident{}
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		named[name] = parsed.Unresolved // they are declared elsewhere
		for declared := range parsed.Scope.Objects {
			declaredIn[declared] = name
		}
	}
	uses := map[string][]string{}
	for name, idents := range named {
		for _, id := range idents {
			if other := declaredIn[id.Name]; other != "" {
				uses[name] = append(uses[name], other)
			}
		}
	}
	return uses
}

// reached returns the files that a file depends on, by way of others as well.
func reached(uses map[string][]string, from string) map[string]bool {
	all := map[string]bool{}
	for todo := slices.Clone(uses[from]); len(todo) > 0; {
		next := todo[0]
		todo = todo[1:]
		if !all[next] {
			all[next] = true
			todo = append(todo, uses[next]...)
		}
	}
	return all
}
