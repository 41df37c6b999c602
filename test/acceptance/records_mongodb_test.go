package acceptance

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/domain/credit"
	"resellerd/test/fixture"
)

// mongoRecords are those in a folder's database, as any client reaches them.
type mongoRecords struct{ dir string }

type mongoSide struct {
	System  string
	Account int64
	Seq     int64
	Balance bson.Decimal128
	Link    []byte
}

func (r mongoRecords) read(t *testing.T) stored {
	t.Helper()
	found := stored{accounts: map[int64]storedAccount{}, lines: map[int64]storedLine{}}
	onMongoDB(t, r.dir, func(ctx context.Context, db *mongo.Database) error {
		var movements []struct {
			ID             int64 `bson:"_id"`
			Operation      string
			Source, Target mongoSide
			Amount         bson.Decimal128
			Line, Actor    int64
			Request, Notes string
			At             time.Time
		}
		var accounts []struct {
			ID      int64 `bson:"_id"`
			Path    []int64
			Role    string
			Credits bson.Decimal128
			Ledger  struct {
				Seq  int64
				Link []byte
			}
		}
		var lines []struct {
			ID         int64 `bson:"_id"`
			Owner      int64
			Trial      bool
			PlatformID int64 `bson:"platform_id"`
			Charge     int64
		}
		for collection, all := range map[string]any{movementRecord: &movements, accountRecord: &accounts,
			lineRecord: &lines} {
			cursor, err := db.Collection(collection).Find(ctx, bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
			if err == nil {
				err = cursor.All(ctx, all)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", collection, err)
			}
		}
		side := func(s mongoSide) storedSide {
			return storedSide{s.System, s.Account, s.Seq, units128(t, s.Balance), s.Link}
		}
		for _, m := range movements {
			v := credit.Provenance{ID: m.ID, Actor: m.Actor, Request: m.Request, Notes: m.Notes, At: m.At}
			found.movements = append(found.movements, storedMovement(t, v, m.Operation, units128(t, m.Amount), m.Line,
				side(m.Source), side(m.Target)))
		}
		for _, a := range accounts {
			head := credit.Tip{Seq: a.Ledger.Seq, Hash: credit.Hash(a.Ledger.Link)}
			found.accounts[a.ID] = storedAccount{a.Path, a.Role == "admin", fixture.Units(units128(t, a.Credits)), head}
		}
		for _, l := range lines {
			found.lines[l.ID] = storedLine{l.Owner, l.Trial, l.PlatformID, l.Charge}
		}
		return nil
	})
	return found
}

// units128 returns the ten-thousandths in a decimal with four places, 0 for the zero value, which stands for none.
func units128(t *testing.T, d bson.Decimal128) int64 {
	t.Helper()
	if d == (bson.Decimal128{}) {
		return 0
	}
	digits, exponent, err := d.BigInt()
	if err != nil || exponent != -credit.Scale || !digits.IsInt64() {
		t.Fatalf("%s has not four places (%v)", d, err)
	}
	return digits.Int64()
}

func (r mongoRecords) whereabouts(t *testing.T) string {
	t.Helper()
	return "the store in " + mongoDatabaseOf(r.dir).name(t) + " on "
}

func (r mongoRecords) bytes(t *testing.T) map[string][]byte {
	t.Helper()
	contents := map[string][]byte{}
	onMongoDB(t, r.dir, func(ctx context.Context, db *mongo.Database) error {
		names, err := db.ListCollectionNames(ctx, bson.D{})
		for _, name := range names {
			documents, reading := documents(ctx, db, name)
			err = errors.Join(err, reading)
			for _, d := range documents {
				contents[name] = append(contents[name], d...)
			}
		}
		return err
	})
	return contents
}

func documents(ctx context.Context, db *mongo.Database, collection string) (all []bson.Raw, err error) {
	cursor, err := db.Collection(collection).Find(ctx, bson.D{})
	if err == nil {
		err = cursor.All(ctx, &all)
	}
	return all, err
}

// copy makes the collections as they are, with their validators and indexes.
func (r mongoRecords) copy(t *testing.T, dir string) {
	t.Helper()
	r.intoDatabaseOf(t, dir, func(ctx context.Context, from, to *mongo.Database, c mongo.CollectionSpecification) error {
		if err := to.CreateCollection(ctx, c.Name,
			options.CreateCollection().SetValidator(c.Options.Lookup("validator").Document())); err != nil {
			return err
		}
		cursor, err := from.Collection(c.Name).Indexes().List(ctx)
		if err != nil {
			return err
		}
		var indexes []bson.Raw
		if err := cursor.All(ctx, &indexes); err != nil {
			return err
		}
		if err := to.RunCommand(ctx, bson.D{{Key: "createIndexes", Value: c.Name}, {Key: "indexes", Value: indexes}}).
			Err(); err != nil {
			return err
		}
		return copyDocuments(ctx, from, to, c.Name)
	})
}

// refresh spares the collections, which take a server much longer to make and to
// drop than their documents, and of these the ones that nobody changed.
func (r mongoRecords) refresh(t *testing.T, dir string) {
	t.Helper()
	r.intoDatabaseOf(t, dir, func(ctx context.Context, from, to *mongo.Database, c mongo.CollectionSpecification) error {
		want, err := documents(ctx, from, c.Name)
		if err != nil {
			return err
		}
		got, err := documents(ctx, to, c.Name)
		if err != nil || slices.EqualFunc(got, want, func(a, b bson.Raw) bool { return bytes.Equal(a, b) }) {
			return err
		}
		if _, err := to.Collection(c.Name).DeleteMany(ctx, bson.D{}); err != nil {
			return err
		}
		return copyDocuments(ctx, from, to, c.Name)
	})
}

// intoDatabaseOf calls do for each collection.
func (r mongoRecords) intoDatabaseOf(t *testing.T, dir string,
	do func(ctx context.Context, from, to *mongo.Database, c mongo.CollectionSpecification) error) {
	t.Helper()
	onMongoDB(t, r.dir, func(ctx context.Context, from *mongo.Database) error {
		collections, err := from.ListCollectionSpecifications(ctx, bson.D{})
		to := from.Client().Database(mongoDatabaseOf(dir).name(t))
		for _, c := range collections {
			err = errors.Join(err, do(ctx, from, to, c))
		}
		return err
	})
}

func copyDocuments(ctx context.Context, from, to *mongo.Database, collection string) error {
	all, err := documents(ctx, from, collection)
	if err != nil || len(all) == 0 {
		return err
	}
	_, err = to.Collection(collection).InsertMany(ctx, all)
	return err
}

func (r mongoRecords) forge(t *testing.T, changes ...forgery) {
	t.Helper()
	onMongoDB(t, r.dir, func(ctx context.Context, db *mongo.Database) error {
		for _, f := range changes {
			if f.doubles { // nothing keeps them from it
				continue
			}
			if err := f.onMongoDB(ctx, db); err != nil {
				return fmt.Errorf("%+v: %w", f, err)
			}
		}
		return nil
	})
}

// onMongoDB makes the change as one of a document that has its fields in their order.
func (f forgery) onMongoDB(ctx context.Context, db *mongo.Database) error {
	if f.added != nil {
		return insertPastValidators(ctx, db.Collection(movementRecord), movementDocument(*f.added))
	}
	c := db.Collection(f.kind)
	before, err := c.FindOneAndDelete(ctx, bson.D{{Key: "_id", Value: f.id}}).Raw()
	if err != nil || f.changes == nil {
		return errors.Join(err, removeNames(ctx, db, f.kind, f.id))
	}
	var d bson.D
	if err := bson.Unmarshal(before, &d); err != nil {
		return err
	}
	for _, field := range slices.Sorted(maps.Keys(f.changes)) {
		value := f.changes[field]
		if field == "id" {
			field = "_id"
		}
		d = set(d, strings.Split(field, "."), inMongoDB(value))
	}
	d = repeated(f.kind, d)
	after, err := bson.Marshal(d)
	if err == nil && bytes.Equal(before, after) {
		err = errors.New("it changes nothing")
	}
	return errors.Join(err, insertPastValidators(ctx, c, d))
}

// removeNames removes the names of a record as the program does, with the record.
func removeNames(ctx context.Context, db *mongo.Database, kind string, holder int64) error {
	names, named := map[string]string{accountRecord: "account_names", lineRecord: "line_names"}[kind]
	if !named {
		return nil
	}
	removed, err := db.Collection(names).DeleteMany(ctx, bson.D{{Key: "holder", Value: holder}})
	if err == nil && removed.DeletedCount != 1 {
		err = fmt.Errorf("it had %d names", removed.DeletedCount)
	}
	return err
}

// repeated brings the fields in line that say again what others say.
func repeated(kind string, d bson.D) bson.D {
	raw, err := bson.Marshal(d)
	if err != nil {
		panic(err) // it came out of one
	}
	at := func(path ...string) int64 {
		n, _ := bson.Raw(raw).Lookup(path...).AsInt64OK()
		return n
	}
	switch kind {
	case accountRecord:
		path, _ := bson.Raw(raw).Lookup("path").Array().Values()
		if len(path) > 1 {
			return set(d, []string{"parent"}, path[len(path)-2].AsInt64())
		}
	case movementRecord:
		return set(d, []string{"account"}, cmp.Or(at("source", "account"), at("target", "account")))
	}
	return d
}

func insertPastValidators(ctx context.Context, c *mongo.Collection, d any) error {
	_, err := c.InsertOne(ctx, d, options.InsertOne().SetBypassDocumentValidation(true))
	return err
}

// set sets a field of a document, or removes it where the value is nil.
func set(d bson.D, path []string, value any) bson.D {
	at := slices.IndexFunc(d, func(e bson.E) bool { return e.Key == path[0] })
	switch {
	case len(path) > 1:
		d[at].Value = set(d[at].Value.(bson.D), path[1:], value)
	case value == nil && at >= 0:
		return slices.Delete(d, at, at+1)
	case value == nil:
	case at >= 0:
		d[at].Value = value
	default:
		before := map[string]string{"platform_id": "notes", "charge": "notes", "line": "amount"}[path[0]]
		at = slices.IndexFunc(d, func(e bson.E) bool { return e.Key == before })
		return slices.Insert(d, at+1, bson.E{Key: path[0], Value: value})
	}
	return d
}

func inMongoDB(value any) any {
	switch v := value.(type) {
	case credit.Amount:
		return decimal128(v)
	case credit.Hash:
		return v[:]
	}
	return value
}

func decimal128(a credit.Amount) bson.Decimal128 {
	d, err := bson.ParseDecimal128(a.Decimal().StringFixed(credit.Scale))
	if err != nil {
		panic(err) // every amount is one
	}
	return d
}

// movementDocument is the document of a movement from issuance to an account.
func movementDocument(m credit.Movement) bson.D {
	e := m.Postings[0]
	return bson.D{
		{Key: "_id", Value: m.ID},
		{Key: "account", Value: e.Reseller},
		{Key: "operation", Value: m.Operation.String()},
		{Key: "source", Value: bson.D{{Key: "system", Value: m.Source.System()}}},
		{Key: "target", Value: bson.D{
			{Key: "account", Value: e.Reseller}, {Key: "seq", Value: e.Seq}, {Key: "balance", Value: decimal128(e.Balance)},
			{Key: "link", Value: e.Hash[:]},
		}},
		{Key: "amount", Value: decimal128(m.Amount)},
		{Key: "actor", Value: m.Actor},
		{Key: "request", Value: m.Request},
		{Key: "notes", Value: m.Notes},
		{Key: "at", Value: m.At},
	}
}
