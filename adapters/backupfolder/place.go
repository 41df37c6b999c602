package backupfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"resellerd/adapters/regularfile"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Target is the file that a store is restored to.
type Target struct {
	path   string
	prefix string // of the names of its drafts
}

// TargetAt returns the target at a path.
func TargetAt(path string) *Target { return &Target{path, "." + filepath.Base(path) + ".restore-"} }

// Free implements ports.RestoreTarget. It also checks the files beside it that SQLite would treat as parts of the
// store.
func (p *Target) Free(now time.Time) error {
	drafts := regexp.MustCompile("^" + regexp.QuoteMeta(p.prefix) + `\d+$`)
	err := removeAbandoned(filepath.Dir(p.path), drafts, now, func(string) error { return nil })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return regularfile.Explained(err, p.path, true)
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		switch _, err := os.Lstat(p.path + suffix); {
		case err == nil:
			return fmt.Errorf("%s: %w: name another path, or move that file away", p.path+suffix, ports.ErrExists)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// Begin implements ports.RestoreTarget.
func (p *Target) Begin(now time.Time) (ports.RestoreDraft, error) {
	folder := filepath.Dir(p.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, regularfile.Explained(err, p.path, true)
	}
	d, err := begin(folder, p.prefix+"*", now)
	return &placeDraft{d, p}, regularfile.Explained(err, p.path, true)
}

// placeDraft is a store during its restore.
type placeDraft struct {
	*draft
	place *Target
}

// Publish implements ports.RestoreDraft. It uses a link, because a rename would replace an existing file.
func (d *placeDraft) Publish(key *profile.Secret, keyFile string) error {
	if err := sync(d.Path()); err != nil {
		return err
	}
	if key != nil {
		if err := d.putKey(*key, keyFile); err != nil {
			return fmt.Errorf("write the service key to %s: %w", keyFile, err)
		}
	}
	if err := os.Link(d.Path(), d.place.path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s: %w", d.place.path, ports.ErrExists)
		}
		if key != nil {
			err = errors.Join(err, os.Remove(keyFile))
		}
		return err
	}
	if err := syncFolder(filepath.Dir(d.place.path)); err != nil { // the store has its name, and needs its key
		return fmt.Errorf("%s is restored, but a power cut may undo the restore: %w", d.place.path, err)
	}
	return nil
}

// putKey makes a file with the service key, atomically and durably.
func (d *placeDraft) putKey(key profile.Secret, keyFile string) error {
	file := filepath.Join(d.path, "service.key")
	err := write(file, key.Reveal()+"\n")
	if err == nil {
		err = os.Link(file, keyFile)
	}
	if err == nil {
		if err = sync(filepath.Dir(keyFile)); err != nil {
			err = errors.Join(err, os.Remove(keyFile))
		}
	}
	return err
}

// syncFolder makes the names in a folder durable. Tests replace it to fail.
var syncFolder = sync
