//go:build !(linux && amd64)

package interrupt

import "testing"

// Start skips the test: there is nothing here to interrupt a program with.
func Start(t testing.TB, _ string, _ int, _ Fault, _ []string, _ ...string) Run {
	t.Helper()
	t.Skip("a program can be interrupted at each step on Linux and amd64 only")
	return Run{}
}
