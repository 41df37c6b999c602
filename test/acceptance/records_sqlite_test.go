package acceptance

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"resellerd/domain/credit"
	"resellerd/test/fixture"
)

// sqliteRecords are those in a folder's file, as the sqlite3 command line reaches them.
type sqliteRecords struct{ dir string }

func openSQLite(t *testing.T, dir, mode string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+database(dir)+"?mode="+mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (r sqliteRecords) read(t *testing.T) stored {
	t.Helper()
	db := openSQLite(t, r.dir, "ro")
	found := stored{accounts: map[int64]storedAccount{}, lines: map[int64]storedLine{}}
	each := func(query string, visit func(rows *sql.Rows) error) {
		t.Helper()
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := visit(rows); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	each(`SELECT id, operation, amount, coalesce(line, 0), actor, request, notes, at,
		coalesce(source_system, ''), coalesce(source_account, 0), coalesce(source_seq, 0), coalesce(source_balance, 0), source_link,
		coalesce(target_system, ''), coalesce(target_account, 0), coalesce(target_seq, 0), coalesce(target_balance, 0), target_link
		FROM movements ORDER BY id`, func(rows *sql.Rows) error {
		var v credit.Provenance
		var operation string
		var amount, line, at int64
		var source, target storedSide
		err := rows.Scan(&v.ID, &operation, &amount, &line, &v.Actor, &v.Request, &v.Notes, &at,
			&source.system, &source.account, &source.seq, &source.balance, &source.link,
			&target.system, &target.account, &target.seq, &target.balance, &target.link)
		v.At = time.UnixMilli(at)
		if err == nil {
			found.movements = append(found.movements, storedMovement(t, v, operation, amount, line, source, target))
		}
		return err
	})
	each(`SELECT id, path, role = 'admin', credits, ledger_seq, ledger_link FROM accounts`, func(rows *sql.Rows) error {
		var id, held int64
		var path string
		var link []byte
		var a storedAccount
		if err := rows.Scan(&id, &path, &a.admin, &held, &a.head.Seq, &link); err != nil {
			return err
		}
		for step := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
			above, err := strconv.ParseInt(step, 10, 64)
			if err != nil {
				return err
			}
			a.path = append(a.path, above)
		}
		a.credits, a.head.Hash = fixture.Units(held), credit.Hash(link)
		found.accounts[id] = a
		return nil
	})
	each(`SELECT id, owner, trial, coalesce(platform_id, 0), coalesce(charge, 0) FROM lines`, func(rows *sql.Rows) error {
		var id int64
		var l storedLine
		err := rows.Scan(&id, &l.owner, &l.trial, &l.platformID, &l.charge)
		found.lines[id] = l
		return err
	})
	return found
}

func (r sqliteRecords) copy(t *testing.T, dir string) {
	t.Helper()
	for name, content := range r.bytes(t) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (r sqliteRecords) refresh(t *testing.T, dir string) {
	t.Helper()
	for name := range (sqliteRecords{dir}).bytes(t) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r.copy(t, dir)
}

func (r sqliteRecords) whereabouts(*testing.T) string { return database(r.dir) }

func (r sqliteRecords) bytes(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{}
	for _, file := range files {
		if contents[file.Name()], err = os.ReadFile(filepath.Join(r.dir, file.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return contents
}

func (r sqliteRecords) forge(t *testing.T, changes ...forgery) {
	t.Helper()
	db := openSQLite(t, r.dir, "rw")
	execute := func(statement string, args ...any) sql.Result {
		t.Helper()
		done, err := db.ExecContext(t.Context(), statement, args...)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		return done
	}
	defer withoutTriggers(t, db)()
	for _, f := range changes {
		if f.kind == accountRecord && f.changes == nil { // as skilled as with lines, which leave their lists by themselves
			execute(`DELETE FROM account_lists WHERE account = ?`, f.id)
		}
		if f.doubles {
			execute(`DROP INDEX movements_source`)
			execute(`DROP INDEX movements_target`)
			continue
		}
		statement, args := f.statement()
		if n, err := execute(statement, args...).RowsAffected(); err != nil || n != 1 {
			t.Fatalf("%s changed %d records (%v)", statement, n, err)
		}
	}
	dropChecksums(t, db)
}

// run executes statements on them.
func (r sqliteRecords) run(t *testing.T, statements ...string) {
	t.Helper()
	db := openSQLite(t, r.dir, "rw")
	defer withoutTriggers(t, db)()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	dropChecksums(t, db)
}

// withoutTriggers drops what keeps movements and tombstones as they are, and returns what makes it again and closes the
// file.
func withoutTriggers(t *testing.T, db *sql.DB) (end func()) {
	t.Helper()
	run := func(statements []string) {
		for _, statement := range statements {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	}
	var drop, create []string
	rows, err := db.QueryContext(t.Context(),
		"SELECT 'DROP TRIGGER ' || name, sql FROM sqlite_schema WHERE type = 'trigger' AND name GLOB '*_are_never_*'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var dropping, creating string
		if err := rows.Scan(&dropping, &creating); err != nil {
			t.Fatal(err)
		}
		drop, create = append(drop, dropping), append(create, creating)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	run(drop)
	return func() {
		run(create)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// dropChecksums does for what was edited by hand what the documents say, so that it counts as it stands. An older
// schema has none.
func dropChecksums(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, table := range []string{"accounts", "lines", "tombstones", "idempotency"} {
		var has bool
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM pragma_table_info(?) WHERE name = 'checksum'",
			table).Scan(&has); err != nil {
			t.Fatal(err)
		}
		if !has {
			continue
		}
		if _, err := db.ExecContext(t.Context(), "UPDATE "+table+
			" SET checksum = NULL WHERE checksum IS NOT NULL"); err != nil {
			t.Fatal(err)
		}
	}
}

// statement is the forgery in SQL.
func (f forgery) statement() (sql string, args []any) {
	switch {
	case f.added != nil:
		m, e := f.added, f.added.Postings[0]
		return `INSERT INTO movements (id, operation, source_system, target_account, target_seq, target_balance, target_link, amount, actor, request, notes, at)
			VALUES (?, ?, 'issuance', ?, ?, ?, ?, ?, ?, ?, ?, ?)`, []any{
				m.ID, m.Operation.String(), e.Reseller, e.Seq, e.Balance.Units(), e.Hash[:], m.Amount.Units(), m.Actor, m.Request,
				m.Notes, m.At.UnixMilli(),
			}
	case f.changes == nil:
		return `DELETE FROM ` + f.kind + ` WHERE id = ?`, []any{f.id}
	}
	var set []string
	for _, field := range slices.Sorted(maps.Keys(f.changes)) {
		column := strings.ReplaceAll(field, ".", "_")
		if f.kind == lineRecord && field == "path" {
			column = "path"
		}
		set, args = append(set, column+" = ?"), append(args, inSQLite(f.changes[field]))
	}
	return `UPDATE ` + f.kind + ` SET ` + strings.Join(set, ", ") + ` WHERE id = ?`, append(args, f.id)
}

func inSQLite(value any) any {
	switch v := value.(type) {
	case credit.Amount:
		return v.Units()
	case credit.Hash:
		return v[:]
	case time.Time:
		return v.UnixMilli()
	case []int64:
		path := "/"
		for _, id := range v {
			path += fmt.Sprintf("%d/", id)
		}
		return path
	}
	return value
}
