package mongotest

import "syscall"

// hasRoom reports whether the file system of a folder has room for the records of the tests' servers.
func hasRoom(dir string) bool {
	const least = 6 << 30
	var s syscall.Statfs_t
	return syscall.Statfs(dir, &s) == nil && s.Bavail*uint64(s.Bsize) >= least
}

// attributes of a server: no signal that is meant for the tests' process group
// reaches it, and the kernel kills it when the thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
