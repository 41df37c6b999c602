package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"resellerd/application"
)

type rekeyCommand struct {
	StoreFlags
	Leaked bool `help:"Others have the old service key: change every token as well, so that all have to log in again."`
}

func (f rekeyCommand) run(program Program, stdout, stderr io.Writer) error {
	var wrong Misconfiguration
	store := program.Store(f.StoreFlags, true, stderr, &wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	shown := meter{out: stderr, terminal: isTerminal(stderr)}
	done, err := store.Rekey(ctx, application.RekeyOptions{
		Leaked:   f.Leaked,
		Progress: func(step application.RekeyStep, done int64) { shown.show(step, done, 0) },
		Report: func(finding string) {
			shown.end()
			_, _ = fmt.Fprintln(stdout, finding)
		},
	})
	shown.end()
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(errors.New("interrupted: repeat the command, which goes on; keep the previous service key until it is done"), err)
		}
		return err
	}
	_, err = fmt.Fprintf(stdout, "sealed anew: %d passwords of lines and %d recorded answers; everything that can be opened is sealed under the service key with the fingerprint %s\n"+
		"the previous service key is needed no more: remove RESELLERD_SECRET_PREVIOUS, its file or the file .previous\n",
		done.Lines, done.Answers, done.Fingerprint)
	if err == nil && done.Findings > 0 {
		_, _ = fmt.Fprintf(stdout, "%d records can't be opened under any key that is known\n", done.Findings)
		return errFound
	}
	return err
}
