package regularfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Explained adds to the error of a missing right the information that an operator needs: the file, its owner, the user
// of this process and the remedy. The file is the one at path or, by suffix, one beside it. It returns any other error
// unchanged.
func Explained(err error, path string, writes bool, beside ...string) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return Refused(err, path, writes, beside...)
	}
	return err
}

// Refused is Explained for an error whose cause may be a missing right.
func Refused(err error, path string, writes bool, beside ...string) error {
	if absolute, unknown := filepath.Abs(path); unknown == nil {
		path = absolute
	}
	if itself, unknown := filepath.EvalSymlinks(path); unknown == nil {
		path = itself // files beside it are beside the target of the link
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
