package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// ViewRecords implements ports.Archive. The snapshot is taken at the first read.
func (s *Store) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return s.view(ctx, func(q *transaction) error { return look(ctx, q.archived(s.schema)) })
}

// archived implements ports.Records.
type archived struct {
	audit
	exporter
	ledger
}

func (q *transaction) archived(of schema) ports.Records {
	return archived{audit{q, newSeen(), of}, exporter{q}, ledger{q}}
}

// exporter implements part of ports.Records.
type exporter struct{ *transaction }

// Origin implements ports.Records.
func (e exporter) Origin(ctx context.Context) (origin ports.Origin, err error) {
	origin.Next = make(map[ports.Sequence]int64)
	for _, of := range ports.Sequences() {
		next := int64(1)
		if err := e.row(ctx, nextID, args{{"name", text(of.String())}}, func(r *row) { next = r.integer() }); err != nil && !errors.Is(err, fault.ErrNotFound) {
			return ports.Origin{}, err
		}
		origin.Next[of] = next
	}
	since, err := e.setting(ctx, tombstonesSince)
	if err != nil {
		return ports.Origin{}, err
	}
	if since != "" {
		if origin.TombstonesSince, err = storekit.ParseInstant(since); err != nil {
			return ports.Origin{}, err
		}
	}
	key, err := e.serviceKey(ctx)
	origin.Fingerprint, origin.EarlierKeys = key.Fingerprint, key.Earlier
	return origin, err
}

// Unfinished implements ports.Records.
func (e exporter) Unfinished(ctx context.Context) (bool, error) {
	run, err := e.copying(ctx)
	return run != "", err
}

// KeyRecords implements ports.Records.
func (e exporter) KeyRecords(ctx context.Context, reseller int64, key string, limit int) (page []ports.KeyRecord, err error) {
	after := args{{"account", integer(reseller)}, {"key", text(key)}, {"limit", integer(max(limit, 0))}} // SQLite takes a negative limit for none
	err = e.rows(ctx, exportKeys, after, func(r *row) error {
		k, err := keyOfRow(r)
		if err == nil && cmp.Or(cmp.Compare(k.Reseller, reseller), strings.Compare(k.Key, key)) <= 0 {
			err = fmt.Errorf("%w: the keys of account %d are out of order", storekit.ErrDamaged, k.Reseller) // and would come for ever
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
