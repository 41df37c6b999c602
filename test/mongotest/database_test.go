package mongotest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// recorder is a test that does not fail the one around it.
type recorder struct {
	name     string
	cleanups []func()
	errors   []string
}

func (r *recorder) Helper()                  {}
func (r *recorder) Name() string             { return r.name }
func (r *recorder) Context() context.Context { return context.Background() }
func (r *recorder) Cleanup(f func())         { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Logf(string, ...any)      {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// Fatalf ends no goroutine: the recorded test is one call.
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

// end runs what the test has put off, as the testing package does, failed or not.
func (r *recorder) end() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}

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

func TestADatabaseIsGoneAfterItsTest(t *testing.T) {
	t.Parallel()
	Available(t)
	for _, how := range []string{"passed", "failed"} {
		t.Run(how, func(t *testing.T) {
			inner := &recorder{name: "Test/" + how}
			first, second := fill(t, URI(inner)), fill(t, URI(inner))
			if first.Name() == second.Name() || !exists(t, first) || !exists(t, second) {
				t.Fatalf("%q and %q are not two databases", first.Name(), second.Name())
			}
			if how == "failed" {
				inner.Fatalf("on purpose")
			}
			failures := len(inner.errors)
			inner.end()
			if exists(t, first) || exists(t, second) {
				t.Error("a database is still there")
			}
			if len(inner.errors) > failures {
				t.Errorf("the end of the test says %q", inner.errors[failures:])
			}
		})
	}
}

func TestADatabaseTakesTransactions(t *testing.T) {
	t.Parallel()
	uri := URI(t)
	records := fill(t, uri).Collection("records")
	client := records.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(context.Background())
	_, err = session.WithTransaction(t.Context(), func(ctx context.Context) (any, error) {
		return records.InsertOne(ctx, bson.D{{Key: "kept", Value: true}})
	})
	if err != nil {
		t.Fatal(err)
	}
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

func TestAServerOutsideOfAReplicaSetIsRefused(t *testing.T) {
	t.Parallel()
	c, err := startMembers(t.Context(), needBinary(t), t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	set := &replicaSet{address: "mongodb://" + c.Members[0].Address() + "/?directConnection=true"}
	if err := set.usable(t.Context()); err == nil || !strings.Contains(err.Error(), "no member of a replica set") {
		t.Errorf("the error is %v", err)
	}
}

// needBinary returns the path of a mongod, or skips the test.
func needBinary(t *testing.T) string {
	t.Helper()
	binary, err := Binary(t.Context())
	Need(t, err)
	return binary
}
