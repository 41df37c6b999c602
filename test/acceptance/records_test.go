package acceptance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	_ "modernc.org/sqlite"

	"resellerd/domain/credit"
	"resellerd/test/require"
)

// records are the records of a server, which other programs reach without the server.
type records interface {
	// whereabouts returns the name of the records' location in messages.
	whereabouts(t *testing.T) string
	// bytes returns all that is stored, by the names of its parts.
	bytes(t *testing.T) map[string][]byte
	books(t *testing.T) books
	// forge applies the forgeries of forged to the scene of TestAuditNamesWhatWasForged.
	forge(t *testing.T)
}

// books are amounts in ten-thousandths of a credit: the balances of accounts, and the sums of their movements.
type books struct {
	held, moved      map[int64]int64 // by account; admins have no balance
	issued, consumed int64
}

// stopAndAudit proves the ledger, stops the server, and reads what it left in two ways: by the program itself and past
// it.
func (s *server) stopAndAudit(t *testing.T) {
	t.Helper()
	s.Admin(t).Get(t, "/ledger/proof").Has(fields{"balanced": true})
	s.stop(t)
	s.audit(t).well()
	b := s.store.left(s.dir).books(t)
	total := b.consumed
	for account, held := range b.held {
		if total += held; held != b.moved[account] {
			t.Errorf("account %d has %d, and its movements make %d", account, held, b.moved[account])
		}
	}
	if b.issued != total || total == 0 {
		t.Errorf("%d were issued, and %d are on accounts or consumed", b.issued, total)
	}
}

// sqliteRecords are those in a folder's file, as the sqlite3 command line reaches them.
type sqliteRecords struct{ dir string }

// onSQLite changes a store behind the program's back.
func onSQLite(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db := openSQLite(t, dir, "rw")
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	require.NoError(t, db.Close())
}

func openSQLite(t *testing.T, dir, mode string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+database(dir)+"?mode="+mode)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (r sqliteRecords) whereabouts(*testing.T) string { return database(r.dir) }

func (r sqliteRecords) bytes(t *testing.T) map[string][]byte {
	t.Helper()
	contents := map[string][]byte{}
	for name, content := range allIn(t, r.dir) {
		contents[name] = []byte(content)
	}
	return contents
}

// allIn returns the contents of the files in a folder.
func allIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		found[entry.Name()] = string(content)
	}
	return found
}

func (r sqliteRecords) books(t *testing.T) books {
	t.Helper()
	db := openSQLite(t, r.dir, "ro")
	b := books{held: map[int64]int64{}, moved: map[int64]int64{}}
	rows, err := db.QueryContext(t.Context(), `SELECT id, credits,
		(SELECT coalesce(sum(amount), 0) FROM movements WHERE target_account = a.id) -
		(SELECT coalesce(sum(amount), 0) FROM movements WHERE source_account = a.id) FROM accounts a WHERE role <> 'admin'`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var id, held, moved int64
		require.NoError(t, rows.Scan(&id, &held, &moved))
		b.held[id], b.moved[id] = held, moved
	}
	err = db.QueryRowContext(t.Context(), `SELECT
		coalesce(sum(amount) FILTER (WHERE source_system = 'issuance'), 0) -
		coalesce(sum(amount) FILTER (WHERE target_system = 'issuance'), 0),
		coalesce(sum(amount) FILTER (WHERE target_system = 'consumption'), 0) FROM movements`).Scan(&b.issued, &b.consumed)
	require.NoError(t, errors.Join(err, rows.Err()))
	return b
}

func (r sqliteRecords) forge(t *testing.T) {
	t.Helper()
	onSQLite(t, r.dir, "DROP TRIGGER movements_are_never_changed", "UPDATE movements SET amount = amount + 1 WHERE id = 8",
		"CREATE TRIGGER movements_are_never_changed BEFORE UPDATE ON movements BEGIN "+
			"SELECT RAISE(ABORT, 'a movement is never changed'); END",
		"INSERT INTO settings VALUES ('copy', 'in which records may be removed')", "DELETE FROM movements WHERE id = 9",
		"DELETE FROM tombstones WHERE line = 3", "DELETE FROM settings WHERE name = 'copy'",
		"UPDATE accounts SET credits = 1, checksum = NULL WHERE id = 2",
		"UPDATE lines SET charge = 2, checksum = NULL WHERE id = 1", "UPDATE lines SET notes = 'damaged' WHERE id = 2",
		"UPDATE sequences SET next = 4 WHERE name = 'lines'", "DELETE FROM account_lists WHERE account = 5")
}

// mongoRecords are those in a folder's database, as any client reaches them.
type mongoRecords struct{ dir string }

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
			var all []bson.Raw
			err = errors.Join(err, documents(ctx, db, name, &all))
			for _, d := range all {
				contents[name] = append(contents[name], d...)
			}
		}
		return err
	})
	return contents
}

// documents reads a whole collection.
func documents(ctx context.Context, db *mongo.Database, collection string, into any) error {
	cursor, err := db.Collection(collection).Find(ctx, bson.D{})
	if err == nil {
		err = cursor.All(ctx, into)
	}
	return err
}

func (r mongoRecords) books(t *testing.T) books {
	t.Helper()
	type side struct {
		System  string
		Account int64
	}
	var movements []struct {
		Source, Target side
		Amount         bson.Decimal128
	}
	var accounts []struct {
		ID      int64 `bson:"_id"`
		Role    string
		Credits bson.Decimal128
	}
	onMongoDB(t, r.dir, func(ctx context.Context, db *mongo.Database) error {
		return errors.Join(documents(ctx, db, "movements", &movements), documents(ctx, db, "accounts", &accounts))
	})
	b := books{held: map[int64]int64{}, moved: map[int64]int64{}}
	for _, m := range movements {
		amount := units(t, m.Amount)
		b.moved[m.Source.Account] -= amount
		b.moved[m.Target.Account] += amount
		switch {
		case m.Source.System == "issuance":
			b.issued += amount
		case m.Target.System == "issuance":
			b.issued -= amount
		}
		if m.Target.System == "consumption" {
			b.consumed += amount
		}
	}
	for _, a := range accounts {
		if a.Role != "admin" {
			b.held[a.ID] = units(t, a.Credits)
		}
	}
	return b
}

// units returns the ten-thousandths in a decimal with four decimal places.
func units(t *testing.T, d bson.Decimal128) int64 {
	t.Helper()
	digits, exponent, err := d.BigInt()
	if err != nil || exponent != -credit.Scale || !digits.IsInt64() {
		t.Fatalf("%s has not four decimal places (%v)", d, err)
	}
	return digits.Int64()
}

func (r mongoRecords) forge(t *testing.T) {
	t.Helper()
	one, err := bson.ParseDecimal128("1.0000")
	require.NoError(t, err)
	onMongoDB(t, r.dir, func(ctx context.Context, db *mongo.Database) (err error) {
		for _, f := range []struct {
			collection string
			id         any
			set        bson.M // nil removes it
		}{
			{"movements", int64(8), bson.M{"amount": one}},
			{"movements", int64(9), nil},
			{"accounts", int64(2), bson.M{"credits": one}},
			{"lines", int64(1), bson.M{"charge": int64(2)}},
			{"tombstones", int64(3), nil},
			{"sequences", "lines", bson.M{"given": int64(3)}},
			{"lines", int64(2), bson.M{"expires_at": bson.Timestamp{T: 1}}},
		} {
			var changed int64
			if f.set == nil {
				done, failed := db.Collection(f.collection).DeleteOne(ctx, bson.M{"_id": f.id})
				changed, err = done.DeletedCount, errors.Join(err, failed)
			} else {
				done, failed := db.Collection(f.collection).UpdateByID(ctx, f.id, bson.M{"$set": f.set},
					options.UpdateOne().SetBypassDocumentValidation(true))
				changed, err = done.ModifiedCount, errors.Join(err, failed)
			}
			if changed != 1 {
				err = errors.Join(err, fmt.Errorf("%+v changed %d records", f, changed))
			}
		}
		_, failed := db.Collection("account_names").DeleteOne(ctx, bson.M{"holder": int64(5)})
		return errors.Join(err, failed)
	})
}
