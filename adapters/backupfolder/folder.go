// Package backupfolder keeps the backups of a store in a folder: their names, what is there while one is made, and which
// are removed. What is in them is not its business.
//
// A backup is named resellerd-<store>-<time>.db, so that names sort by time. Until it is whole and on the disk it is in a
// folder of its own, whose name begins with a dot, and is then renamed. A process that was killed leaves that folder
// behind, and it may leave the service key without its backup; whoever makes a backup of the same store removes both once
// nobody was at work there for an hour.
package backupfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"resellerd/domain/profile"
)

const (
	layout = "20060102T150405.000Z"
	// abandonedAfter is how long nobody has touched a draft that counts as left behind.
	abandonedAfter = time.Hour
	keySuffix      = ".key"
)

// storeIDs are what a store may be called in the names of its backups.
var storeIDs = regexp.MustCompile(`^[0-9a-f]{8,32}$`)

// Folder is where the backups of one store are kept, and those of others may be, too.
type Folder struct {
	path    string
	prefix  string
	backups *regexp.Regexp // names of this store's
	drafts  *regexp.Regexp
}

// Open returns the folder at path, which is made, for the present user only, where it is missing. store tells the
// store's backups from those of others: 8 to 32 hexadecimal digits.
func Open(path, store string) (*Folder, error) {
	if !storeIDs.MatchString(store) {
		return nil, fmt.Errorf("%q can't be the id of a store", store)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	prefix := "resellerd-" + store + "-"
	return &Folder{
		path:    path,
		prefix:  prefix,
		backups: regexp.MustCompile(`^` + prefix + `\d{8}T\d{6}\.\d{3}Z\.db$`),
		drafts:  regexp.MustCompile(`^\.` + prefix + `\d+\.draft$`),
	}, nil
}

// Draft is a backup that is being made. One goroutine uses it.
type Draft struct {
	folder  *Folder
	path    string // of its own folder
	touched time.Time
}

// Begin makes a draft, an empty file of mode 0600, and removes those of this store that were left behind.
func (f *Folder) Begin(now time.Time) (*Draft, error) {
	if err := f.removeAbandoned(now); err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(f.path, "."+f.prefix+"*.draft") // 0700, exclusive
	if err != nil {
		return nil, err
	}
	d := &Draft{folder: f, path: path, touched: now}
	if err := write(d.Path(), ""); err != nil {
		return nil, errors.Join(err, d.Discard())
	}
	return d, nil
}

func (f *Folder) removeAbandoned(now time.Time) error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !f.drafts.MatchString(entry.Name()) || !entry.IsDir() {
			continue
		}
		if info, err := entry.Info(); err != nil || now.Sub(info.ModTime()) < abandonedAfter {
			continue // gone, or somebody's who is at work
		}
		draft := filepath.Join(f.path, entry.Name())
		if err := errors.Join(f.removeKeyOf(draft), os.RemoveAll(draft)); err != nil {
			return err
		}
	}
	return nil
}

// removeKeyOf removes the service key that was put beside a backup which has not left its draft. A key beside which there
// is no backup for any other reason is left: somebody may have moved the backup.
func (f *Folder) removeKeyOf(draft string) error {
	entries, err := os.ReadDir(draft)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !f.backups.MatchString(entry.Name()) {
			continue
		}
		backup := filepath.Join(f.path, entry.Name())
		if _, err := os.Lstat(backup); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := remove(backup + keySuffix); err != nil {
			return err
		}
	}
	return nil
}

// Path returns where the draft is to be written.
func (d *Draft) Path() string { return filepath.Join(d.path, "store.db") }

// Touch says that somebody is at work on the draft. It may be called often.
func (d *Draft) Touch(now time.Time) error {
	if now.Sub(d.touched) < time.Minute {
		return nil
	}
	d.touched = now
	return os.Chtimes(d.path, now, now)
}

// Keep makes the draft a backup, with its service key beside it where one is given, and returns their paths. All of it
// is on the disk before the backup has its name.
func (d *Draft) Keep(now time.Time, key *profile.Secret) (backup, keyFile string, err error) {
	backup = filepath.Join(d.folder.path, d.folder.prefix+now.UTC().Format(layout)+".db")
	for _, taken := range []string{backup, backup + keySuffix} {
		if _, err := os.Lstat(taken); !errors.Is(err, fs.ErrNotExist) {
			return "", "", errors.Join(fmt.Errorf("%s is there already", taken), err)
		}
	}
	if err := Sync(d.Path()); err != nil {
		return "", "", err
	}
	whole := d.Path()
	if key != nil {
		draft := filepath.Join(d.path, "service.key")
		keyFile = backup + keySuffix
		if err := write(draft, key.Reveal()+"\n"); err != nil {
			return "", "", err
		}
		// In its draft it already has its name, so that whoever removes that knows which key it had: see removeKeyOf.
		whole = filepath.Join(d.path, filepath.Base(backup))
		if err := errors.Join(os.Rename(d.Path(), whole), Sync(d.path)); err != nil {
			return "", "", err
		}
		if err := os.Rename(draft, keyFile); err != nil {
			return "", "", err
		}
	}
	if err := os.Rename(whole, backup); err != nil {
		if keyFile != "" {
			err = errors.Join(err, remove(keyFile))
		}
		return "", "", err
	}
	return backup, keyFile, errors.Join(os.Remove(d.path), Sync(d.folder.path))
}

// write makes a file of mode 0600 that the disk keeps.
func write(path, content string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, failed := file.WriteString(content)
	return errors.Join(failed, file.Sync(), file.Close())
}

// Discard removes the draft, if it is still one.
func (d *Draft) Discard() error { return os.RemoveAll(d.path) }

// Prune removes the oldest backups of the store, and the keys beside them, so that keep of them are left. latest is one
// of these, whatever the clock says. It returns what it removed, also where it fails.
func (f *Folder) Prune(keep int, latest string) (removed []string, err error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, err
	}
	var older []string
	for _, entry := range entries {
		if f.backups.MatchString(entry.Name()) && entry.Type().IsRegular() && entry.Name() != filepath.Base(latest) {
			older = append(older, entry.Name())
		}
	}
	slices.Sort(older)
	for _, name := range older[:max(0, len(older)-max(0, keep-1))] {
		backup := filepath.Join(f.path, name)
		// The key goes first: it is worth more to who should not have it.
		if err := errors.Join(remove(backup+keySuffix), remove(backup)); err != nil {
			return removed, err
		}
		removed = append(removed, backup)
	}
	return removed, nil
}

// Sync has the disk keep a file, or what a folder lists.
func Sync(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// remove removes a file that may be gone.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
