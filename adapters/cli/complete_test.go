package cli

import (
	"os"
	"os/exec"
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
	t.Setenv("COMP_LINE", line+" and what is behind the cursor")
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

// TestScriptsOfShells has each shell complete a line, where it is there: bash and fish as they do it for a user.
func TestScriptsOfShells(t *testing.T) {
	dir := t.TempDir()
	const program = "#!/bin/sh\nif [ \"$1 $COMP_LINE\" = '__complete resellerd admin b' ]; then echo block; else echo \"ran $*\"; fi\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "resellerd"), []byte(program), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	for shell, c := range map[string]struct {
		arguments         []string
		before, use, want string
	}{
		"bash": {[]string{"--norc", "-i"}, "", "resellerd admin b\t\n", "ran admin block\n"},
		"zsh": {[]string{"-f"}, "compdef() {}\ncompadd() { echo \"$@\" }\n",
			"words=(resellerd admin b); CURRENT=3; _resellerd\n", "-- block\n"},
		"fish": {[]string{"--no-config"}, "", "complete -C 'resellerd admin b'\n", "block\n"},
	} {
		t.Run(shell, func(t *testing.T) {
			_, script, _ := ran("completion", shell)
			command := exec.Command(require.Tool(t, shell), c.arguments...)
			command.Stdin = strings.NewReader(c.before + script + c.use)
			out, err := command.Output()
			expect.Error(t, err, nil, "%v: %s", err, out)
			expect.Equal(t, string(out), c.want, "%v: %s", err, out)
		})
	}
}
