package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"resellerd/adapters/sqlitestore/archive"
	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

var _ ports.Store = (*Store)(nil)

// Store is a ports.Store on one SQLite file.
type Store struct {
	schema    schema.Schema
	db        *engine.DB
	cache     *engine.Cache
	resellers *engine.Table[reseller.State]
	lines     *engine.Table[line.State]
	shared    map[*record.Kind]*engine.Table[record.Found] // without a payload: there is no record
	lists     *lists
	appended  *appended
	ends      *ends
	tail      tail
	ids       *storekit.IDs
}

// Parts implements ports.Store.
func (s *Store) Parts() ports.Parts {
	return ports.Parts{Archive: s, CopyTarget: s, Rekeyable: s, ListRepair: s, Observable: s}
}

// ClaimKey implements ports.Store.
func (s *Store) ClaimKey(ctx context.Context, fingerprint string) (recorded string, err error) {
	err = s.update(ctx, func(q *transaction) error {
		if err := q.refuseUnfinishedCopy(ctx); err != nil {
			return err
		}
		if _, err := q.Exec(ctx, claimSetting,
			engine.Args{engine.Text("name", rows.KeyFingerprint), engine.Text("value", fingerprint)}); err != nil {
			return err
		}
		recorded, err = rows.Setting(ctx, q.Tx, rows.KeyFingerprint)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("claim the service key: %w", err)
	}
	return recorded, nil
}

// ViewRecords implements ports.Archive. The first read takes the snapshot.
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

// probeLength is more than a command writes: if the probe can be stored, so can a command.
const probeLength = 256 << 10

// Ready implements ports.Store.
func (s *Store) Ready(ctx context.Context) error {
	look := func(tx *engine.Tx) error {
		_, err := resellers{&transaction{Tx: tx, store: s}}.Empty(ctx)
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

// transaction is a transaction of the engine for this store.
type transaction struct {
	*engine.Tx

	store *Store
	moved int64 // the movement that the command appended last; no committed entry names it
}

// Update implements ports.Store. It ignores the hints, because reads are cheap.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error, _ ...ports.Reads) error {
	return s.update(ctx, func(q *transaction) error { return work(ctx, q.ports()) })
}

func (q *transaction) ports() ports.Tx {
	return ports.Tx{Resellers: resellers{q}, Lines: lines{q}, Ledger: ledger{q}, Keys: keys{q}, Journal: entries{q},
		Records: records{q}}
}

func (s *Store) update(ctx context.Context, work func(*transaction) error) error {
	return s.db.Update(ctx, func(tx *engine.Tx) error { return work(&transaction{Tx: tx, store: s}) })
}

// View implements ports.Store. See engine.DB.View for when look runs a second time.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return s.db.View(ctx, func(tx *engine.Tx) error {
		q := &transaction{Tx: tx, store: s}
		return look(ctx, ports.Snapshot{Resellers: resellers{q}, Lines: lines{q}, Ledger: ledger{q}, Keys: keys{q},
			Journal: events{q}, Records: records{q}})
	})
}

// view runs look on one snapshot, which it takes first.
func (s *Store) view(ctx context.Context, look func(*transaction) error) error {
	return s.db.Snapshot(ctx, func(tx *engine.Tx) error { return look(&transaction{Tx: tx, store: s}) })
}

// truth returns the answer of a statement whose result is true or false.
func (q *transaction) truth(ctx context.Context, n *engine.Statement, args engine.Args) (is bool, err error) {
	err = q.Row(ctx, n, args, func(r *engine.Row) { is = engine.Parsed(r, r.Integer(), engine.TruthOf) })
	return is, err
}

// reseller returns the state of a reseller in the present transaction.
func (q *transaction) reseller(ctx context.Context, id int64) (*reseller.State, error) {
	if s, known := q.store.resellers.Get(q.Tx, id); known {
		return s, nil
	}
	r, err := engine.One(ctx, q.Tx, rows.GetReseller, engine.Args{engine.Integer("id", id)}, rows.Reseller)
	if err != nil {
		return nil, err
	}
	s := r.State()
	q.store.resellers.Keep(q.Tx, id, &s)
	return &s, nil
}

// blocked reports whether a reseller is blocked itself. It also works for a record with damage in other columns.
func (q *transaction) blocked(ctx context.Context, id int64) (bool, error) {
	s, err := q.reseller(ctx, id)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return false, nil
	case errors.Is(err, storekit.ErrDamaged):
		blocked, err := resellers{q}.Blocked(ctx, []int64{id})
		return len(blocked) > 0, err
	}
	return err == nil && s.Blocked, err
}

// line returns a line of the present transaction.
func (q *transaction) line(ctx context.Context, id int64) (*line.Line, error) {
	s, err := q.recorded(ctx, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(*s) // a deep copy
}

// recorded returns the state of a line in the present transaction.
func (q *transaction) recorded(ctx context.Context, id int64) (*line.State, error) {
	s, known := q.store.lines.Get(q.Tx, id)
	switch {
	case known && s == nil:
		return nil, fault.ErrNotFound
	case known:
		return s, nil
	}
	l, err := engine.One(ctx, q.Tx, rows.GetLine, engine.Args{engine.Integer("id", id)}, rows.Line)
	if err != nil {
		return nil, err
	}
	read := l.State()
	q.store.lines.Keep(q.Tx, id, &read)
	return &read, nil
}

// ServiceKey implements ports.Rekeyable.
func (s *Store) ServiceKey(ctx context.Context) (key ports.ServiceKey, err error) {
	err = s.view(ctx, func(q *transaction) error {
		key, err = rows.ServiceKey(ctx, q.Tx)
		return err
	})
	return key, err
}

// MoveKey implements ports.Rekeyable.
func (s *Store) MoveKey(ctx context.Context, from, to ports.ServiceKey) error {
	err := s.update(ctx, func(q *transaction) error {
		if err := q.refuseUnfinishedCopy(ctx); err != nil {
			return err
		}
		recorded, err := rows.ServiceKey(ctx, q.Tx)
		if err != nil {
			return err
		}
		if recorded != from {
			return ports.ErrKeyMoved
		}
		return q.recordKey(ctx, to)
	})
	if _, refused := errors.AsType[*fault.Fault](err); err != nil && !refused {
		err = fmt.Errorf("replace the service key: %w", err)
	}
	return err
}

// recordKey replaces the recorded service key.
func (q *transaction) recordKey(ctx context.Context, key ports.ServiceKey) error {
	if _, err := q.Exec(ctx, putSetting,
		engine.Args{engine.Text("name", rows.KeyFingerprint), engine.Text("value", key.Fingerprint)}); err != nil {
		return err
	}
	_, err := q.Exec(ctx, putSetting,
		engine.Args{engine.Text("name", rows.EarlierKeys), engine.Text("value", key.Earlier)})
	return err
}
