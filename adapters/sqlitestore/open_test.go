package sqlitestore_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the driver by which tests change a file from outside

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

// wantOneFile expects that a closed store leaves only its file in the folder. Another file means that a connection is
// open.
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
