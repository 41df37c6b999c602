package acceptance

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"resellerd/domain/credit"
	"resellerd/test/mongotest"
)

// mongoDatabase is where the servers in a folder keep their records, and the
// service key that these need.
type mongoDatabase struct {
	uri    string
	secret string
	drop   func() error
}

func (d mongoDatabase) name(t *testing.T) string {
	t.Helper()
	address, err := connstring.Parse(d.uri)
	if err != nil {
		t.Fatal(err)
	}
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

// onMongoDB gives do the database of a folder. What it writes is there for others
// when onMongoDB returns: not each write waits for the disk, but the last.
func onMongoDB(t *testing.T, dir string, do func(ctx context.Context, db *mongo.Database) error) {
	t.Helper()
	d := mongoDatabaseOf(dir)
	client, err := mongo.Connect(options.Client().ApplyURI(d.uri).SetWriteConcern(writeconcern.W1()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := client.Disconnect(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience) // in a clean-up, too
	defer cancel()
	db := client.Database(d.name(t))
	if err := do(ctx, db); err != nil {
		t.Fatal(err)
	}
	last := db.Collection("settings", options.Collection().SetWriteConcern(writeconcern.Majority()))
	if _, err := last.DeleteOne(ctx, bson.D{{Key: "_id", Value: "nothing of this name"}}); err != nil {
		t.Fatal(err)
	}
}

func expireMongoDB(t *testing.T, dir string, line int64, at time.Time) {
	t.Helper()
	onMongoDB(t, dir, func(ctx context.Context, db *mongo.Database) error {
		done, err := db.Collection(lineRecord).UpdateByID(ctx, line, bson.D{{Key: "$set", Value: bson.D{{Key: "expires_at", Value: at}}}})
		if err == nil && done.MatchedCount != 1 {
			t.Fatalf("there is no line %d", line)
		}
		return err
	})
}

// auditMongoDB says of the documents what auditSQLite says of the rows.
func auditMongoDB(t *testing.T, dir string) {
	t.Helper()
	left := mongoRecords{dir}.read(t)
	if len(left.movements) == 0 {
		t.Error("nothing has moved: there is nothing to audit")
	}
	var issued, consumed, held int64
	sums, reached := map[int64]int64{}, map[int64]map[int64]bool{}
	activations, charged := map[int64][]credit.Movement{}, map[int64]bool{}
	count := map[string]int{}
	for _, m := range left.movements {
		units := m.Amount.Units()
		switch {
		case m.Source == credit.Issuance:
			issued += units
		case m.Target == credit.Issuance:
			issued -= units
		}
		if m.Target == credit.Consumption {
			consumed += units
		}
		sums[m.Source.ResellerID()] -= units
		sums[m.Target.ResellerID()] += units
		for _, e := range m.Postings {
			if reached[e.Reseller] == nil {
				reached[e.Reseller] = map[int64]bool{}
			}
			reached[e.Reseller][e.Balance.Units()] = true
		}
		if m.Operation == credit.Activation {
			activations[m.Line] = append(activations[m.Line], m)
		}
		charged[m.Line] = true
		if (m.Operation == credit.Activation || m.Operation == credit.Extension) != (m.Line != 0) {
			count["charges that are not of one line"]++
		}
	}
	for id, a := range left.accounts {
		held += a.credits.Units()
		if !a.admin && a.credits.Units() != sums[id] {
			count["accounts whose balance is not the sum of their movements"]++
		}
		if a.credits.Units() > 0 && !reached[id][a.credits.Units()] {
			count["accounts whose balance was never reached by a movement"]++
		}
		chain := left.chain(id)
		inOrder := int64(len(chain)) == a.head.Seq
		for i, m := range chain {
			inOrder = inOrder && entry(m, id).Seq == int64(i)+1
		}
		if !inOrder {
			count["accounts whose movements are not numbered 1, 2, 3 ..."]++
		}
	}
	platform := map[int64]bool{}
	for id, l := range left.lines {
		paid := activations[id]
		switch {
		case l.trial && charged[id]:
			count["trials that were paid for"]++
		case !l.trial && len(paid) != 1:
			count["official lines without exactly one activation"]++
		case !l.trial && (paid[0].ID != l.charge || !concerns(paid[0], l.owner)):
			count["official lines that were charged otherwise"]++
		}
		if l.platformID != 0 && platform[l.platformID] {
			count["platform ids given twice"]++
		}
		platform[l.platformID] = true
	}
	for what, n := range count {
		t.Errorf("%d %s", n, what)
	}
	if issued != held+consumed {
		t.Errorf("issued %d, held %d and consumed %d ten-thousandths: the sum is not 0", issued, held, consumed)
	}
}

// concerns reports whether a movement left the account.
func concerns(m credit.Movement, payer int64) bool {
	_, entered := m.Posting(payer)
	return entered && sideOf(m, payer) == "source"
}
