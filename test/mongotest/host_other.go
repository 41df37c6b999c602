//go:build !unix

package mongotest

import (
	"os"
	"syscall"
)

// No server is started here: tests need the address of one.
const (
	pause   = syscall.SIGKILL
	unpause = syscall.SIGKILL
)

func tryLock(*os.File) error { return missing("none is started on this system") }

func attributes() *syscall.SysProcAttr { return nil }
