package servicekey

import (
	"errors"
	"io/fs"
	"os"

	"resellerd/domain/profile"
)

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

// Given returns every service key that is given, the present one first. With create the store may make one; undo
// removes it if the store turns out to have another. Without create a missing present one is left out if there is a
// previous one: it was renamed, so that a new one is made.
func (s Sources) Given(create bool) (all []profile.Secret, undo func(), err error) {
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
	return s.Given(true)
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
