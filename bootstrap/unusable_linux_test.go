package bootstrap

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"resellerd/adapters/backupfolder"
	"resellerd/adapters/servicekey"
	"resellerd/test/expect"
)

// TestFilesThatTheSystemRefusesAreExplained to a user without a name, who opens files of root.
func TestFilesThatTheSystemRefusesAreExplained(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("root alone can become another user")
	}
	const stranger = 54321
	folder := t.TempDir()
	closed, readable := filepath.Join(folder, "closed"), filepath.Join(folder, "readable")
	must(t, os.Chmod(filepath.Dir(folder), 0o755))
	must(t, os.Mkdir(closed, 0o700))
	must(t, os.Mkdir(readable, 0o755))
	key := filepath.Join(readable, "store.db.key")
	must(t, os.WriteFile(key, []byte(strings.Repeat("k", 64)), 0o600))

	for name, c := range map[string]struct {
		use  func() error
		want string
	}{
		"the service key": {func() error {
			_, err := servicekey.InFile(key)
			return err
		}, key + " ... read it: "},
		"a target of a restore": {func() error {
			return backupfolder.TargetAt(filepath.Join(closed, "store.db")).Free(time.Now())
		}, closed + " ... enter it: "},
		"a folder of backups": {func() error {
			f, err := backupfolder.Open(readable, "0123456789ab")
			if err == nil {
				_, err = f.Begin(time.Now())
			}
			return err
		}, readable + " ... create files in it: "},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			done := make(chan syscall.Errno)
			go func() {
				runtime.LockOSThread() // and never unlocks it, so that the thread ends
				_, _, failed := syscall.RawSyscall(syscall.SYS_SETRESUID, stranger, stranger, stranger)
				if failed == 0 {
					err = c.use()
				}
				done <- failed
			}()
			expect.Equal(t, <-done, 0)
			want := strings.Replace(c.want, "...", "belongs to root (uid 0), and this process runs as uid 54321, which may not",
				1)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}
