package sqlitestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"resellerd/adapters/sqlitestore"
)

// TestTheWALIsWholeAfterEachCommit copies the files as a power cut may leave them at once after a
// commit, or in the middle of a transaction that is too large for the page cache and reads back
// what it has written.
func TestTheWALIsWholeAfterEachCommit(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	copied := func() (rows int) {
		to := newPath(t)
		for _, suffix := range []string{"", "-wal"} {
			content, err := os.ReadFile(path + suffix)
			must(t, err)
			must(t, os.WriteFile(to+suffix, content, 0o600))
		}
		found := open(t, to)
		defer func() { must(t, found.Close()) }()
		must(t, found.OnWriter(func(c sqlitestore.Raw) error {
			var sound string
			must(t, c.Ask("PRAGMA integrity_check", &sound))
			wantEqual(t, sound, "ok", filepath.Base(to))
			return nil
		}))
		return number(t, found, "SELECT count(*) FROM settings")
	}
	execute(t, s, "PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 300")
	const each = 200
	fill := func(round int) string {
		return fmt.Sprintf(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)
			INSERT INTO settings SELECT 'row-' || n || '-%d', hex(randomblob(1000)) FROM i`, each, round)
	}
	want := number(t, s, "SELECT count(*) FROM settings")
	for round := range 6 {
		execute(t, s, "BEGIN IMMEDIATE; "+fill(round))
		wantEqual(t, number(t, s, "SELECT count(*) FROM settings WHERE length(value) = 2000"), each*((round+1)/2)+each, "its own rows")
		wantEqual(t, copied(), want, "before the end of round", round)
		if round%2 == 0 {
			execute(t, s, "COMMIT")
			want += each
		} else {
			execute(t, s, "ROLLBACK")
		}
		wantEqual(t, copied(), want, "after round", round)
		execute(t, s, fmt.Sprintf("INSERT INTO settings VALUES ('small-%d', '')", round)) // a commit of a few pages
		want++
		wantEqual(t, copied(), want, "after the small commit of round", round)
	}
	must(t, s.Close())
	wantOneFile(t, path)
}
