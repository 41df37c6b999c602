package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	"resellerd/adapters/mongostore/gather"
	"resellerd/adapters/storekit"
	"resellerd/ports"
)

var _ ports.Store = (*Store)(nil)

// Store is a ports.Store on a MongoDB replica set.
type Store struct {
	*database
	transactions *transactions
	records      *records
	engine       *gather.Engine
	ids          *storekit.IDs
	above        ancestors
	growth       growth
	sequencer    *sequencer
	copyTime     time.Duration
	readyTime    time.Duration
}

func newStore(d *database, newest int64) *Store {
	db := d.db
	s := &Store{database: d,
		transactions: &transactions{client: db.Client(), explain: d.seen.explain, settings: db.Collection(settingsName),
			newest: newest}, records: newRecords(db), copyTime: copyTime, readyTime: readyTime}
	s.engine = gather.New(s.transactions, d.seen.retryTime, stepTime, s.records.all()...)
	s.sequencer = newSequencer(db, s.transactions, s.growth.grew)
	s.ids = storekit.NewIDs(leastIDs, mostIDs, s.takeIDs)
	return s
}

// ClaimKey implements ports.Store.
func (s *Store) ClaimKey(ctx context.Context, fingerprint string) (recorded string, err error) {
	err = s.inTransaction(ctx, "claim the service key", func(ctx context.Context) error {
		if err := s.refuseUnfinishedCopy(ctx); err != nil {
			return err
		}
		var found settingDocument
		err := s.db.Collection(settingsName).FindOneAndUpdate(ctx, byID(fingerprintSetting),
			bson.D{{Key: "$setOnInsert", Value: bson.D{{Key: "value", Value: fingerprint}}}},
			options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)).Decode(&found)
		recorded = found.Value
		return err
	})
	return recorded, err
}

// Parts implements ports.Store.
func (s *Store) Parts() ports.Parts {
	return ports.Parts{Archive: s, CopyTarget: s, Rekeyable: s, ListRepair: s, Observable: s}
}

// Ready implements ports.Store. A majority confirms that it still follows the primary that answers, so a commit would
// succeed too. The schema is unaltered, the user may write, and writes that failed before succeed again.
func (s *Store) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.readyTime)
	defer cancel()
	return s.direct(ctx, "ask for readiness", func(ctx context.Context) error {
		settings := s.db.Collection(settingsName, options.Collection().SetReadConcern(readconcern.Linearizable()))
		if _, _, err := versions(ctx, settings, s.transactions.newest); err != nil {
			return err
		}
		// The update matches no document: the server only checks the right.
		if _, err := settings.UpdateOne(ctx, byID(""), setTo("value", "")); err != nil {
			return err
		}
		return s.engine.TryFailed(ctx)
	})
}

// direct runs a repeatable action without a transaction, in bounded time.
func (s *Store) direct(ctx context.Context, doing string, do func(ctx context.Context) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	ctx, cancel := context.WithTimeout(ctx, s.seen.retryTime())
	defer cancel()
	if err := retry(ctx, func() error { return inStep(ctx, do) }); err != nil {
		return s.seen.unavailable(doing, err)
	}
	return nil
}

// Observe implements ports.Observable.
func (s *Store) Observe(seen func(ports.Commit)) { s.engine.Watch.Observe(seen) }

// Load implements ports.Observable.
func (s *Store) Load() ports.Load {
	return ports.Load{Waiting: s.engine.Queued(), WAL: -1, Unnumbered: time.Duration(s.sequencer.unnumbered.Load())}
}

// Close implements ports.Store. It waits for views too.
func (s *Store) Close() error {
	return s.close(func() {
		s.growth.signal.Raise()
		s.engine.Close()
		s.sequencer.close()
		s.growth.looks.Wait()
		s.transactions.ending.Wait()
	})
}

// ServiceKey implements ports.Rekeyable. It reads its documents in one snapshot.
func (s *Store) ServiceKey(ctx context.Context) (key ports.ServiceKey, err error) {
	err = s.look(ctx, func(v *view) error {
		key, err = v.serviceKey(ctx)
		return err
	})
	return key, err
}

func (v *view) serviceKey(ctx context.Context) (ports.ServiceKey, error) {
	found, err := v.find(ctx, settingsName, serviceKeyDocuments(), options.Find())
	return serviceKeyOf(found), err
}

func serviceKeyDocuments() bson.D { return byIDs([]string{fingerprintSetting, earlierKeysSetting}) }

func serviceKeyOf(found []bson.Raw) (key ports.ServiceKey) {
	for _, raw := range found {
		name, _ := raw.Lookup("_id").StringValueOK()
		value, _ := raw.Lookup("value").StringValueOK()
		switch name {
		case fingerprintSetting:
			key.Fingerprint = value
		case earlierKeysSetting:
			key.Earlier = value
		}
	}
	return key
}

// MoveKey implements ports.Rekeyable. Claiming the key, beginning a copy and moving the key all write the fingerprint,
// so that one of two concurrent calls runs again.
func (s *Store) MoveKey(ctx context.Context, from, to ports.ServiceKey) error {
	return s.inTransaction(ctx, "replace the service key", func(ctx context.Context) error {
		if err := s.refuseUnfinishedCopy(ctx); err != nil {
			return err
		}
		settings := s.db.Collection(settingsName)
		cursor, err := settings.Find(ctx, serviceKeyDocuments())
		if err != nil {
			return err
		}
		found, err := all(ctx, cursor)
		if err != nil {
			return err
		}
		if serviceKeyOf(found) != from {
			return ports.ErrKeyMoved
		}
		if err := put(ctx, settings, fingerprintSetting, settingDocument{fingerprintSetting, to.Fingerprint}); err != nil {
			return err
		}
		if to.Earlier == "" {
			_, err := settings.DeleteOne(ctx, byID(earlierKeysSetting))
			return err
		}
		return put(ctx, settings, earlierKeysSetting, settingDocument{earlierKeysSetting, to.Earlier})
	})
}
