package bootstrap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"resellerd/adapters/backupfolder"
	"resellerd/adapters/cli"
	"resellerd/adapters/logging"
	"resellerd/adapters/servicekey"
	"resellerd/application/audit"
	"resellerd/domain/profile"
	"resellerd/ports"
)

var errUnused = errors.New("this store was never served: there is nothing in it")

// leastEvery is the shortest time between two backups of one process.
const leastEvery = time.Second

// backup implements cli.Backup.
type backup struct {
	storeConfig
	folder  string
	withKey bool
	every   time.Duration
	keep    int
	log     *slog.Logger
}

// Backup implements cli.Program.
func (p program) Backup(f cli.BackupFlags, stderr io.Writer, wrong *cli.Misconfiguration) cli.Backup {
	b := backup{storeConfig: parse(f.StoreFlags, p.stores, wrong), folder: f.Dir, withKey: f.WithKey}
	b.log = logging.New(stderr, b.logging)
	wrong.Add("RESELLERD_STORE", b.oneFile(`can be copied into a file while it is served: RESELLERD_COPY_FROM="$RESELLERD_STORE" resellerd copy --to sqlite:backup.db`))
	if f.Dir == "" {
		wrong.Add("RESELLERD_BACKUP_DIR", errors.New("no folder is named"))
	}
	if f.WithKey {
		b.keys = readKeys(f.StoreFlags, b.storeConfig, wrong)
	}
	var err error
	if f.Every != "" {
		if b.every, err = time.ParseDuration(f.Every); err == nil && b.every < leastEvery {
			err = fmt.Errorf("%s is less than %s", f.Every, leastEvery)
		}
		wrong.Add("--every", err)
	}
	b.keep, err = number(f.Keep, 0, 1_000_000)
	wrong.Add("--keep", err)
	return b
}

// oneFile refuses a store that is not kept in one file, and says what there is for it in place of a backup.
func (c storeConfig) oneFile(otherwise string) error {
	switch {
	case c.opener.Open == nil || c.opener.Backup != nil: // no store is named, which was said
		return nil
	case c.scheme == "memory":
		return errors.New("memory: ends with the process that made it")
	}
	return fmt.Errorf("%s: is not kept in one file: use its own tools. It %s", c.scheme, otherwise)
}

// Every implements cli.Backup.
func (b backup) Every() time.Duration { return b.every }

// Run implements cli.Backup.
func (b backup) Run(ctx context.Context, o cli.BackupOptions) (made cli.BackupResult, err error) {
	if err := b.opener.exists(b.address); err != nil {
		return made, fmt.Errorf("RESELLERD_STORE: %w", err)
	}
	defer func() { err = foundAltered(err, &made.Verdict, o.Report) }()
	id, err := b.id(ctx)
	if err != nil {
		return made, err
	}
	var keys []profile.Secret
	if b.withKey {
		if keys, err = b.given(); err != nil {
			return made, err
		}
	}
	folder, err := backupfolder.Open(b.folder, id)
	if err != nil {
		return made, err
	}
	begun := time.Now()
	draft, err := folder.Begin(begun)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, draft.Discard()) }()

	watched := o
	watched.Copied = func(pages, total int64) {
		_ = draft.Touch(time.Now()) // one that can't be touched is not finished after an hour
		o.Copied(pages, total)
	}
	watched.Audited = func(records int64) {
		_ = draft.Touch(time.Now()) // see above
		o.Audited(records)
	}
	if err := b.opener.Backup(ctx, b.address, draft.Path(), watched.Copied); err != nil {
		return made, err
	}
	found, err := b.examine(ctx, draft.Path(), watched)
	made.Verdict, made.Fingerprint = found.Verdict, found.fingerprint
	if err != nil || found.Findings > 0 {
		return made, err
	}
	var key *profile.Secret
	if b.withKey {
		if key, err = fitting(keys, found.fingerprint); err != nil {
			return made, err
		}
	}
	info, err := os.Stat(draft.Path())
	if err != nil {
		return made, err
	}
	made.Bytes = info.Size()
	if made.File, made.KeyFile, err = draft.Keep(begun, key); err != nil {
		return made, err
	}
	if b.keep > 0 {
		if made.Removed, err = folder.Prune(b.keep, made.File); err != nil {
			o.Warn(fmt.Sprintf("older backups could not be removed: %s", err)) // the backup is there
		}
	}
	return made, nil
}

// id tells the backups of this store from those of others, in 12 hexadecimal digits: by where it is and when its first
// account was made. It never changes while the store stays where it is, and a copy elsewhere has another.
func (b backup) id(ctx context.Context) (id string, err error) {
	path, err := filepath.Abs(b.address)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", err
	}
	archive, err := b.opener.archive(ctx, b.address, logging.Migrations(b.log))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	if err := refuseUnfinished(ctx, archive); err != nil {
		return "", err
	}
	err = archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		first, err := r.Resellers(ctx, 0, 1)
		switch {
		case err != nil:
			return err
		case len(first) == 0:
			return fmt.Errorf("RESELLERD_STORE: %w", errUnused)
		}
		made := "damaged" // which the audit says
		if first[0].Damage == nil {
			made = strconv.FormatInt(first[0].Record.State().CreatedAt.UnixMilli(), 10)
		}
		sum := sha256.Sum256([]byte(path + "\n" + made))
		id = hex.EncodeToString(sum[:6])
		return nil
	})
	return id, err
}

// given returns the service keys that are set or that the store keeps, the present one first. It makes none.
func (c storeConfig) given() (keys []profile.Secret, err error) {
	previous := c.keys.previous
	if c.keys.current != nil {
		keys = append(keys, *c.keys.current)
	} else {
		secret, missing := servicekey.LoadOrCreate(c.opener.KeyFile(c.address), false)
		if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
			return nil, missing
		}
		if missing == nil {
			keys = append(keys, secret)
		}
		if previous == nil && c.keys.previousBeside != nil {
			if previous, err = c.keys.previousBeside(); err != nil {
				return nil, err
			}
		}
		if missing != nil && previous == nil {
			return nil, missing // and not only renamed, for another one to be made
		}
	}
	if previous != nil {
		keys = append(keys, *previous)
	}
	return keys, nil
}

// fitting returns the service key with the fingerprint, or says that there is none among the keys.
func fitting(keys []profile.Secret, fingerprint string) (*profile.Secret, error) {
	for i := range keys {
		keyring, err := servicekey.New(keys[i])
		if err != nil {
			return nil, err
		}
		if keyring.Fingerprint() == fingerprint {
			return &keys[i], nil
		}
	}
	keyring, err := servicekey.New(keys[0])
	if err == nil {
		err = fmt.Errorf("this service key has the fingerprint %s, and the store belongs to the one with %s", keyring.Fingerprint(), fingerprint)
	}
	return nil, err
}

// examined is what was found in a file.
type examined struct {
	audit.Verdict
	fingerprint string // of the service key that it belongs to
}

// examine audits the store in a file, and refuses one that was never served.
func (c storeConfig) examine(ctx context.Context, file string, o cli.BackupOptions) (found examined, err error) {
	archive, err := c.opener.archive(ctx, file, logging.Migrations(slog.New(slog.DiscardHandler)))
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	if err := refuseUnfinished(ctx, archive); err != nil {
		return found, err
	}
	err = archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		origin, err := r.Origin(ctx)
		if err != nil {
			return err
		}
		if found.fingerprint = origin.Fingerprint; found.fingerprint == "" {
			return errUnused
		}
		found.Verdict, err = audit.Records(ctx, r, audit.Options{Report: o.Report, Progress: o.Audited})
		return err
	})
	return found, err
}
