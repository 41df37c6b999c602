package audit_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// scene stores the records that forgers change below in a file: the admin 1, the masters 2 and 3 below it, the
// resellers 4 and 5 below 2, and lines of 4, of which 3 was deleted and 4 is a trial.
func scene(t *testing.T, path string) {
	t.Helper()
	l := newLedger(t)
	l.master() // 2, by movement 1
	l.master() // 3, by movement 2
	master := l.resellers[1]
	leaf, idle := fixture.Reseller(master, 4), fixture.Reseller(master, 5)
	l.resellers = append(l.resellers, leaf, idle)
	l.Fund(master, leaf, "5") // movement 3
	for range 3 {
		l.official(leaf) // lines 1 to 3, by movements 4 to 6
	}
	l.lines = append(l.lines, fixture.Trial(leaf, 4))
	l.Fund(l.root, leaf, "2")   // movement 7
	l.Fund(master, leaf, "1.5") // movement 8
	l.Fund(l.root, leaf, "3")   // movement 9, the last of account 4
	l.official(l.root)          // line 5, by movement 10
	file, err := sqlitestore.Open(t.Context(), path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	l.storeIn(t, file)
	require.NoError(t, file.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		require.NoError(t, errorOf(tx.Lines.Get(ctx, 3)))
		require.NoError(t, tx.Lines.Delete(ctx, l.lines[2].Tombstone(4, fixture.Noon.Add(time.Hour))))
		require.NoError(t, storetest.Samples.In(tx.Records).Insert(ctx, storetest.Sample{ID: 1, Sealed: []byte("secret")}))
		return ports.Sessions.In(tx.Records).Insert(ctx, session.Session{ID: session.IDOf("a"), Reseller: 1, Device: "phone"})
	}))
}

// forge runs statements on a file as a skilled forger does: the triggers that protect movements and tombstones exist
// again after it. A record that was edited by hand has no checksum.
func forge(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(off)")
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "PRAGMA ignore_check_constraints = 1; BEGIN; "+
		"DROP TRIGGER movements_are_never_changed; DROP TRIGGER tombstones_are_never_changed; "+
		"INSERT INTO settings VALUES ('copy', 'in which records may be removed'); "+statements+
		"; UPDATE accounts SET checksum = NULL; UPDATE lines SET checksum = NULL; UPDATE tombstones SET checksum = NULL; "+
		"CREATE TRIGGER tombstones_are_never_changed BEFORE UPDATE ON tombstones BEGIN "+
		"SELECT RAISE(ABORT, 'a tombstone is never changed'); END; "+
		"CREATE TRIGGER movements_are_never_changed BEFORE UPDATE ON movements BEGIN "+
		"SELECT RAISE(ABORT, 'a movement is never changed'); END; "+
		"DELETE FROM settings WHERE name = 'copy'; COMMIT")
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// audited returns what an audit of a file finds.
func audited(t *testing.T, path string) []string {
	t.Helper()
	stored, err := archive.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, stored.Close()) }()
	findings, err := run(t, stored, quiet)
	require.NoError(t, err)
	return findings
}

// TestAnAuditFindsForgedRecords runs each of the statements in a file on a store of its own, past the program.
func TestAnAuditFindsForgedRecords(t *testing.T) {
	original := filepath.Join(t.TempDir(), "store.db")
	scene(t, original)
	expect.Elements(t, audited(t, original), nil, "found before")
	stored, err := os.ReadFile(original)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join("testdata", "forgeries.txt"))
	require.NoError(t, err)
	_, cases, _ := strings.Cut(string(text), "\n\n")
	statements := ""
	wants := map[string][]string{}
	for line := range strings.Lines(cases) {
		line = strings.TrimSuffix(line, "\n")
		if finding, is := strings.CutPrefix(line, "    "); !is {
			statements = line
			wants[statements] = nil
		} else if finding != "nothing" {
			wants[statements] = append(wants[statements], finding)
		}
	}
	for statements, want := range wants {
		t.Run(statements, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "store.db")
			require.NoError(t, os.WriteFile(path, stored, 0o600))
			forge(t, path, statements)
			expect.Elements(t, audited(t, path), want, "found")
		})
	}
}
