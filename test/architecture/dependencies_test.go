package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"resellerd/test/require"
)

// TestEachDirectDependencyIsExplained reads go.mod, in which the direct requirements
// stand in one block and the indirect ones in another, and the table in ARCHITECTURE.md.
func TestEachDirectDependencyIsExplained(t *testing.T) {
	modules, explained := read(t, "go.mod"), read(t, ".github/ARCHITECTURE.md")
	_, explained, _ = strings.Cut(explained, "## Dependencies")
	explained, _, _ = strings.Cut(explained, "\n#")

	blocks := regexp.MustCompile(`(?s)require \((.*?)\)`).FindAllStringSubmatch(modules, -1)
	if len(blocks) != 2 || strings.Contains(blocks[0][1], "// indirect") {
		t.Fatalf("%d blocks of requirements, want one of direct and one of indirect ones", len(blocks))
	}
	for line := range strings.Lines(blocks[1][1]) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, "// indirect") {
			t.Errorf("%s is required directly and stands among the indirect ones", strings.TrimSpace(line))
		}
	}
	major := regexp.MustCompile(`/v[0-9]+$`)
	direct := regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(blocks[0][1], -1)
	if len(direct) == 0 {
		t.Fatal("no direct requirement was found")
	}
	for _, d := range direct {
		_, name, _ := strings.Cut(major.ReplaceAllString(d[1], ""), "/") // without its host
		if !strings.Contains(explained, name) {
			t.Errorf("the table of dependencies does not say why there is %s", d[1])
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", name))
	require.NoError(t, err)
	return string(content)
}
