package architecture

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestSource holds the checkout itself against every rule.
func TestSource(t *testing.T) {
	found, err := check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range found {
		t.Error(violation)
	}
}

// TestRulesFindViolations breaks a clean tree in one way at a time.
func TestRulesFindViolations(t *testing.T) {
	clean := fstest.MapFS{
		"Makefile": {}, "README.md": {}, "LICENSE": {}, "go.mod": {}, "go.sum": {},
		".gitignore":    file("/bin/\n*.db\n"),
		".golangci.yml": {},
		"bin/resellerd": {},
		"domain/fault/fault.go": file(
			"// Package fault is.\npackage fault\n\nimport \"errors\"\n\n// Err is.\nvar Err = errors.New(\"\")\n"),
		"domain/line/line.go": file(
			"// Package line is.\npackage line\n\nimport (\n\t\"time\"\n\t\"github.com/shopspring/decimal\"\n\t\"resellerd/domain/credit\"\n\t\"resellerd/domain/reseller\"\n)\n\n// At is.\ntype At = time.Time\n"),
		"domain/line/x_test.go": file(
			"package line_test\n\nimport (\n\t\"os\"\n\t\"testing\"\n\t\"pgregory.net/rapid\"\n)\n"),
		"ports/store.go": file(
			"// Package ports is.\npackage ports\n\nimport (\n\t\"context\"\n\t\"resellerd/domain/line\"\n)\n\n// Name is.\ntype Name struct{ s string }\n\n// String returns.\nfunc (n Name) String() string { return n.s }\n\n// Looker is.\ntype Looker interface{ Look() }\n\n// Closer is.\ntype Closer interface {\n\tLooker\n\tClose()\n}\n"),
		"application/service.go": file(
			"// Package application is.\npackage application\n\nimport (\n\t\"bytes\"\n\t\"resellerd/domain/line\"\n\t\"resellerd/ports\"\n)\n"),
		"application/audit/a.go": file(
			"// Package audit is.\npackage audit\n\nimport \"resellerd/ports\"\n\nvar a = record.(*ports.Name)\n"),
		"application/transfer/a.go": file(
			"// Package transfer is.\npackage transfer\n\nimport (\n\t\"resellerd/application/audit\"\n\t\"resellerd/ports\"\n)\n"),
		"adapters/httpapi/a.go": file(
			"// Package httpapi is.\npackage httpapi\n\nimport (\n\t\"github.com/gin-gonic/gin\"\n\t\"resellerd/application\"\n\t\"resellerd/adapters/httpapi/wire\"\n)\n"),
		"adapters/memstore/a.go": file(
			"// Package memstore is.\npackage memstore\n\nimport (\n\t\"time\"\n\t\"resellerd/ports\"\n)\n\nvar x = time.Now()\n"),
		"adapters/mongostore/a.go": file(
			"// Package mongostore is.\npackage mongostore\n\nimport (\n\t\"go.mongodb.org/mongo-driver/v2/mongo\"\n\t\"resellerd/adapters/mongostore/gather\"\n\t\"resellerd/adapters/storekit\"\n\t\"resellerd/ports\"\n)\n"),
		"adapters/sqlitestore/a.go": file(
			"// Package sqlitestore is.\npackage sqlitestore\n\nimport (\n\t\"database/sql\"\n\t\"resellerd/domain/line\"\n)\n"),
		"bootstrap/resellerd/a.go": file(
			"// Command resellerd is.\npackage main\n\nimport (\n\t\"go.uber.org/fx\"\n\t\"resellerd/adapters/httpapi\"\n\t\"resellerd/application\"\n)\n"),
		"test/storetest/a.go": file(
			"// Package storetest is.\npackage storetest\n\nimport (\n\t\"testing\"\n\t\"resellerd/ports\"\n)\n"),
		"test/mongotest/with/a.go": file(
			"// Command with is.\npackage main\n\nimport (\n\t\"go.mongodb.org/mongo-driver/v2/mongo\"\n\t\"resellerd/test/mongotest\"\n)\n"),
		"test/tools/go.mod":    {},
		"test/tools/broken.go": file("not Go"),
	}
	if found, err := check(clean); err != nil || len(found) > 0 {
		t.Fatalf("the clean tree: %v, %v", found, err)
	}

	violates := func(name, at string, file *fstest.MapFile, want string) { // nil takes the file away
		t.Helper()
		t.Run(name, func(t *testing.T) {
			tree := maps.Clone(clean)
			if tree[at] = file; file == nil {
				delete(tree, at)
			}
			found, err := check(tree)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found, func(v string) bool { return strings.Contains(v, want) }) {
				t.Errorf("found %q, want %q", found, want)
			}
		})
	}
	importing := func(folder, imported string) *fstest.MapFile {
		return file("package " + path.Base(folder) + "\n\nimport _ \"" + imported + "\"\n")
	}
	for folder, forbidden := range map[string][]string{
		"domain/line": {"os", "net/http", "encoding/json", "log/slog", "github.com/google/uuid",
			"resellerd/ports"},
		"domain/fault": {"resellerd/domain/credit"},
		"ports":        {"strings"},
		"application": {"resellerd/adapters/memstore", "github.com/google/uuid", "resellerd/application/audit",
			"resellerd/application/transfer"},
		"application/lines":    {"resellerd/application", "resellerd/application/resellers"},
		"application/audit":    {"resellerd/application", "resellerd/application/transfer"},
		"application/transfer": {"resellerd/application"},
		"adapters/httpapi": {"resellerd/application/audit", "resellerd/adapters/memstore",
			"resellerd/adapters/storekit", "resellerd/bootstrap", "resellerd/ports"},
		"adapters/httpapi/wire":      {"resellerd/adapters/memstore"},
		"adapters/memstore":          {"resellerd/application"},
		"adapters/mongostore/gather": {"resellerd/domain/reseller"},
		"adapters/cli":               {"resellerd/ports"},
		"bootstrap/resellerd":        {"resellerd/test/storetest"},
	} {
		for _, imported := range forbidden {
			violates(folder+" imports "+imported, folder+"/b.go", importing(folder, imported),
				folder+" may not import "+imported)
		}
	}
	for _, c := range []struct{ folder, imported, owner string }{
		{"bootstrap/resellerd", "resellerd/adapters/storekit", "adapters"},
		{"adapters/memstore", "github.com/gin-gonic/gin", "adapters/httpapi"},
		{"bootstrap", "github.com/go-playground/validator/v10", "adapters/httpapi"},
		{"adapters/httpapi", "go.uber.org/fx", "bootstrap"},
		{"bootstrap/resellerd", "github.com/alecthomas/kong", "adapters/cli"},
		{"bootstrap/resellerd", "database/sql", "adapters/sqlitestore"},
		{"adapters/memstore", "modernc.org/sqlite/lib", "adapters/sqlitestore"},
		{"adapters/cli", "zombiezen.com/go/sqlite", "adapters/sqlitestore"},
		{"adapters/cli/panels", "modernc.org/sqlite/lib", "adapters/sqlitestore"},
		{"adapters/memstore", "go.mongodb.org/mongo-driver/v2/bson", "adapters/mongostore"},
		{"adapters/httpapi", "github.com/pquerna/otp/totp", "adapters/onetime"},
		{"adapters/onetime", "rsc.io/qr", "adapters/httpapi"},
		{"adapters/memstore", "testing", "test"},
	} {
		violates(c.folder+" imports "+c.imported, c.folder+"/b.go", importing(c.folder, c.imported), "only "+c.owner+
			" may import "+c.imported)
	}
	for _, c := range []struct {
		name string
		path string
		file *fstest.MapFile
		want string
	}{
		{"domain has a package that the table does not know", "domain/utils/b.go",
			file("// Package utils is.\npackage utils\n"), "no row of the import table covers domain/utils"},
		{"a folder that the table does not know", "bootstrap2/b.go", file("// Package b is.\npackage b\n"),
			"no row of the import table covers bootstrap2"},
		{"ports hold code", "ports/b.go", file("package ports\n\nfunc f() {\n\tg := 1\n\t_ = g\n}\n"),
			"but f does more than return"},
		{"ports hold one statement of code", "ports/b.go", file("package ports\n\nfunc f() {\n\tfor {\n\t}\n}\n"),
			"but f does more than return"},
		{"an assertion of a port", "bootstrap/b.go", file("package bootstrap\n\nvar a = store.(ports.Archive)\n"),
			"b.go:3: asserts ports.Archive"},
		{"an assertion of more than a port", "bootstrap/b.go",
			file("package bootstrap\n\nvar a = store.(interface{ ports.Archive })\n"), "asserts ports.Archive"},
		{"a switch over ports", "bootstrap/b.go",
			file("package bootstrap\n\nfunc f() {\n\tswitch store.(type) {\n\tcase int, ports.Sessions:\n\t}\n}\n"),
			"b.go:5: asserts ports.Sessions"},
		{"an assertion of any port", "bootstrap/b.go", file("package bootstrap\n\nfunc f[A any](s any) A { return s.(A) }\n"),
			"asserts the type parameter A"},
		{"internals that grow", "adapters/sqlitestore/internals/a.go",
			file("// Package internals is.\npackage internals\n" + strings.Repeat("\n", mostInternals)), "internals: 30"},
		{"a bootstrap that does more than wire", "bootstrap/b.go",
			file("package bootstrap\n" + strings.Repeat("\n", mostWiring)), "bootstrap: 16"},
		{"a port in bootstrap", "bootstrap/b.go", file("package bootstrap\n\ntype b struct{}\n\nfunc (*b) Look() {}\n"),
			"bootstrap/b.go: b implements ports.Looker"},
		{"a decorator in bootstrap", "bootstrap/b.go",
			file("package bootstrap\n\ntype b struct{ ports.Looker }\n\nfunc (b) Close() {}\n"), "b implements ports.Closer"},
		{"a dot import", "application/b.go", file("package application\n\nimport . \"strings\"\n"),
			"imports strings with a dot"},
		{"the clock in the domain", "domain/line/b.go", file("package line\n\nimport \"time\"\n\nvar now = time.Now()\n"),
			"b.go:5: time is an argument here, not time.Now"},
		{"the clock as a value", "application/b.go", file("package application\n\nimport \"time\"\n\nvar clock = time.Now\n"),
			"not time.Now"},
		{"the clock under another name", "application/b.go",
			file("package application\n\nimport t \"time\"\n\nvar now = t.Since(t.Time{})\n"), "not t.Since"},
		{"randomness in the application", "application/b.go", importing("application", "crypto/rand"),
			"randomness is an argument here, not crypto/rand"},
		{"weak randomness in the application", "application/b.go", importing("application", "math/rand/v2"),
			"not math/rand/v2"},
		{"an undocumented type", "domain/line/b.go", file("package line\n\ntype T struct{}\n"), "T has no doc comment"},
		{"an undocumented method", "ports/b.go", file("package ports\n\nfunc (n Name) Other() string { return n.s }\n"),
			"Other has no doc comment"},
		{"an undocumented variable", "application/b.go", file("package application\n\nvar (\n\tx = 1\n\tY = 2\n)\n"),
			"Y has no doc comment"},
		{"an undocumented package", "adapters/other/b.go", file("package other\n"), "adapters/other: no package comment"},
		{"an undocumented test package", "test/other/b_test.go", file("package other\n"), "test/other: no package comment"},
		{"another file at the top level", "main.go", file("// Package main is.\npackage main\n"),
			"main.go: does not belong at the top level"},
		{"another folder at the top level", "docs/a.md", file(""), "docs: does not belong at the top level"},
		{"a file that must be there", "Makefile", nil, "Makefile: is missing at the top level"},
	} {
		violates(c.name, c.path, c.file, c.want)
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// check returns every violation in the module whose root is root.
func check(root fs.FS) ([]string, error) {
	ignored, err := ignoredNames(root)
	if err != nil {
		return nil, err
	}
	skipped := func(name string) bool {
		return strings.HasPrefix(name, ".") || slices.ContainsFunc(ignored, func(pattern string) bool {
			match, _ := path.Match(pattern, name)
			return match
		})
	}
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !skipped(e.Name()) {
			names = append(names, e.Name())
		}
	}
	files, err := parse(root, skipped)
	if err != nil {
		return nil, err
	}
	found := slices.Concat(checkTopLevel(names), checkPackages(files), checkInternals(files), checkWiring(files))
	plain := plainOf(files)
	for _, f := range files {
		if !f.test {
			found = slices.Concat(found, checkImports(f), checkGenerators(f), checkDeclarations(f), checkAssertions(f, plain),
				checkComments(f))
		}
	}
	slices.Sort(found)
	return found, nil
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

// parse reads every Go file of the module; folders with a go.mod of their own
// are other modules.
func parse(root fs.FS, skipped func(string) bool) (files []source, err error) {
	positions := token.NewFileSet()
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != ".":
			_, err := fs.Stat(root, name+"/go.mod")
			if err == nil || skipped(entry.Name()) || entry.Name() == "testdata" {
				return fs.SkipDir
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(positions, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		files = append(files, source{
			name:      name,
			dir:       dir,
			test:      strings.HasSuffix(name, "_test.go") || within("test", dir),
			tree:      tree,
			positions: positions,
		})
		return nil
	})
	return files, err
}
