package servicekey

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"resellerd/adapters/regularfile"
	"resellerd/domain/profile"
)

// LoadOrCreate returns the service key in the file at path, white space around it left out. A file that its group or
// others may read is refused. If there is no file and create is set, a new key is generated and is durable on return;
// concurrent processes all return the same key. If there is none and create is not set the error matches
// fs.ErrNotExist.
func LoadOrCreate(path string, create bool) (profile.Secret, error) {
	secret, err := load(path)
	if !create {
		return secret, err
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := publish(path, Generate()); err != nil && !errors.Is(err, fs.ErrExist) {
			return profile.Secret{}, fmt.Errorf("create the service key %s: %w", path, regularfile.Explained(err, path, true))
		}
		secret, err = load(path) // of the process that was first
	}
	if err != nil {
		return profile.Secret{}, err
	}
	// Also if the file existed: its maker may not have come this far yet, and what is encrypted from now on must not
	// outlive its key.
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return profile.Secret{}, fmt.Errorf("keep the service key %s: %w", path, err)
	}
	return secret, nil
}

func load(path string) (profile.Secret, error) {
	file, err := regularfile.Open(path, regularfile.Secret)
	if err != nil {
		return profile.Secret{}, fmt.Errorf("read the service key: %w", regularfile.Explained(err, path, false))
	}
	defer func() { _ = file.Close() }() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return profile.Secret{}, fmt.Errorf("read the service key: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return profile.Secret{},
			fmt.Errorf("the service key %s is open to others than its owner (mode %04o): run `chmod 600 %s`", path, mode, path)
	}
	content, err := regularfile.ReadAll(file, regularfile.Secret)
	if err != nil {
		return profile.Secret{}, fmt.Errorf("read the service key: %w", err)
	}
	secret := profile.NewSecret(strings.TrimSpace(string(content)))
	if err := checkLength(secret); err != nil {
		return profile.Secret{}, fmt.Errorf("%s: %w", path, err)
	}
	return secret, nil
}

// publish makes the file appear at path atomically, or leaves the existing one with an error that matches fs.ErrExist:
// a link, unlike a rename, replaces nothing. A crash may leave its temporary file.
func publish(path string, secret profile.Secret) (err error) {
	draft, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // 0600, exclusive
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(draft.Name())) }()
	_, failed := draft.WriteString(secret.Reveal() + "\n")
	if err := errors.Join(failed, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	return os.Link(draft.Name(), path)
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
