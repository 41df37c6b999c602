package mongostore_test

import (
	"context"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/ports"
	"resellerd/test/expect"
)

// TestAnArchiveMakesNothing again that a store would, and nothing where there is no store.
func TestAnArchiveMakesNothing(t *testing.T) {
	t.Parallel()
	uri, db := database(t)
	if _, err := mongostore.OpenReadOnly(t.Context(), uri); err == nil {
		t.Error("an empty database counts as a store")
	}
	must(t, openStore(t, uri, options.Client()).Close())
	must(t, db.Collection("lines").Indexes().DropAll(t.Context()))
	must(t, db.RunCommand(t.Context(), bson.D{{Key: "collMod", Value: "accounts"}, {Key: "validator", Value: bson.D{}}}).
		Err())
	must(t, db.Collection("idempotency").Drop(t.Context()))
	a, err := mongostore.OpenReadOnly(t.Context(), uri)
	must(t, err)
	must(t, a.ViewRecords(t.Context(), func(ctx context.Context, v ports.Records) error {
		_, err := v.KeyRecords(ctx, 0, "", 10)
		return err
	}))
	must(t, a.Close())
	names, err := db.Collection("lines").Indexes().ListSpecifications(t.Context())
	must(t, err)
	collections, err := db.ListCollectionNames(t.Context(), bson.D{{Key: "name", Value: "idempotency"}})
	must(t, err)
	expect.Equal(t, len(names), 1, "an archive has made indexes: %v", names)
	expect.Equal(t, len(collections), 0, "an archive has made collections: %v", collections)
}
