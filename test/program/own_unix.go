//go:build unix

package program

import (
	"syscall"
	"time"
)

// Own returns what this process itself has used so far, user and system.
func Own() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
