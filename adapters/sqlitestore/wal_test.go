package sqlitestore_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"resellerd/ports"
	"resellerd/test/fixture"
)

// powerCut returns the path of a store as a power cut at this moment may leave it.
func powerCut(t *testing.T, path string) string {
	t.Helper()
	return copied(t, path, "", "-wal")
}

// TestWhatWasRolledBackIsNeverWritten rolls back a transaction that is too large for the page cache.
func TestWhatWasRolledBackIsNeverWritten(t *testing.T) {
	t.Parallel()
	s := open(t, emptyStore(t))
	execute(t, s, "PRAGMA cache_size = 10")
	before := s.Load().WAL
	execute(t, s, "BEGIN IMMEDIATE; INSERT INTO settings VALUES ('large', hex(randomblob(60000))); ROLLBACK")
	wantEqual(t, s.Load().WAL, before, "bytes in the WAL")
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
