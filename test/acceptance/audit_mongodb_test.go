package acceptance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/test/fixture"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// tampering is a change to the database that no program of ours would make.
type tampering func(ctx context.Context, db *mongo.Database) error

// update runs the update operators on the one document with the id.
func update(collection string, id any, operators bson.D) tampering {
	return func(ctx context.Context, db *mongo.Database) error {
		done, err := db.Collection(collection).UpdateByID(ctx, id, operators,
			options.UpdateOne().SetBypassDocumentValidation(true))
		if err == nil && done.ModifiedCount != 1 {
			err = fmt.Errorf("%v changed %d records", operators, done.ModifiedCount)
		}
		return err
	}
}

// setTo sets a field, and without unsets it.
func setTo(collection string, id any, field string, value any) tampering {
	return update(collection, id, bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: value}}}})
}

func without(collection string, id any, field string) tampering {
	return update(collection, id, bson.D{{Key: "$unset", Value: bson.D{{Key: field, Value: ""}}}})
}

// rewrite replaces a document by what do makes of it, which may have another id.
func rewrite(collection string, id any, do func(d bson.D) bson.D) tampering {
	return func(ctx context.Context, db *mongo.Database) error {
		before, err := db.Collection(collection).FindOneAndDelete(ctx, bson.D{{Key: "_id", Value: id}}).Raw()
		if err != nil {
			return err
		}
		var d bson.D
		if err := bson.Unmarshal(before, &d); err != nil {
			return err
		}
		after, err := bson.Marshal(do(d))
		if err == nil && bytes.Equal(before, after) {
			err = errors.New("it changes nothing")
		}
		return errors.Join(err, insertPastValidators(ctx, db.Collection(collection), bson.Raw(after)))
	}
}

// again inserts a document like another under another id.
func again(collection string, like, id any) tampering {
	return func(ctx context.Context, db *mongo.Database) error {
		var d bson.D
		if err := db.Collection(collection).FindOne(ctx, bson.D{{Key: "_id", Value: like}}).Decode(&d); err != nil {
			return err
		}
		d[0].Value = id
		return insertPastValidators(ctx, db.Collection(collection), d)
	}
}

func insertInto(collection string, d bson.D) tampering {
	return func(ctx context.Context, db *mongo.Database) error {
		return insertPastValidators(ctx, db.Collection(collection), d)
	}
}

func removeFrom(collection string, filter bson.D) tampering {
	return func(ctx context.Context, db *mongo.Database) error {
		done, err := db.Collection(collection).DeleteMany(ctx, filter)
		if err == nil && done.DeletedCount == 0 {
			err = errors.New("it removes nothing")
		}
		return err
	}
}

// together are several, one after the other.
func together(all ...tampering) tampering {
	return func(ctx context.Context, db *mongo.Database) error {
		for _, one := range all {
			if err := one(ctx, db); err != nil {
				return err
			}
		}
		return nil
	}
}

func command(c bson.D) tampering {
	return func(ctx context.Context, db *mongo.Database) error { return db.RunCommand(ctx, c).Err() }
}

// fieldOf returns a field of a document of a stopped server.
func (s *server) fieldOf(t *testing.T, collection string, id any, field ...string) (value bson.RawValue) {
	t.Helper()
	onMongoDB(t, s.dir, func(ctx context.Context, db *mongo.Database) error {
		raw, err := db.Collection(collection).FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Raw()
		if err == nil {
			value = raw.Lookup(field...)
		}
		return err
	})
	return value
}

// TestAuditNamesWhatMongoDBTakes changes one thing in a copy of a database to what its validators would refuse, were
// they asked: other types, other fields, other ids, names that lead elsewhere.
func TestAuditNamesWhatMongoDBTakes(t *testing.T) {
	t.Parallel()
	mongodb.available(t)
	l := newLedgerOfMany(t, mongodb)
	decimal := func(text string) bson.Decimal128 {
		d, err := bson.ParseDecimal128(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	_, held := l.head(l.leaf)
	nameOf := func(collection string, id int64) string {
		return l.fieldOf(t, collection, id, "username_key").StringValue()
	}
	leafName, idleName, paidName := nameOf(accountRecord, l.leaf.ID), nameOf(accountRecord, l.idle.ID),
		nameOf(lineRecord, l.paid.ID)
	link := l.stored.accounts[l.leaf.ID].head.Hash
	path := bson.A{}
	for _, id := range l.stored.accounts[l.leaf.ID].path {
		path = append(path, id)
	}
	leaf, paid, trial, middle := []string{accountNamed(l.leaf)}, []string{lineNamed(l.paid)}, []string{lineNamed(l.trial)},
		[]string{movement(l.middle)}
	account := func(field string, value any) tampering { return setTo(accountRecord, l.leaf.ID, field, value) }
	line := func(field string, value any) tampering { return setTo(lineRecord, l.paid.ID, field, value) }
	moved := func(field string, value any) tampering { return setTo(movementRecord, l.middle, field, value) }
	last := func(extra bson.E) func(bson.D) bson.D {
		return func(d bson.D) bson.D { return append(d, extra) }
	}
	alert := func(members ...bson.E) tampering { // where the program writes it
		return rewrite(accountRecord, l.leaf.ID, func(d bson.D) bson.D { return slices.Insert(d, len(d)-1, members...) })
	}
	below := func(amount any) bson.E { return bson.E{Key: "alert_below", Value: amount} }
	type row struct {
		name  string
		does  tampering
		names []string // none: the audit fails, or names some record
	}
	examine := func(rows []row, copied func(t *testing.T) *server) {
		for _, c := range rows {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				srv := copied(t)
				onMongoDB(t, srv.dir, c.does)
				v := srv.auditHere(t)
				if c.names != nil {
					v.finds(true, c.names...)
				} else if v.status != 1 && v.status != 3 {
					t.Errorf("the audit ended with status %d:\n%s", v.status, v)
				}
			})
		}
	}
	examine([]row{
		{"a balance as the same number, a double", account("credits", float64(held.Units())/10000), leaf},
		{"a balance that is missing", without(accountRecord, l.leaf.ID, "credits"), leaf},
		{"a balance that is null where there was none", setTo(accountRecord, l.idle.ID, "credits", nil),
			[]string{accountNamed(l.idle)}},
		{"a balance of fewer places", setTo(accountRecord, l.idle.ID, "credits", decimal("0")),
			[]string{accountNamed(l.idle)}},
		{"a balance of minus nothing", setTo(accountRecord, l.idle.ID, "credits", decimal("-0.0000")),
			[]string{accountNamed(l.idle)}},
		{"a balance that is no number", account("credits", decimal("NaN")), leaf},
		{"a balance twice", rewrite(accountRecord, l.leaf.ID, last(bson.E{Key: "credits", Value: decimal("1.0000")})), leaf},
		{"an alert of a balance, told of though that is not low",
			alert(below(decimal("0.0001")), bson.E{Key: "alert_told", Value: true}), leaf},
		{"an alert of a balance, of nothing", alert(below(decimal("0.0000"))), leaf},
		{"an alert of a balance, as a double", alert(below(0.0001)), leaf},
		{"an alert of a balance, in another place", account("alert_below", decimal("0.0001")), leaf},
		{"a field too many within", account("contact.fax", "1"), leaf},
		{"a field in another place", rewrite(accountRecord, l.leaf.ID, func(d bson.D) bson.D {
			return append(append(bson.D{d[0]}, d[2:]...), d[1])
		}), leaf},
		{"an account's number as a small one", account("ledger.seq", int32(3)), leaf},
		{"an account's link of another kind", account("ledger.link", bson.Binary{Subtype: 0x80, Data: link[:]}), leaf},
		{"an account's token that is longer", account("token", make([]byte, 17)), leaf},
		{"an account's path with doubles", account("path", bson.A{1.0, float64(l.leaf.ID)}), leaf},
		{"an account's path that ends with another", account("path", append(path[:len(path)-1:len(path)-1], l.idle.ID)),
			leaf},
		{"an account's trials with a double",
			account("trials", bson.A{bson.D{{Key: "start", Value: time.Now()}, {Key: "count", Value: 1.5}}}), leaf},
		{"an account's block as a number", account("blocked", int64(1)), leaf},
		{"an account's time as text", account("created_at", "2027-01-01"), leaf},
		{"an account's version as none", account("version", int64(0)), leaf},
		{"an account's name key alone", account("username_key", "someone-else"), leaf},

		{"a line's charge as null", line("charge", nil), paid},
		{"a line's platform id that is missing", without(lineRecord, l.paid.ID, "platform_id"), paid},
		{"a trial with a platform id", setTo(lineRecord, l.trial.ID, "platform_id", int64(77)), trial},
		{"a trial made official alone", setTo(lineRecord, l.trial.ID, "trial", false), trial},
		{"a line's owner alone", line("owner", l.idle.ID), paid},
		{"a line's end as a timestamp", line("expires_at", bson.Timestamp{T: 1}), paid},
		{"a line's field too many", line("free", true), paid},

		{"a movement's amount as a double", moved("amount", 1.5), middle},
		{"a movement's amount of fewer places", moved("amount", decimal("1.5")), middle},
		{"a movement's number that is missing", without(movementRecord, l.middle, "target.seq"), middle},
		{"a movement's link that is longer", rewrite(movementRecord, l.middle, func(d bson.D) bson.D {
			return set(d, []string{"target", "link"}, make([]byte, 33))
		}), middle},
		{"a movement's side as null", moved("source", nil), middle},
		{"a movement's side too many", moved("third", bson.D{{Key: "account", Value: l.idle.ID}}), middle},
		{"a movement's system beside an account", moved("source.system", "issuance"), middle},
		{"a movement's line of nothing", moved("line", int64(0)), middle},
		{"a movement's notes twice", rewrite(movementRecord, l.middle, last(bson.E{Key: "notes", Value: "x"})), middle},
		{"a movement's actor as text", moved("actor", "1"), middle},

		{"an account without its name", removeFrom("account_names", bson.D{{Key: "_id", Value: leafName}}), leaf},
		{"two accounts' names that lead to each other", together(setTo("account_names", leafName, "holder", l.idle.ID),
			setTo("account_names", idleName, "holder", l.leaf.ID)),
			[]string{accountNamed(l.leaf), accountNamed(l.idle)}},
		{"an account's name that leads by a double", setTo("account_names", leafName, "holder", float64(l.leaf.ID)), leaf},
		{"another name for an account",
			insertInto("account_names", bson.D{{Key: "_id", Value: "alias"}, {Key: "holder", Value: l.leaf.ID}}),
			[]string{"account 0"}},
		{"a name for nobody",
			insertInto("account_names", bson.D{{Key: "_id", Value: "ghost"}, {Key: "holder", Value: int64(999_999)}}),
			[]string{"account 0"}},
		{"a name that is a number",
			insertInto("account_names", bson.D{{Key: "_id", Value: int64(5)}, {Key: "holder", Value: l.leaf.ID}}),
			[]string{"account 0"}},
		{"a line without its name", removeFrom("line_names", bson.D{{Key: "_id", Value: paidName}}), paid},
		{"another name for a line",
			insertInto("line_names", bson.D{{Key: "_id", Value: "alias"}, {Key: "holder", Value: l.paid.ID}}),
			[]string{"line 0"}},
	}, l.copies.lend)
	examine([]row{
		{"the movements dropped", command(bson.D{{Key: "drop", Value: movementRecord}}), leaf},
		{"the accounts dropped", command(bson.D{{Key: "drop", Value: accountRecord}}), leaf},
		{"the lines replaced by a view", together(command(bson.D{{Key: "drop", Value: lineRecord}}),
			command(bson.D{{Key: "create", Value: lineRecord}, {Key: "viewOn", Value: accountRecord},
				{Key: "pipeline", Value: bson.A{}}})), nil},
		{"a number twice, past every validator and index", together(
			command(bson.D{{Key: "collMod", Value: movementRecord}, {Key: "validator", Value: bson.D{}},
				{Key: "validationLevel", Value: "off"}}),
			command(bson.D{{Key: "dropIndexes", Value: movementRecord}, {Key: "index", Value: "*"}}),
			again(movementRecord, l.middle, l.last+1000),
		), []string{movement(l.last + 1000)}},
		{"an overdraft, past every validator", together(
			command(bson.D{{Key: "collMod", Value: accountRecord}, {Key: "validator", Value: bson.D{}}}),
			update(accountRecord, l.leaf.ID,
				bson.D{{Key: "$inc", Value: bson.D{{Key: "credits", Value: decimal("-1000000.0000")}}}}),
		), leaf},
		{"all names of accounts dropped", command(bson.D{{Key: "drop", Value: "account_names"}}), leaf},
		{"all names of lines dropped", command(bson.D{{Key: "drop", Value: "line_names"}}), paid},
		{"a store of a later version", setTo("settings", "schema", "value", "999"), nil},
	}, l.copy)
}

// TestAuditNamesWhateverItsID inserts documents like a good one under ids of every type and size. No page in the order
// of ids holds them, and no query that asks for more than a number.
func TestAuditNamesWhateverItsID(t *testing.T) {
	t.Parallel()
	mongodb.available(t)
	l := newLedgerOfMany(t, mongodb)
	for kind, like := range map[string]int64{accountRecord: l.idle.ID, lineRecord: l.trial.ID, movementRecord: l.middle} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			srv := l.copies.lend(t)
			record := strings.TrimSuffix(kind, "s")
			var says []string
			for _, id := range []any{
				nil, "7", "", true, bson.D{{Key: "a", Value: 1}}, []byte("x"), bson.NewObjectID(), time.Now(), bson.Timestamp{T: 1},
				bson.MinKey{}, bson.MaxKey{},
				int32(1_000_000), int64(0), int64(-5), int64(math.MinInt64),
				float64(like) + 0.5, 2_000_000.0, 2_000_000.5, 1e300, -1e300, math.NaN(), math.Inf(1), math.Inf(-1),
				decimal128(fixture.Units(30_000_000_000)), decimal128(fixture.Units(1)),
			} {
				onMongoDB(t, srv.dir, again(kind, like, id))
				raw, err := bson.Marshal(bson.D{{Key: "id", Value: id}})
				if err != nil {
					t.Fatal(err)
				}
				says = append(says, fmt.Sprintf("%s 0: a stored record is damaged: its id is %s", record,
					bson.Raw(raw).Lookup("id")))
			}
			onMongoDB(t, srv.dir, again(kind, like, int64(math.MaxInt64)))
			v := srv.auditHere(t)
			v.finds(true, fmt.Sprintf("%s %d", record, int64(math.MaxInt64)))
			for _, finding := range says {
				if !slices.Contains(v.findings, finding) {
					t.Errorf("not found: %s", finding)
				}
			}
			if t.Failed() {
				t.Logf("the audit:\n%s", v)
			}
		})
	}
	for kind, like := range map[string]int64{accountRecord: l.idle.ID, lineRecord: l.trial.ID, movementRecord: l.middle} {
		t.Run(kind+", in place of the good one", func(t *testing.T) {
			t.Parallel()
			srv := l.copies.lend(t)
			onMongoDB(t, srv.dir, rewrite(kind, like, func(d bson.D) bson.D { return set(d, []string{"_id"}, float64(like)) }))
			srv.auditHere(t).finds(true, strings.TrimSuffix(kind, "s")+" 0")
		})
	}
}
