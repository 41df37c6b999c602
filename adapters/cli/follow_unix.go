//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// lockFile creates a missing file and locks it. The lock ends when this process and all commands that inherit the file
// have closed it.
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

// shell returns a command of the shell, not started. Its process group keeps Ctrl+C away from it: the follower lets the
// command finish.
func (s followState) shell(ctx context.Context, text string) *exec.Cmd {
	command := exec.CommandContext(ctx, "/bin/sh", "-c", text) //nolint:gosec // the operator's command
	command.ExtraFiles = []*os.File{s.held}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}
