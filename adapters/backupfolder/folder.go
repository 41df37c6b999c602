// Package backupfolder implements ports.BackupFolder and ports.RestoreTarget in the file system. It names, publishes
// and removes the files of backups, and publishes a restored store at its path. It does not read their content.
//
// A backup is named resellerd-<store>-<time>.db, so that names sort by time. A backup in progress is in a folder of its
// own, whose name begins with a dot. Once it is complete and on the disk, it is moved to its final name. A killed
// process leaves that folder, and may leave the service key without its backup. The next backup of the same store
// removes both after nothing has changed them for an hour.
package backupfolder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"resellerd/adapters/regularfile"
	"resellerd/domain/profile"
	"resellerd/ports"
)

const (
	layout    = "20060102T150405.000Z"
	keySuffix = ".key"
)

// storeIDs matches the ids of stores in the names of backups.
var storeIDs = regexp.MustCompile(`^[0-9a-f]{8,32}$`)

// Folder is the folder with the backups of one store. It may also contain backups of other stores.
type Folder struct {
	path    string
	prefix  string
	backups *regexp.Regexp // matches the names of this store's backups
	drafts  *regexp.Regexp
}

// Open returns the folder at path. If it does not exist, it is made, for the present user only. store identifies the
// store's backups: 8 to 32 hexadecimal digits.
func Open(path, store string) (*Folder, error) {
	f, err := named(path, store)
	if err == nil {
		err = f.explained(os.MkdirAll(path, 0o700))
	}
	return f, err
}

func named(path, store string) (*Folder, error) {
	if !storeIDs.MatchString(store) {
		return nil, fmt.Errorf("%q can't be the id of a store", store)
	}
	prefix := "resellerd-" + store + "-"
	return &Folder{
		path:    path,
		prefix:  prefix,
		backups: regexp.MustCompile(`^` + prefix + `\d{8}T\d{6}\.\d{3}Z\.db$`),
		drafts:  regexp.MustCompile(`^\.` + prefix + `\d+\.draft$`),
	}, nil
}

// ID identifies the backups of a store, in 12 hexadecimal digits. It depends on the path of the store's file, with
// links resolved, and on when the store was made. It does not change while the store has this path; a copy elsewhere
// has another ID.
func ID(file, made string) (string, error) {
	path, err := filepath.Abs(file)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	sum := sha256.Sum256([]byte(path + "\n" + made))
	return hex.EncodeToString(sum[:6]), err
}

// backupDraft is a backup in progress.
type backupDraft struct {
	*draft
	folder *Folder
}

// Begin implements ports.BackupFolder.
func (f *Folder) Begin(now time.Time) (ports.BackupDraft, error) {
	if err := removeAbandoned(f.path, f.drafts, now, f.removeKeyOf); err != nil {
		return nil, f.explained(err)
	}
	d, err := begin(f.path, "."+f.prefix+"*.draft", now)
	return &backupDraft{d, f}, f.explained(err)
}

// explained adds the owner of the folder to the error of a missing right.
func (f *Folder) explained(err error) error {
	return regularfile.Explained(err, filepath.Join(f.path, "backup.db"), true)
}

// removeKeyOf removes the service key of a backup that is still in its draft. Any other key without a backup remains,
// because somebody may have moved that backup.
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

// Finish implements ports.BackupDraft.
func (d *backupDraft) Finish(now time.Time, key *profile.Secret) (backup, keyFile string, size int64, err error) {
	backup = filepath.Join(d.folder.path, d.folder.prefix+now.UTC().Format(layout)+".db")
	for _, taken := range []string{backup, backup + keySuffix} {
		if _, err := os.Lstat(taken); !errors.Is(err, fs.ErrNotExist) {
			return "", "", 0, errors.Join(fmt.Errorf("%s exists already", taken), err)
		}
	}
	info, err := os.Stat(d.Path())
	if err := errors.Join(err, sync(d.Path())); err != nil {
		return "", "", 0, err
	}
	whole := d.Path()
	if key != nil {
		draft := filepath.Join(d.path, "service.key")
		keyFile = backup + keySuffix
		if err := write(draft, key.Reveal()+"\n"); err != nil {
			return "", "", 0, err
		}
		// In its draft the backup already has its final name, so that removeKeyOf finds its key.
		whole = filepath.Join(d.path, filepath.Base(backup))
		if err := errors.Join(os.Rename(d.Path(), whole), sync(d.path)); err != nil {
			return "", "", 0, err
		}
		if err := os.Rename(draft, keyFile); err != nil {
			return "", "", 0, err
		}
	}
	if err := os.Rename(whole, backup); err != nil {
		if keyFile != "" {
			err = errors.Join(err, remove(keyFile))
		}
		return "", "", 0, err
	}
	return backup, keyFile, info.Size(), errors.Join(os.Remove(d.path), sync(d.folder.path))
}

// Prune implements ports.BackupFolder.
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
		// The key goes first: it is the more dangerous one to leave.
		if err := errors.Join(remove(backup+keySuffix), remove(backup)); err != nil {
			return removed, err
		}
		removed = append(removed, backup)
	}
	return removed, nil
}

// Backups implements ports.Backups for a store in one file, whose backups are in a folder.
type Backups struct {
	folder, file string
	log          *slog.Logger
	warned       atomic.Bool // since the last time that the folder was readable
}

// BackupsOf returns the backups in folder that belong to the store in file.
func BackupsOf(folder, file string, log *slog.Logger) *Backups {
	return &Backups{folder: folder, file: file, log: log}
}

// Latest implements ports.Backups. A folder that can't be read is logged once.
func (k *Backups) Latest(_ context.Context, born string) time.Time {
	id, err := ID(k.file, born)
	var at time.Time
	if err == nil {
		at, err = latest(k.folder, id)
	}
	if err == nil {
		k.warned.Store(false)
	} else if !k.warned.Swap(true) {
		k.log.Warn("can't read the folder of the backups", slog.String("folder", k.folder), slog.Any("error", err))
	}
	return at
}

// latest returns the time in the name of a store's newest backup in the folder at path. It returns the zero value if
// there is no backup or no folder.
func latest(path, store string) (at time.Time, err error) {
	f, err := named(path, store)
	if err != nil {
		return at, err
	}
	entries, err := os.ReadDir(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return at, nil
	}
	for _, entry := range entries {
		if !f.backups.MatchString(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		made, wrong := time.Parse(layout+".db", strings.TrimPrefix(entry.Name(), f.prefix))
		if wrong == nil && made.After(at) {
			at = made
		}
	}
	return at, err
}
