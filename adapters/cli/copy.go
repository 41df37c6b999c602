package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"resellerd/application/transfer"
)

func (f CopyFlags) run(program Program, stdout, stderr io.Writer) error {
	var wrong Misconfiguration
	work := program.Transfer(f, stderr, &wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	shown := meter{out: stderr, terminal: isTerminal(stderr)}
	copied, err := work.Run(ctx, transfer.Options{
		Restart:  f.Restart,
		Progress: func(step transfer.Step, done, total int64) { shown.show(step, done, total) },
		Report: func(finding string) {
			shown.end()
			_, _ = fmt.Fprintln(stdout, finding)
		},
	})
	shown.end()
	switch {
	case err != nil && ctx.Err() != nil:
		err = fmt.Errorf("interrupted: %w", err)
	case err == nil && copied.Findings > 0:
		_, _ = fmt.Fprintf(stdout, "%d findings in %d accounts, %d lines and %d movements of the source%s: nothing was copied\n",
			copied.Findings, copied.Resellers, copied.Lines, copied.Movements, unrecorded(copied.Verdict))
		return errFound
	}
	if err != nil {
		return whatNext(err)
	}
	_, err = fmt.Fprintf(stdout, "copied, and all well: %d accounts, %d lines, %d movements and %d idempotency keys; %s credits issued = %s consumed + %s held%s\n%s\n",
		copied.Resellers, copied.Lines, copied.Movements, copied.Keys, copied.Issued, copied.Consumed, copied.Balances, unrecorded(copied.Verdict), keyOfCopy(work, copied.Fingerprint))
	return err
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
