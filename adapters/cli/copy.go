package cli

import (
	"context"
	"errors"
	"fmt"

	"resellerd/application/transfer"
)

type copyCommand struct {
	CopyFlags
	OutputFlags
}

// copyRecord is a finished copy as printed.
type copyRecord struct {
	verdictRecord
	Keys        int64  `json:"idempotency_keys"`
	Fingerprint string `json:"key_fingerprint"`
}

// Run runs the command.
func (f copyCommand) Run(s *session) error {
	prepare := func(wrong *Misconfiguration) Transfer { return s.Transfer(f.CopyFlags, s.stderr, wrong) }
	return perform(s, prepare, func(ctx context.Context, work Transfer) error {
		shown := newMeter(s.stderr)
		copied, err := work.Run(ctx, transfer.Options{
			Restart:  f.Restart,
			Progress: func(step transfer.Step, done, total int64) { shown.show(step, done, total) },
			Report:   s.reporting(f.OutputFlags, shown),
		})
		shown.end()
		if err != nil {
			return whatNext(interrupted(ctx, err))
		}
		v := copied.Verdict
		return s.verdict(f.OutputFlags, v.Findings, copyRecord{recordOf(v), copied.Keys, copied.Fingerprint},
			mistaken(v)+" of the source"+": nothing was copied",
			fmt.Sprintf(
				"copied, and all well: %d accounts, %d lines, %d movements, %d entries of the journal and %d idempotency keys; %s credits issued = %s consumed + %s held%s\n%s",
				v.Resellers, v.Lines, v.Movements, v.Entries, copied.Keys, v.Issued, v.Consumed, v.Balances, imported(v),
				keyOfCopy(work, copied.Fingerprint)))
	})
}

// whatNext adds the next step of the operator to the error of a copy.
func whatNext(err error) error {
	switch {
	case errors.Is(err, transfer.ErrCopyEnded):
		return err
	case errors.Is(err, transfer.ErrLeftUnfinished):
		return fmt.Errorf("%w\nthe target can't be used as it is: repeat the command with --restart, which starts over", err)
	case errors.Is(err, transfer.ErrNotEmpty):
		return fmt.Errorf("--to: %w: name a new one; a copy never overwrites a store", err)
	case errors.Is(err, transfer.ErrUnfinishedCopy):
		return fmt.Errorf("--to: %w: repeat the command with --restart, which starts over", err)
	case errors.Is(err, transfer.ErrSourceUnfinished), errors.Is(err, transfer.ErrSourceUnused):
		return fmt.Errorf("--from: %w", err)
	}
	return err
}

// keyOfCopy says which service key the copy needs, without the key itself.
func keyOfCopy(work Transfer, fingerprint string) string {
	text := "serve it with the service key of the source, fingerprint " + fingerprint +
		": in RESELLERD_SECRET or RESELLERD_SECRET_FILE"
	ofTarget, ofSource := work.KeyFiles()
	if ofTarget != "" {
		text += ", or in the file " + ofTarget
	}
	if ofSource != "" {
		text += "; the source has it in " + ofSource
	}
	return text
}
