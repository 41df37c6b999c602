package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"resellerd/application/transfer"
	"resellerd/ports"
)

// copyCommand has variables of its own, for addresses with a password in them:
// what the service is told to use says nothing of what is to be copied where.
type copyCommand struct {
	From    string `env:"RESELLERD_COPY_FROM" required:"" placeholder:"ADDRESS" help:"Store that is copied, such as sqlite:PATH; it may be in use and is left as it is."`
	To      string `env:"RESELLERD_COPY_TO" required:"" placeholder:"ADDRESS" help:"Store that becomes the copy: a new one, or with --restart what an interrupted copy left."`
	Restart bool   `help:"Remove what an interrupted copy left in the target, and start over."`
}

// endOfCopy is one end of a copy, checked.
type endOfCopy struct {
	flag    string
	address string
	opener  Opener
}

func (f copyCommand) check(stores Stores) (from, to endOfCopy, err error) {
	var wrong misconfiguration
	end := func(flag, value string) endOfCopy {
		scheme, address, _ := strings.Cut(value, ":")
		opener, known := stores[scheme]
		switch {
		case !known || !strings.Contains(value, ":"):
			wrong.add(flag, fmt.Errorf("%s names no store; known are %s", redactedAddress(value), stores.schemes()))
		case scheme == "memory":
			wrong.add(flag, errors.New("memory: ends with the process that made it, so that there is nothing to copy from or to"))
		default:
			wrong.add(flag, opener.Check(address))
		}
		return endOfCopy{flag, address, opener}
	}
	from, to = end("--from", f.From), end("--to", f.To)
	if f.From == f.To {
		wrong.add("--to", errors.New("this is the store that is to be copied"))
	}
	return from, to, wrong.err()
}

// named adds to why an end of a copy can't be opened which one it is.
func (e endOfCopy) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", e.flag, err)
}

func (f copyCommand) run(stores Stores, stdout, stderr io.Writer) error {
	from, to, err := f.check(stores)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	copied, err := copyStore(ctx, from, to, transfer.Options{Restart: f.Restart}, stdout, stderr)
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
		copied.Resellers, copied.Lines, copied.Movements, copied.Keys, copied.Issued, copied.Consumed, copied.Balances, unrecorded(copied.Verdict), keyOfCopy(from, to, copied.Fingerprint))
	return err
}

// copyStore opens both ends, the target only where the source is there.
func copyStore(ctx context.Context, from, to endOfCopy, o transfer.Options, stdout, stderr io.Writer) (copied transfer.Result, err error) {
	if err := from.opener.exists(from.address); err != nil {
		return copied, from.named(err)
	}
	migrating := logged(slog.New(slog.NewTextHandler(stderr, nil)))
	source, err := from.opener.archive(ctx, from.address, migrating)
	if err != nil {
		return copied, from.named(err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := to.opener.copyTarget(ctx, to.address, migrating)
	if err != nil {
		return copied, to.named(err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	shown := meter{out: stderr, terminal: isTerminal(stderr)}
	defer shown.end()
	o.Progress = shown.show
	o.Report = func(finding string) {
		shown.end()
		_, _ = fmt.Fprintln(stdout, finding)
	}
	// Neither needs its service key: what is encrypted is carried as it is.
	return transfer.Run(ctx, source, target, o)
}

// whatNext adds to why a copy failed what an operator can do.
func whatNext(err error) error {
	switch {
	case errors.Is(err, ports.ErrCopyEnded):
		return err
	case errors.Is(err, transfer.ErrLeftUnfinished):
		return fmt.Errorf("%w\nthe target can't be used as it is: repeat the command with --restart, which starts over", err)
	case errors.Is(err, ports.ErrNotEmpty):
		return fmt.Errorf("--to: %w: name a new one, nothing that is in use is ever written over", err)
	case errors.Is(err, ports.ErrUnfinishedCopy):
		return fmt.Errorf("--to: %w: repeat the command with --restart, which starts over", err)
	case errors.Is(err, transfer.ErrSourceUnfinished), errors.Is(err, transfer.ErrSourceUnused):
		return fmt.Errorf("--from: %w", err)
	}
	return err
}

// unfinished adds to the refusal of an unfinished copy what an operator can do.
func unfinished(err error) error {
	if errors.Is(err, ports.ErrUnfinishedCopy) {
		return fmt.Errorf("RESELLERD_STORE: %w: finish it with resellerd copy --from SOURCE --to THIS --restart, which starts over", err)
	}
	return err
}

// refuseUnfinished refuses an unfinished copy to a command that claims no key.
func refuseUnfinished(ctx context.Context, archive ports.Archive) error {
	return archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		is, err := r.Unfinished(ctx)
		if err == nil && is {
			err = unfinished(ports.ErrUnfinishedCopy)
		}
		return err
	})
}

// keyOfCopy says which service key the copy needs, without a word of the key.
func keyOfCopy(from, to endOfCopy, fingerprint string) string {
	text := "serve it with the service key of the source, fingerprint " + fingerprint + ": in RESELLERD_SECRET or RESELLERD_SECRET_FILE"
	if to.opener.KeyFile != nil {
		text += ", or in the file " + to.opener.KeyFile(to.address)
	}
	if from.opener.KeyFile != nil {
		if file := from.opener.KeyFile(from.address); exists(file) {
			text += "; the source has it in " + file
		}
	}
	return text
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// meter shows how far a copy is: a bar on a terminal, anywhere else a line for
// each step.
type meter struct {
	out      io.Writer
	terminal bool
	step     transfer.Step
	bar      *progressbar.ProgressBar // of the step, nil where it is none
	counted  bool                     // the bar knows its end
}

func isTerminal(w io.Writer) bool {
	file, is := w.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

func (m *meter) show(step transfer.Step, done, total int64) {
	if step != m.step {
		m.end()
		m.begin(step, total)
	}
	if m.bar != nil {
		_ = m.bar.Set64(done) // a bar that can't be drawn is no reason to stop
	}
}

func (m *meter) begin(step transfer.Step, total int64) {
	m.step, m.counted = step, total > 0
	if !m.terminal {
		_, _ = fmt.Fprintln(m.out, "resellerd:", step)
		return
	}
	if !m.counted {
		total = -1
	}
	m.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(m.out),
		progressbar.OptionSetDescription(step.String()),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("records"),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetSpinnerChangeInterval(0), // it turns with the count
		progressbar.OptionOnCompletion(func() { _, _ = fmt.Fprintln(m.out) }),
	)
}

// end leaves the bar as it is and goes to the next line.
func (m *meter) end() {
	if m.bar == nil {
		return
	}
	if m.counted && !m.bar.IsFinished() {
		_ = m.bar.Exit()
	} else if !m.counted {
		_ = m.bar.Finish()
	}
	m.bar = nil
}
