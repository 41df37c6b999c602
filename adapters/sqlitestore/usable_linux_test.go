package sqlitestore_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
)

// stranger is a user without a name.
const stranger = 54321

// asStranger runs a function on a thread of the stranger, which ends with it.
func asStranger(t *testing.T, run func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks it
		_, _, failed := syscall.RawSyscall(syscall.SYS_SETRESUID, stranger, stranger, stranger)
		if failed == 0 {
			run()
			done <- nil
			return
		}
		done <- failed
	}()
	must(t, <-done)
}

// TestAStoreThatTheSystemRefusesIsExplained opens a store of a killed process, in a folder of the stranger, who owns
// all files except the index of the WAL. It also makes a store in a folder of root.
func TestAStoreThatTheSystemRefusesIsExplained(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("root alone can become another user")
	}
	killed := killedStore(t)
	folder := filepath.Dir(killed)
	must(t, os.Chmod(filepath.Dir(folder), 0o755))
	for _, path := range []string{folder, killed, killed + "-wal"} {
		must(t, os.Chown(path, stranger, -1))
	}
	theirs := t.TempDir()
	must(t, os.Chmod(theirs, 0o755))
	var write, read, create error
	asStranger(t, func() {
		_, write = sqlitestore.Open(t.Context(), killed)
		_, read = archive.Open(killed)
		_, create = sqlitestore.Open(t.Context(), filepath.Join(theirs, "r.db"))
	})
	const owners = " belongs to root (uid 0), and this process runs as uid 54321, which may not "
	help := func(path string) string {
		return ": run the command as root, or run `chown 54321 " + path + "` as root"
	}
	wantMention(t, write, killed+"-shm"+owners+"write to it"+help(killed+"-shm"))
	wantMention(t, read, killed+"-shm"+owners+"read it"+help(killed+"-shm"))
	wantMention(t, create, theirs+owners+"create files in it"+help(theirs))
}
