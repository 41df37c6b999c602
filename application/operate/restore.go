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

// Restore makes a store of a backup.
type Restore struct {
	Files
	From, To string // files
	Target   ports.RestoreTarget
	Keys     func() ([]profile.Secret, error) // that the operator has set; nil: none, and those in KeyFiles count
	// KeyFiles have the service key of the store, and of the backup.
	KeyFiles [2]string
	ReadKey  func(file string) (*profile.Secret, error) // nil if there is none
	// Serve opens the store in a file with its key, as the service does, brings it up to date, begins another epoch of
	// its journal, disables its webhooks, and closes it.
	Serve func(ctx context.Context, file string, key profile.Secret) (RestoredState, error)
}

// RestoredState is what a restored store begins with.
type RestoredState struct {
	Epoch    journal.Epoch // of its journal: what followed the journal of another copy is told to start over
	Webhooks int           // that were enabled, and are disabled: a rehearsal must not tell anybody
	Jobs     int           // for many lines, that were under way, and are stopped: what became of them since is unknown
}

// RestoreOptions say where Run reports, and whom it asks.
type RestoreOptions struct {
	Options
	// Key asks for the service key with this fingerprint if none is found; nil if it can't be asked for.
	Key func(fingerprint string) (profile.Secret, error)
}

// RestoreResult is a store that was made.
type RestoreResult struct {
	audit.Verdict
	File        string
	KeyFile     string // written beside it, "" if not needed
	Fingerprint string // of its service key
	RestoredState
}

// Run makes the store, or nothing at all. It is made under another name, and gets its own once it was audited, opened
// as the service opens it, and is on the disk. If it would overwrite something the error is ErrExists.
func (r Restore) Run(ctx context.Context, o RestoreOptions) (made RestoreResult, err error) {
	defer func() { err = foundAltered(err, &made.Verdict, o.Report) }()
	if err := r.Target.Free(r.Now()); err != nil {
		return made, err
	}
	if made.Fingerprint, err = r.fingerprint(ctx); err != nil {
		return made, err
	}
	key, kept, err := r.chooseKey(made.Fingerprint, o.Key)
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
		return made, fmt.Errorf("the store that was made can't be served: %w", err)
	}
	if kept {
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

// fingerprint returns that of the service key that the backup belongs to.
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

// chooseKey finds the service key with the fingerprint, and reports whether it is where the service looks for it: one
// that is set stays where the operator has it. A file that the service would read first decides.
func (r Restore) chooseKey(fingerprint string, ask func(string) (profile.Secret, error)) (key *profile.Secret,
	kept bool, err error) {
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
