package mongotest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"resellerd/test/ramdisk"
)

// parents are where folders of servers are, the first that serves: in memory, where nobody waits for a disk and a power
// failure is not what a test has a server for, and otherwise where temporary files are.
func parents() []string {
	const least = 6 << 30 // for the records of the tests' servers
	if inMemory := ramdisk.Folder(least); inMemory != "" {
		return []string{inMemory, os.TempDir()}
	}
	return []string{os.TempDir()}
}

// folderPattern is that of the temporary folders with the records of servers. The one who holds the lock in it uses it:
// the process that made it, and each server in it, which inherits the open file. It is stale when all of them are dead.
const folderPattern = "resellerd-mongod-*"

var errLocked = errors.New("another process holds the lock")

// newFolder removes the folders of dead processes and returns a new one with the lock on it.
func newFolder() (dir string, lock *os.File, err error) {
	if err := removeStaleFolders(); err != nil {
		return "", nil, err
	}
	for {
		for _, parent := range parents() {
			if dir, err = os.MkdirTemp(parent, folderPattern); err == nil {
				break
			}
		}
		if err != nil {
			return "", nil, err
		}
		lock, err = lockFolder(dir)
		switch {
		case err == nil:
			return dir, lock, nil
		case errors.Is(err, errLocked) || errors.Is(err, fs.ErrNotExist):
			// Another process saw the folder before it was locked, and removes it.
		default:
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
}

// lockFolder locks a folder that still is there once it is locked.
func lockFolder(dir string) (*os.File, error) {
	path := filepath.Join(dir, "lock")
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(lock); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	locked, err := lock.Stat()
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(locked, there) {
		return nil, errors.Join(errLocked, err, lock.Close())
	}
	return lock, nil
}

// removeStaleFolders removes what killed processes left.
func removeStaleFolders() error {
	var dirs []string
	for _, parent := range []string{"/dev/shm", os.TempDir()} {
		there, err := filepath.Glob(filepath.Join(parent, folderPattern))
		if err != nil {
			return err
		}
		dirs = append(dirs, there...)
	}
	for _, dir := range dirs {
		if at, err := os.Lstat(dir); err != nil || !at.IsDir() {
			continue // gone, or not one of ours
		}
		lock, err := lockFolder(dir)
		if err != nil {
			continue // in use, another user's, or being removed
		}
		// Another process may have put a lock of its own where this one was gone, and removes the folder then.
		if err := errors.Join(os.RemoveAll(dir), lock.Close()); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("remove the stale folder %s: %w", dir, err)
		}
	}
	return nil
}

// waitForLock locks a file that stays where it is.
func waitForLock(ctx context.Context, path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := tryLock(lock)
		if err == nil {
			return lock, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, errors.Join(err, lock.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("wait for %s: %w", path, ctx.Err()), lock.Close())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
