package storekit

import (
	"context"
	"fmt"

	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/ports"
)

// Fill adds the records of a batch, for ports.Importer, in an update of a store. The function tombstone adds the
// tombstones, because no Tx inserts these. An error names its record.
func Fill(ctx context.Context, tx ports.Tx, tombstone func(context.Context, line.Tombstone) error,
	entry func(context.Context, journal.Numbered) error, batch ports.Batch) error {
	for _, r := range batch.Resellers {
		if err := tx.Resellers.Insert(ctx, r); err != nil {
			return fmt.Errorf("account %d: %w", r.ID(), err)
		}
	}
	for _, l := range batch.Lines {
		if err := tx.Lines.Insert(ctx, l); err != nil {
			return fmt.Errorf("line %d: %w", l.ID(), err)
		}
	}
	for _, t := range batch.Tombstones {
		if err := tombstone(ctx, t); err != nil {
			return fmt.Errorf("the tombstone of line %d: %w", t.Line, err)
		}
	}
	for _, m := range batch.Movements {
		if err := tx.Ledger.Append(ctx, m); err != nil {
			return fmt.Errorf("movement %d: %w", m.ID, err)
		}
	}
	for _, k := range batch.Keys {
		if err := tx.Keys.Put(ctx, k); err != nil {
			return fmt.Errorf("a key of account %d: %w", k.Reseller, err)
		}
	}
	for _, k := range batch.Kinds {
		if err := tx.Records.Insert(ctx, k.Kind, k.Stored); err != nil {
			return fmt.Errorf("%s: %w", k.Kind.Show(k.Key), err)
		}
	}
	for _, e := range batch.Entries {
		if err := entry(ctx, e); err != nil {
			return fmt.Errorf("entry %d of the journal: %w", e.Seq, err)
		}
	}
	return nil
}
