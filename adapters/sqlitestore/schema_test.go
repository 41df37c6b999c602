package sqlitestore_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/fault"
	"resellerd/ports"
)

func TestEveryStatementFindsItsRowsByAnIndex(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "store.db"))
	plan := func(statement string) (steps []string) {
		must(t, s.OnWriter(func(c *sql.Conn) error {
			rows, err := c.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, make([]any, 32)...)
			if err != nil {
				return err
			}
			defer func() { _ = rows.Close() }()
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					return err
				}
				steps = append(steps, step)
			}
			return rows.Err()
		}), statement)
		return steps
	}
	scans := func(statement string) bool {
		for _, step := range plan(statement) {
			if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "TEMP B-TREE") {
				return true
			}
		}
		return false
	}
	for _, bad := range []string{"SELECT id FROM accounts WHERE country = ?", "SELECT id FROM accounts WHERE id > ? ORDER BY country"} {
		if !scans(bad) {
			t.Fatalf("not recognised as a scan: %s", bad)
		}
	}

	for _, st := range sqlitestore.Statements() {
		switch verb, _, _ := strings.Cut(st.SQL, " "); verb {
		case "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
			continue // nothing to find
		}
		if st.Purpose == "look for any account" {
			continue // ends at the first row, whichever it is
		}
		if scans(st.SQL) {
			t.Errorf("%s:\n%s\n%s", st.Purpose, st.SQL, strings.Join(plan(st.SQL), "\n"))
		}
	}
}

func TestConnectionsAreAsPromised(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "store.db"))
	pragma := func(name string) func(*sql.Conn) string {
		return func(c *sql.Conn) (value string) {
			must(t, c.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&value))
			return value
		}
	}
	for name, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000"} {
		must(t, s.OnWriter(func(c *sql.Conn) error {
			wantEqual(t, pragma(name)(c), want, name)
			return nil
		}))
	}
	must(t, s.OnReader(t.Context(), func(c *sql.Conn) error {
		wantEqual(t, pragma("busy_timeout")(c), "5000")
		_, err := c.ExecContext(t.Context(), "DELETE FROM accounts")
		wantMention(t, err, "readonly")
		return nil
	}))
}

func TestTheFileItselfRefuses(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "store.db"))
	insert(t, s, admin())
	insert(t, s, master(2, 1))
	exec := func(statement string) error {
		return s.OnWriter(func(c *sql.Conn) error {
			_, err := c.ExecContext(t.Context(), statement)
			return err
		})
	}
	movement := func(id, source, target, amount string) string {
		return "INSERT INTO movements VALUES (" + id + ", 'recharge', " + source + ", " + target + ", " + amount + ", NULL, 1, 'r', '', 0)"
	}
	const issuance, first, second = "'issuance', NULL, NULL", "NULL, 1, 0", "NULL, 2, 5"
	must(t, exec(movement("1", issuance, second, "5")))

	for rule, statement := range map[string]string{
		"a negative balance":          "UPDATE accounts SET credits = -1 WHERE id = 2",
		"a balance over the limit":    "UPDATE accounts SET credits = 1000000000000001 WHERE id = 2",
		"credits of an admin":         "UPDATE accounts SET credits = 1 WHERE id = 1",
		"a broken amount":             "UPDATE accounts SET credits = 1.5 WHERE id = 2",
		"an unknown role":             "UPDATE accounts SET role = 'root' WHERE id = 2",
		"a short generation":          "UPDATE accounts SET token = x'00' WHERE id = 2",
		"a changed movement":          "UPDATE movements SET notes = 'x'",
		"a removed movement":          "DELETE FROM movements",
		"an account with movements":   "DELETE FROM accounts WHERE id = 2",
		"a movement of nothing":       movement("2", issuance, second, "0"),
		"a side with two parties":     movement("2", "'issuance', 1, 0", second, "5"),
		"a side with no party":        movement("2", "NULL, NULL, NULL", second, "5"),
		"an account without balance":  movement("2", "NULL, 1, NULL", second, "5"),
		"a balance of a system":       movement("2", "'issuance', NULL, 5", second, "5"),
		"an account to itself":        movement("2", second, second, "5"),
		"a system account to itself":  movement("2", issuance, issuance, "5"),
		"a movement of a stranger":    movement("2", first, "NULL, 9, 5", "5"),
		"an official line without id": "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 0, 0, '', '', '', NULL, 0, 0, 0, 1)",
		"a trial with a platform id":  "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 1, 0, '', '', '', 7, 0, 0, 0, 1)",
		"a line of a stranger":        "INSERT INTO lines VALUES (1, 9, '/1/9/', 'a', 'a', x'00', 1, 0, '', '', '', NULL, 0, 0, 0, 1)",
	} {
		wantMention(t, exec(statement), "constraint", rule)
	}
	wantNone(t, exec(movement("2", first, second, "5")), "what is right is taken")
}

func TestADamagedRecordIsNeitherAbsentNorUnavailable(t *testing.T) {
	for _, damage := range []string{"path = '/x/'", "path = '/1/9/'", "path = ''", "trials = '{'", "role = 'admin', credits = 0"} {
		s := open(t, filepath.Join(t.TempDir(), "store.db"))
		insert(t, s, admin())
		insert(t, s, master(2, 1))
		must(t, s.OnWriter(func(c *sql.Conn) error {
			_, err := c.ExecContext(t.Context(), "UPDATE accounts SET "+damage+" WHERE id = 2")
			return err
		}))
		err := s.View(t.Context(), read(2))
		if err == nil || errors.Is(err, fault.ErrNotFound) || errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%s: got error %v, want one of neither kind", damage, err)
		}
		wantNone(t, s.View(t.Context(), read(1)), "the others can be read")
	}
}
