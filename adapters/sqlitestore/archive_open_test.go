package sqlitestore_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/ports"
	"resellerd/test/expect"
)

// folderOf returns the files of a folder: names, sizes, times and digests.
func folderOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	self, err := os.Stat(folder)
	must(t, err)
	found := map[string]string{".": fmt.Sprint(self.ModTime())}
	for _, entry := range entries {
		info, err := entry.Info()
		must(t, err)
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		must(t, err)
		found[entry.Name()] = fmt.Sprintf("%d %v %x", info.Size(), info.ModTime(), sha256.Sum256(content))
	}
	return found
}

// storeOfTwo returns a store with an administrator and a reseller, and its path.
func storeOfTwo(t *testing.T) (string, *sqlitestore.Store) {
	t.Helper()
	path := emptyStore(t)
	s := open(t, path)
	insert(t, s, admin(), master(2))
	return path, s
}

// closedStore returns the path of a store that was closed, with an administrator and a reseller.
func closedStore(t *testing.T) string {
	t.Helper()
	path, s := storeOfTwo(t)
	must(t, s.Close())
	return path
}

// killedStore returns the path of a copy of a store that is open, with the files that SQLite puts beside it. A killed
// process leaves the same files.
func killedStore(t *testing.T) string {
	t.Helper()
	path, s := storeOfTwo(t)
	left := copied(t, path, "", "-wal", "-shm")
	must(t, s.Close()) // whose locks the reading has dropped
	return left
}

func openArchive(t *testing.T, path string) *archive.Archive {
	t.Helper()
	a, err := archive.Open(path)
	must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// resellersIn counts the resellers of an archive.
func resellersIn(t *testing.T, a ports.Archive) (count int) {
	t.Helper()
	must(t, a.ViewRecords(t.Context(), func(ctx context.Context, s ports.Records) error {
		found, err := s.Resellers(ctx, 0, 10)
		count = len(found)
		return err
	}))
	return count
}

func TestAnArchiveChangesNothing(t *testing.T) {
	t.Parallel()
	backup, link, left := filepath.Join(t.TempDir(), "backup.db"), filepath.Join(t.TempDir(), "link.db"), closedStore(t)
	change(t, closedStore(t), "VACUUM INTO '"+backup+"'")
	must(t, os.Symlink(killedStore(t), link))
	must(t, os.WriteFile(left+"-wal", nil, 0o600))
	must(t, os.WriteFile(left+"-shm", make([]byte, 32768), 0o600))
	for name, path := range map[string]string{
		"a closed store": closedStore(t), "a backup": backup, "a killed store, by a link": link,
		"a store whose empty WAL and its index were left": left,
	} {
		itself, err := filepath.EvalSymlinks(path)
		must(t, err)
		before := folderOf(t, filepath.Dir(itself))
		a := openArchive(t, path)
		expect.DeepEqual(t, resellersIn(t, a), 2, "accounts of %s", name)
		expect.DeepEqual(t, resellersIn(t, a), 2, "accounts, again")
		must(t, sqlitestore.OnArchive(a, func(c sqlitestore.Raw) error {
			wantMention(t, c.Exec("DELETE FROM accounts"), "readonly")
			wantMention(t, c.Exec("CREATE TEMP TABLE another (x)"), "readonly")
			return nil
		}))
		must(t, a.Close())
		expect.DeepEqual(t, folderOf(t, filepath.Dir(itself)), before, "the folder of %s", name)
	}
}

// TestAFileThatIsNoStoreIsRefused covers an archive and, except for files that it makes or repairs, a store.
func TestAFileThatIsNoStoreIsRefused(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, path, content string) string {
		t.Helper()
		must(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	withoutIndex, journalled, theirs := killedStore(t), closedStore(t), newPath(t)
	must(t, os.Remove(withoutIndex+"-shm"))
	write(t, journalled+"-journal", "of another program")
	change(t, theirs, "CREATE TABLE theirs (x)")
	for path, file := range map[string]struct {
		want  error
		store bool
	}{
		withoutIndex: {archive.ErrLeftOver, false},
		journalled:   {archive.ErrLeftOver, false},
		write(t, newPath(t), "This text must not be lost.\n"): {schema.ErrForeign, true},
		write(t, newPath(t), ""):                              {schema.ErrForeign, false},
		theirs:                                                {schema.ErrForeign, true},
		newPath(t):                                            {os.ErrNotExist, false},
	} {
		before := folderOf(t, filepath.Dir(path))
		_, err := archive.Open(path)
		expect.Error(t, err, file.want)
		wantMention(t, err, path)
		expect.DeepEqual(t, folderOf(t, filepath.Dir(path)), before, "a refused file and its folder")
		if file.store {
			_, err = sqlitestore.Open(t.Context(), path)
			expect.Error(t, err, file.want)
			wantMention(t, err, path)
			expect.DeepEqual(t, folderOf(t, filepath.Dir(path))["store.db"], before["store.db"], "a refused file")
		}
	}
}

// TestAnArchiveReportsThatItsFileChanged changes the file that only a view reads.
func TestAnArchiveReportsThatItsFileChanged(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(t *testing.T, path string){
		"it is taken into use, changed and left": func(t *testing.T, path string) {
			s := open(t, path)
			insert(t, s, master(3))
			must(t, s.Close())
		},
		"it is replaced": func(t *testing.T, path string) {
			must(t, os.Rename(closedStore(t), path))
		},
		"it is removed": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"it is overwritten in place": func(t *testing.T, path string) {
			must(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Minute)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := closedStore(t)
			a := openArchive(t, path)
			expect.DeepEqual(t, resellersIn(t, a), 2, "accounts")
			err := a.ViewRecords(t.Context(), func(ctx context.Context, s ports.Records) error {
				happens(t, path)
				_, err := s.Resellers(ctx, 0, 10)
				return err
			})
			expect.Error(t, err, archive.ErrChanged)
			expect.Error(t, err, ports.ErrUnavailable)
			refusal := errors.New("refusal")
			expect.Error(t, a.ViewRecords(t.Context(), func(context.Context, ports.Records) error { return refusal }), refusal,
				"the error of look")
		})
	}
}
