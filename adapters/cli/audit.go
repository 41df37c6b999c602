package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"resellerd/application/audit"
)

// errFound says that an audit did its work and found something.
var errFound = errors.New("the store holds records that do not fit")

type auditCommand struct {
	StoreFlags
	OutputFlags
	Checkpoint      string `placeholder:"PATH" help:"Checkpoint that an earlier run wrote: nothing that it vouches for may have been rewritten."`
	WriteCheckpoint string `placeholder:"PATH" help:"Write a checkpoint where nothing is found; keep it where nobody who can write to the store can."`
}

// Run runs the command.
func (f auditCommand) Run(s *session) (err error) {
	wrong := s.settings()
	store := s.Store(f.StoreFlags, false, s.stderr, &wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	var checkpoint io.Reader
	if f.Checkpoint != "" {
		file, err := os.Open(f.Checkpoint)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // it was only read
		checkpoint = file
	}
	var writes io.Writer
	var draft *os.File
	if f.WriteCheckpoint != "" {
		if draft, err = os.CreateTemp(filepath.Dir(f.WriteCheckpoint), ".checkpoint-*"); err != nil {
			return err
		}
		defer func() { _ = os.Remove(draft.Name()) }() // gone already where it was renamed
		writes = draft
	}

	ctx, stop := untilAsked()
	defer stop()
	shown := newMeter(s.stderr)
	verdict, err := store.Audit(ctx, audit.Options{
		Checkpoint:      checkpoint,
		WriteCheckpoint: writes,
		Report: func(finding string) {
			shown.end()
			s.finding(f.OutputFlags, finding)
		},
		Progress: func(records int64) { shown.onTerminal(auditing, records, 0) },
	})
	shown.end()
	if err != nil {
		return interrupted(ctx, err)
	}
	if verdict.Findings > 0 {
		if err := s.printed(f.OutputFlags, recordOf(verdict), mistaken(verdict)+unrecorded(verdict)); err != nil {
			return err
		}
		return errFound
	}
	if draft != nil {
		if err := errors.Join(draft.Sync(), draft.Close(), os.Rename(draft.Name(), f.WriteCheckpoint)); err != nil {
			return err
		}
	}
	return s.printed(f.OutputFlags, recordOf(verdict), "all well: "+counted(verdict))
}
