//go:build !linux

package program

import "time"

// CPU knows nothing here.
func CPU(int) (time.Duration, bool) { return 0, false }

// Memory knows nothing here.
func Memory(int) (now, most int64, ok bool) { return 0, 0, false }
