// Package require has assertions that end a test. A test without its tools is skipped. It fails where
// RESELLERD_TEST_TOOLS_REQUIRED, a list with commas, names the tool. The gate names all tools that it could install, so
// that it skips no test unnoticed.
package require

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// RequiredVariable names the tools that must be there.
const RequiredVariable = "RESELLERD_TEST_TOOLS_REQUIRED"

// Terminal is the name of pseudo-terminals in the list, which are no program.
const Terminal = "terminal"

// Tool returns the path of a program.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name, err)
	}
	return path
}

// Missing ends a test that needs a missing tool.
func Missing(t testing.TB, name string, why error) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv(RequiredVariable), ","), name) {
		t.Fatalf("%s names %s: %v", RequiredVariable, name, why)
	}
	t.Skip(why)
}

// Test is the part of *testing.T and *rapid.T that ends a test.
type Test interface {
	Helper()
	Fatal(args ...any)
}

// NoError ends a test that can't go on after an error.
func NoError(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
