package operate

import (
	"context"
	"errors"
	"fmt"

	"resellerd/application/audit"
	"resellerd/application/reports"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Files implements stores of a kind that is one file: that file, under any path, is the store.
type Files struct {
	OpenFile func(ctx context.Context, file string) (ports.OpenArchive, error)
	// Copy writes a snapshot of the store, possibly while it is served, into an empty file.
	Copy func(ctx context.Context, from, to string, progress func(done, total int64)) error
	// Fingerprint returns the fingerprint of a service key.
	Fingerprint func(key profile.Secret) (string, error)
	Now         ports.Clock
}

// examined is the result of an examination of a file.
type examined struct {
	audit.Verdict
	fingerprint string // of the service key of the store
}

// fill copies a store into a draft and audits it there.
func (f Files) fill(ctx context.Context, to ports.Draft, from string, o Options) (found examined, err error) {
	o = o.touching(to, f.Now)
	if err := f.Copy(ctx, from, to.Path(), o.Copied); err != nil {
		return found, err
	}
	copied := Store{func() error { return nil }, func(ctx context.Context) (ports.OpenArchive, error) {
		return f.OpenFile(ctx, to.Path())
	}}
	err = copied.read(ctx, func(ctx context.Context, r ports.Records) error {
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

// fitting returns the service key with the fingerprint, or an error if no key has it.
func (f Files) fitting(keys []profile.Secret, fingerprint string) (*profile.Secret, error) {
	var first string
	for i := range keys {
		found, err := f.Fingerprint(keys[i])
		if err != nil {
			return nil, err
		}
		if found == fingerprint {
			return &keys[i], nil
		}
		if i == 0 {
			first = found
		}
	}
	return nil, fmt.Errorf("this service key has the fingerprint %s, and the store belongs to the one with %s", first,
		fingerprint)
}

// Backup configures backups of a store.
type Backup struct {
	Files
	Store
	File   string                                        // of the store
	Folder func(made string) (ports.BackupFolder, error) // for the backups of the store that was created at this moment
	Keys   func() ([]profile.Secret, error)              // of the store; nil: the backup does not contain its key
	Keep   int                                           // the number of backups that stay, 0: all
}

// BackupResult is a new backup.
type BackupResult struct {
	audit.Verdict
	File        string
	KeyFile     string // the service key's file, "" without one
	Bytes       int64
	Fingerprint string   // of the service key of the backup
	Removed     []string // older backups
}

// Run makes a backup. If the audit has findings, or ctx ends, it removes the backup.
func (b Backup) Run(ctx context.Context, o Options) (made BackupResult, err error) {
	defer func() { err = foundAltered(err, &made.Verdict, o.Report) }()
	born, err := b.born(ctx)
	if err != nil {
		return made, err
	}
	var keys []profile.Secret
	if b.Keys != nil {
		if keys, err = b.Keys(); err != nil {
			return made, err
		}
	}
	folder, err := b.Folder(born)
	if err != nil {
		return made, err
	}
	begun := b.Now()
	draft, err := folder.Begin(begun)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, draft.Discard()) }()
	found, err := b.fill(ctx, draft, b.File, o)
	made.Verdict, made.Fingerprint = found.Verdict, found.fingerprint
	if err != nil || found.Findings > 0 {
		return made, err
	}
	var key *profile.Secret
	if b.Keys != nil {
		if key, err = b.fitting(keys, found.fingerprint); err != nil {
			return made, err
		}
	}
	if made.File, made.KeyFile, made.Bytes, err = draft.Finish(begun, key); err != nil {
		return made, err
	}
	if b.Keep > 0 {
		if made.Removed, err = folder.Prune(b.Keep, made.File); err != nil {
			o.Warn(fmt.Sprintf("older backups could not be removed: %s", err)) // the new backup exists
		}
	}
	return made, nil
}

// born returns when the first account of the store was created. It never changes, and distinguishes its backups from
// others.
func (b Backup) born(ctx context.Context) (born string, err error) {
	err = b.read(ctx, func(ctx context.Context, r ports.Records) error {
		first, err := r.Resellers(ctx, 0, 1)
		switch {
		case err != nil:
			return err
		case len(first) == 0:
			return fmt.Errorf("RESELLERD_STORE: %w", errUnused)
		}
		born = "damaged" // the audit reports it
		if first[0].Damage == nil {
			born = reports.Born(first[0].Record.State().CreatedAt)
		}
		return nil
	})
	return born, err
}
