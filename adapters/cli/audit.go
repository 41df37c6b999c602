package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"resellerd/application/audit"
)

// errFound says that an audit did its work and found something.
var errFound = errors.New("the store holds records that do not fit")

type auditCommand struct {
	StoreFlags
	Checkpoint      string `placeholder:"PATH" help:"Checkpoint that an earlier run wrote: nothing that it vouches for may have been rewritten."`
	WriteCheckpoint string `placeholder:"PATH" help:"Write a checkpoint where nothing is found; keep it where nobody who can write to the store can."`
}

func (f auditCommand) run(program Program, stdout, stderr io.Writer) (err error) {
	var wrong Misconfiguration
	store := program.Store(f.StoreFlags, false, stderr, &wrong)
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

	verdict, err := store.Audit(context.Background(), audit.Options{
		Checkpoint:      checkpoint,
		WriteCheckpoint: writes,
		Report:          func(finding string) { _, _ = fmt.Fprintln(stdout, finding) },
	})
	if err != nil {
		return err
	}
	if verdict.Findings > 0 {
		_, _ = fmt.Fprintf(stdout, "%d findings in %d accounts, %d lines and %d movements%s\n",
			verdict.Findings, verdict.Resellers, verdict.Lines, verdict.Movements, unrecorded(verdict))
		return errFound
	}
	if draft != nil {
		if err := errors.Join(draft.Sync(), draft.Close(), os.Rename(draft.Name(), f.WriteCheckpoint)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "all well: %d accounts, %d lines and %d movements; %s credits issued = %s consumed + %s held%s\n",
		verdict.Resellers, verdict.Lines, verdict.Movements, verdict.Issued, verdict.Consumed, verdict.Balances, unrecorded(verdict))
	return err
}

// unrecorded says what nobody can tell of a store that an earlier version made.
func unrecorded(v audit.Verdict) string {
	switch v.Unrecorded {
	case 0:
		return ""
	case 1:
		return "; 1 charge of a line deleted before deletions were recorded"
	}
	return fmt.Sprintf("; %d charges of lines deleted before deletions were recorded", v.Unrecorded)
}
