package regularfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Explained makes an error of the system for a right that is missing one that an operator can act on: it names the
// file, its owner, the user of this process and what to do. The file is the one at path or, by their suffixes, one
// beside it. Any other error comes back.
func Explained(err error, path string, writes bool, beside ...string) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return Refused(err, path, writes, beside...)
	}
	return err
}

// Refused is Explained of an error for which a missing right may be the reason.
func Refused(err error, path string, writes bool, beside ...string) error {
	if absolute, unknown := filepath.Abs(path); unknown == nil {
		path = absolute
	}
	if itself, unknown := filepath.EvalSymlinks(path); unknown == nil {
		path = itself // what is beside the file is beside it
	}
	if text := unusable(path, writes, beside); text != "" {
		return &refusal{text, err}
	}
	return err
}

// refusal is an error of the system, in words for an operator.
type refusal struct {
	text  string
	cause error
}

func (r *refusal) Error() string { return r.text }

func (r *refusal) Unwrap() error { return r.cause }
