//go:build unix

package regularfile

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"resellerd/test/require"
)

// TestReadRefusesSpecialFiles covers files that would block or have no end, and links to them.
func TestReadRefusesSpecialFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pipe, link, socket := filepath.Join(folder, "pipe"), filepath.Join(folder, "link"), filepath.Join(folder, "socket")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Symlink(pipe, link))
	listening, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer func() { _ = listening.Close() }()
	for path, kind := range map[string]string{pipe: "a pipe", link: "a pipe", socket: "a special file",
		"/dev/zero": "a device"} {
		want := path + " is " + kind + " and not a regular file"
		if _, err := Read(path, Secret); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
}
