//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// makeGroup puts the command and what it starts into a process group.
func makeGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to all of the group.
func signalGroup(leader *os.Process, received os.Signal) error {
	return syscall.Kill(-leader.Pid, received.(syscall.Signal))
}
