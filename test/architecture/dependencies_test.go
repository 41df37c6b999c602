package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"resellerd/test/expect"
	"resellerd/test/require"
)

// TestEachDirectDependencyIsExplained reads go.mod and the table in DEPENDENCIES.md.
func TestEachDirectDependencyIsExplained(t *testing.T) {
	explained := read(t, ".github/DEPENDENCIES.md")
	major := regexp.MustCompile(`/v[0-9]+$`)
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(read(t, "go.mod"), -1)
	if len(direct) == 0 {
		t.Fatal("no direct requirement was found")
	}
	for _, d := range direct {
		_, name, _ := strings.Cut(major.ReplaceAllString(d[1], ""), "/") // without its host
		expect.Contains(t, explained, name, "the table of dependencies")
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", name))
	require.NoError(t, err)
	return string(content)
}
