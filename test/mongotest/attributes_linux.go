package mongotest

import "syscall"

// attributes of a server: no signal that is meant for the tests' process group
// reaches it, and the kernel kills it when the thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
