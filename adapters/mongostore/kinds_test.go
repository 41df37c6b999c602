package mongostore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/domain/fault"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
)

func sessionOf(name string) session.Session {
	began := noon.Add(-time.Duration(len(name)) * time.Minute)
	return session.Session{
		ID: session.IDOf(name), Reseller: 2, Password: session.MarkOf(name), Device: name, Address: "192.0.2.7",
		Created: began, Used: began,
	}
}

// signIn begins a session of account 2. Its age is the length of its name.
func signIn(t *testing.T, s *mongostore.Store, name string) session.Session {
	t.Helper()
	begun := sessionOf(name)
	update(t, s, func(ctx context.Context, tx ports.Tx) error { return ports.Sessions.In(tx.Records).Insert(ctx, begun) })
	return begun
}

func TestADamagedRecordIsNeitherAbsentNorUnavailable(t *testing.T) {
	t.Parallel()
	uri, db := databaseAt(t, emptied(t))
	s := openStore(t, uri, options.Client())
	another, err := ports.Sessions.Stored(signIn(t, s, "sound"))
	must(t, err)
	for what, change := range map[string]bson.D{
		"no version":  {{Key: "$unset", Value: bson.D{{Key: "version", Value: ""}}}},
		"another key": set("payload", another.Payload),
	} {
		damaged := signIn(t, s, what)
		stored, err := ports.Sessions.Stored(damaged)
		must(t, err)
		id := bson.D{{Key: "kind", Value: "session"}, {Key: "key", Value: stored.Key}}
		_, err = db.Collection("records").UpdateByID(t.Context(), id, change,
			options.UpdateOne().SetBypassDocumentValidation(true))
		must(t, err)
		err = s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
			_, err := ports.Sessions.From(v.Records).Get(ctx, damaged.ID)
			return err
		})
		expect.Error(t, err, record.ErrDamaged, "%v", what)
		if errors.Is(err, fault.ErrNotFound) || errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%s: got error %v, want one of neither kind", what, err)
		}
		expect.Error(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			return ports.Sessions.In(tx.Records).Save(ctx, damaged)
		}), record.ErrDamaged, "%s: save", what)
		update(t, s, func(ctx context.Context, tx ports.Tx) error {
			return ports.Sessions.In(tx.Records).Delete(ctx, damaged.ID)
		})
		lead, err := db.Collection("record_index").CountDocuments(t.Context(), bson.D{{Key: "key", Value: stored.Key}})
		must(t, err)
		expect.DeepEqual(t, lead, 0, "%s: entries of indexes without a record", what)
	}
}
