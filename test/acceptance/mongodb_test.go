package acceptance

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"resellerd/test/mongotest"
	"resellerd/test/require"
)

// mongoDatabase is the database of the servers in a folder, and their service key.
type mongoDatabase struct {
	uri    string
	secret string
	drop   func() error
}

func (d mongoDatabase) name(t *testing.T) string {
	t.Helper()
	address, err := connstring.Parse(d.uri)
	require.NoError(t, err)
	return address.Database
}

var mongoDatabases struct {
	sync.Mutex
	byDir map[string]mongoDatabase
}

// mongoDatabaseOf returns the folder's database, an empty one at first. The caller
// has seen that the storage is available.
func mongoDatabaseOf(dir string) mongoDatabase {
	mongoDatabases.Lock()
	defer mongoDatabases.Unlock()
	if d, there := mongoDatabases.byDir[dir]; there {
		return d
	}
	uri, drop, err := mongotest.NewDatabase(filepath.Base(filepath.Dir(dir))) // named after the test
	if err != nil {
		panic(err) // it was available
	}
	if mongoDatabases.byDir == nil {
		mongoDatabases.byDir = map[string]mongoDatabase{}
	}
	d := mongoDatabase{uri, "the service key " + rand.Text(), drop}
	mongoDatabases.byDir[dir] = d
	return d
}

func discardMongoDB(dir string) error {
	mongoDatabases.Lock()
	d, there := mongoDatabases.byDir[dir]
	delete(mongoDatabases.byDir, dir)
	mongoDatabases.Unlock()
	if !there {
		return nil
	}
	return d.drop()
}

// mongoClient reaches the databases past the program, all with one pool of connections.
var mongoClient = sync.OnceValues(func() (*mongo.Client, error) {
	uri, _, err := mongotest.NewDatabase("none")
	if err != nil {
		return nil, err
	}
	return mongo.Connect(options.Client().ApplyURI(uri).SetWriteConcern(writeconcern.W1()))
})

// onMongoDB runs do on the database of a folder. When it returns, other processes can read the writes of do: only the
// last write waits for the disk.
func onMongoDB(t *testing.T, dir string, do func(ctx context.Context, db *mongo.Database) error) {
	t.Helper()
	client, err := mongoClient()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience) // in a clean-up, too
	defer cancel()
	db := client.Database(mongoDatabaseOf(dir).name(t))
	require.NoError(t, do(ctx, db))
	last := db.Collection("settings", options.Collection().SetWriteConcern(writeconcern.Majority()))
	if _, err := last.DeleteOne(ctx, bson.D{{Key: "_id", Value: "nothing of this name"}}); err != nil {
		t.Fatal(err)
	}
}
