package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/test/expect"
	"resellerd/test/require"

	"github.com/alecthomas/kong"
)

// TestASandboxRunsBesideAService by default, and beside the administrative listener of that.
func TestASandboxRunsBesideAService(t *testing.T) {
	flags := map[string]*kong.Flag{}
	for _, command := range parserOf(t).Model.Leaves(false) {
		for _, flag := range command.Flags {
			flags[command.Name+" "+flag.Name] = flag
		}
	}
	taken := []string{flags["serve admin-addr"].Tag.Vars["unset"], flags["serve addr"].Default}
	if addr := flags["sandbox addr"].Default; strings.Contains(strings.Join(taken, " "), addr) {
		t.Errorf("a sandbox listens on %s, a service on %q", addr, taken)
	}
}

func TestOnlyALineEndBehindASecretIsNotPartOfIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	for content, want := range map[string]string{
		" 0123456789abcdef \n":    " 0123456789abcdef ",
		"0123456789abcdef\t\r\n":  "0123456789abcdef\t",
		"\n0123456789abcdef\n\n":  "\n0123456789abcdef",
		"0123456789 abcdef":       "0123456789 abcdef",
		"\u00a00123456789abcdef ": "\u00a00123456789abcdef ",
	} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		secret, err := SecretFile(file)
		expect.Error(t, err, nil, "%q", content)
		expect.Equal(t, secret.Reveal(), want, "%q holds the secret", content)
	}
}
