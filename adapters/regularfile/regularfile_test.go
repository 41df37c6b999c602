package regularfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/test/expect"
	"resellerd/test/require"
)

// written writes a file and returns its path.
func written(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestReadReturnsRegularFilesUpToTheLimit(t *testing.T) {
	t.Parallel()
	const most = 10
	for _, content := range []string{"", "0123456789"} {
		if got, err := Read(written(t, content), most); err != nil || string(got) != content {
			t.Errorf("got %q, %v, want %q", got, err, content)
		}
	}
	path := written(t, "0123456789a")
	if _, err := Read(path, most); err == nil || !strings.Contains(err.Error(), path+" has more than 10 bytes") {
		t.Errorf("one byte more: got %v", err)
	}
	_, err := Read(filepath.Join(t.TempDir(), "none"), most)
	expect.Error(t, err, fs.ErrNotExist, "no file")
	if _, err := Read(t.TempDir(), most); err == nil ||
		!strings.Contains(err.Error(), "is a folder and not a regular file") {
		t.Errorf("a folder: got %v", err)
	}
}
