package mongostore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/mongotest"
)

func TestAddressesThatCanNeverWork(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"postgres://host": "",
		"mongodb://u:s3cr3t@host/d?directConnection=true":                                "would not follow the primary",
		"mongodb://u:s3cr3t%":                                                            "invalid host",
		"mongodb://u:p/s3cr3t@x@host/d?w=majority":                                       "percent-encode",
		"mongodb://u:s3cr3t@host/d?tls=maybe":                                            `"maybe"`,
		"mongodb://u:p@host/d?authMechanism=MONGODB-X509&authMechanismProperties=s3cr3t": "",
	} {
		err := mongostore.Check(uri)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one that mentions %q", uri, err, want)
		} else if strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("the password is in the message: %v", err)
		}
	}
	expect.Error(t, mongostore.Check("mongodb://u:p@one,two/d?replicaSet=rs"), nil, "a valid address")
}

// TestADatabaseOfAnotherProgramIsRefused covers collections of the same names, and a database of a later version.
func TestADatabaseOfAnotherProgramIsRefused(t *testing.T) {
	t.Parallel()
	theirs := bson.D{{Key: "name", Value: "theirs"}}
	for _, collections := range [][]string{{"other"}, {"accounts", "settings"}} {
		uri, db := database(t)
		for _, name := range collections {
			_, err := db.Collection(name).InsertOne(t.Context(), theirs)
			must(t, err)
		}
		_, err := mongostore.Open(t.Context(), uri)
		expect.Error(t, err, mongostore.ErrForeign)
		names, err := db.ListCollectionNames(t.Context(), bson.D{})
		must(t, err)
		expect.Equal(t, len(names), len(collections), "a database that was refused has now the collections %v", names)
		_, err = db.Collection(collections[0]).InsertOne(t.Context(), theirs)
		expect.Error(t, err, nil, "the other program")
		if err := mongostore.Exists(t.Context(), uri); err == nil && collections[0] == "other" {
			t.Error("a database of another program counts as a store")
		}
	}
}

// set is a change of one field.
func set(field string, value any) bson.D {
	return bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: value}}}}
}

// TestTheDatabaseRefusesInvalidBalances checks the second protection, which also applies to other programs.
func TestTheDatabaseRefusesInvalidBalances(t *testing.T) {
	t.Parallel()
	uri, db := databaseAt(t, emptied(t))
	insert(t, openStore(t, uri, options.Client()), payer())
	decimal := func(text string) bson.Decimal128 {
		d, err := bson.ParseDecimal128(text)
		must(t, err)
		return d
	}
	for what, change := range map[string]bson.D{
		"an overdraft":    set("credits", decimal("-0.0001")),
		"not a number":    set("credits", decimal("NaN")),
		"none":            {{Key: "$unset", Value: bson.D{{Key: "credits", Value: ""}}}},
		"a strange field": set("bonus", decimal("1")),
	} {
		_, err := db.Collection("accounts").UpdateByID(t.Context(), int64(2), change)
		if server, ok := errors.AsType[mongo.ServerError](err); !ok || !server.HasErrorCode(121) {
			t.Errorf("%s: got error %v, want that the document fails validation", what, err)
		}
	}
	_, err := db.Collection("accounts").UpdateByID(t.Context(), int64(2), set("credits", decimal("0.0006")))
	expect.Error(t, err, nil, "a valid balance")
}

// TestADamagedRecordIsNamed covers a view, an update, a list and an audit. FuzzDocuments has each kind of damage.
func TestADamagedRecordIsNamed(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]bson.D{
		"no balance":        {{Key: "$unset", Value: bson.D{{Key: "credits", Value: ""}}}},
		"a path of another": set("path", bson.A{int64(1), int64(3)}),
	} {
		uri, db := databaseAt(t, emptied(t))
		s := openStore(t, uri, options.Client())
		insert(t, s, payer())
		_, err := db.Collection("accounts").UpdateByID(t.Context(), int64(2), change,
			options.UpdateOne().SetBypassDocumentValidation(true))
		must(t, err)
		if _, err := balanceOf(t, s); err == nil || errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%s: got error %v in a view, want one that names the damage", what, err)
		}
		err = s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Resellers.Get(ctx, 2)
			return err
		})
		if !contains(err, "accounts 2") || errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%s: got error %v in an update, want one that names the damage and the record", what, err)
		}
		must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
			page, err := v.Resellers.List(ctx, ports.ResellerQuery{Limit: 10})
			expect.Equal(t, len(page.Resellers), 1, "%s: listed", what)
			expect.Elements(t, page.Damaged, []int64{2}, "%s: left out", what)
			return err
		}))
		must(t, s.ViewRecords(t.Context(), func(ctx context.Context, v ports.Records) error {
			found, err := v.Resellers(ctx, 0, 10)
			if err == nil && (len(found) != 2 || found[0].Damage != nil || found[1].Damage == nil || found[1].ID != 2) {
				t.Errorf("%s: an audit finds %+v, want that account 2 alone is damaged", what, found)
			}
			return err
		}))
	}
}

// database returns a new database for one test, and its address.
func database(t *testing.T) (string, *mongo.Database) {
	t.Helper()
	return databaseAt(t, mongotest.URI(t))
}

func databaseAt(t *testing.T, uri string) (string, *mongo.Database) {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return uri, client.Database(nameOf(uri))
}
