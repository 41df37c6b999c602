package backupfolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// abandonedAfter is the age of the last change from which on a draft is abandoned.
const abandonedAfter = time.Hour

// draft implements ports.Draft.
type draft struct {
	path    string // of its own folder
	touched time.Time
}

// begin makes a draft, an empty file of mode 0600.
func begin(folder, pattern string, now time.Time) (*draft, error) {
	path, err := os.MkdirTemp(folder, pattern) // 0700, exclusive
	if err != nil {
		return nil, err
	}
	d := &draft{path, now}
	if err := write(d.Path(), ""); err != nil {
		return nil, errors.Join(err, d.Discard())
	}
	return d, nil
}

// removeAbandoned removes the abandoned drafts with such a name, each after a call of first.
func removeAbandoned(folder string, drafts *regexp.Regexp, now time.Time, first func(draft string) error) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !drafts.MatchString(entry.Name()) || !entry.IsDir() {
			continue
		}
		if info, err := entry.Info(); err != nil || now.Sub(info.ModTime()) < abandonedAfter {
			continue // gone, or in use
		}
		draft := filepath.Join(folder, entry.Name())
		if err := errors.Join(first(draft), os.RemoveAll(draft)); err != nil {
			return err
		}
	}
	return nil
}

// Path implements ports.Draft.
func (d *draft) Path() string { return filepath.Join(d.path, "store.db") }

// Touch implements ports.Draft.
func (d *draft) Touch(now time.Time) error {
	if now.Sub(d.touched) < time.Minute {
		return nil
	}
	d.touched = now
	return os.Chtimes(d.path, now, now)
}

// Discard implements ports.Draft.
func (d *draft) Discard() error { return os.RemoveAll(d.path) }

// write makes a durable file of mode 0600.
func write(path, content string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, failed := file.WriteString(content)
	return errors.Join(failed, file.Sync(), file.Close())
}

// sync flushes a file, or the entries of a folder, to the disk.
func sync(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// remove removes a file, which may be gone already.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
