// Package ramdisk finds a folder in memory for the files of tests, so that no test waits for a disk.
package ramdisk

import (
	"os"
	"syscall"
)

// Folder returns a folder in memory with room for so many bytes, "" if there is none.
func Folder(least uint64) string {
	const (
		shared = "/dev/shm"
		noExec = 8 // ST_NOEXEC: programs that tests build are run there
	)
	var s syscall.Statfs_t
	if syscall.Statfs(shared, &s) != nil || s.Bavail*uint64(s.Bsize) < least || s.Flags&noExec != 0 {
		return ""
	}
	return shared
}

// Use has temporary folders of this process and its children be in memory, where there is room for so many bytes.
func Use(least uint64) {
	if folder := Folder(least); folder != "" {
		_ = os.Setenv("TMPDIR", folder)
	}
}
