package mongotest

import (
	"os"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// connect returns a client that is closed when the test ends.
func connect(t *testing.T, uri string) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := disconnect(client); err != nil {
			t.Error(err)
		}
	})
	return client
}

// fill writes a record into the database that the address names and returns it.
func fill(t *testing.T, uri string) *mongo.Database {
	t.Helper()
	parsed, err := connstring.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	database := connect(t, uri).Database(parsed.Database)
	if _, err := database.Collection("records").InsertOne(t.Context(), bson.D{{Key: "kept", Value: true}}); err != nil {
		t.Fatal(err)
	}
	return database
}

func exists(t *testing.T, database *mongo.Database) bool {
	t.Helper()
	found, err := database.Client().ListDatabaseNames(t.Context(), bson.D{{Key: "name", Value: database.Name()}})
	if err != nil {
		t.Fatal(err)
	}
	return len(found) > 0
}

func TestOnlyDatabasesOfTheOwnPrefixAreDroppedFromATestersServer(t *testing.T) {
	t.Parallel()
	other := fill(t, URI(t))
	set, err := shared.get()
	if err != nil {
		t.Fatal(err)
	}
	given := &replicaSet{address: set.address, prefix: randomPrefix()}
	if err := given.usable(t.Context()); err != nil {
		t.Fatal(err)
	}
	uri, err := inDatabase(given.address, given.databaseName("left behind"))
	if err != nil {
		t.Fatal(err)
	}
	own := fill(t, uri)
	if err := given.close(); err != nil {
		t.Fatal(err)
	}
	if exists(t, own) {
		t.Error("the database of the closed set is still there")
	}
	if !exists(t, other) {
		t.Error("another database is gone")
	}
}
