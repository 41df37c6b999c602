package mongostore_test

import (
	"context"
	"strconv"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
)

func TestAnArchiveOfAStoreInUse(t *testing.T) {
	t.Parallel()
	uri, db := database(t)
	s := openStore(t, uri, options.Client())
	insert(t, s, []*reseller.Reseller{account(1, 0)})
	a, err := mongostore.OpenReadOnly(t.Context(), uri)
	must(t, err)
	look := func() (found int) {
		must(t, a.ViewRecords(t.Context(), func(ctx context.Context, v ports.Records) error {
			resellers, err := v.Resellers(ctx, 0, 10)
			found = len(resellers)
			return err
		}))
		return found
	}
	expect.Equal(t, look(), 1)
	insert(t, s, []*reseller.Reseller{account(2, 0, 1)})
	expect.Equal(t, look(), 2)
	must(t, a.Close())
	must(t, a.Close(), "another Close does nothing")
	expect.Error(t, a.ViewRecords(t.Context(), func(context.Context, ports.Records) error { return nil }),
		ports.ErrUnavailable)

	// What a store would make again stays as it is.
	must(t, db.Collection("lines").Indexes().DropAll(t.Context()))
	must(t, db.RunCommand(t.Context(), bson.D{{Key: "collMod", Value: "accounts"}, {Key: "validator", Value: bson.D{}}}).
		Err())
	must(t, db.Collection("idempotency").Drop(t.Context()))
	b, err := mongostore.OpenReadOnly(t.Context(), uri)
	must(t, err)
	must(t, b.ViewRecords(t.Context(), func(ctx context.Context, v ports.Records) error {
		_, err := v.KeyRecords(ctx, 0, "", 10)
		return err
	}))
	must(t, b.Close())
	names, err := db.Collection("lines").Indexes().ListSpecifications(t.Context())
	must(t, err)
	collections, err := db.ListCollectionNames(t.Context(), bson.D{{Key: "name", Value: "idempotency"}})
	must(t, err)
	expect.Equal(t, len(names), 1, "an archive has made indexes: %v", names)
	expect.Equal(t, len(collections), 0, "an archive has made collections: %v", collections)
}

func TestAnArchiveRefuses(t *testing.T) {
	t.Parallel()
	uri, db := database(t)
	if _, err := mongostore.OpenReadOnly(t.Context(), uri); err == nil {
		t.Error("an empty database counts as a store")
	}
	_, err := db.Collection("settings").InsertOne(t.Context(),
		bson.D{{Key: "_id", Value: "schema"}, {Key: "value", Value: strconv.FormatInt(mongostore.SchemaVersion+1, 10)}})
	must(t, err)
	_, err = mongostore.OpenReadOnly(t.Context(), uri)
	expect.Error(t, err, mongostore.ErrNewer)
}
