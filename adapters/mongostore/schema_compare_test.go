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
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
)

// TestAChangedSchemaIsNamed changes validators and indexes like a user of mongosh. An audit names each change. The next
// start restores a part that protects no existing record, and refuses the database after any other change.
func TestAChangedSchemaIsNamed(t *testing.T) {
	t.Parallel()
	command := func(c bson.D) func(context.Context, *mongo.Database) error {
		return func(ctx context.Context, db *mongo.Database) error { return db.RunCommand(ctx, c).Err() }
	}
	validator := func(of string, level ...bson.E) func(context.Context, *mongo.Database) error {
		return command(append(bson.D{{Key: "collMod", Value: of}}, level...))
	}
	index := func(of string, keys bson.D, o *options.IndexOptionsBuilder) func(context.Context, *mongo.Database) error {
		return func(ctx context.Context, db *mongo.Database) error {
			_, err := db.Collection(of).Indexes().CreateOne(ctx, mongo.IndexModel{Keys: keys, Options: o})
			return err
		}
	}
	drop := func(of, name string) func(context.Context, *mongo.Database) error {
		return func(ctx context.Context, db *mongo.Database) error {
			return db.Collection(of).Indexes().DropOne(ctx, name)
		}
	}
	both := func(first, then func(context.Context, *mongo.Database) error) func(context.Context, *mongo.Database) error {
		return func(ctx context.Context, db *mongo.Database) error {
			if err := first(ctx, db); err != nil {
				return err
			}
			return then(ctx, db)
		}
	}
	none := bson.E{Key: "validator", Value: bson.D{}}
	country := bson.D{{Key: "country", Value: 1}}
	for what, c := range map[string]struct {
		change  func(context.Context, *mongo.Database) error
		says    string // "": nothing is found
		refused bool
	}{
		"a validator taken away": {validator("accounts", none), "the validator of accounts is missing, or not in force",
			false},
		"a document that was inserted without it": {
			both(validator("accounts", none), func(ctx context.Context, db *mongo.Database) error {
				_, err := db.Collection("accounts").UpdateByID(ctx, int64(1), set("credits", -5))
				return err
			}), "the validator of accounts is missing", true},
		"an index made unique": {both(drop("lines", "owner_1__id_1"),
			index("lines", bson.D{{Key: "owner", Value: int32(1)}, {Key: "_id", Value: int32(1)}},
				options.Index().SetUnique(true))),
			"the index (owner, _id) of lines differs", true},
		"a unique index": {index("lines", country, options.Index().SetUnique(true)),
			"the index country_1 of lines, which is unique or removes documents", true},
		"a collection taken away": {command(bson.D{{Key: "drop", Value: "tombstones"}}),
			"the collection tombstones is missing", true},
		"an operator's own index": {index("lines", country, nil), "", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			uri, db := database(t)
			s := openStore(t, uri, options.Client())
			insert(t, s, []*reseller.Reseller{account(1, 0)})
			must(t, s.Close())
			must(t, c.change(t.Context(), db))
			found := strings.Join(findings(t, uri), "\n")
			if !strings.Contains(found, c.says) || (found == "") != (c.says == "") {
				t.Errorf("found %q, want %q", found, c.says)
			}
			again, err := mongostore.Open(t.Context(), uri)
			if altered, is := errors.AsType[*ports.Altered](err); is != c.refused {
				t.Fatalf("opened with error %v", err)
			} else if is {
				if !strings.Contains(strings.Join(altered.Findings, "\n"), c.says) ||
					!strings.Contains(err.Error(), "restore a backup") {
					t.Errorf("refused with %v, want %q", err, c.says)
				}
				return
			}
			must(t, err)
			must(t, again.Close())
			expect.Elements(t, findings(t, uri), nil, "found after the next start")
		})
	}
}

// findings returns the findings of an archive about the schema.
func findings(t *testing.T, uri string) (found []string) {
	t.Helper()
	a, err := mongostore.OpenReadOnly(t.Context(), uri)
	must(t, err)
	must(t, a.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		found = nil
		return r.Derived(ctx, func(finding string) {
			if strings.HasPrefix(finding, "schema: ") {
				found = append(found, finding)
			}
		})
	}))
	must(t, a.Close())
	return found
}
