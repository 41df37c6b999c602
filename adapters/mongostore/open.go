package mongostore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"resellerd/ports"
)

// appName is the store's name in the server's log if the connection string has no appName.
const appName = "resellerd"

// defaultDatabase is used if the address names none.
const defaultDatabase = "resellerd"

// Errors of Open.
var (
	ErrStandalone = errors.New("the server is no member of a replica set, and transactions require one: " +
		"start mongod with --replSet NAME and run rs.initiate() once in mongosh, also for a single server")
	ErrOld    = errors.New("the server is older than MongoDB 5.0")
	ErrDirect = errors.New("directConnection=true would not follow the primary: name the members and replicaSet=NAME")
)

var errNoStore = errors.New("the database holds no records of this program")

const (
	reachTime   = 15 * time.Second // to wait for a primary at the start
	connectTime = 4 * time.Second  // for a connection, unless the address sets it; it leaves time for a second one
	prepareTime = 30 * time.Second // to make the collections and indexes of an empty database
	wireVersion = 13               // of MongoDB 5.0, the first with snapshot reads outside transactions
)

// durably is the write concern: a majority has a write in its journal.
func durably() *writeconcern.WriteConcern {
	return &writeconcern.WriteConcern{W: "majority", Journal: new(true)}
}

// Open opens the store in the database that a connection string names, by default resellerd, and makes missing
// collections and indexes. It waits a bounded time for a primary.
func Open(ctx context.Context, uri string) (*Store, error) {
	return OpenMigrating(ctx, uri, func(int64, int64, func() int64) func(error) { return func(error) {} })
}

// OpenMigrating works like Open, and reports the upgrade of an older schema. If migrating is nil, it refuses an older
// schema with ErrOlder. An upgrade takes as long as it needs, or until ctx ends: the next Open continues it.
func OpenMigrating(ctx context.Context, uri string, migrating ports.Migrating) (*Store, error) {
	s, err := open(ctx, uri, options.Client(), released, migrating)
	if err == nil {
		s.sequencer.start() //nolint:contextcheck // it works until Close
	}
	return s, err
}

func open(ctx context.Context, uri string, o *options.ClientOptions, s steps,
	migrating ports.Migrating) (opened *Store, err error) {
	err = connected(ctx, uri, o, func(db *database) (keep bool, err error) {
		making, cancel := context.WithTimeout(ctx, prepareTime)
		defer cancel()
		opened = newStore(db, s.newest())
		return true, retry(making, func() error { return prepare(making, ctx, db.db, s, migrating) })
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// Exists refuses a database without a store.
func Exists(ctx context.Context, uri string) error {
	return connected(ctx, uri, options.Client(), func(db *database) (keep bool, err error) {
		found, err := validators(ctx, db.db)
		if err == nil && found[settingsName] == nil {
			err = errNoStore
		}
		return false, err
	})
}

// connected calls do with the database that a connection string names, on a replica set that answers. It disconnects
// unless do retains the client.
func connected(ctx context.Context, uri string, o *options.ClientOptions,
	do func(db *database) (keep bool, err error)) error {
	cs, err := parse(uri)
	if err != nil {
		return err
	}
	if o.ApplyURI(uri); !cs.ConnectTimeoutSet {
		o.SetConnectTimeout(connectTime)
	}
	if o.AppName == nil {
		o.SetAppName(appName)
	}
	name := cmp.Or(cs.Database, defaultDatabase)
	seen := &watch{address: cs, database: name, answers: map[string]answer{}}
	client, err := mongo.Connect(o.SetServerMonitor(seen.monitor()).
		SetRetryWrites(true).SetRetryReads(true).
		SetReadPreference(readpref.Primary()).
		SetReadConcern(readconcern.Majority()).
		SetWriteConcern(durably()).
		SetServerSelectionTimeout(retryTime))
	if err != nil {
		return err
	}
	keep := false
	if err = reach(ctx, client); err == nil {
		keep, err = do(&database{db: client.Database(name), seen: seen})
	}
	if err != nil {
		err = fmt.Errorf("the store in %s on %s: %w", name, strings.Join(cs.Hosts, ", "), seen.explain(err))
	}
	if err != nil || !keep {
		err = errors.Join(err, disconnect(ctx, client))
	}
	return err
}

// disconnect waits a bounded time for a server that may not answer.
func disconnect(ctx context.Context, client *mongo.Client) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepTime)
	defer cancel()
	return client.Disconnect(ctx)
}

// reach checks the kind of the server that answers.
func reach(ctx context.Context, client *mongo.Client) error {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	var hello struct {
		SetName        string
		Msg            string
		MaxWireVersion int
	}
	err := client.Database("admin").RunCommand(ctx, bson.D{{Key: "hello", Value: 1}},
		options.RunCmd().SetReadPreference(readpref.Primary())).Decode(&hello)
	switch {
	case err != nil:
		return err
	case hello.SetName == "" && hello.Msg != "isdbgrid": // a router's answer
		return ErrStandalone
	case hello.MaxWireVersion < wireVersion:
		return ErrOld
	}
	return nil
}
