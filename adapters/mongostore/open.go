// Package mongostore keeps everything in a MongoDB database on a replica set: the
// store for several machines, of which one may fail.
//
// # Transactions
//
// Every update runs in a transaction with snapshot reads and a commit that a
// majority of the members has on its disk; the write concern is not the address's
// to weaken. Each aggregate carries a version that every save advances, so that two
// updates that save the same one always meet, and the database refuses the second.
//
// # Gathering
//
// A transaction costs round trips, not rows, so one writer per process runs all
// updates that wait in one transaction. Work runs on the goroutine that called
// Update, one at a time, over the records that the transaction has read. Where it
// asks for one that is not there yet, its run is undone; when all have had their
// turn, everything that was asked for is read at once, a query per collection, and
// those that had to wait run again. So what one command has read costs the others
// nothing, commands on one reseller see each other's effects and never conflict, a
// record that many have changed is written once, and a lone command waits for
// nobody. A refused command takes back what it has changed, and its neighbours
// never see it.
//
// Where the database refuses a write (a name that another process has just taken, a
// validator), the transaction is lost and each command runs in one of its own, so
// that the refusal meets its owner.
//
// Between processes the transaction decides: who meets the other one's write runs
// again, after a random pause that grows, for at most 10 seconds. Where a record stays
// taken, as by the transaction of a process that was killed, the commands part, and
// only those that need it wait for it, each alone.
//
// # Deletions
//
// A deletion leaves a tombstone in the line's place, in the same transaction. A
// database of schema 1, which had none, is brought up to date when it is opened: no
// process of a version that knows no other may be running by then.
//
// # Failover
//
// While there is no primary, updates are tried again for up to 10 seconds; a step
// that takes longer than 3 is given up, for a server that was stopped answers
// nothing. A commit without an answer is asked for again: the server makes the same
// commit once. Where its outcome stays unknown, all who shared it get
// ports.ErrUnavailable.
//
// # Reads
//
// Each View is one snapshot of what a majority holds, read on the primary. Just
// after an election it may be a moment behind. The server keeps the past for 5
// minutes (minSnapshotHistoryWindowInSeconds): a longer View fails. An Archive only
// reads, and asks for no more than the role read.
package mongostore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"resellerd/ports"
)

// AppName is what the store is called in the server's log.
const AppName = "resellerd"

// defaultDatabase is used where the address names none.
const defaultDatabase = "resellerd"

// What Open refuses.
var (
	ErrStandalone = errors.New("the server is no member of a replica set, and without one there are no transactions: " +
		"start mongod with --replSet NAME and run rs.initiate() once in mongosh, also for a single server")
	ErrOld    = errors.New("the server is older than MongoDB 5.0")
	ErrDirect = errors.New("directConnection=true would not follow the primary: name the members and replicaSet=NAME")
)

var errNoStore = errors.New("the database holds no records of this program")

const (
	reachTime   = 15 * time.Second // to wait for a primary at the start
	connectTime = 4 * time.Second  // for a connection, unless the address says: one that is never answered is made anew in time
	prepareTime = 30 * time.Second // to make the collections and indexes of an empty database
	wireVersion = 13               // of MongoDB 5.0, the first with snapshot reads outside transactions
)

// durably is when a write counts as done: a majority has it in its journal.
func durably() *writeconcern.WriteConcern {
	journal := true
	return &writeconcern.WriteConcern{W: "majority", Journal: &journal}
}

// Check refuses an address that can never work, without touching anything. Its
// error does not hold the address.
func Check(uri string) error {
	_, err := parse(uri)
	return err
}

func parse(uri string) (*connstring.ConnString, error) {
	cs, err := connstring.ParseAndValidate(uri)
	if err == nil {
		err = options.Client().ApplyURI(uri).Validate() // the files that it names, too
	}
	switch {
	case err != nil:
		return nil, unreadable(err, uri)
	case cs.DirectConnection:
		return nil, ErrDirect
	}
	return cs, nil
}

// unreadable says what is wrong with an address without the pieces of it that the
// driver quotes: where the @ is missing, the password stands in the place of a port.
func unreadable(err error, uri string) error {
	message := strings.ReplaceAll(err.Error(), uri, "the address")
	var quoted string
	if number, ok := errors.AsType[*strconv.NumError](err); ok {
		quoted = number.Num
	} else if host, ok := errors.AsType[*net.AddrError](err); ok {
		quoted = host.Addr
	} else if escape, ok := errors.AsType[url.EscapeError](err); ok {
		quoted = string(escape)
	}
	if quoted != "" {
		message = strings.ReplaceAll(message, quoted, "...")
	}
	return errors.New(message)
}

// Open opens the store in the database that a connection string names, resellerd
// where it names none, and makes in it what is missing. It waits a bounded time for
// a primary.
func Open(ctx context.Context, uri string) (*Store, error) {
	return OpenMigrating(ctx, uri, func(int64, int64) func(error) { return func(error) {} })
}

// OpenMigrating is Open, and tells where the database is of an older schema. To bring
// it up to date takes as long as it needs, or until ctx ends: the next Open does the
// rest.
func OpenMigrating(ctx context.Context, uri string, migrating ports.Migrating) (*Store, error) {
	return open(ctx, uri, options.Client(), schemaVersion, migrating)
}

func open(ctx context.Context, uri string, o *options.ClientOptions, newest int64, migrating ports.Migrating) (s *Store, err error) {
	err = connected(ctx, uri, o, func(db *mongo.Database) (keep bool, err error) {
		making, cancel := context.WithTimeout(ctx, prepareTime)
		defer cancel()
		s = newStore(db)
		return true, retry(making, func() error { return prepare(making, ctx, db, newest, migrating) })
	})
	if err != nil {
		return nil, err
	}
	go s.writer.run() //nolint:contextcheck // it outlives the context of Open
	return s, nil
}

// Exists refuses a database in which Open has made nothing yet.
func Exists(ctx context.Context, uri string) error {
	return connected(ctx, uri, options.Client(), func(db *mongo.Database) (keep bool, err error) {
		found, err := validators(ctx, db)
		if err == nil && found[settingsName] == nil {
			err = errNoStore
		}
		return false, err
	})
}

// connected gives do the database that a connection string names, on a replica set
// that answers, and disconnects unless do keeps it.
func connected(ctx context.Context, uri string, o *options.ClientOptions, do func(db *mongo.Database) (keep bool, err error)) error {
	cs, err := parse(uri)
	if err != nil {
		return err
	}
	if o.ApplyURI(uri); !cs.ConnectTimeoutSet {
		o.SetConnectTimeout(connectTime)
	}
	client, err := mongo.Connect(o.
		SetAppName(AppName).
		SetRetryWrites(true).SetRetryReads(true).
		SetReadPreference(readpref.Primary()).
		SetReadConcern(readconcern.Majority()).
		SetWriteConcern(durably()).
		SetServerSelectionTimeout(patience))
	if err != nil {
		return err
	}
	db, keep := cmp.Or(cs.Database, defaultDatabase), false
	if err = reach(ctx, client); err == nil {
		keep, err = do(client.Database(db))
	}
	if err != nil {
		err = fmt.Errorf("the store in %s on %s: %w", db, strings.Join(cs.Hosts, ", "), err)
	}
	if err != nil || !keep {
		err = errors.Join(err, disconnect(ctx, client))
	}
	return err
}

// disconnect waits a bounded time for a server that may be gone.
func disconnect(ctx context.Context, client *mongo.Client) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepTime)
	defer cancel()
	return client.Disconnect(ctx)
}

// reach finds out what answers.
func reach(ctx context.Context, client *mongo.Client) error {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	var hello struct {
		SetName        string
		Msg            string
		MaxWireVersion int
	}
	err := client.Database("admin").RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}, options.RunCmd().SetReadPreference(readpref.Primary())).Decode(&hello)
	switch {
	case err != nil:
		return fmt.Errorf("no primary answers: see that the servers run, that the address names them and their replica set, and that its credentials are right: %w", err)
	case hello.SetName == "" && hello.Msg != "isdbgrid": // what a router says
		return ErrStandalone
	case hello.MaxWireVersion < wireVersion:
		return ErrOld
	}
	return nil
}
