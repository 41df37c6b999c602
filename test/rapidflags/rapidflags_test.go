package rapidflags

import (
	"cmp"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestPackagesWithPropertiesImportThis reads the imports of every test of the module.
func TestPackagesWithPropertiesImportThis(t *testing.T) {
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
		t.Error("no package has properties: the test searches the wrong folder")
	}
	for dir := range uses {
		if !imports[dir] {
			t.Errorf(`%s has properties and does not import _ "resellerd/test/rapidflags"`, dir)
		}
	}
}
