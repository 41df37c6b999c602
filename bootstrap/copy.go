package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"resellerd/adapters/cli"
	"resellerd/adapters/logging"
	"resellerd/application/transfer"
	"resellerd/ports"
)

// endOfCopy is one end of a copy, checked.
type endOfCopy struct {
	flag    string
	address string
	opener  Opener
}

// copying is a copy with both of its ends checked.
type copying struct {
	from, to endOfCopy
	log      *slog.Logger
}

// Transfer implements cli.Program.
func (p program) Transfer(f cli.CopyFlags, stderr io.Writer, wrong *cli.Misconfiguration) cli.Transfer {
	end := func(flag, value string) endOfCopy {
		scheme, address, _ := strings.Cut(value, ":")
		opener, err := p.stores.named(value)
		switch {
		case err != nil:
		case scheme == "memory":
			err = errors.New("memory: ends with the process that made it, so that there is nothing to copy from or to")
		default:
			err = opener.Check(address)
		}
		wrong.Add(flag, err)
		return endOfCopy{flag, address, opener}
	}
	c := copying{end("--from", f.From), end("--to", f.To), slog.New(slog.NewTextHandler(stderr, nil))}
	if f.From == f.To {
		wrong.Add("--to", errors.New("this is the store that is to be copied"))
	}
	return c
}

// named adds to why an end of a copy can't be opened which one it is.
func (e endOfCopy) named(err error) error {
	return fmt.Errorf("%s: %w", e.flag, err)
}

// Run implements cli.Transfer. It opens the target only where the source is there.
func (c copying) Run(ctx context.Context, o transfer.Options) (result transfer.Result, err error) {
	from, to := c.from, c.to
	if err := from.opener.exists(from.address); err != nil {
		return result, from.named(err)
	}
	migrating := logging.Migrations(c.log)
	source, err := from.opener.archive(ctx, from.address, migrating)
	if err != nil {
		if err = foundAltered(err, &result.Verdict, o.Report); err != nil {
			err = from.named(err)
		}
		return result, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, openTarget, err := to.opener.copyTarget(ctx, to.address, migrating)
	if err != nil {
		return result, to.named(err)
	}
	defer func() { err = errors.Join(err, openTarget.Close()) }()
	// Neither needs its service key: what is encrypted is carried as it is.
	return transfer.Run(ctx, source, target, o)
}

// KeyFiles implements cli.Transfer.
func (c copying) KeyFiles() (ofTarget, ofSource string) {
	if c.to.opener.KeyFile != nil {
		ofTarget = c.to.opener.KeyFile(c.to.address)
	}
	if c.from.opener.KeyFile != nil {
		if file := c.from.opener.KeyFile(c.from.address); exists(file) {
			ofSource = file
		}
	}
	return ofTarget, ofSource
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
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
