package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyALineEndBehindASecretIsNotPartOfIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	for content, want := range map[string]string{
		" 0123456789abcdef \n":    " 0123456789abcdef ",
		"0123456789abcdef\t\r\n":  "0123456789abcdef\t",
		"\n0123456789abcdef\n\n":  "\n0123456789abcdef",
		"0123456789 abcdef":       "0123456789 abcdef",
		"\u00a00123456789abcdef ": "\u00a00123456789abcdef ",
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		secret, err := SecretFile(file)
		if err != nil || secret.Reveal() != want {
			t.Errorf("%q holds the secret %q, %v, want %q", content, secret.Reveal(), err, want)
		}
	}
}
