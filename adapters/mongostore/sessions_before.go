package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/domain/session"
	"resellerd/ports"
)

// sessionDocument is a session as schema 3 has it.
type sessionDocument struct {
	ID        string    `bson:"_id"`
	Reseller  int64     `bson:"account"`
	Password  []byte    `bson:"password"`
	Device    string    `bson:"device"`
	Address   string    `bson:"address"`
	CreatedAt time.Time `bson:"created_at"`
	UsedAt    time.Time `bson:"used_at"`
	ExpiresAt time.Time `bson:"expires_at"`
}

var sessionCodec = codecOf(
	func(s session.Session, _ int64) sessionDocument {
		return sessionDocument{string(s.ID), s.Reseller, s.Password[:], s.Device, s.Address, s.Created, s.Used, s.ExpiresAt()}
	},
	func(d sessionDocument) (session.Session, int64, error) {
		s := session.Session{ID: session.ID(d.ID), Reseller: d.Reseller, Device: d.Device, Address: d.Address, Created: d.CreatedAt, Used: d.UsedAt}
		copy(s.Password[:], d.Password)
		return s, 0, nil
	},
)

// carrySessions makes records of the sessions of schema 3, and removes their collections. Each is moved once, in a
// transaction, also by several processes: one that was ended after another process moved it stays ended. A damaged one
// is removed: it is good for nothing.
func carrySessions(ctx context.Context, db *mongo.Database) error {
	const atOnce = 200
	sessions, transactions := db.Collection(sessionsName), &transactions{client: db.Client(), explain: func(err error) error { return err }}
	for left := true; left; {
		err := transactions.Transact(ctx, func(ctx context.Context) error {
			cursor, err := sessions.Find(ctx, bson.D{}, options.Find().SetLimit(atOnce).SetBatchSize(batchSize))
			if err != nil {
				return err
			}
			found, err := all(ctx, cursor)
			if left = len(found) > 0; err != nil || !left {
				return err
			}
			var ids []bson.RawValue
			var records, entries []any
			for _, raw := range found {
				ids = append(ids, raw.Lookup("_id"))
				s, _, damage := sessionCodec.read(raw)
				if damage != nil {
					continue
				}
				r, err := ports.Sessions.Stored(s)
				if err != nil {
					continue // an invalid text: likewise
				}
				records = append(records, recordCodec.write(recordOf(ports.Sessions.Kind, r), 1))
				for _, e := range r.Entries {
					entries = append(entries, entryCodec.write(entry{e, r.Key}, 1))
				}
			}
			if _, err := sessions.DeleteMany(ctx, byIDs(ids)); err != nil || len(records) == 0 {
				return err
			}
			if _, err := db.Collection(recordsName).InsertMany(ctx, records); err != nil {
				return err
			}
			_, err = db.Collection(recordIndexName).InsertMany(ctx, entries)
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, name := range []string{sessionsName, sessionCountsName} {
		if err := db.Collection(name).Drop(ctx); err != nil {
			return err
		}
	}
	return nil
}
