package mongostore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	"resellerd/ports"
)

var (
	_ ports.Store      = (*Store)(nil)
	_ ports.CopyTarget = (*Store)(nil)
)

var errClosed = errors.New("the store is closed")

// Store is a ports.Store on a MongoDB replica set.
type Store struct {
	db           *mongo.Database
	users        gate
	transactions *transactions
	writer       *writer
	ids          map[ports.Sequence]*idBlock
}

func newStore(db *mongo.Database) *Store {
	t := &transactions{client: db.Client()}
	return &Store{db: db, transactions: t, writer: newWriter(t, db), ids: newIDBlocks()}
}

// Update implements ports.Store.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error) error {
	if err := s.users.enter(); err != nil {
		return err
	}
	defer s.users.leave()
	return s.writer.do(ctx, func(q *transaction) error { return work(ctx, q.tx()) })
}

// ClaimKey implements ports.Store.
func (s *Store) ClaimKey(ctx context.Context, fingerprint string) (recorded string, err error) {
	err = s.inTransaction(ctx, "claim the service key", func(ctx context.Context) error {
		if unfinished, err := marked(ctx, s.db); err != nil {
			return err
		} else if unfinished {
			return ports.ErrUnfinishedCopy
		}
		var found settingDocument
		err := s.db.Collection(settingsName).FindOneAndUpdate(ctx, byIDs([]string{fingerprintSetting}),
			bson.D{{Key: "$setOnInsert", Value: bson.D{{Key: "value", Value: fingerprint}}}},
			options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)).Decode(&found)
		recorded = found.Value
		return err
	})
	return recorded, err
}

// DropExpired implements ports.Store.
func (s *Store) DropExpired(ctx context.Context, now, latest time.Time, limit int) (dropped int, err error) {
	if limit <= 0 { // the server takes 0 for no limit
		return 0, nil
	}
	keys := s.db.Collection(keysName)
	// The expiry is asked for again by what changes the records: they may have been
	// put anew since they were found.
	expiring := func(ctx context.Context, comparison string, instant time.Time, change func(found bson.D) error) error {
		expires := bson.E{Key: "expires", Value: bson.D{{Key: comparison, Value: instant}}}
		cursor, err := keys.Find(ctx, bson.D{expires}, options.Find().SetSort(bson.D{{Key: "expires", Value: 1}}).SetLimit(int64(limit)).SetBatchSize(batchSize).SetProjection(onlyID))
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

// Ready implements ports.Store: a majority confirms that it still follows the
// primary that answers, so that it would confirm a commit as well.
func (s *Store) Ready(ctx context.Context) error {
	return s.direct(ctx, "ask for readiness", func(ctx context.Context) error {
		settings := s.db.Collection(settingsName, options.Collection().SetReadConcern(readconcern.Linearizable()))
		err := settings.FindOne(ctx, byIDs([]string{fingerprintSetting})).Err()
		if errors.Is(err, mongo.ErrNoDocuments) {
			return nil
		}
		return err
	})
}

// direct does what needs no transaction, and may be done again, in bounded time.
func (s *Store) direct(ctx context.Context, doing string, do func(ctx context.Context) error) error {
	if err := s.users.enter(); err != nil {
		return err
	}
	defer s.users.leave()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := retry(ctx, func() error { return inStep(ctx, do) }); err != nil {
		return unavailable(doing, err)
	}
	return nil
}

// Close implements ports.Store. It waits for views too.
func (s *Store) Close() error {
	if !s.users.shut() {
		return nil
	}
	s.writer.close()
	s.transactions.ending.Wait()
	if err := disconnect(context.Background(), s.db.Client()); err != nil {
		return fmt.Errorf("disconnect: %w", err)
	}
	return nil
}

// gate counts those inside and lets nobody in once it is shut.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return unavailable("use the store", errClosed)
	}
	g.inside.Add(1)
	return nil
}

func (g *gate) leave() { g.inside.Done() }

// shut waits until everybody has left, and reports whether this call shut it.
func (g *gate) shut() bool {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return false
	}
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
	return true
}
