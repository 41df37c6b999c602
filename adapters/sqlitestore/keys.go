package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/ports"
)

// keys implements ports.Keys. Updates run one after another, so the second of two with the same key finds the record of
// the first.
type keys struct{ *transaction }

// Get implements ports.Keys.
func (k keys) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return engine.One(ctx, k.Tx, getKey, engine.Args{engine.Integer("account", reseller), engine.Text("key", key)},
		rows.Key)
}

// Put implements ports.Keys.
func (k keys) Put(ctx context.Context, r ports.KeyRecord) error {
	row := rows.OfKey(&r)
	_, err := k.Exec(ctx, putKey, row[:])
	return err
}

// DropExpired implements ports.Store.
func (s *Store) DropExpired(ctx context.Context, now, latest time.Time, limit int) (int, error) {
	limit = max(limit, 0) // SQLite takes a negative one for none
	var dropped int64
	err := s.update(ctx, func(q *transaction) (err error) {
		args := engine.Args{engine.Instant("now", now), engine.Instant("expires", latest), engine.Integer("limit", limit)}
		var late []int64
		if err := q.Rows(ctx, keysBeyond, args, func(r *engine.Row) error {
			late = append(late, r.Integer())
			return r.Err()
		}); err != nil {
			return err
		}
		for _, id := range late {
			if _, err := q.Exec(ctx, expireBy, append(args, engine.Integer("id", id))); err != nil {
				return err
			}
		}
		dropped, err = q.Exec(ctx, dropExpired, args)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("drop expired keys: %w", err)
	}
	return int(dropped), nil
}
