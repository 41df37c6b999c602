// Package planted is compiled into a program with generated bugs. It says which one of them is active.
package planted

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

const (
	// Active is the environment variable with the number of the active bug, if any.
	Active = "MUTANT"
	// Reached is the environment variable with the folder in which a file is named after each bug that was reached.
	Reached = "MUTANTS_REACHED"
	// Most is the largest number of a bug.
	Most = 1 << 16
)

var (
	active, _ = strconv.Atoi(variable(Active))
	folder    = variable(Reached)
	reached   [Most + 1]atomic.Bool
)

// variable returns an environment variable of this process, or else of its parent: tests start the program with an
// environment of its own. Only Linux tells that of a parent.
func variable(name string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	environment, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(os.Getppid()), "environ"))
	if err != nil {
		return ""
	}
	for entry := range strings.SplitSeq(string(environment), "\x00") {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// Is reports whether a bug is active, and records that it was reached.
func Is(bug int) bool {
	if folder != "" && reached[bug].CompareAndSwap(false, true) {
		_ = os.WriteFile(filepath.Join(folder, strconv.Itoa(bug)), nil, 0o600)
	}
	return bug == active
}

// Changed returns a value, or another one where a bug is active.
func Changed[T any](bug int, value, other T) T {
	if Is(bug) {
		return other
	}
	return value
}
