package mongostore_test

import (
	"context"
	"errors"
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

func TestMain(m *testing.M) { os.Exit(mongotest.Main(suite{m})) }

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
	subject := storetest.Kept(
		func(t storetest.T) string { return emptied(t) },
		func(ctx context.Context, uri string) (ports.Store, error) { return mongostore.Open(ctx, uri) },
	)
	subject.Parallel = true
	storetest.RunAll(t, subject)
}

// spare are the addresses of databases that tests are done with.
var spare = make(chan string, 100)

// emptied returns the address of a database of the test's own, as good as a new one,
// that may have been used by another test: to make the collections and their indexes
// takes longer than most tests. Tests of what Open makes use mongotest.URI.
func emptied(t mongotest.T) string {
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
		if err := empty(uri); err != nil {
			t.Errorf("empty a database: %v", err)
			return
		}
		spare <- uri
	})
	return uri
}

// cleaner is the client of all that empties databases.
var (
	cleaner *mongo.Client
	connect sync.Once
)

// empty removes everything but the version of the schema.
func empty(uri string) (err error) {
	connect.Do(func() { cleaner, err = mongo.Connect(options.Client().ApplyURI(uri)) })
	if cleaner == nil {
		return errors.Join(errors.New("no client empties databases"), err)
	}
	ctx, db := context.Background(), cleaner.Database(nameOf(uri))
	names, err := db.ListCollectionNames(ctx, bson.D{})
	for _, name := range names {
		_, removed := db.Collection(name).DeleteMany(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$ne", Value: "schema"}}}})
		err = errors.Join(err, removed)
	}
	return err
}

// nameOf returns the name of the database in an address.
func nameOf(uri string) string {
	_, path, _ := strings.Cut(strings.TrimPrefix(uri, "mongodb://"), "/")
	name, _, _ := strings.Cut(path, "?")
	return name
}
