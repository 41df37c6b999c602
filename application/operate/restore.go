package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"resellerd/application/audit"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Restore creates a store from a backup.
type Restore struct {
	Files
	From, To string // files
	Target   ports.RestoreTarget
	Keys     func() ([]profile.Secret, error) // set by the operator; nil: no key is set, and KeyFiles are used
	// KeyFiles are the files of the service key: of the store, and of the backup.
	KeyFiles [2]string
	ReadKey  func(file string) (*profile.Secret, error) // nil if the file does not exist
	// Serve opens the store in a file with its key, as the service does. It upgrades the store, begins a new epoch of
	// its journal, disables its webhooks, and closes it.
	Serve func(ctx context.Context, file string, key profile.Secret) (RestoredState, error)
}

// RestoredState is the state of a restored store.
type RestoredState struct {
	Epoch    journal.Epoch // of its journal: consumers of the old journal must start over
	Webhooks int           // that were enabled, and are disabled: a restored copy must send nothing
	Jobs     int           // running bulk jobs that were stopped: their progress after the backup is unknown
}

// RestoreOptions configure the reports and questions of Run.
type RestoreOptions struct {
	Options
	// Key requests the service key with this fingerprint if it was not found; nil if there is no one to enter it.
	Key func(fingerprint string) (profile.Secret, error)
}

// RestoreResult is a new store.
type RestoreResult struct {
	audit.Verdict
	File        string
	KeyFile     string // written beside it, "" if not needed
	Fingerprint string // of its service key
	RestoredState
}

// Run makes the store, or nothing at all. The store has another name until it was audited, opened as the service opens
// it, and is on the disk. If it would overwrite a file the error is ErrExists.
func (r Restore) Run(ctx context.Context, o RestoreOptions) (made RestoreResult, err error) {
	defer func() { err = foundAltered(err, &made.Verdict, o.Report) }()
	if err := r.Target.Free(r.Now()); err != nil {
		return made, err
	}
	if made.Fingerprint, err = r.fingerprint(ctx); err != nil {
		return made, err
	}
	key, inPlace, err := r.chooseKey(made.Fingerprint, o.Key)
	if err != nil {
		return made, err
	}
	draft, err := r.Target.Begin(r.Now())
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, draft.Discard()) }()
	found, err := r.fill(ctx, draft, r.From, o.Options)
	if made.Verdict = found.Verdict; err != nil || found.Findings > 0 {
		return made, err
	}
	if made.RestoredState, err = r.Serve(ctx, draft.Path(), *key); err != nil {
		return made, fmt.Errorf("the new store can't be served: %w", err)
	}
	if inPlace {
		key = nil
	} else {
		made.KeyFile = r.KeyFiles[0]
	}
	if err := draft.Publish(key, made.KeyFile); err != nil {
		return made, err
	}
	made.File = r.To
	return made, nil
}

// fingerprint returns the fingerprint of the backup's service key.
func (r Restore) fingerprint(ctx context.Context) (fingerprint string, err error) {
	archive, err := r.OpenFile(ctx, r.From)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	err = archive.ViewRecords(ctx, func(ctx context.Context, records ports.Records) error {
		origin, err := records.Origin(ctx)
		if fingerprint = origin.Fingerprint; err == nil && fingerprint == "" {
			err = fmt.Errorf("%s: %w", r.From, errUnused)
		}
		return err
	})
	return fingerprint, err
}

// chooseKey finds the service key with the fingerprint, and reports whether the service will find it: a configured key
// stays where the operator has it. If a key file exists that the service would read first, that file decides.
func (r Restore) chooseKey(fingerprint string, ask func(string) (profile.Secret, error)) (key *profile.Secret,
	inPlace bool, err error) {
	if r.Keys != nil {
		keys, err := r.Keys()
		if err == nil {
			key, err = r.fitting(keys, fingerprint)
		}
		if err != nil {
			err = fmt.Errorf("RESELLERD_SECRET: %w", err)
		}
		return key, true, err
	}
	for i, file := range r.KeyFiles {
		secret, err := r.ReadKey(file)
		if err == nil && secret == nil {
			continue
		}
		if err == nil {
			key, err = r.fitting([]profile.Secret{*secret}, fingerprint)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
		return key, i == 0, err
	}
	if ask == nil {
		return nil, false,
			fmt.Errorf(
				"no service key was found at %s; this store needs the key with the fingerprint %s: put it there, or set RESELLERD_SECRET_FILE or RESELLERD_SECRET", strings.Join(r.KeyFiles[:], " or "), fingerprint)
	}
	secret, err := ask(fingerprint)
	if err == nil {
		key, err = r.fitting([]profile.Secret{secret}, fingerprint)
	}
	return key, false, err
}
