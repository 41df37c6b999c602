//go:build unix

package mongotest

import (
	"errors"
	"os"
	"syscall"
)

const (
	pause    = syscall.SIGSTOP
	unpause  = syscall.SIGCONT
	askToEnd = syscall.SIGTERM
)

// tryLock locks a file for this process and those that inherit it. It fails with
// errLocked where another holds the lock.
func tryLock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
