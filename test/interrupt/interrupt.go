// Package interrupt runs a program and makes one of its steps fail, or be the last one. A step is a system call that
// changes a file in a folder. A test counts the steps of a command. Then it runs the command once for each step and
// each kind of failure, so that no moment of the command is left out.
//
// It needs ptrace and Linux on amd64. A kill, like a crash of the process, loses no data that was written to the
// system. Package disk tests power cuts.
package interrupt

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// Fault is the result of a step.
type Fault string

// What can go wrong.
const (
	None Fault = "nothing"
	Kill Fault = "killed"    // the process is killed in place of the step
	Fail Fault = "EIO"       // the step fails with EIO, and those after it don't
	Full Fault = "disk full" // the step, and each from then on that needs room, fails with ENOSPC
)

// Faults are all of them but None.
var Faults = []Fault{Kill, Fail, Full}

// Run is the result of a program.
type Run struct {
	Steps  []string // the reached steps, such as "openat store.db", in their order, with the failed one
	Status int      // its exit status, -1 for one that was killed
	Output string   // both of its streams
}

// growing are the calls that need room.
var growing = []string{"open", "openat", "write", "pwrite64", "fallocate", "mkdir", "mkdirat", "link", "linkat"}

func (f Fault) hits(number, at int, call string) bool {
	if f == Full {
		return number >= at && slices.Contains(growing, call)
	}
	return f != None && number == at
}

// Whole runs a program, of this environment beside that of the test, to its end. Its steps are not counted.
func Whole(t testing.TB, environment []string, command ...string) Run {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Env = append(os.Environ(), environment...)
	out, err := c.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatalf("run %q: %v", command, err)
	}
	return Run{Status: c.ProcessState.ExitCode(), Output: string(out)}
}
