//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// lockFile locks a file, which is made where it is missing, until it is closed here and in all commands that inherit
// it.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, err
	}
	return file, nil
}

// shell returns a command of the shell that did not start yet. It is in a process group of its own: Ctrl+C is for the
// follower, which lets the command end.
func (s followState) shell(ctx context.Context, text string) *exec.Cmd {
	command := exec.CommandContext(ctx, "/bin/sh", "-c", text) //nolint:gosec // it is what the operator wants to run
	command.ExtraFiles = []*os.File{s.held}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}
