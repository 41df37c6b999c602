package mongotest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"resellerd/test/ramdisk"
)

// parent is the parent of the servers' folders. It is in memory if possible: no test waits for a disk, and no test
// needs a server to survive a power failure. Otherwise it is the folder of temporary files.
func parent() string {
	const least = 6 << 30 // for the records of the tests' servers
	return cmp.Or(ramdisk.Folder(least), os.TempDir())
}

// folderPattern is the pattern of the temporary folders with the records of servers. The holder of the folder's lock
// uses it: the process that made it, and each server in it, which inherits the open folder. It is stale when all of
// them are dead. Versions that lock something else use another pattern.
const folderPattern = "resellerd-mongodb-*"

// newFolder removes the folders of dead processes and returns a new one with the lock on it.
func newFolder() (dir string, lock *os.File, err error) {
	if err := removeStaleFolders(); err != nil {
		return "", nil, err
	}
	for range 10 { // another process may see the folder before it is locked, and remove it
		if dir, err = os.MkdirTemp(parent(), folderPattern); err != nil {
			return "", nil, err
		}
		if lock, err = lockFolder(dir); err == nil {
			return dir, lock, nil
		}
	}
	return "", nil, err
}

// lockFolder locks a folder that still is there once it is locked.
func lockFolder(dir string) (*os.File, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = tryLock(folder)
	if err == nil {
		_, err = os.Stat(dir)
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

// removeStaleFolders removes what killed processes left.
func removeStaleFolders() error {
	for _, parent := range []string{"/dev/shm", os.TempDir()} {
		dirs, err := filepath.Glob(filepath.Join(parent, folderPattern))
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			lock, err := lockFolder(dir)
			if err != nil {
				continue // in use, another user's, or being removed
			}
			if err := errors.Join(os.RemoveAll(dir), lock.Close()); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("remove the stale folder %s: %w", dir, err)
			}
		}
	}
	return nil
}
