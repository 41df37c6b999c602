// Package archive implements ports.Archive on the file of a store, for audits, copies and backups. It does not write to
// the file or beside it. Only RepairLists writes, in a transaction of the store.
package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/ports"
	"resellerd/ports/record"
)

// records implements ports.Records.
type records struct {
	audit
	exporter
}

// Records returns the ports.Records of a transaction.
func Records(q *engine.Tx, of schema.Schema) ports.Records {
	return records{audit{q, newSeen(), of}, exporter{q}}
}

// exporter implements part of ports.Records.
type exporter struct{ *engine.Tx }

// Origin implements ports.Records.
func (e exporter) Origin(ctx context.Context) (origin ports.Origin, err error) {
	origin.Next = make(map[ports.Sequence]int64)
	for _, of := range ports.Sequences() {
		next := int64(1)
		if err := e.Row(ctx, rows.NextID, engine.Args{engine.Text("name", of.String())}, func(r *engine.Row) {
			next = r.Integer()
		}); err != nil && !errors.Is(err, fault.ErrNotFound) {
			return ports.Origin{}, err
		}
		origin.Next[of] = next
	}
	key, err := rows.ServiceKey(ctx, e.Tx)
	origin.Fingerprint, origin.EarlierKeys = key.Fingerprint, key.Earlier
	return origin, err
}

// Totals implements ports.Records.
func (e exporter) Totals(ctx context.Context) (credit.Totals, error) { return rows.Totals(ctx, e.Tx) }

// Unfinished implements ports.Records.
func (e exporter) Unfinished(ctx context.Context) (bool, error) {
	run, err := rows.Setting(ctx, e.Tx, rows.CopyRun)
	return run != "", err
}

// KeyRecords implements ports.Records.
func (e exporter) KeyRecords(ctx context.Context, reseller int64, key string,
	limit int) (page []ports.KeyRecord, err error) {
	// SQLite takes a negative limit for none
	after := engine.Args{engine.Integer("account", reseller), engine.Text("key", key),
		engine.Integer("limit", max(limit, 0))}
	err = e.Rows(ctx, exportKeys, after, func(r *engine.Row) error {
		k, err := rows.Key(r)
		if err == nil && cmp.Or(cmp.Compare(k.Reseller, reseller), strings.Compare(k.Key, key)) <= 0 {
			// otherwise the caller would repeat for ever
			err = fmt.Errorf("%w: the keys of account %d are out of order", storekit.ErrDamaged, k.Reseller)
		}
		reseller, key = k.Reseller, k.Key
		page = append(page, k)
		return err
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// OfKind implements ports.Records.
func (e exporter) OfKind(ctx context.Context, of *record.Kind, after string,
	limit int) (page []record.Found, err error) {
	from := engine.Args{engine.Text("kind", of.Name()), engine.Text("after", after),
		engine.Integer("limit", max(limit, 0))}
	err = e.Rows(ctx, exportRecords, from, func(r *engine.Row) error {
		found := rows.Record(of, r)
		if found.Key <= after {
			// otherwise the caller would repeat for ever
			return fmt.Errorf("%w: the records of the kind %s are out of order", storekit.ErrDamaged, of.Name())
		}
		after, page = found.Key, append(page, found)
		return nil
	})
	return page, err
}

// KeysOf implements storekit.Indexes.
func (e exporter) KeysOf(ctx context.Context, entries []string) (keys map[string]string, err error) {
	keys = make(map[string]string, len(entries))
	for _, entry := range entries {
		err := e.Row(ctx, leadsTo, engine.Args{engine.Text("entry", entry)}, func(r *engine.Row) { keys[entry] = r.Text() })
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return nil, err
		}
	}
	return keys, nil
}

// IndexEntries implements storekit.Indexes.
func (e exporter) IndexEntries(ctx context.Context) (count int64, err error) {
	err = e.Row(ctx, countEntries, nil, func(r *engine.Row) { count = r.Integer() })
	return count, err
}

// EntriesWithin implements storekit.Indexes.
func (e exporter) EntriesWithin(ctx context.Context, from, before string, each func(entry, key string)) error {
	within := engine.Args{engine.Text("from", from), engine.Text("before", before)}
	return e.Rows(ctx, entriesWithin, within, func(r *engine.Row) error {
		each(r.Text(), r.Text())
		return r.Err()
	})
}
