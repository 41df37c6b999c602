package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheConsoleServesItsSources makes the bundle again, and compares it with the committed one.
func TestTheConsoleServesItsSources(t *testing.T) {
	console := filepath.Join("..", "..", "adapters", "console")
	again := t.TempDir()
	if err := bundle(filepath.Join(console, "files"), again); err != nil {
		t.Fatal(err)
	}
	made, served := contents(t, again), contents(t, filepath.Join(console, "served"))
	if !cmp.Equal(made, served) {
		t.Error("adapters/console/served is not what the files beside it make: run go generate ./adapters/console")
	}
}

// contents returns those of all files of a folder, by name.
func contents(t *testing.T, folder string) map[string]string {
	all := map[string]string{}
	if err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		all[name] = string(content)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
