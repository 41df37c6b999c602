package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"resellerd/application/operate"
	"resellerd/domain/profile"
)

// Backup makes backups of a store.
type Backup interface {
	// Run makes a backup. If the audit of the backup has findings, or ctx ends, Run removes the backup.
	Run(ctx context.Context, o operate.Options) (operate.BackupResult, error)
}

// Restore creates a store from a backup.
type Restore interface {
	// Run creates the whole store, or nothing. If it would overwrite something, the error is operate.ErrExists.
	Run(ctx context.Context, o operate.RestoreOptions) (operate.RestoreResult, error)
}

type backupCommand struct {
	BackupFlags
	OutputFlags
}

// backupRecord is a backup as printed.
type backupRecord struct {
	File        string   `json:"file"`
	KeyFile     string   `json:"key_file,omitempty"`
	Bytes       int64    `json:"bytes"`
	Fingerprint string   `json:"key_fingerprint"`
	Removed     []string `json:"removed,omitempty"`
	verdictRecord
}

// Run runs the command.
func (c backupCommand) Run(s *session) error {
	var every time.Duration
	prepare := func(wrong *Misconfiguration) (work Backup) {
		work, every = s.Backup(c.BackupFlags, s.stderr, wrong)
		return work
	}
	return perform(s, prepare, func(ctx context.Context, work Backup) error {
		err := c.once(ctx, s, work)
		if every == 0 {
			return interrupted(ctx, err)
		}
		if err != nil && ctx.Err() == nil {
			return err // a first failure is more likely a mistake than a full disk
		}
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
			if err := c.once(ctx, s, work); err != nil && ctx.Err() == nil {
				_, _ = fmt.Fprintf(s.stderr, "resellerd: no backup was made: %s; the next attempt is at the usual time\n", err)
			}
		}
		return nil
	})
}

func (c backupCommand) once(ctx context.Context, s *session, work Backup) error {
	shown := newMeter(s.stderr)
	made, err := work.Run(ctx, s.backupOptions(c.OutputFlags, shown, backingUp))
	shown.end()
	if err != nil {
		return err
	}
	record := backupRecord{made.File, made.KeyFile, made.Bytes, made.Fingerprint, made.Removed, recordOf(made.Verdict)}
	text := fmt.Sprintf("%s (%d bytes), and all well: %s", made.File, made.Bytes, counted(made.Verdict))
	if made.KeyFile != "" {
		text += "\nits service key is in " + made.KeyFile + ": a reader of both files can decrypt all line passwords"
	} else {
		text += "\na restore needs the service key with the fingerprint " + made.Fingerprint + ", which the file does not contain"
	}
	if len(made.Removed) > 0 {
		text += "\nremoved " + strings.Join(made.Removed, "\nremoved ")
	}
	return s.verdict(c.OutputFlags, made.Findings, record, mistaken(made.Verdict)+": there is no new backup", text)
}

func (s *session) backupOptions(f OutputFlags, shown *meter, step doing) operate.Options {
	return operate.Options{
		Copied:  func(pages, total int64) { shown.onTerminal(step, pages, total) },
		Audited: func(records int64) { shown.onTerminal(auditing, records, 0) },
		Report:  s.reporting(f, shown),
		Warn: func(text string) {
			shown.end()
			_, _ = fmt.Fprintln(s.stderr, "resellerd:", text)
		},
	}
}

type restoreCommand struct {
	RestoreFlags
	OutputFlags
}

// restoreRecord is a restored store as printed.
type restoreRecord struct {
	File        string `json:"file"`
	KeyFile     string `json:"key_file,omitempty"`
	Fingerprint string `json:"key_fingerprint"`
	Epoch       string `json:"epoch,omitempty"` // new one of the journal
	Webhooks    int    `json:"webhooks_disabled"`
	Jobs        int    `json:"jobs_stopped"`
	verdictRecord
}

// Run runs the command.
func (c restoreCommand) Run(s *session) error {
	prepare := func(wrong *Misconfiguration) Restore { return s.Restore(c.RestoreFlags, wrong) }
	return perform(s, prepare, func(ctx context.Context, work Restore) error {
		shown := newMeter(s.stderr)
		options := operate.RestoreOptions{Options: s.backupOptions(c.OutputFlags, shown, restoring)}
		if IsTerminal(s.stdin) {
			options.Key = func(fingerprint string) (profile.Secret, error) {
				typed, err := s.secret("Service key with the fingerprint "+fingerprint+": ", errNoPassword)
				return profile.NewSecret(typed), err
			}
		}
		made, err := work.Run(ctx, options)
		if shown.end(); err != nil {
			return interrupted(ctx, err)
		}
		text := fmt.Sprintf("restored to %s, opened as the service does, and all well: %s", made.File, counted(made.Verdict))
		if made.KeyFile != "" {
			text += "\nits service key is in " + made.KeyFile
		}
		text += fmt.Sprintf(
			"\nits journal begins the epoch %s: clients with a cursor of an earlier epoch must start over", made.Epoch)
		if made.Webhooks > 0 {
			text += fmt.Sprintf("\n%d webhooks were disabled: their owners can enable them again", made.Webhooks)
		}
		if made.Jobs > 0 {
			text += fmt.Sprintf("\n%d bulk jobs were stopped: their changes since the backup are unknown", made.Jobs)
		}
		return s.verdict(c.OutputFlags, made.Findings,
			restoreRecord{made.File, made.KeyFile, made.Fingerprint, string(made.Epoch), made.Webhooks, made.Jobs,
				recordOf(made.Verdict)},
			mistaken(made.Verdict)+" of the backup"+": nothing was restored", text)
	})
}
