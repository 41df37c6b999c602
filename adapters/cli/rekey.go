package cli

import (
	"context"
	"errors"
	"fmt"

	"resellerd/application/rekey"
)

type rekeyCommand struct {
	StoreFlags
	OutputFlags
	Leaked bool `help:"Somebody else has the previous service key: change every token as well, so that all accounts log in again."`
}

// rekeyRecord is a finished rekey as printed.
type rekeyRecord struct {
	Lines       int64  `json:"lines"`
	Records     int64  `json:"records,omitzero"` // of kinds with secret fields, if any
	Answers     int64  `json:"answers"`
	Findings    int64  `json:"findings"`
	Untried     int64  `json:"untried"`
	Fingerprint string `json:"key_fingerprint"`
}

// Run runs the command.
func (f rekeyCommand) Run(s *session) error {
	return s.onStore(f.StoreFlags, func(ctx context.Context, store Store) error {
		shown := newMeter(s.stderr)
		done, err := store.Rekey(ctx, rekey.Options{
			Leaked:   f.Leaked,
			Progress: func(step rekey.Step, done int64) { shown.show(step, done, 0) },
			Report:   s.reporting(f.OutputFlags, shown),
		})
		shown.end()
		if err != nil && ctx.Err() != nil {
			err = errors.Join(
				errors.New("interrupted: repeat the command, which continues; keep the previous service key until it is done"), err)
		}
		if err != nil {
			return err
		}
		return f.say(s, done)
	})
}

func (f rekeyCommand) say(s *session, done rekey.Result) error {
	text := fmt.Sprintf(
		"resealed: %d passwords of lines, the secret fields of %d records and %d recorded answers; everything that can be opened is sealed under the service key with the fingerprint %s\n"+
			"the previous service key is no longer needed: remove RESELLERD_SECRET_PREVIOUS, its file or the file .previous",
		done.Lines, done.Records, done.Answers, done.Fingerprint)
	if lost := done.Findings - done.Untried; lost > 0 {
		text += fmt.Sprintf("\n%d records can't be opened with either service key", lost)
	}
	if done.Untried > 0 {
		text += fmt.Sprintf(
			"\n%d records are damaged, and their sealed content was not tried: repair them and repeat the command",
			done.Untried)
		if f.Leaked {
			text += "; until then the service accepts content under the leaked service key"
		}
	}
	record := rekeyRecord{done.Lines, done.Records, done.Answers, done.Findings, done.Untried, done.Fingerprint}
	return s.verdict(f.OutputFlags, done.Findings, record, text, text)
}
