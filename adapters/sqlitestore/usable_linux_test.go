package sqlitestore_test

import (
	"errors"
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
		"a file of another": {
			func(t *testing.T) string { return laid(t, "") },
			"PATH" + owners + "write to it: run the command as root, or run `chown 54321 PATH` as root",
			"PATH" + owners + "read it: run the command as root, or run `chown 54321 PATH` as root",
		},
		"an index of another": {
			func(t *testing.T) string { return laid(t, "-shm") },
			"PATH-shm" + owners + "write to it: run the command as root, or run `chown 54321 PATH-shm` as root",
			"PATH-shm" + owners + "read it: run the command as root, or run `chown 54321 PATH-shm` as root",
		},
		"all of another": {
			func(t *testing.T) string { return laid(t, "", "-wal", "-shm") },
			"PATH" + owners + "write to it: run the command as root, or run `chown 54321 PATH PATH-wal PATH-shm` as root",
			"PATH" + owners + "read it: run the command as root, or run `chown 54321 PATH PATH-wal PATH-shm` as root",
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
		"a folder in which no files may be created": {
			func(t *testing.T) string {
				path := filepath.Join(folderOfStranger(t), "r.db")
				must(t, os.Rename(closedStore(t), path))
				must(t, os.Chown(path, stranger, -1))
				must(t, os.Chmod(filepath.Dir(path), 0o555))
				return path
			},
			"FOLDER belongs to uid 54321, and this process runs as uid 54321, which may not create files in it (mode 0555): run `chmod u+wx FOLDER`",
			"",
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
		"a folder that may not be entered": {
			func(t *testing.T) string {
				path := laid(t)
				must(t, os.Chown(filepath.Dir(path), 0, -1))
				must(t, os.Chmod(filepath.Dir(path), 0o700))
				return path
			},
			"FOLDER" + owners + "enter it: run the command as root, or name a place in a folder that 54321 may enter",
			"FOLDER" + owners + "enter it: run the command as root, or name a place in a folder that 54321 may enter",
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

func TestAStoreOnAReadOnlyFileSystemIsExplained(t *testing.T) {
	for name, lay := range map[string]func(t *testing.T) string{"closed": closedStore, "killed": killedStore,
		"new": func(t *testing.T) string { return newPath(t) }} {
		t.Run(name, func(t *testing.T) {
			path := lay(t)
			var err, mounted error
			done := make(chan struct{})
			go func() {
				defer close(done)
				runtime.LockOSThread() // and never unlocks it: what is mounted ends with it
				folder := filepath.Dir(path)
				mounted = errors.Join(syscall.Unshare(syscall.CLONE_NEWNS),
					syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""),
					syscall.Mount(folder, folder, "", syscall.MS_BIND, ""),
					syscall.Mount("", folder, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
				if mounted == nil {
					_, err = sqlitestore.Open(t.Context(), path)
				}
			}()
			if <-done; mounted != nil {
				t.Skip("nothing can be mounted: ", mounted)
			}
			wantMention(t, err, " belongs to root (uid 0), and this process runs as root (uid 0), which may not ")
			wantMention(t, err, ", since it is on a read-only file system: mount that for writing")
		})
	}
}
