package sqlitestore

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"resellerd/adapters/sqlitestore/archive"
	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/adapters/storekit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

var _ ports.Store = (*Store)(nil)

// Store is a ports.Store on one SQLite file.
type Store struct {
	schema    schema.Schema
	db        *engine.DB
	cache     *engine.Cache
	resellers *engine.Table[reseller.State]
	lines     *engine.Table[line.State]
	lists     *lists
	appended  *appended
	ends      *ends
	ids       *storekit.IDs
}

// Parts implements ports.Store.
func (s *Store) Parts() ports.Parts {
	return ports.Parts{Archive: s, CopyTarget: s, Rekeyable: s, ListRepair: s, Observable: s}
}

// ClaimKey implements ports.Store.
func (s *Store) ClaimKey(ctx context.Context, fingerprint string) (recorded string, err error) {
	var found string
	err = s.update(ctx, func(q *transaction) error {
		if run, err := q.copying(ctx); err != nil || run != "" {
			return cmp.Or[error](err, ports.ErrUnfinishedCopy)
		}
		if _, err := q.Exec(ctx, claimSetting,
			engine.Args{engine.Text("name", rows.KeyFingerprint), engine.Text("value", fingerprint)}); err != nil {
			return err
		}
		found, err = rows.Setting(ctx, q.Tx, rows.KeyFingerprint)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("claim the service key: %w", err)
	}
	return found, nil
}

// ViewRecords implements ports.Archive. The snapshot is taken at the first read.
func (s *Store) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return s.db.Snapshot(ctx, func(tx *engine.Tx) error { return look(ctx, archive.Records(tx, s.schema)) })
}

// RepairLists implements ports.ListRepair, in one transaction: other processes that write wait for it.
func (s *Store) RepairLists(ctx context.Context) (repaired []ports.RepairedList, err error) {
	err = s.update(ctx, func(q *transaction) error {
		repaired, err = archive.RepairLists(ctx, q.Tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("repair the lists: %w", err)
	}
	return repaired, nil
}

// probeLength is more than a command writes: if the probe is kept, so is a command.
const probeLength = 256 << 10

// Ready implements ports.Store.
func (s *Store) Ready(ctx context.Context) error {
	look := func(tx *engine.Tx) error {
		_, err := resellers{&transaction{tx, s}}.Empty(ctx)
		return err
	}
	probe := func(tx *engine.Tx) error {
		if _, err := tx.Exec(ctx, putSetting,
			engine.Args{engine.Text("name", "probe"),
				engine.Text("value", strings.Repeat("probe...", probeLength/8))}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, dropSetting, engine.Args{engine.Text("name", "probe")})
		return err
	}
	return s.db.Ready(ctx, look, probe)
}

// Observe implements ports.Observable.
func (s *Store) Observe(seen func(ports.Commit)) { s.db.Writer.Watch.Observe(seen) }

// Load implements ports.Observable.
func (s *Store) Load() ports.Load {
	waiting, wal := s.db.Load()
	return ports.Load{Waiting: waiting, WAL: wal}
}

// Close implements ports.Store.
func (s *Store) Close() error {
	err := s.db.Close(s.returnIDs)
	s.db.Writer.Changed.Raise()
	return err
}
