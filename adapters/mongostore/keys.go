package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// keyReader implements ports.KeyReader.
type keyReader struct{ *view }

// Get implements ports.KeyReader.
func (k keyReader) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return one(ctx, k.view, keysName, keyCodec, keyID{reseller, key})
}

// keys implements ports.Keys.
type keys struct{ transaction }

// Get implements ports.Keys.
func (k keys) Get(_ context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	r, err := k.keys.Get(k.run, keyID{reseller, key})
	return storekit.CloneKey(r), err
}

// Put implements ports.Keys. It looks up the record first: otherwise two puts would not conflict.
func (k keys) Put(_ context.Context, r ports.KeyRecord) error {
	id := keyID{r.Reseller, r.Key}
	if _, err := k.keys.Get(k.run, id); err != nil && !errors.Is(err, fault.ErrNotFound) {
		return err
	}
	return k.keys.Put(k.run, id, storekit.CloneKey(r))
}

// DropExpired implements ports.Store.
func (s *Store) DropExpired(ctx context.Context, now, latest time.Time, limit int) (dropped int, err error) {
	if limit <= 0 { // the server takes 0 for no limit
		return 0, nil
	}
	keys := s.db.Collection(keysName)
	// The change filters by expiry again, because the records may have been put again after the read.
	expiring := func(ctx context.Context, comparison string, instant time.Time, change func(found bson.D) error) error {
		expires := bson.E{Key: "expires", Value: bson.D{{Key: comparison, Value: instant}}}
		cursor, err := keys.Find(ctx, bson.D{expires},
			options.Find().SetSort(bson.D{{Key: "expires", Value: 1}}).SetLimit(int64(limit)).SetBatchSize(batchSize).
				SetProjection(onlyID))
		if err != nil {
			return err
		}
		found, err := all(ctx, cursor)
		if err != nil || len(found) == 0 {
			return err
		}
		ids := make([]bson.RawValue, len(found))
		for i, raw := range found {
			ids[i] = raw.Lookup("_id")
		}
		return change(append(byIDs(ids), expires))
	}
	err = s.direct(ctx, "drop expired keys", func(ctx context.Context) error {
		if err := s.transactions.Read(ctx); err != nil {
			return err
		}
		if err := expiring(ctx, "$gt", latest, func(found bson.D) error {
			_, err := keys.UpdateMany(ctx, found, bson.D{{Key: "$set", Value: bson.D{{Key: "expires", Value: latest}}}})
			return err
		}); err != nil {
			return err
		}
		return expiring(ctx, "$lte", now, func(found bson.D) error {
			result, err := keys.DeleteMany(ctx, found)
			if err == nil {
				dropped = int(result.DeletedCount)
			}
			return err
		})
	})
	return dropped, err
}
