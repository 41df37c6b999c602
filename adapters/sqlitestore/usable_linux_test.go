package sqlitestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/test/expect"
)

// stranger is a user without a name.
const stranger = 54321

// asStranger runs a function on a thread of the stranger's, which ends with it.
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

// folderOfStranger is a folder that the stranger may enter.
func folderOfStranger(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	must(t, os.Chmod(filepath.Dir(folder), 0o755))
	must(t, os.Chown(folder, stranger, -1))
	return folder
}

func TestAStoreThatTheSystemRefusesIsExplained(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("root alone can become another user")
	}
	// laid is a store that a process was killed with, in a folder of the stranger's. All is the stranger's but what is
	// left.
	laid := func(t *testing.T, left ...string) string {
		t.Helper()
		path, from := filepath.Join(folderOfStranger(t), "r.db"), killedStore(t)
		for _, suffix := range []string{"", "-wal", "-shm"} {
			must(t, os.Rename(from+suffix, path+suffix))
			must(t, os.Chown(path+suffix, stranger, -1))
		}
		for _, suffix := range left {
			must(t, os.Chown(path+suffix, 0, 0))
		}
		return path
	}
	const owners = " belongs to root (uid 0), and this process runs as uid 54321, which may not "
	for name, c := range map[string]struct {
		lay           func(t *testing.T) string
		write, toRead string // what is wanted; the path of the store is PATH, that of its folder FOLDER
	}{
		"an index of another": {
			func(t *testing.T) string { return laid(t, "-shm") },
			"PATH-shm" + owners + "write to it: run the command as root, or run `chown 54321 PATH-shm` as root",
			"PATH-shm" + owners + "read it: run the command as root, or run `chown 54321 PATH-shm` as root",
		},
		"a file without rights": {
			func(t *testing.T) string {
				path := laid(t)
				must(t, os.Chmod(path, 0))
				return path
			},
			"PATH belongs to uid 54321, and this process runs as uid 54321, which may not write to it (mode 0000): run `chmod u+rw PATH`",
			"PATH belongs to uid 54321, and this process runs as uid 54321, which may not read it (mode 0000): run `chmod u+r PATH`",
		},
		"a new file in a folder of another": {
			func(t *testing.T) string {
				folder := folderOfStranger(t)
				must(t, os.Chown(folder, 0, -1))
				return filepath.Join(folder, "r.db")
			},
			"FOLDER" + owners + "create files in it: run the command as root, or run `chown 54321 FOLDER` as root",
			"no such file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := c.lay(t)
			texts := strings.NewReplacer("PATH", path, "FOLDER", filepath.Dir(path))
			var write, read error
			asStranger(t, func() {
				_, write = sqlitestore.Open(t.Context(), path)
				var a *archive.Archive
				if a, read = archive.Open(path); read == nil {
					read = a.Close()
				}
			})
			wantMention(t, write, "open the store in "+path+": "+texts.Replace(c.write))
			if c.toRead == "" {
				expect.Error(t, read, nil)
			} else {
				wantMention(t, read, texts.Replace(c.toRead))
			}
			for _, err := range []error{write, read} {
				if text := fmt.Sprint(err); strings.Contains(text, "file://") || strings.Contains(text, "\n") {
					t.Errorf("got %q, want a sentence", text)
				}
			}
		})
	}
}
