package cli

import (
	"errors"
	"fmt"

	"resellerd/application/transfer"
)

type copyCommand struct {
	CopyFlags
	OutputFlags
}

// copyRecord is what was copied.
type copyRecord struct {
	verdictRecord
	Keys        int64  `json:"idempotency_keys"`
	Fingerprint string `json:"key_fingerprint"`
}

// Run runs the command.
func (f copyCommand) Run(s *session) error {
	wrong := s.settings()
	work := s.Transfer(f.CopyFlags, s.stderr, &wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, stop := untilAsked()
	defer stop()
	shown := newMeter(s.stderr)
	copied, err := work.Run(ctx, transfer.Options{
		Restart:  f.Restart,
		Progress: func(step transfer.Step, done, total int64) { shown.show(step, done, total) },
		Report: func(finding string) {
			shown.end()
			s.finding(f.OutputFlags, finding)
		},
	})
	shown.end()
	if err != nil {
		return whatNext(interrupted(ctx, err))
	}
	record := copyRecord{recordOf(copied.Verdict), copied.Keys, copied.Fingerprint}
	if copied.Findings > 0 {
		if err := s.printed(f.OutputFlags, record, mistaken(copied.Verdict)+" of the source"+unrecorded(copied.Verdict)+": nothing was copied"); err != nil {
			return err
		}
		return errFound
	}
	return s.printed(f.OutputFlags, record, fmt.Sprintf("copied, and all well: %d accounts, %d lines, %d movements and %d idempotency keys; %s credits issued = %s consumed + %s held%s\n%s",
		copied.Resellers, copied.Lines, copied.Movements, copied.Keys, copied.Issued, copied.Consumed, copied.Balances, unrecorded(copied.Verdict), keyOfCopy(work, copied.Fingerprint)))
}

// whatNext adds to why a copy failed what an operator can do.
func whatNext(err error) error {
	switch {
	case errors.Is(err, transfer.ErrCopyEnded):
		return err
	case errors.Is(err, transfer.ErrLeftUnfinished):
		return fmt.Errorf("%w\nthe target can't be used as it is: repeat the command with --restart, which starts over", err)
	case errors.Is(err, transfer.ErrNotEmpty):
		return fmt.Errorf("--to: %w: name a new one, nothing that is in use is ever written over", err)
	case errors.Is(err, transfer.ErrUnfinishedCopy):
		return fmt.Errorf("--to: %w: repeat the command with --restart, which starts over", err)
	case errors.Is(err, transfer.ErrSourceUnfinished), errors.Is(err, transfer.ErrSourceUnused):
		return fmt.Errorf("--from: %w", err)
	}
	return err
}

// keyOfCopy says which service key the copy needs, without a word of the key.
func keyOfCopy(work Transfer, fingerprint string) string {
	text := "serve it with the service key of the source, fingerprint " + fingerprint + ": in RESELLERD_SECRET or RESELLERD_SECRET_FILE"
	ofTarget, ofSource := work.KeyFiles()
	if ofTarget != "" {
		text += ", or in the file " + ofTarget
	}
	if ofSource != "" {
		text += "; the source has it in " + ofSource
	}
	return text
}
