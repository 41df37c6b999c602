package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"resellerd/adapters/backupfolder"
	"resellerd/adapters/cli"
	"resellerd/adapters/logging"
	"resellerd/adapters/servicekey"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// restore implements cli.Restore.
type restore struct {
	storeConfig
	from string // the backup
	log  *slog.Logger
}

// Restore implements cli.Program.
func (p program) Restore(f cli.RestoreFlags, stderr io.Writer, wrong *cli.Misconfiguration) cli.Restore {
	r := restore{storeConfig: parse(f.StoreFlags, p.stores, wrong), from: f.File}
	r.log = logging.New(stderr, r.logging)
	wrong.Add("RESELLERD_STORE", r.oneFile("can be filled from a file that backup made: RESELLERD_COPY_TO=\"$RESELLERD_STORE\" resellerd copy --from sqlite:"+f.File))
	if r.opener.Backup != nil {
		r.keys = readKeys(f.StoreFlags, r.storeConfig, wrong)
	}
	return r
}

// Run implements cli.Restore. The store is made under another name, beside where it will be. It gets its own once it was
// audited, opened as the service opens it, and is on the disk.
func (r restore) Run(ctx context.Context, o cli.RestoreOptions) (made cli.RestoreResult, err error) {
	defer func() { err = foundAltered(err, &made.Verdict, o.Report) }()
	if err := r.removeAbandoned(time.Now()); err != nil {
		return made, err
	}
	if err := r.free(); err != nil {
		return made, err
	}
	if made.Fingerprint, err = r.fingerprint(ctx); err != nil {
		return made, err
	}
	key, keep, err := r.chooseKey(made.Fingerprint, o.Key)
	if err != nil {
		return made, err
	}
	folder := filepath.Dir(r.address)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return made, err
	}
	work, err := os.MkdirTemp(folder, r.workPrefix()+"*") // 0700
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	o.BackupOptions = atWork(work, o.BackupOptions)
	draft := filepath.Join(work, "store.db")
	if err := os.WriteFile(draft, nil, 0o600); err != nil {
		return made, err
	}
	if err := r.opener.Backup(ctx, r.from, draft, o.Copied); err != nil {
		return made, err
	}
	found, err := r.examine(ctx, draft, o.BackupOptions)
	if made.Verdict = found.Verdict; err != nil || found.Findings > 0 {
		return made, err
	}
	if err := r.starts(ctx, draft, *key); err != nil {
		return made, fmt.Errorf("the store that was made can't be served: %w", err)
	}
	if keep {
		made.KeyFile = r.opener.KeyFile(r.address)
		if err := servicekey.Keep(made.KeyFile, *key, work); err != nil {
			return made, err
		}
	}
	published, err := r.publish(draft)
	if keep && !published { // a store that has its name needs its key
		err = errors.Join(err, os.Remove(made.KeyFile))
	}
	if err == nil {
		made.File = r.address
	}
	return made, err
}

// abandonedAfter is how long nobody has touched the folder of a restore that counts as left behind by a killed process.
const abandonedAfter = time.Hour

// workPrefix is how the names of the folders begin in which the store is made.
func (r restore) workPrefix() string { return "." + filepath.Base(r.address) + ".restore-" }

// removeAbandoned removes what a restore has left behind that was killed: all records may be in there.
func (r restore) removeAbandoned(now time.Time) error {
	folder := filepath.Dir(r.address)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		number, is := strings.CutPrefix(entry.Name(), r.workPrefix())
		if _, err := strconv.ParseUint(number, 10, 64); !is || err != nil || !entry.IsDir() {
			continue
		}
		if info, err := entry.Info(); err != nil || now.Sub(info.ModTime()) < abandonedAfter {
			continue // gone, or somebody's who is at work
		}
		if err := os.RemoveAll(filepath.Join(folder, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// atWork has the folder be touched now and then, while what it is for is told of.
func atWork(folder string, o cli.BackupOptions) cli.BackupOptions {
	touched := time.Now()
	touch := func() {
		if now := time.Now(); now.Sub(touched) >= time.Minute {
			touched = now
			_ = os.Chtimes(folder, now, now) // one that can't be touched is not finished after an hour
		}
	}
	watched := o
	watched.Copied = func(pages, total int64) {
		touch()
		o.Copied(pages, total)
	}
	watched.Audited = func(records int64) {
		touch()
		o.Audited(records)
	}
	return watched
}

// free refuses a place where there is anything already: SQLite would take what is beside a file for a part of it.
func (r restore) free() error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		switch _, err := os.Lstat(r.address + suffix); {
		case err == nil:
			return fmt.Errorf("%s: %w: name another place, or move it away", r.address+suffix, cli.ErrExists)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// fingerprint returns that of the service key that the backup belongs to.
func (r restore) fingerprint(ctx context.Context) (fingerprint string, err error) {
	archive, err := r.opener.archive(ctx, r.from, logging.Migrations(r.log))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	err = archive.ViewRecords(ctx, func(ctx context.Context, records ports.Records) error {
		origin, err := records.Origin(ctx)
		if fingerprint = origin.Fingerprint; err == nil && fingerprint == "" {
			err = fmt.Errorf("%s: %w", r.from, errUnused)
		}
		return err
	})
	return fingerprint, err
}

// chooseKey finds the service key with the fingerprint, and says whether it has to be kept beside the store: one that is
// set stays where the operator has it. A file that the service would read before any other decides.
func (r restore) chooseKey(fingerprint string, ask func(string) (profile.Secret, error)) (key *profile.Secret, keep bool, err error) {
	if r.keys.current != nil {
		keys, err := r.given()
		if err == nil {
			key, err = fitting(keys, fingerprint)
		}
		if err != nil {
			return nil, false, fmt.Errorf("RESELLERD_SECRET: %w", err)
		}
		return key, false, nil
	}
	own := r.opener.KeyFile(r.address)
	for _, file := range []string{own, r.opener.KeyFile(r.from)} {
		secret, err := servicekey.LoadOrCreate(file, false)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			key, err = fitting([]profile.Secret{secret}, fingerprint)
		}
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", file, err)
		}
		return key, file != own, nil
	}
	if ask == nil {
		return nil, false, fmt.Errorf("the backup is of no use without its service key, fingerprint %s: set RESELLERD_SECRET_FILE or RESELLERD_SECRET, or put it into %s", fingerprint, own)
	}
	secret, err := ask(fingerprint)
	if err == nil {
		key, err = fitting([]profile.Secret{secret}, fingerprint)
	}
	return key, true, err
}

// starts opens the store in a file with its key, as the service does, brings it up to date, and closes it.
func (c storeConfig) starts(ctx context.Context, file string, key profile.Secret) (err error) {
	c.address, c.keys = file, serviceKeys{current: &key}
	opened, _, err := c.open(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(opened.Ready(ctx), opened.Close())
}

// publish gives the store its name: a link, unlike a rename, replaces nothing. Where it fails after that, so that a power
// cut may still take the name away, the store was published all the same.
func (r restore) publish(draft string) (published bool, err error) {
	if err := backupfolder.Sync(draft); err != nil {
		return false, err
	}
	err = os.Link(draft, r.address)
	if errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("%s: %w", r.address, cli.ErrExists)
	}
	if err != nil {
		return false, err
	}
	if err := syncFolder(filepath.Dir(r.address)); err != nil {
		return true, fmt.Errorf("%s is restored, and a power cut may undo that: %w", r.address, err)
	}
	return true, nil
}

// syncFolder makes the names in a folder durable. Tests have it fail.
var syncFolder = backupfolder.Sync
