package mongostore_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/ports"
	"resellerd/test/expect"
)

// repairable opens a store with an entry in every list, and returns its database.
func repairable(t *testing.T, uri string, o *options.ClientOptions) (*mongostore.Store, *mongo.Database) {
	t.Helper()
	_, db := databaseAt(t, uri)
	s := openStore(t, uri, o)
	s.Number()
	journalled(t, s, 2)
	insert(t, s, nil, trial(1, account(2, 0, 1)))
	signIn(t, s, "a")
	must(t, spend(s, 2, 1))
	await(t, s, 2)
	return s, db
}

func TestARepairRebuildsListsFromRecords(t *testing.T) {
	t.Parallel()
	s, db := repairable(t, emptied(t), options.Client())
	sound := contents(t, db)
	all, session := bson.D{}, bson.D{{Key: "_id", Value: bson.D{{Key: "$regex", Value: "^session/"}}}}
	removed := func(collection string, which bson.D) error {
		_, err := db.Collection(collection).DeleteMany(t.Context(), which)
		return err
	}
	changed := func(collection string, which, how bson.D) error {
		_, err := db.Collection(collection).UpdateMany(t.Context(), which, how)
		return err
	}
	inserted := func(collection string, document bson.D) error {
		_, err := db.Collection(collection).InsertOne(t.Context(), document,
			options.InsertOne().SetBypassDocumentValidation(true))
		return err
	}
	var counted bson.D
	must(t, db.Collection("figures").FindOne(t.Context(), all).Decode(&counted))
	counted[0].Value = bson.D{{Key: "account", Value: int64(1)}, {Key: "day", Value: noon}}
	for _, c := range []struct {
		damage func() error
		want   ports.RepairedList
	}{
		{func() error { return removed("account_names", all) }, ports.RepairedList{List: "account_names", Added: 2}},
		{func() error { return removed("line_names", all) }, ports.RepairedList{List: "line_names", Added: 1}},
		{func() error {
			return inserted("line_names", bson.D{{Key: "_id", Value: "x"}, {Key: "holder", Value: int64(1)}})
		}, ports.RepairedList{List: "line_names", Removed: 1}},
		{func() error { return removed("record_index", session) }, ports.RepairedList{List: "record_index", Added: 2}},
		{func() error {
			return inserted("record_index", bson.D{{Key: "_id", Value: "session/x"}, {Key: "key", Value: "none"}})
		}, ports.RepairedList{List: "record_index", Removed: 1}},
		{func() error { return inserted("record_index", bson.D{{Key: "_id", Value: "session/y"}}) },
			ports.RepairedList{List: "record_index", Removed: 1}},
		{func() error { return removed("figures", all) }, ports.RepairedList{List: "figures", Added: 1}},
		{func() error { return changed("figures", all, set("trials", int64(5))) },
			ports.RepairedList{List: "figures", Added: 1, Removed: 1}},
		{func() error { return inserted("figures", counted) }, ports.RepairedList{List: "figures", Removed: 1}},
	} {
		must(t, c.damage())
		repaired, err := s.RepairLists(t.Context())
		must(t, err)
		expect.Elements(t, repaired, []ports.RepairedList{c.want})
		expect.Equal(t, contents(t, db), sound, c.want)
		repaired, err = s.RepairLists(t.Context())
		must(t, err)
		expect.Elements(t, repaired, nil, c.want)
	}
}

func TestARepairChangesNoRecords(t *testing.T) {
	t.Parallel()
	s, db := repairable(t, emptied(t), options.Client())
	for collection, how := range map[string]bson.D{
		"accounts": set("credits", int64(7)), "records": set("payload", "{}"), "sequences": set("given", int64(900)),
		"journal": set("payload", "{}"), "figures": set("trials", int64(5)),
	} {
		_, err := db.Collection(collection).UpdateMany(t.Context(), bson.D{}, how,
			options.UpdateMany().SetBypassDocumentValidation(true))
		must(t, err, collection)
	}
	_, err := db.Collection("record_index").InsertOne(t.Context(), // of a kind that this program does not know
		bson.D{{Key: "_id", Value: "later/x"}, {Key: "key", Value: "x"}})
	must(t, err)
	before := contents(t, db)
	repaired, err := s.RepairLists(t.Context())
	must(t, err)
	expect.Elements(t, repaired, nil)
	expect.Equal(t, contents(t, db), before)
}

// TestARepairStopsWhenAServiceChangesTheStore moves the head of the journal just before a repair writes.
func TestARepairStopsWhenAServiceChangesTheStore(t *testing.T) {
	t.Parallel()
	var s *mongostore.Store
	var db *mongo.Database
	var moves sync.Once
	s, db = repairable(t, emptied(t), options.Client().SetMonitor(&event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			if e.CommandName == "update" && strings.Contains(e.Command.String(), `"$inc": {"term"`) {
				moves.Do(func() {
					_, err := db.Collection("journal_head").UpdateByID(context.Background(), "head",
						bson.D{{Key: "$inc", Value: bson.D{{Key: "seq", Value: int64(1)}}}})
					expect.Equal(t, err, nil)
				})
			}
		}}))
	_, err := db.Collection("figures").DeleteMany(t.Context(), bson.D{})
	must(t, err)
	before := contents(t, db)
	if _, err := s.RepairLists(t.Context()); err == nil || !strings.Contains(err.Error(), "stop it and repeat") {
		t.Errorf("got error %v, want that a service changes the store", err)
	}
	expect.Equal(t, contents(t, db), before)
}
