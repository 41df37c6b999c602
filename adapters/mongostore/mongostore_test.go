package mongostore_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/ports"
	"resellerd/test/mongotest"
	"resellerd/test/storetest"
)

// Tests of a server wait more than they compute: four run at a time, independent of the cores, unless the command line
// sets another number.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		_ = flag.Set("test.parallel", "4")
	}
	os.Exit(mongotest.Main(suite{m}))
}

// suite disconnects before the server ends.
type suite struct{ tests *testing.M }

func (s suite) Run() int {
	status := s.tests.Run()
	if cleaner != nil {
		_ = cleaner.Disconnect(context.Background())
	}
	return status
}

func TestStorePassesTheSuite(t *testing.T) {
	t.Parallel()
	mongotest.Available(t)
	subject := storetest.Persistent(
		emptied,
		func(ctx context.Context, uri string) (ports.Store, error) { return mongostore.Open(ctx, uri) },
	)
	subject.Parallel = true
	storetest.RunAll(t, subject)
}

// spare has the addresses of databases that finished tests have used.
var spare = make(chan string, 100)

// emptied returns the address of a database for one test. It is like a new one, but an earlier test may have used it:
// making the collections and their indexes takes longer than most tests. Tests of Open use mongotest.URI.
func emptied(t storetest.T) string {
	t.Helper()
	if skips, ok := t.(testing.TB); ok {
		mongotest.Available(skips)
	}
	var uri string
	select {
	case uri = <-spare:
	default:
		var err error
		if uri, _, err = mongotest.NewDatabase("pool"); err != nil {
			t.Fatalf("%v", err)
		}
	}
	t.Cleanup(func() { // after the store was closed
		switch empty, err := empty(uri); {
		case err != nil:
			t.Errorf("empty a database: %v", err)
		case empty:
			spare <- uri
		}
	})
	return uri
}

// cleaner is the client that empties databases.
var (
	cleaner *mongo.Client
	connect sync.Once
)

// empty removes everything except the version of the schema, and returns true. It drops a database with many records
// instead, because their index entries are removed one by one.
func empty(uri string) (kept bool, err error) {
	const many = 2_000
	connect.Do(func() { cleaner, err = mongo.Connect(options.Client().ApplyURI(uri)) })
	if cleaner == nil {
		return false, errors.Join(errors.New("no client empties databases"), err)
	}
	ctx, db := context.Background(), cleaner.Database(nameOf(uri))
	var found struct{ Objects float64 }
	if err := db.RunCommand(ctx, bson.D{{Key: "dbStats", Value: 1}}).Decode(&found); err != nil {
		return false, err
	}
	if found.Objects > many {
		return false, db.Drop(ctx)
	}
	names, err := db.ListCollectionNames(ctx, bson.D{})
	for _, name := range names {
		_, removed := db.Collection(name).DeleteMany(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$ne", Value: "schema"}}}})
		err = errors.Join(err, removed)
	}
	return true, err
}

// nameOf returns the name of the database in an address.
func nameOf(uri string) string {
	_, path, _ := strings.Cut(strings.TrimPrefix(uri, "mongodb://"), "/")
	name, _, _ := strings.Cut(path, "?")
	return name
}
