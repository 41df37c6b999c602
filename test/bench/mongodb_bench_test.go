package bench

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"resellerd/adapters/mongostore"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/mongotest"
)

func TestMain(m *testing.M) { os.Exit(mongotest.Main(m)) }

const (
	clients    = 64
	startUnits = 1_000_000_000_000 // of each reseller: 100,000,000 credits
)

// BenchmarkBesideLoop extends lines on a replica set of three: twice as many
// commands as b.N, half of them through the store, half through a plain loop of the
// driver that makes the same reads and writes in a transaction per command. The two
// take turns, so that both see the same machine. It fails where a credit is lost.
func BenchmarkBesideLoop(b *testing.B) {
	for _, load := range []struct {
		name      string
		resellers int
	}{
		{"64-resellers", clients},
		{"one-hot-reseller", 1},
	} {
		b.Run(load.name, func(b *testing.B) {
			cluster := mongotest.NewCluster(b, 3)
			s, err := mongostore.Open(b.Context(), cluster.URI("bench"))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			client, err := mongo.Connect(options.Client().ApplyURI(cluster.URI("bench")))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = client.Disconnect(context.Background()) })
			f := newField(b, s, load.resellers)
			plain := &loop{client: client, db: client.Database("bench"), field: f}

			var ours, theirs []time.Duration
			var oursTook, theirsTook time.Duration
			b.ResetTimer()
			const turns = 4
			for turn := range turns {
				n := b.N/turns + min(1, max(0, b.N%turns-turn))
				took, each := drive(b, n, func(caller int) error { return f.extend(b.Context(), caller) })
				oursTook, ours = oursTook+took, append(ours, each...)
				took, each = drive(b, n, func(caller int) error { return plain.extend(b.Context(), caller) })
				theirsTook, theirs = theirsTook+took, append(theirs, each...)
			}
			b.StopTimer()
			f.lostNothing(b, len(ours)+len(theirs))
			rate := func(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(rate(len(ours), oursTook), "store/s")
			b.ReportMetric(rate(len(theirs), theirsTook), "loop/s")
			b.ReportMetric(rate(len(ours), oursTook)/rate(len(theirs), theirsTook), "times-loop")
			p50, p99 := quantiles(ours)
			b.ReportMetric(float64(p50.Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(p99)/float64(p50), "p99/p50")
		})
	}
}

// drive runs n commands, each on one of the clients, and returns how long all of
// them took and each of them.
func drive(b *testing.B, n int, do func(caller int) error) (time.Duration, []time.Duration) {
	var next atomic.Int64
	each := make([]time.Duration, n)
	ended := make(chan error, clients)
	start := time.Now()
	for caller := range clients {
		go func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(n) {
					ended <- nil
					return
				}
				began := time.Now()
				if err := do(caller); err != nil {
					ended <- err
					return
				}
				each[i] = time.Since(began)
			}
		}()
	}
	for range clients {
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start), each
}

func quantiles(each []time.Duration) (p50, p99 time.Duration) {
	slices.Sort(each)
	return each[len(each)/2], each[len(each)*99/100]
}

// field is what the commands work on: resellers with credits, and a line for each
// client.
type field struct {
	store     ports.Store
	resellers int
	price     credit.Price
	keys      atomic.Int64
}

const firstOwner = 2

func newField(b *testing.B, s ports.Store, resellers int) *field {
	f := &field{store: s, resellers: resellers, price: credit.Prices()[0]}
	credits, err := credit.FromUnits(startUnits)
	if err != nil {
		b.Fatal(err)
	}
	err = s.Update(b.Context(), func(ctx context.Context, tx ports.Tx) error {
		admin := newReseller(b, reseller.State{Position: reseller.Position{ID: 1}, Role: reseller.Admin, CreatedAt: epoch})
		errs := []error{tx.Resellers.Insert(ctx, admin)}
		for i := range resellers {
			errs = append(errs, tx.Resellers.Insert(ctx, newReseller(b, reseller.State{
				Position: reseller.Position{ID: int64(firstOwner + i), Ancestors: []int64{1}}, Role: reseller.Standard, Credits: credits, CreatedAt: epoch,
			})))
		}
		for i := range clients {
			l, err := line.Restore(benchLine(int64(i+1), f.owner(i)))
			errs = append(errs, err)
			if err == nil {
				errs = append(errs, tx.Lines.Insert(ctx, l))
			}
		}
		return errors.Join(errs...)
	})
	if err != nil {
		b.Fatal(err)
	}
	return f
}

func (f *field) owner(caller int) int64 { return int64(firstOwner + caller%f.resellers) }

func (f *field) key() string { return fmt.Sprint("key ", f.keys.Add(1)) }

// benchLine is official, and a moment from its end.
func benchLine(id, owner int64) line.State {
	name := fmt.Sprint("line", id)
	return line.State{
		ID: id, Owner: reseller.Position{ID: owner, Ancestors: []int64{1}}, Username: profile.RestoreUsername(name, name), Password: line.Sealed("sealed"),
		ExpiresAt: epoch, PlatformID: id, Charge: id, CreatedAt: epoch, UpdatedAt: epoch,
	}
}

// extend is the work of an extension with an idempotency key.
func (f *field) extend(ctx context.Context, caller int) error {
	id, err := f.store.NextID(ctx, ports.MovementIDs)
	if err != nil {
		return err
	}
	key := f.key()
	return f.store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		payer, err := tx.Resellers.Get(ctx, f.owner(caller))
		if err != nil {
			return err
		}
		if _, err := tx.Resellers.AnyBlocked(ctx, payer.Position().Ancestors); err != nil {
			return err
		}
		if _, err := tx.Keys.Get(ctx, payer.ID(), key); err == nil {
			return errors.New("a key is there already")
		} else if !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		l, err := tx.Lines.Get(ctx, int64(caller+1))
		if err != nil {
			return err
		}
		m, err := payer.Pay(credit.Extension, f.price.Credits(), l.ID(), credit.Provenance{ID: id, Actor: payer.ID(), Request: "bench", At: epoch})
		if err != nil {
			return err
		}
		return errors.Join(
			tx.Lines.Save(ctx, l),
			tx.Resellers.Save(ctx, payer),
			tx.Ledger.Append(ctx, m),
			tx.Keys.Put(ctx, ports.KeyRecord{Reseller: payer.ID(), Key: key, Request: digest, Status: 200, Body: answer, Expires: epoch}),
		)
	})
}

var digest, answer = make([]byte, 32), make([]byte, 400)

// lostNothing compares what is left with what was spent.
func (f *field) lostNothing(b *testing.B, commands int) {
	var totals credit.Totals
	err := f.store.View(b.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		totals, err = s.Ledger.Totals(ctx)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	start, err := credit.FromUnits(startUnits)
	if err != nil {
		b.Fatal(err)
	}
	all := start.Decimal().Mul(decimal.NewFromInt(int64(f.resellers)))
	if left := totals.Balances.Add(totals.Consumed); totals.Movements != int64(commands) || !left.Equal(all) {
		b.Errorf("after %d commands there are %d movements; %s credits were there, %s are left or spent", commands, totals.Movements, all, left)
	}
}

// loop does with the plain driver what field does with the store.
type loop struct {
	client *mongo.Client
	db     *mongo.Database
	field  *field
	ids    atomic.Int64
}

func (l *loop) extend(ctx context.Context, caller int) error {
	session, err := l.client.StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	owner, key := l.field.owner(caller), bson.D{{Key: "account", Value: l.field.owner(caller)}, {Key: "key", Value: l.field.key()}}
	id := l.ids.Add(1) + 1<<40 // beyond what the store gives
	price, err := bson.ParseDecimal128(l.field.price.Credits().String())
	if err != nil {
		return err
	}
	_, err = session.WithTransaction(ctx, func(ctx context.Context) (any, error) {
		read := func(collection string, id any) (bson.M, error) {
			var found bson.M
			err := l.db.Collection(collection).FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Decode(&found)
			return found, err
		}
		payer, err := read("accounts", owner)
		if err != nil {
			return nil, err
		}
		if _, err := read("accounts", int64(1)); err != nil {
			return nil, err
		}
		if _, err := read("idempotency", key); !errors.Is(err, mongo.ErrNoDocuments) {
			return nil, errors.Join(errors.New("a key is there already"), err)
		}
		if _, err := read("lines", int64(caller+1)); err != nil {
			return nil, err
		}
		seq := payer["ledger"].(bson.D)[0].Value.(int64) + 1
		units, exponent, err := payer["credits"].(bson.Decimal128).BigInt()
		if err != nil {
			return nil, err
		}
		balance, _ := bson.ParseDecimal128FromBigInt(units.Sub(units, big.NewInt(l.field.price.Credits().Units())), exponent)
		link := make([]byte, 32)
		link[0] = byte(seq) | 1
		version := bson.D{{Key: "version", Value: int64(1)}}
		_, err = l.db.Collection("lines").UpdateByID(ctx, int64(caller+1), bson.D{{Key: "$set", Value: bson.D{{Key: "expires_at", Value: epoch}}}, {Key: "$inc", Value: version}})
		if err != nil {
			return nil, err
		}
		_, err = l.db.Collection("accounts").UpdateByID(ctx, owner, bson.D{
			{Key: "$set", Value: bson.D{{Key: "credits", Value: balance}, {Key: "ledger.seq", Value: seq}, {Key: "ledger.link", Value: link}}},
			{Key: "$inc", Value: version},
		})
		if err != nil {
			return nil, err
		}
		_, err = l.db.Collection("movements").InsertOne(ctx, bson.D{
			{Key: "_id", Value: id}, {Key: "account", Value: owner}, {Key: "operation", Value: "extension"},
			{Key: "source", Value: bson.D{{Key: "account", Value: owner}, {Key: "seq", Value: seq}, {Key: "balance", Value: balance}, {Key: "link", Value: link}}},
			{Key: "target", Value: bson.D{{Key: "system", Value: "consumption"}}},
			{Key: "amount", Value: price}, {Key: "line", Value: int64(caller + 1)}, {Key: "actor", Value: owner},
			{Key: "request", Value: "bench"}, {Key: "notes", Value: ""}, {Key: "at", Value: epoch},
		})
		if err != nil {
			return nil, err
		}
		_, err = l.db.Collection("idempotency").InsertOne(ctx, bson.D{
			{Key: "_id", Value: key}, {Key: "request", Value: digest}, {Key: "status", Value: int64(200)}, {Key: "body", Value: answer}, {Key: "expires", Value: epoch},
		})
		return nil, err
	}, options.Transaction().SetReadConcern(readconcern.Snapshot()).SetWriteConcern(writeconcern.Majority()))
	return err
}
