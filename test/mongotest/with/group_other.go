//go:build !unix

package main

import (
	"os"
	"os/exec"
)

func makeGroup(*exec.Cmd) {}

// signalGroup ends the command, the only signal that this system knows.
func signalGroup(leader *os.Process, _ os.Signal) error { return leader.Kill() }
