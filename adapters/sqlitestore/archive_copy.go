package sqlitestore

import (
	"context"
	"crypto/rand"
	"fmt"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// copying returns the run that fills an unfinished copy, "" if the store is no unfinished copy.
func (q *transaction) copying(ctx context.Context) (run string, err error) {
	return rows.Setting(ctx, q.Tx, rows.CopyRun)
}

// refuseUnfinishedCopy returns ports.ErrUnfinishedCopy if the store is an unfinished copy.
func (q *transaction) refuseUnfinishedCopy(ctx context.Context) error {
	run, err := q.copying(ctx)
	if err == nil && run != "" {
		err = ports.ErrUnfinishedCopy
	}
	return err
}

// BeginCopy implements ports.CopyTarget.
func (s *Store) BeginCopy(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
	started := importer{s, rand.Text()}
	var run string // the run that was not finished
	err := s.update(ctx, func(q *transaction) (err error) {
		if run, err = q.copying(ctx); err != nil {
			return err
		}
		switch {
		case run != "" && !restart:
			return ports.ErrUnfinishedCopy
		case run != "":
			return q.mark(ctx, started.run) // ends that run
		}
		if err := q.mustBeEmpty(ctx); err != nil {
			return err
		}
		return q.startCopy(ctx, started.run, origin)
	})
	if err == nil && run != "" {
		err = started.startOver(ctx, origin)
	}
	if err != nil {
		return nil, fmt.Errorf("begin a copy: %w", err)
	}
	s.ids.Forget() // the ids that an unfinished copy has reserved
	return started, nil
}

// mustBeEmpty returns ports.ErrNotEmpty for a store that was ever used.
func (q *transaction) mustBeEmpty(ctx context.Context) error {
	used, err := q.truth(ctx, anyRecord, nil)
	if err != nil {
		return err
	}
	copied, err := q.anyCopied(ctx)
	if err != nil {
		return err
	}
	claimed, err := rows.Setting(ctx, q.Tx, rows.KeyFingerprint)
	if err == nil && (used || copied || claimed != "") {
		err = ports.ErrNotEmpty
	}
	return err
}

// removedAtOnce is how many records a command removes one by one, because SQLite needs memory to undo the removals.
const removedAtOnce = 1_000

// startOver empties the copy that an earlier run left. It removes referenced records last.
func (i importer) startOver(ctx context.Context, origin ports.Origin) error {
	for _, n := range emptied {
		var some engine.Args
		if len(n.Names) > 0 {
			some = engine.Args{engine.Integer("limit", removedAtOnce)}
		}
		for removed := int64(removedAtOnce); removed == removedAtOnce; {
			err := i.change(ctx, func(q *transaction) (err error) {
				q.Incomplete = true
				removed, err = q.Exec(ctx, n, some)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return i.change(ctx, func(q *transaction) error {
		for _, name := range []string{rows.KeyFingerprint, rows.EarlierKeys} {
			if _, err := q.Exec(ctx, dropSetting, engine.Args{engine.Text("name", name)}); err != nil {
				return err
			}
		}
		return q.startCopy(ctx, i.run, origin)
	})
}

// mark marks the store as an unfinished copy that this run fills.
func (q *transaction) mark(ctx context.Context, run string) error {
	_, err := q.Exec(ctx, putSetting, engine.Args{engine.Text("name", rows.CopyRun), engine.Text("value", run)})
	return err
}

func (q *transaction) startCopy(ctx context.Context, run string, origin ports.Origin) error {
	if err := q.mark(ctx, run); err != nil {
		return err
	}
	for _, n := range emptiedOfKinds {
		if _, err := q.Exec(ctx, n, nil); err != nil {
			return err
		}
	}
	for of, next := range origin.Next {
		if _, err := q.Exec(ctx, startIDs,
			engine.Args{engine.Text("name", of.String()), engine.Integer("next", next)}); err != nil {
			return err
		}
	}
	if origin.Fingerprint == "" {
		return nil
	}
	return q.recordKey(ctx, ports.ServiceKey{Fingerprint: origin.Fingerprint, Earlier: origin.EarlierKeys})
}

// importer implements ports.Importer for one run.
type importer struct {
	store *Store
	run   string
}

// Copy implements ports.Importer. It adds a batch completely or not at all.
func (i importer) Copy(ctx context.Context, batch ports.Batch) error {
	return i.change(ctx, func(q *transaction) error {
		return storekit.Fill(ctx, q.ports(), q.insertTombstone, q.insertEntry, batch)
	})
}

// Finish implements ports.Importer.
func (i importer) Finish(ctx context.Context) error {
	return i.change(ctx, func(q *transaction) error {
		_, err := q.Exec(ctx, dropSetting, engine.Args{engine.Text("name", rows.CopyRun)})
		return err
	})
}

// change runs do in an update if this run is still the one that fills the copy.
func (i importer) change(ctx context.Context, do func(*transaction) error) error {
	err := i.store.update(ctx, func(q *transaction) error {
		run, err := q.copying(ctx)
		if err == nil && run != i.run {
			err = ports.ErrCopyEnded
		}
		if err != nil {
			return err
		}
		return do(q)
	})
	if err != nil {
		return fmt.Errorf("fill a copy: %w", err)
	}
	return nil
}
