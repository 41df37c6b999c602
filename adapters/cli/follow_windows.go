package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// sharingViolation is the error of Windows for a file that another process has opened exclusively.
const sharingViolation syscall.Errno = 32

// lockFile creates a missing file and opens it exclusively, until it is closed.
func lockFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, errLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// shell returns a command of the shell, not started. Its process group keeps Ctrl+C away from it: the follower lets the
// command finish.
func (followState) shell(ctx context.Context, text string) *exec.Cmd {
	command := exec.CommandContext(ctx, "cmd.exe")
	command.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /S /C "` + text + `"`,
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return command
}
