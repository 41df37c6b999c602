package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"resellerd/adapters/regularfile"
	"resellerd/application/audit"
	"resellerd/application/operate"
)

// errFound says that a command is complete and has findings.
var errFound = errors.New("the store has findings")

type auditCommand struct {
	StoreFlags
	OutputFlags
	Checkpoint      string `placeholder:"PATH" help:"Checkpoint of an earlier run: the audit reports every record that was rewritten since."`
	RepairLists     bool   `help:"First write the lists, names, indexes and figures that differ from the records again, and print them. Stop the service first."`
	WriteCheckpoint string `placeholder:"PATH" help:"Write a checkpoint if there are no findings. Store it on another machine."`
}

// Run runs the command.
func (f auditCommand) Run(s *session) error {
	prepare := func(wrong *Misconfiguration) Store { return s.Store(f.StoreFlags, false, s.stderr, wrong) }
	return perform(s, prepare, func(ctx context.Context, store Store) error {
		shown := newMeter(s.stderr)
		options := audit.Options{
			Report:   s.reporting(f.OutputFlags, shown),
			Progress: func(records int64) { shown.onTerminal(auditing, records, 0) },
		}
		if f.Checkpoint != "" {
			file, err := regularfile.Open(f.Checkpoint, math.MaxInt64)
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }() // it was only read
			options.Checkpoint = file
		}
		keep := func() error { return nil }
		if f.WriteCheckpoint != "" {
			draft, err := os.CreateTemp(filepath.Dir(f.WriteCheckpoint), ".checkpoint-*")
			if err != nil {
				return err
			}
			defer func() { _ = os.Remove(draft.Name()) }() // fails after the rename
			options.WriteCheckpoint = draft
			keep = func() error {
				return errors.Join(draft.Sync(), draft.Close(), os.Rename(draft.Name(), f.WriteCheckpoint))
			}
		}
		if f.RepairLists {
			repaired, err := store.Repair(ctx)
			if err == nil {
				err = s.repaired(f.OutputFlags, repaired)
			}
			if err != nil {
				return interrupted(ctx, err)
			}
		}
		verdict, err := store.Audit(ctx, options)
		if shown.end(); err != nil {
			return interrupted(ctx, err)
		}
		if verdict.Findings == 0 {
			if err := keep(); err != nil {
				return err
			}
		}
		return s.verdict(f.OutputFlags, verdict.Findings, recordOf(verdict), mistaken(verdict), "all well: "+counted(verdict))
	})
}

// repaired prints the lists that were repaired.
func (s *session) repaired(f OutputFlags, lists operate.Repaired) error {
	text := []string{"repaired nothing: no list differs from the records"}
	for i, l := range lists {
		text = append(text[:i], fmt.Sprintf("repaired %s: %d added, %d removed", l.List, l.Added, l.Removed))
	}
	return s.printed(f, struct {
		Repaired operate.Repaired `json:"repaired"`
	}{append(operate.Repaired{}, lists...)}, strings.Join(text, "\n"))
}
