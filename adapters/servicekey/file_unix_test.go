//go:build unix

package servicekey

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAKeyFileThatIsAPipeIsRefused since its opening would wait for a writer.
func TestAKeyFileThatIsAPipeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.key")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadOrCreate(path, true); err == nil || !strings.Contains(err.Error(), path+" is a pipe") {
		t.Errorf("got %v", err)
	}
}
