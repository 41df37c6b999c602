package mongostore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	"resellerd/adapters/mongostore"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
)

// later are the steps of a later version of the program, which exists in tests only. Each account moves from its
// country to the first of these, and from there to the second, in a transaction of its own.
var later = []mongostore.Step{moves("BR", "AA"), moves("AA", "BB")}

func moves(from, to string) mongostore.Step {
	return func(ctx context.Context, db *mongo.Database) (more bool, err error) {
		result, err := db.Collection("accounts").UpdateOne(ctx, bson.D{{Key: "contact.country", Value: from}}, bson.D{
			{Key: "$set", Value: bson.D{{Key: "contact.country", Value: to}}},
			{Key: "$inc", Value: bson.D{{Key: "version", Value: int64(1)}}},
		})
		return err == nil && result.MatchedCount > 0, err
	}
}

func quietly(int64, int64, func() int64) func(error) { return func(error) {} }

// older makes a database of this version of the program, with three accounts in BR.
func older(t *testing.T) (uri string) {
	t.Helper()
	uri, db := database(t)
	must(t, opened(t, uri, func(s *mongostore.Store) error {
		insert(t, s, []*reseller.Reseller{account(1, 0), account(2, 7, 1), account(3, 9, 1)})
		return nil
	}))
	_, err := db.Collection("accounts").UpdateMany(t.Context(), bson.D{}, set("contact.country", "BR"))
	must(t, err)
	return uri
}

// wantUpgraded expects that each step was made once.
func wantUpgraded(t *testing.T, uri string) {
	t.Helper()
	_, db := databaseAt(t, uri)
	var all []struct {
		Contact struct{ Country string }
		Version int64
	}
	cursor, err := db.Collection("accounts").Find(t.Context(), bson.D{})
	must(t, err)
	must(t, cursor.All(t.Context(), &all))
	for _, a := range all {
		expect.Equal(t, a.Contact.Country, "BB", "the account's country")
		expect.Equal(t, a.Version, 3, "the account's version")
	}
	settings := map[string]string{}
	var found []struct {
		ID    string `bson:"_id"`
		Value string
	}
	cursor, err = db.Collection("settings").Find(t.Context(), bson.D{})
	must(t, err)
	must(t, cursor.All(t.Context(), &found))
	for _, s := range found {
		settings[s.ID] = s.Value
	}
	if _, going := settings["schema-upgrade"]; len(all) != 3 || settings["schema"] != "3" || going {
		t.Errorf("there are %d accounts and the settings %v", len(all), settings)
	}
	_, err = mongostore.Open(t.Context(), uri)
	expect.Error(t, err, mongostore.ErrNewer, "the program before")
	_, err = mongostore.OpenReadOnly(t.Context(), uri)
	expect.Error(t, err, mongostore.ErrNewer, "the program before, to read only")
}

func TestProcessesUpgradeADatabaseTogether(t *testing.T) {
	t.Parallel()
	uri := older(t)
	must(t, errors.Join(atOnce(8, func(int) error {
		s, err := mongostore.OpenAs(context.Background(), uri, options.Client(), quietly, later...)
		if err != nil {
			return err
		}
		return s.Close()
	})...))
	wantUpgraded(t, uri)
}

// TestAnUpgradeEndsTransactionsInProgress has a transaction of the older program that reads the version before the
// upgrade and writes after it.
func TestAnUpgradeEndsTransactionsInProgress(t *testing.T) {
	t.Parallel()
	uri := older(t)
	_, db := databaseAt(t, uri)
	session, err := db.Client().StartSession()
	must(t, err)
	defer session.EndSession(context.Background())
	must(t, session.StartTransaction(options.Transaction().SetReadConcern(readconcern.Snapshot())))
	ctx := mongo.NewSessionContext(t.Context(), session)
	must(t, db.Collection("settings").FindOne(ctx, bson.D{{Key: "_id", Value: "schema"}}).Err())

	s, err := mongostore.OpenAs(t.Context(), uri, options.Client(), quietly, later...)
	must(t, err)
	must(t, s.Close())
	if _, err := db.Collection("account_names").InsertOne(ctx,
		bson.D{{Key: "_id", Value: "late"}, {Key: "holder", Value: int64(3)}}); err == nil {
		t.Error("a transaction that has seen the older version writes after the upgrade")
	}
	wantUpgraded(t, uri)
}

// TestNothingIsWrittenAfterALaterVersionUpgradedTheSchema raises the version while a store is open.
func TestNothingIsWrittenAfterALaterVersionUpgradedTheSchema(t *testing.T) {
	t.Parallel()
	uri, db := database(t)
	s := numbering(t, uri)
	journalled(t, s, 2)
	await(t, s, 1)
	_, err := db.Collection("settings").UpdateByID(t.Context(), "schema",
		set("value", strconv.FormatInt(mongostore.SchemaVersion+1, 10)))
	must(t, err)
	before := contents(t, db)
	for what, write := range map[string]func() error{
		"a payment": func() error { return payment(t, s, 9) },
		"a claim of the key": func() error {
			_, err := s.ClaimKey(t.Context(), "another")
			return err
		},
	} {
		err := write()
		expect.Error(t, err, ports.ErrUnavailable, "%v", what)
		expect.Error(t, err, mongostore.ErrNewer, "%v", what)
	}
	expect.Error(t, s.Ready(t.Context()), mongostore.ErrNewer)
	expect.Equal(t, contents(t, db), before, "the database")
}

// contents returns the documents of a database, without the lease of the sequencer.
func contents(t *testing.T, db *mongo.Database) (all string) {
	t.Helper()
	names, err := db.ListCollectionNames(t.Context(), bson.D{})
	must(t, err)
	for _, name := range []string{"accounts", "account_names", "lines", "line_names", "tombstones", "movements", "records",
		"record_index", "journal", "journal_pending", "figures", "sequences", "settings", "idempotency"} {
		if len(names) == 0 {
			t.Fatal("there is no collection")
		}
		cursor, err := db.Collection(name).Find(t.Context(), bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
		must(t, err)
		var found []bson.Raw
		must(t, cursor.All(t.Context(), &found))
		all += fmt.Sprintln(name, found)
	}
	return all
}
