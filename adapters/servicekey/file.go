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

// Sources are those of a process's service key, and of the previous one, from which its store may be moved.
type Sources struct {
	Current, Previous         *profile.Secret                            // set by the operator, nil if not
	CurrentFile, PreviousFile string                                     // files that they were read from, "" for none
	Read                      func(file string) (*profile.Secret, error) // reads such a file again, nil for ""
	Store                     StoreSources                               // used if none is set
}

// StoreSources are a store's own sources of service keys, each nil if it has none.
type StoreSources struct {
	Key         func() (made profile.Secret, undo func(), err error)
	PreviousKey func() (*profile.Secret, error)
	KeyFile     string // in which Key looks, "" for none
}

// Keys returns every service key that is given, the present one first. With create the store may make one; undo
// removes it if the store turns out to have another. Without create a missing present one is left out if there is a
// previous one: it was renamed, so that a new one is made.
func (s Sources) Keys(create bool) (all []profile.Secret, undo func(), err error) {
	undo = func() {}
	previous := s.Previous
	if s.Current != nil {
		all = append(all, *s.Current)
	} else {
		var missing error
		var current profile.Secret
		if create {
			current, undo, err = s.Store.Key()
		} else if current, err = LoadOrCreate(s.Store.KeyFile, false); errors.Is(err, fs.ErrNotExist) {
			missing, err = err, nil
		}
		if err == nil && previous == nil && s.Store.PreviousKey != nil {
			previous, err = s.Store.PreviousKey()
		}
		switch {
		case err != nil:
			return nil, func() {}, err
		case missing == nil:
			all = append(all, current)
		case previous == nil:
			return nil, undo, missing
		}
	}
	if previous != nil {
		all = append(all, *previous)
	}
	return all, undo, nil
}

// again is Given with the present content of the files.
func (s Sources) again() (all []profile.Secret, undo func(), err error) {
	var errs [2]error
	if s.CurrentFile != "" {
		s.Current, errs[0] = s.Read(s.CurrentFile)
	}
	if s.PreviousFile != "" {
		s.Previous, errs[1] = s.Read(s.PreviousFile)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, func() {}, err
	}
	return s.Keys(true)
}

// InFile reads the service key in a file, nil if there is none.
func InFile(path string) (*profile.Secret, error) {
	secret, err := LoadOrCreate(path, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &secret, nil
}

// MadeInFile is StoreSources.Key of a store with its service key in a file.
func MadeInFile(path string) (secret profile.Secret, undo func(), err error) {
	_, err = os.Stat(path)
	made := errors.Is(err, fs.ErrNotExist)
	secret, err = LoadOrCreate(path, true)
	return secret, func() {
		if made {
			_ = os.Remove(path) // the start fails for the first reason
		}
	}, err
}
