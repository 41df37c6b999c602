//go:build unix

package mongotest

import (
	"os"
	"syscall"
)

const (
	pause   = syscall.SIGSTOP
	unpause = syscall.SIGCONT
)

// tryLock locks an open file for this process and those that inherit it.
func tryLock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
