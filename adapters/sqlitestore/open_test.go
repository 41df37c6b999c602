package sqlitestore_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the driver by which tests change a file from outside

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/engine"
	"resellerd/ports"
	"resellerd/test/expect"
)

func TestOpenTakesAnyPath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"%41 and #.db", "?mode=memory", "a&b=c;d%.db", "file:x", "é\t'\"\\.db"} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "new", name)
			path := filepath.Join(folder, name)
			s := open(t, path)
			first, err := s.NextID(t.Context(), ports.LineIDs)
			must(t, err)
			modes := map[string]os.FileMode{folder: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600}
			for path, want := range modes {
				info, err := os.Stat(path)
				must(t, err)
				expect.DeepEqual(t, info.Mode().Perm(), want, "%v", path)
			}
			must(t, s.Close())
			wantOneFile(t, path)

			second, err := open(t, path).NextID(t.Context(), ports.LineIDs)
			must(t, err)
			if second <= first {
				t.Errorf("got id %d after a restart, want more than %d", second, first)
			}
		})
	}
}

// TestIDsGoOnAfterACleanStop stops and starts a store, and has two processes take ids at once, of which the first to
// stop can't return its own.
func TestIDsGoOnAfterACleanStop(t *testing.T) {
	t.Parallel()
	path := emptyStore(t)
	next := func(s *sqlitestore.Store, first, ids int64) {
		t.Helper()
		for n := range ids {
			for _, of := range ports.Sequences() {
				id, err := s.NextID(t.Context(), of)
				must(t, err)
				expect.DeepEqual(t, id, first+n, "%v", of)
			}
		}
	}
	stopped := func(first, ids int64) {
		t.Helper()
		s := open(t, path)
		next(s, first, ids)
		must(t, s.Close())
	}
	stopped(1, 1)
	stopped(2, 60)
	first, second := open(t, path), open(t, path)
	next(first, 62, 1)
	next(second, 112, 1)
	must(t, first.Close())
	must(t, second.Close())
	stopped(113, 1)
	stopped(114, 0)
	stopped(114, 1)
}

// Another process that has the file open keeps the WAL alive.
func TestAClosedFileIsWholeByItself(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "store.db")
	s := open(t, path)
	insert(t, s, admin())
	other, err := sql.Open("sqlite", path)
	must(t, err)
	t.Cleanup(func() { _ = other.Close() })
	var resellers int
	must(t, other.QueryRowContext(t.Context(), "SELECT count(*) FROM accounts").Scan(&resellers))
	must(t, s.Close())
	_, err = os.Stat(path + "-wal")
	must(t, err, "the WAL is gone: nobody else had it")

	content, err := os.ReadFile(path)
	must(t, err)
	alone := filepath.Join(folder, "alone.db")
	must(t, os.WriteFile(alone, content, 0o600))
	wantSame(t, get(t, open(t, alone), 1), admin())
}

// SQLite flushes the folder that its files are in, and no folder above it.
//
//nolint:paralleltest // all stores of the process flush folders by the same function
func TestFoldersThatAreMadeSurviveAPowerCut(t *testing.T) {
	above := t.TempDir()
	var flushed []string
	before := engine.FlushFolder
	defer func() { engine.FlushFolder = before }()
	engine.FlushFolder = func(folder string) error {
		flushed = append(flushed, folder)
		return nil
	}
	open(t, filepath.Join(above, "a", "b", "store.db"))
	expect.Elements(t, flushed, []string{above, filepath.Join(above, "a")}, "flushed")
}

// wantOneFile looks at what a closed store has left in its folder. More than the
// file means that a connection to it is open.
func wantOneFile(t *testing.T, path string) {
	t.Helper()
	left, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(left) != 1 || left[0].Name() != filepath.Base(path) {
		t.Errorf("a closed store is %v, want its file alone", left)
	}
}

// change runs a statement on the file from outside the store.
func change(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	must(t, err)
	must(t, db.Close())
}

func TestWhoFindsNoRoomSaysWhere(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	full := s.OnWriter(func(c sqlitestore.Raw) error {
		return c.Exec("PRAGMA max_page_count = 1; INSERT INTO settings VALUES ('filler', hex(zeroblob(100000)))")
	})
	err := engine.Explained(path, true, full)
	expect.Error(t, err, full)
	wantMention(t, err, "there is no room in "+filepath.Dir(path))
	other := errors.New("another")
	expect.DeepEqual(t, engine.Explained(path, true, other), other)
}
