//go:build unix && !linux

package mongotest

import "syscall"

// attributes of a server: no signal that is meant for the tests' process group reaches it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
