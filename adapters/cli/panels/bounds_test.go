package panels

import (
	"strings"
	"testing"
	"time"

	"resellerd/test/expect"
	"resellerd/test/require"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// wantRefused checks that an error is a sentence about the file.
func wantRefused(t *testing.T, err error, path, wants string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), wants) {
		t.Errorf("got %v, want %q of %s", err, wants, path)
	}
}

// endless is a view that returns rows without end in a file of a few kilobytes.
const endless = "WITH RECURSIVE t(id) AS (SELECT 1 UNION ALL SELECT id+1 FROM t) SELECT id, 'u'||id AS username, 'active' AS status, NULL AS expire FROM t"

func TestAValueHasAtMostOneMebibyte(t *testing.T) {
	inbound := func(more string) string {
		return made(t, leastXUI,
			`INSERT INTO inbounds SELECT 1, 'vless', '{"clients":[{"email":"ana","id":"abcd","comment":"' || hex(zeroblob(524200)) || '`+more+`"}]}'`)
	}
	if all := readAll(t, inbound("")); len(all) != 1 || len(all[0].Notes) != 1_048_400 {
		t.Errorf("a little less: %d customers", len(all))
	}
	path := inbound(strings.Repeat("0", 200))
	_, err := Read(t.Context(), path, Options{})
	wantRefused(t, err, path, "a value or a row has more than 1 MiB")
}

// within sets bounds for a test.
func within(t *testing.T, set bounds) {
	t.Helper()
	before := most
	t.Cleanup(func() { most = before })
	most = set
}

// TestReadingIsBounded by rows, by customers, by all values together and by time. Each bound is one less than the
// content of the database.
func TestReadingIsBounded(t *testing.T) {
	path := made(t, leastXUI,
		`INSERT INTO inbounds SELECT value, 'vless', '{"clients":[{},{}]}' FROM json_each('[1,2,3,4,5,6,7]')`)
	// A column that was added later has its default in each row, and takes no room in the file.
	run(t, path, "ALTER TABLE inbounds ADD COLUMN up DEFAULT '"+strings.Repeat("x", 1000)+"'")
	const each int64 = 1024 // "vless", 19 bytes of settings, 1000 of the default
	for wants, set := range map[string]bounds{
		"":                            {rows: 14, values: 7 * each, time: time.Minute},
		"more than 13 rows or custom": {rows: 13, values: 7 * each, time: time.Minute},
		"more than 6 rows or custom":  {rows: 6, values: 7 * each, time: time.Minute},
		"the values have more than ":  {rows: 14, values: 7*each - 1, time: time.Minute},
	} {
		t.Run(wants, func(t *testing.T) {
			within(t, set)
			f, err := Read(t.Context(), path, Options{})
			if wants != "" {
				wantRefused(t, err, path, wants)
			} else if err != nil || len(f.Customers) != 14 {
				t.Errorf("within its bounds: %d customers, %v", len(f.Customers), err)
			}
		})
	}
	within(t, bounds{rows: 10, values: 1000, time: 50 * time.Millisecond})
	err := read(t.Context(), path, func(d database) error {
		return d.each("SELECT count(*) FROM ("+endless+")", func(*sqlite.Stmt) error { return nil })
	})
	wantRefused(t, err, path, "a statement took more than 50ms")
}

// TestKeysNeedNotBeUnique in a hostile database: no customer is imported twice, and none is lost.
func TestKeysNeedNotBeUnique(t *testing.T) {
	const many = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 100) SELECT "
	for _, statements := range []string{
		leastMarzban + "INSERT INTO users " + many + "1, 'ana', 'active', NULL FROM n; INSERT INTO proxies " + many +
			`1, 'Trojan', '{"password":"abcd"}' FROM n`,
		leastXUI + "INSERT INTO inbounds " + many + `1, 'vless', '{"clients":[{"id":"abcd","email":"ana"}]}' FROM n;
			CREATE TABLE client_traffics (email, expiry_time, up, down, total, enable); INSERT INTO client_traffics ` + many +
			"'ana', 0, 0, 0, 0, 1 FROM n",
	} {
		all := readAll(t, made(t, statements))
		if len(all) != 100 || all[0].Password != "abcd" || all[0].As != "" {
			t.Fatalf("%d customers, the first %+v", len(all), all[:1])
		}
		for _, c := range all[1:] {
			expect.Equal(t, c.As, all[0].At, "%+v", c)
			expect.Equal(t, c.Code, "", "%+v", c)
		}
	}
}

// TestADatabaseIsOnlyRead by every statement. The same rule holds for the copy of a database in use.
func TestADatabaseIsOnlyRead(t *testing.T) {
	for _, inUse := range []bool{false, true} {
		path := made(t, "PRAGMA journal_mode = wal", leastXUI, "CREATE TABLE more (a)")
		if inUse {
			c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
			require.NoError(t, err)
			defer func() { _ = c.Close() }()
			require.NoError(t, sqlitex.ExecuteTransient(c, "INSERT INTO more VALUES (1)", nil))
		}
		none := func(*sqlite.Stmt) error { return nil }
		if err := read(t.Context(), path, func(d database) error {
			for _, statement := range []string{"INSERT INTO more VALUES (1)", "CREATE TABLE other (a)",
				"ATTACH ':memory:' AS other", "SELECT load_extension('other')"} {
				if err := d.each(statement, none); err == nil {
					t.Errorf("in use: %v, %s: nothing refuses it", inUse, statement)
				}
			}
			return d.each("PRAGMA trusted_schema", func(st *sqlite.Stmt) error {
				expect.Equal(t, st.ColumnInt(0), 0, "functions with side effects in the schema")
				return nil
			})
		}); err != nil {
			t.Error(err)
		}
	}
}
