//go:build unix && !linux

package mongotest

import "syscall"

func hasRoom(string) bool { return false } // in memory: there is no such folder

// attributes of a server: no signal that is meant for the tests' process group
// reaches it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
