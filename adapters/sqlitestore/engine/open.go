package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"zombiezen.com/go/sqlite"
)

// ErrNoFile is of what is no file that could be a database.
var ErrNoFile = errors.New("this is no regular file")

// Opening lets one at a time of this process open a file: closing a new file drops
// the locks that the process holds on it, so nobody may use it before.
var Opening sync.Mutex

// WithRoom adds to an error of a full disk what is full.
func WithRoom(path string, err error) error {
	switch code := sqlite.ErrCode(err); {
	case code.ToPrimary() == sqlite.ResultFull, code == sqlite.ResultIOErrSHMSize:
	default:
		return err
	}
	folder := filepath.Dir(path)
	if itself, unknown := filepath.EvalSymlinks(path); unknown == nil {
		folder = filepath.Dir(itself)
	}
	return fmt.Errorf("there is no room in %s, where the file, its -wal and its -shm grow%s: make room on that file system, and repeat the command: %w",
		folder, free(folder), err)
}

// MakeFile makes an empty file where there is none. SQLite gives the files that
// it puts beside it the same permissions.
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

// makeFolder makes a folder, and those above it, where there are none. They survive a power cut: SQLite sees to that only
// for what it makes itself, in the folder that it is in.
func makeFolder(folder string) error {
	_, err := os.Stat(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return err // what is no folder shows later
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

// FlushFolder has the disk keep what a folder lists. Tests look at who asks for it.
var FlushFolder = func(folder string) error {
	if runtime.GOOS == "windows" { // which keeps it by itself, and lets nobody flush a folder
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
