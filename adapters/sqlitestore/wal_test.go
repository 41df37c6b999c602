package sqlitestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// powerCut returns the path of a store as a power cut at this moment may leave it.
func powerCut(t *testing.T, path string) string {
	t.Helper()
	to := newPath(t)
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		must(t, err)
		must(t, os.WriteFile(to+suffix, content, 0o600))
	}
	return to
}

// TestTheWALIsWholeAfterEachCommit copies the files as a power cut may leave them at once after a
// commit, or in the middle of a transaction that is too large for the page cache and reads back
// what it has written.
func TestTheWALIsWholeAfterEachCommit(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	copied := func() (rows int) {
		to := powerCut(t, path)
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
	// The VFS takes pages before their commit as well, in whatever order, although the store never has it do so.
	execute(t, s, "PRAGMA cache_spill = on; PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 300")
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

// TestWhatWasRolledBackIsNeverWritten has another process commit, and end, in the place that a transaction of this one,
// too large for its page cache, would have had in the WAL.
func TestWhatWasRolledBackIsNeverWritten(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	execute(t, s, "PRAGMA cache_size = 10")
	execute(t, s, "BEGIN IMMEDIATE; INSERT INTO settings VALUES ('large', hex(randomblob(60000))); ROLLBACK")
	must(t, startProcess(t, path, childDies).Wait())
	sound := func(of *sqlitestore.Store, when string) {
		t.Helper()
		must(t, of.OnWriter(func(c sqlitestore.Raw) error {
			var verdict string
			must(t, c.Ask("PRAGMA integrity_check", &verdict), when)
			wantEqual(t, verdict, "ok", when)
			return nil
		}), when)
		wantEqual(t, get(t, of, 2).State().Credits.Units(), 1, when)
	}
	sound(s, "beside it")
	sound(open(t, powerCut(t, path)), "after a power cut")
	must(t, s.Close())
	sound(open(t, path), "afterwards")
}

// TestTheWALIsCutAfterALongRead writes while a view is held, which keeps the WAL from being used again from its start.
func TestTheWALIsCutAfterALongRead(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	path := newPath(t)
	s := open(t, path)
	execute(t, s, fmt.Sprintf("PRAGMA journal_size_limit = %d; PRAGMA wal_autocheckpoint = %d", limit, limit/8192)) // 32 times less than it is
	size := func() int64 {
		wal, err := os.Stat(path + "-wal")
		must(t, err)
		return wal.Size()
	}
	id := int64(1)
	write := func() {
		insert(t, s, fixture.Admin(id))
		id++
	}
	write()
	must(t, s.View(t.Context(), func(ctx context.Context, r ports.Snapshot) error {
		if _, err := r.Resellers.Empty(ctx); err != nil {
			return err
		}
		execute(t, s, fmt.Sprintf("INSERT INTO settings VALUES ('filler', hex(zeroblob(%d)))", limit)) // twice as many digits
		write()
		if n := size(); n < 2*limit {
			t.Errorf("the WAL has %d bytes while somebody reads", n)
		}
		return nil
	}))
	for range 3 { // the first makes a checkpoint, and the next starts over
		write()
	}
	if n := size(); n > limit {
		t.Errorf("the WAL has %d bytes long after the read, want at most %d", n, limit)
	}
	wantEqual(t, number(t, open(t, powerCut(t, path)), "SELECT count(*) FROM accounts"), int(id-1), "what a power cut leaves")
}
