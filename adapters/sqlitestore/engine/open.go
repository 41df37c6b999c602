package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/regularfile"
)

// ErrNoFile refuses a path that is not a regular file.
var ErrNoFile = errors.New("this is no regular file")

// Opening lets this process open one file at a time. Closing a new descriptor of a file drops the locks that the
// process holds on it, so the file must not be in use before.
var Opening sync.Mutex

// Explained adds the remedy to an error of the store at path: for a missing right, a full disk or a malformed file. It
// returns any other error unchanged.
func Explained(path string, writes bool, err error) error {
	code := sqlite.ErrCode(err)
	switch primary := code.ToPrimary(); {
	case primary == sqlite.ResultFull, code == sqlite.ResultIOErrSHMSize:
		return withRoom(path, err)
	case primary == sqlite.ResultCorrupt:
		return fmt.Errorf(
			"the file is malformed, or the log beside it (-wal) is not its own: keep a copy of both, and restore a backup: %w",
			err)
	case slices.Contains([]sqlite.ResultCode{sqlite.ResultCantOpen, sqlite.ResultReadOnly, sqlite.ResultPerm,
		sqlite.ResultAuth, sqlite.ResultIOErr}, primary):
		return regularfile.Refused(err, path, writes, Beside...)
	}
	return regularfile.Explained(err, path, writes, Beside...)
}

// Beside are the suffixes of the files that SQLite puts beside a database.
var Beside = []string{"-wal", "-shm", "-journal"}

// withRoom adds the free space to the error of a full disk.
func withRoom(path string, err error) error {
	folder := filepath.Dir(path)
	if itself, unknown := filepath.EvalSymlinks(path); unknown == nil {
		folder = filepath.Dir(itself)
	}
	return fmt.Errorf(
		"there is no room in %s, where the file, its -wal and its -shm grow%s: make room on that file system, and repeat the command: %w",
		folder, free(folder), err)
}

// MakeFile makes an empty file if there is none. SQLite gives the files beside it the same permissions.
func MakeFile(path string) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case err == nil:
		return f.Close()
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	// It must not even be opened: see Opening.
	if info, err := os.Stat(path); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return ErrNoFile
	}
	return nil
}

// makeFolder makes a folder, and its parents, if they are missing. They survive a power cut: SQLite ensures that only
// for its own files in their folder.
func makeFolder(folder string) error {
	_, err := os.Stat(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return err // a path that is no folder shows later
	}
	above := filepath.Dir(folder)
	if err := makeFolder(above); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return FlushFolder(above)
}

// FlushFolder flushes a folder's entries to the disk. Tests observe the calls.
var FlushFolder = func(folder string) error {
	if runtime.GOOS == "windows" { // the system flushes it, and a program can't
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
