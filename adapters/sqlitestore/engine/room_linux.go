package engine

import (
	"fmt"
	"syscall"
)

// free describes the free space of a folder.
func free(folder string) string {
	var found syscall.Statfs_t
	if syscall.Statfs(folder, &found) != nil {
		return ""
	}
	return fmt.Sprintf(" (%d KiB are free)", int64(found.Bavail)*found.Bsize>>10) //nolint:gosec // no disk is so large
}
