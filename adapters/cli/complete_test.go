package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"resellerd/test/expect"
	"resellerd/test/require"
)

// offered returns the words that complete a command line.
func offered(t *testing.T, words ...string) string {
	t.Helper()
	line := strings.Join(append([]string{"resellerd"}, words...), " ")
	t.Setenv("COMP_LINE", line+" and text after the cursor")
	t.Setenv("COMP_POINT", strconv.Itoa(len(line)))
	code, stdout, _ := ran(completing)
	expect.Equal(t, code, 0, "%q: code", words)
	return strings.Join(strings.Fields(stdout), " ")
}

func TestWordsAreCompleted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "completion.txt"))
	require.NoError(t, err)
	_, cases, _ := strings.Cut(string(text), "\n\n")
	for line := range strings.Lines(cases) {
		typed, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
		expect.Equal(t, offered(t, strings.Split(typed, " ")...), want, "%q is completed by", typed)
	}
	if got := offered(t, ""); !strings.Contains(got, "serve") || strings.Contains(got, completing) {
		t.Errorf("nothing is completed by %q", got)
	}
}
