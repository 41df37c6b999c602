//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"resellerd/test/require"
)

// TestNoFileIsAPipe among those that a command reads: its opening would wait for a writer.
func TestNoFileIsAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for what, read := range map[string]func() error{
		"secret":          func() error { _, err := SecretFile(pipe); return err },
		"certificate":     func() error { _, err := shows(pipe); return err },
		"state of follow": func() error { _, err := followState{file: pipe}.read(); return err },
		"state of import": func() error { return (&importState{file: pipe}).read() },
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), pipe+" is a pipe and not a regular file") {
			t.Errorf("%s: got %v", what, err)
		}
	}
}
