package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/domain/fault"
	"resellerd/domain/session"
)

type sessionDocument struct {
	ID        string    `bson:"_id"`
	Reseller  int64     `bson:"account"`
	Password  []byte    `bson:"password"` // mark of the password that it began with
	Device    string    `bson:"device"`
	Address   string    `bson:"address"`
	CreatedAt time.Time `bson:"created_at"`
	UsedAt    time.Time `bson:"used_at"`
	ExpiresAt time.Time `bson:"expires_at"` // unless it is used before
}

var sessionCodec = codecOf(
	func(s session.Session, _ int64) sessionDocument {
		return sessionDocument{
			ID:        string(s.ID),
			Reseller:  s.Reseller,
			Password:  s.Password[:],
			Device:    s.Device,
			Address:   s.Address,
			CreatedAt: s.Created,
			UsedAt:    s.Used,
			ExpiresAt: s.ExpiresAt(),
		}
	},
	func(d sessionDocument) (s session.Session, version int64, err error) {
		s = session.Session{
			ID:       session.ID(d.ID),
			Reseller: d.Reseller,
			Device:   d.Device,
			Address:  d.Address,
			Created:  d.CreatedAt,
			Used:     d.UsedAt,
		}
		copy(s.Password[:], d.Password)
		return s, 0, nil
	},
)

func (s *Store) sessions() *mongo.Collection { return s.db.Collection(sessionsName) }

// newestFirst is the order of sessions.
var newestFirst = bson.D{{Key: "created_at", Value: -1}, {Key: "_id", Value: -1}}

func sessionsOf(reseller int64) bson.D { return bson.D{{Key: "account", Value: reseller}} }

// BeginSession implements ports.Sessions. Each that begins counts itself in a document of the reseller's, so that of two
// at once the database refuses one, which then sees the other: of the sessions alone they might write different ones.
func (s *Store) BeginSession(ctx context.Context, begun session.Session, most int) error {
	return s.changeSessions(ctx, "begin a session", func(ctx context.Context) error {
		_, err := s.db.Collection(sessionCountsName).UpdateOne(ctx, byID(begun.Reseller),
			bson.D{{Key: "$inc", Value: bson.D{{Key: "begun", Value: int64(1)}}}}, options.UpdateOne().SetUpsert(true))
		if mongo.IsDuplicateKeyError(err) {
			err = errors.Join(errOvertaken, err)
		}
		if err != nil {
			return err
		}
		if _, err := s.sessions().InsertOne(ctx, sessionCodec.write(begun, 0)); err != nil {
			return err
		}
		cursor, err := s.sessions().Find(ctx, sessionsOf(begun.Reseller),
			options.Find().SetSort(newestFirst).SetSkip(int64(max(most, 0))).SetProjection(onlyID).SetBatchSize(batchSize))
		if err != nil {
			return err
		}
		_, err = s.removeFound(ctx, cursor)
		return err
	})
}

// removeFound removes the sessions that a cursor finds and that match, and returns how many they were.
func (s *Store) removeFound(ctx context.Context, cursor *mongo.Cursor, match ...bson.E) (int, error) {
	found, err := all(ctx, cursor)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	ids := make([]bson.RawValue, len(found))
	for i, raw := range found {
		ids[i] = raw.Lookup("_id")
	}
	result, err := s.sessions().DeleteMany(ctx, slices.Concat(byIDs(ids), match))
	if err != nil {
		return 0, err
	}
	return int(result.DeletedCount), nil
}

// Session implements ports.Sessions.
func (s *Store) Session(ctx context.Context, id session.ID) (found session.Session, err error) {
	var raw bson.Raw
	err = s.direct(ctx, "get a session", func(ctx context.Context) (err error) {
		raw, err = s.sessions().FindOne(ctx, byID(string(id))).Raw()
		if errors.Is(err, mongo.ErrNoDocuments) {
			raw, err = nil, nil
		}
		return err
	})
	switch {
	case err != nil:
		return found, err
	case raw == nil:
		return found, fault.ErrNotFound
	}
	if found, _, err = sessionCodec.read(raw); err != nil {
		return session.Session{}, fmt.Errorf("session %s: %w", id, err)
	}
	return found, nil
}

// sessionReader implements ports.SessionReader.
type sessionReader struct{ *view }

// Session implements ports.SessionReader.
func (r sessionReader) Session(ctx context.Context, id session.ID) (session.Session, error) {
	return one(ctx, r.view, sessionsName, sessionCodec, string(id))
}

// sessionKeeper implements ports.SessionKeeper.
type sessionKeeper struct{ transaction }

// Session implements ports.SessionReader.
func (k sessionKeeper) Session(_ context.Context, id session.ID) (session.Session, error) {
	return k.sessions.Get(k.run, string(id))
}

// SaveSession implements ports.SessionKeeper.
func (k sessionKeeper) SaveSession(ctx context.Context, s session.Session) error {
	if _, err := k.Session(ctx, s.ID); err != nil {
		return err
	}
	return k.sessions.Put(k.run, string(s.ID), s)
}

// UseSession implements ports.Sessions. It is read first for when it ends in any case, which never changes and only the
// domain knows.
func (s *Store) UseSession(ctx context.Context, id session.ID, used time.Time) error {
	kept, err := s.Session(ctx, id)
	switch {
	case errors.Is(err, fault.ErrNotFound), err == nil && !used.After(kept.Used):
		return nil
	case err != nil:
		return err
	}
	kept.Used = used
	return s.direct(ctx, "use a session", func(ctx context.Context) error {
		_, err := s.sessions().UpdateOne(ctx, with(byID(string(id)), "used_at", bson.D{{Key: "$lt", Value: used}}),
			bson.D{{Key: "$set", Value: bson.D{{Key: "used_at", Value: used}, {Key: "expires_at", Value: kept.ExpiresAt()}}}})
		return err
	})
}

// SessionsOf implements ports.Sessions.
func (s *Store) SessionsOf(ctx context.Context, reseller int64) ([]session.Session, error) {
	var found []bson.Raw
	err := s.direct(ctx, "list sessions", func(ctx context.Context) error {
		cursor, err := s.sessions().Find(ctx, sessionsOf(reseller), options.Find().SetSort(newestFirst).SetBatchSize(batchSize))
		if err == nil {
			found, err = all(ctx, cursor)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return undamaged(found), nil
}

// undamaged returns the sessions of these documents but for those that were damaged.
func undamaged(found []bson.Raw) (all []session.Session) {
	for _, raw := range found {
		if s, _, err := sessionCodec.read(raw); err == nil {
			all = append(all, s)
		}
	}
	return all
}

// EndSession implements ports.Sessions. It is a transaction, though it removes one document: where the answer is lost,
// who asks again is not told that there was none.
func (s *Store) EndSession(ctx context.Context, reseller int64, id session.ID) error {
	return s.changeSessions(ctx, "end a session", func(ctx context.Context) error {
		result, err := s.sessions().DeleteOne(ctx, with(byID(string(id)), "account", reseller))
		if err == nil && result.DeletedCount == 0 {
			err = fault.ErrNotFound
		}
		return err
	})
}

// DropSessions implements ports.Sessions.
func (s *Store) DropSessions(ctx context.Context, now time.Time, limit int) (dropped int, err error) {
	if limit <= 0 { // the server takes 0 for no limit
		return 0, nil
	}
	// What removes the sessions asks again whether they are over: they may have been used since they were found.
	over := bson.E{Key: "expires_at", Value: bson.D{{Key: "$lte", Value: now}}}
	err = s.direct(ctx, "drop sessions", func(ctx context.Context) error {
		if err := s.clampSessions(ctx, now, limit); err != nil {
			return err
		}
		cursor, err := s.sessions().Find(ctx, bson.D{over},
			options.Find().SetSort(bson.D{{Key: "expires_at", Value: 1}}).SetLimit(int64(limit)).SetBatchSize(batchSize).SetProjection(onlyID))
		if err == nil {
			dropped, err = s.removeFound(ctx, cursor, over)
		}
		return err
	})
	return dropped, err
}

// clampSessions has sessions that are dated ahead begin and be used at now. One that was used since it was found is left
// for the next time.
func (s *Store) clampSessions(ctx context.Context, now time.Time, limit int) error {
	cursor, err := s.sessions().Find(ctx, bson.D{{Key: "expires_at", Value: bson.D{{Key: "$gt", Value: now.Add(session.Idle)}}}},
		options.Find().SetSort(bson.D{{Key: "expires_at", Value: 1}}).SetLimit(int64(limit)).SetBatchSize(batchSize))
	if err != nil {
		return err
	}
	found, err := all(ctx, cursor)
	if err != nil {
		return err
	}
	for _, ahead := range undamaged(found) {
		clamped := ahead.Clamped(now)
		_, err := s.sessions().UpdateOne(ctx, with(byID(string(ahead.ID)), "used_at", ahead.Used), bson.D{{Key: "$set", Value: bson.D{
			{Key: "created_at", Value: clamped.Created}, {Key: "used_at", Value: clamped.Used}, {Key: "expires_at", Value: clamped.ExpiresAt()},
		}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// changeSessions runs do in a transaction of its own, for a sign-in or sign-out, and waits no longer than an update would.
func (s *Store) changeSessions(ctx context.Context, doing string, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.inTransaction(ctx, doing, func(ctx context.Context) error { return inStep(ctx, do) })
}
