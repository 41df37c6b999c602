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

// LoadOrCreate returns the service key in the file at path, without surrounding white space. It refuses a file that its
// group or other users may read. If there is no file and create is set, it generates a key, which is durable on return;
// concurrent processes all return the same key. If there is no file and create is not set, the error matches
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
		secret, err = load(path) // of the process that created it first
	}
	if err != nil {
		return profile.Secret{}, err
	}
	// This also applies if the file existed: the process that made it may not have synced the folder yet, and data that
	// is encrypted from now on must not outlive its key.
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return profile.Secret{}, fmt.Errorf("store the service key %s: %w", path, err)
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

// publish creates the file at path atomically. It never replaces an existing file: the error then matches fs.ErrExist.
// It uses a link, because a rename would replace the file. A crash may leave the temporary file.
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

// Sources are the sources of the service keys of a process: the present one, and the previous one that its store may be
// moved from.
type Sources struct {
	Current, Previous         *profile.Secret                            // set by the operator, else nil
	CurrentFile, PreviousFile string                                     // the files that have them, or ""
	Read                      func(file string) (*profile.Secret, error) // reads such a file again, nil for ""
	Store                     StoreSources                               // used if the operator set no key
}

// StoreSources are a store's own sources of service keys. A function is nil if the store lacks that source.
type StoreSources struct {
	Key         func() (made profile.Secret, undo func(), err error)
	PreviousKey func() (*profile.Secret, error)
	KeyFile     string // the file that Key reads, "" if not from a file
}

// Keys returns every available service key, the present one first. With create the store may make a key; undo removes
// that key if the store turns out to have another one. Without create, a missing present key is left out if there is a
// previous one: the operator has renamed the file, so that a new key is made.
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

// again returns Keys with the present content of the files.
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

// InFile returns the service key in a file, nil if there is no file.
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

// MadeInFile implements StoreSources.Key for a store with its service key in a file.
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
