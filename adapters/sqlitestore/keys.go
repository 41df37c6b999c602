package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"resellerd/ports"
)

// keys implements ports.Keys. Updates run one after another, so of two with the
// same key the second finds what the first has put.
type keys struct{ *transaction }

// Get implements ports.Keys.
func (k keys) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return one(ctx, k.transaction, getKey, args{{"account", integer(reseller)}, {"key", text(key)}}, keyOfRow)
}

// Put implements ports.Keys.
func (k keys) Put(ctx context.Context, r ports.KeyRecord) error {
	row := rowOfKey(&r)
	_, err := k.exec(ctx, putKey, row[:])
	return err
}

// DropExpired implements ports.Store.
func (s *Store) DropExpired(ctx context.Context, now, latest time.Time, limit int) (int, error) {
	limit = max(limit, 0) // SQLite takes a negative one for none
	var dropped int64
	err := s.update(ctx, func(q *transaction) (err error) {
		if _, err = q.exec(ctx, expireBy, args{{"latest", instant(latest)}, {"limit", integer(limit)}}); err == nil {
			dropped, err = q.exec(ctx, dropExpired, args{{"now", instant(now)}, {"limit", integer(limit)}})
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("drop expired keys: %w", err)
	}
	return int(dropped), nil
}
