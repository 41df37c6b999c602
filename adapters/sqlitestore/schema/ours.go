package schema

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// Errors for refused files.
var (
	ErrForeign = errors.New("the file is not a store of this program: name another file, or a new one")
	ErrNewer   = errors.New(
		"the file was made by a newer version of this program: run that version, or restore a backup from before the upgrade")
	ErrOlder = errors.New(
		"the file was made by an earlier version of this program: make a backup with that version, stop it, and start the service of this one, which upgrades the file")
	ErrInUse = errors.New(
		"another process has the file open, but this version has to upgrade it first: stop that process, and repeat the command")
)

const applicationID = 1920167026 // "rslr", as the first migration writes it

// Foreign turns SQLite's error for a file that is no database into ErrForeign.
func Foreign(err error) error {
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultNotADB {
		return fmt.Errorf("%w (%w)", ErrForeign, err)
	}
	return err
}

// inUse turns SQLite's error for a file that another process has open into ErrInUse.
func inUse(err error) error {
	if err != nil && contended(err) && !errors.Is(err, ErrInUse) {
		return fmt.Errorf("%w (%w)", ErrInUse, err)
	}
	return err
}
