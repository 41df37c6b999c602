package rival

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"resellerd/adapters/mongostore"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/bench/drive"
)

const (
	loopLines   = 64                // which the clients activate in turn
	loopBalance = 1_000_000_000_000 // of each reseller at the beginning, in ten-thousandths
	loopAdmin   = int64(1)
	firstOwner  = int64(2)
)

// Loop is the plain way to keep credits in MongoDB: a loop over the driver that runs each command, with its reads and
// writes one after the other, in a transaction of its own, and leaves conflicts to the driver. The collections, with
// their validators and indexes, are those of resellerd's store, and so is the write concern.
type Loop struct {
	client *mongo.Client
	db     *mongo.Database
	uri    string
	owners int64
	price  credit.Amount
	ids    atomic.Int64
	done   atomic.Int64 // commands that were acknowledged
}

// OpenLoop makes the accounts, so many owners, and lines of them, in the database that the address names.
func OpenLoop(ctx context.Context, uri, database string, owners int) (*Loop, error) {
	l := &Loop{uri: uri, owners: int64(owners), price: credit.Prices()[0].Credits()}
	if err := l.fill(ctx); err != nil {
		return nil, fmt.Errorf("the plain loop: %w", err)
	}
	var err error
	if l.client, err = mongo.Connect(options.Client().ApplyURI(uri)); err != nil {
		return nil, err
	}
	l.db = l.client.Database(database)
	return l, nil
}

// Close ends the connections.
func (l *Loop) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return l.client.Disconnect(ctx)
}

// Server returns the version of the server.
func (l *Loop) Server(ctx context.Context) (string, error) {
	var info struct{ Version string }
	err := l.db.RunCommand(ctx, bson.D{{Key: "buildInfo", Value: 1}}).Decode(&info)
	return info.Version, err
}

func (l *Loop) fill(ctx context.Context) error {
	return l.withStore(ctx, func(s *mongostore.Store) error {
		return s.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			errs := []error{insertAccount(ctx, tx, reseller.Position{ID: loopAdmin}, reseller.Admin, 0)}
			for id := firstOwner; id < firstOwner+l.owners; id++ {
				errs = append(errs, insertAccount(ctx, tx, reseller.Position{ID: id, Ancestors: []int64{loopAdmin}}, reseller.Standard, loopBalance))
			}
			for i := range int64(loopLines) {
				name, now := fmt.Sprint("line", i+1), instant()
				made, err := line.Restore(line.State{
					ID: i + 1, Owner: reseller.Position{ID: l.owner(i), Ancestors: []int64{loopAdmin}}, Username: profile.RestoreUsername(name, name),
					Password: sealed, Trial: true, ExpiresAt: now, CreatedAt: now, UpdatedAt: now,
				})
				if err == nil {
					err = tx.Lines.Insert(ctx, made)
				}
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		})
	})
}

func insertAccount(ctx context.Context, tx ports.Tx, position reseller.Position, role reseller.Role, units int64) error {
	credits, err := credit.FromUnits(units)
	if err != nil {
		return err
	}
	name, now := fmt.Sprint("account", position.ID), instant()
	made, err := reseller.Restore(reseller.State{
		Position: position, Role: role, Username: profile.RestoreUsername(name, name), Credits: credits,
		PasswordHash: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g",
		RechargedAt:  now, CreatedAt: now, UpdatedAt: now,
	})
	if err != nil {
		return err
	}
	return tx.Resellers.Insert(ctx, made)
}

func (l *Loop) withStore(ctx context.Context, do func(*mongostore.Store) error) error {
	s, err := mongostore.Open(ctx, l.uri)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

// owner is that of a line.
func (l *Loop) owner(client int64) int64 { return firstOwner + client%l.owners }

func instant() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// Clients returns clients that each activate a line of their own, whose owner pays. It may be called for up to 64.
func (l *Loop) Clients(n int) (clients []drive.Client, ended func()) {
	for i := range int64(n) {
		clients = append(clients, func() error {
			err := l.Activate(context.Background(), i%loopLines)
			if err == nil {
				l.done.Add(1)
			}
			return err
		})
	}
	return clients, func() {}
}

// Activate makes a client's line official, once more.
func (l *Loop) Activate(ctx context.Context, client int64) error {
	session, err := l.client.StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	id := l.ids.Add(1)
	_, err = session.WithTransaction(ctx, func(ctx context.Context) (any, error) { return nil, l.activate(ctx, id, client) },
		options.Transaction().SetReadConcern(readconcern.Snapshot()).SetWriteConcern(writeconcern.Majority()))
	return err
}

var errUsed = errors.New("a key is there already")

func (l *Loop) activate(ctx context.Context, id, client int64) error {
	owner, lineID, now := l.owner(client), client+1, instant()
	key := bson.D{{Key: "account", Value: owner}, {Key: "key", Value: fmt.Sprint("bench-", id)}}
	payer, err := l.read(ctx, "accounts", owner)
	if err != nil {
		return err
	}
	if _, err := l.read(ctx, "accounts", loopAdmin); err != nil {
		return err
	}
	if _, err := l.read(ctx, "idempotency", key); !errors.Is(err, mongo.ErrNoDocuments) {
		return errors.Join(errUsed, err)
	}
	if _, err := l.read(ctx, "lines", lineID); err != nil {
		return err
	}
	seq, balance, err := l.charged(payer)
	if err != nil {
		return err
	}
	price, err := decimalOf(l.price.Units())
	if err != nil {
		return err
	}
	link := make([]byte, 32)
	link[0] = byte(seq) | 1 // no chain is empty
	version := bson.E{Key: "$inc", Value: bson.D{{Key: "version", Value: int64(1)}}}
	if _, err := l.db.Collection("accounts").UpdateByID(ctx, owner, bson.D{
		{Key: "$set", Value: bson.D{{Key: "credits", Value: balance}, {Key: "ledger.seq", Value: seq}, {Key: "ledger.link", Value: link}}}, version,
	}); err != nil {
		return err
	}
	if _, err := l.db.Collection("lines").UpdateByID(ctx, lineID, bson.D{
		{Key: "$set", Value: bson.D{
			{Key: "password", Value: sealed}, {Key: "trial", Value: false}, {Key: "expires_at", Value: now.AddDate(0, 1, 0)}, {Key: "country", Value: "BR"},
			{Key: "whatsapp", Value: "+5511912345678"}, {Key: "platform_id", Value: id}, {Key: "charge", Value: id}, {Key: "updated_at", Value: now},
		}}, version,
	}); err != nil {
		return err
	}
	if _, err := l.db.Collection("movements").InsertOne(ctx, bson.D{
		{Key: "_id", Value: id}, {Key: "account", Value: owner}, {Key: "operation", Value: "activation"},
		{Key: "source", Value: bson.D{{Key: "account", Value: owner}, {Key: "seq", Value: seq}, {Key: "balance", Value: balance}, {Key: "link", Value: link}}},
		{Key: "target", Value: bson.D{{Key: "system", Value: "consumption"}}},
		{Key: "amount", Value: price}, {Key: "line", Value: lineID}, {Key: "actor", Value: owner},
		{Key: "request", Value: "01a1fdb1-b618-7e37-a278-f890978cb119"}, {Key: "notes", Value: ""}, {Key: "at", Value: now},
	}); err != nil {
		return err
	}
	_, err = l.db.Collection("idempotency").InsertOne(ctx, bson.D{
		{Key: "_id", Value: key}, {Key: "request", Value: digest}, {Key: "status", Value: int64(201)}, {Key: "body", Value: answer}, {Key: "expires", Value: now},
	})
	return err
}

func (l *Loop) read(ctx context.Context, collection string, id any) (bson.Raw, error) {
	return l.db.Collection(collection).FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Raw()
}

// charged returns the number of a payer's next movement and the balance after it.
func (l *Loop) charged(payer bson.Raw) (seq int64, balance bson.Decimal128, err error) {
	seq, _ = payer.Lookup("ledger", "seq").Int64OK()
	held, _ := payer.Lookup("credits").Decimal128OK()
	units, _, err := held.BigInt()
	if err != nil {
		return 0, balance, err
	}
	balance, err = decimalOf(units.Int64() - l.price.Units())
	return seq + 1, balance, err
}

func decimalOf(units int64) (bson.Decimal128, error) {
	d, ok := bson.ParseDecimal128FromBigInt(big.NewInt(units), -credit.Scale)
	if !ok {
		return d, fmt.Errorf("%d is no amount", units)
	}
	return d, nil
}

var errLost = errors.New("the plain loop has lost credits")

// Audit compares what is left with what was spent: as many movements as commands, and all credits still there.
func (l *Loop) Audit(ctx context.Context) error {
	return l.withStore(ctx, func(s *mongostore.Store) error {
		var totals credit.Totals
		if err := s.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) (err error) {
			totals, err = snapshot.Ledger.Totals(ctx)
			return err
		}); err != nil {
			return err
		}
		held := decimal.New(loopBalance, -credit.Scale).Mul(decimal.NewFromInt(l.owners))
		if left := totals.Balances.Add(totals.Consumed); totals.Movements != l.done.Load() || !left.Equal(held) {
			return fmt.Errorf("%w: %d commands, %d movements; %s credits were there, %s are left or spent", errLost, l.done.Load(), totals.Movements, held, left)
		}
		return nil
	})
}
