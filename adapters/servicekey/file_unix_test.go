//go:build unix

package servicekey

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"resellerd/test/require"
)

// TestAKeyFileThatIsAPipeIsRefused since its opening would wait for a writer.
func TestAKeyFileThatIsAPipeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.key")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	if _, err := LoadOrCreate(path, true); err == nil || !strings.Contains(err.Error(), path+" is a pipe") {
		t.Errorf("got %v", err)
	}
}
