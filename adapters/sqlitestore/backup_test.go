package sqlitestore_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"resellerd/adapters/sqlitestore/archive"
	"resellerd/ports"
	"resellerd/test/expect"
)

// emptyFile returns the path of an empty file.
func emptyFile(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	must(t, os.WriteFile(path, nil, 0o600))
	return path
}

// copyOf copies an archive into a file and returns its path.
func copyOf(t *testing.T, a *archive.Archive) string {
	t.Helper()
	path := emptyFile(t)
	must(t, a.CopyTo(t.Context(), path, func(int64, int64) {}))
	return path
}

// TestACopyIsTheStoreAtOneInstant writes to the store while it is copied.
func TestACopyIsTheStoreAtOneInstant(t *testing.T) {
	path, s := storeOfTwo(t)
	const many = 300 // of more pages than are copied at once
	for id := int64(3); id <= many; id++ {
		insert(t, s, master(id))
	}
	source, to := openArchive(t, path), emptyFile(t)
	written := int64(0)
	err := source.CopyTo(t.Context(), to, func(done, total int64) {
		if done < 1 || done > total {
			t.Errorf("%d pages of %d are copied", done, total)
		}
		if written == 0 && done < total { // it holds up no writer
			written = many + 1
			insert(t, s, master(written))
		}
	})
	must(t, err)
	if written == 0 {
		t.Fatal("it was done at once")
	}
	for name, c := range map[string]struct {
		copied string
		want   []int64
	}{
		"one that began before it was written": {to, []int64{many}},
		"a later one":                          {copyOf(t, openArchive(t, path)), []int64{many, written}},
	} {
		must(t, openArchive(t, c.copied).ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			found, err := r.ResellersByID(ctx, []int64{many, written, written + 1})
			expect.DeepEqual(t, slices.Sorted(maps.Keys(found)), c.want, "%v", name)
			return err
		}))
	}
}

// TestACopyIsAStore opens copies of a store in use, of one that is closed and of what a killed process left. Nothing is
// beside them.
func TestACopyIsAStore(t *testing.T) {
	served, _ := storeOfTwo(t)
	for name, path := range map[string]string{"in use": served, "closed": closedStore(t),
		"left by a killed process": killedStore(t)} {
		t.Run(name, func(t *testing.T) {
			copied := copyOf(t, openArchive(t, path))
			if left, err := os.ReadDir(filepath.Dir(copied)); err != nil || len(left) != 1 {
				t.Errorf("beside the copy is %v, %v", left, err)
			}
			expect.DeepEqual(t, resellersIn(t, openArchive(t, copied)), 2)
			s := open(t, copied)
			insert(t, s, master(7))
			must(t, s.Close())
		})
	}
}

func TestACopyEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	path, _ := storeOfTwo(t)
	cancel()
	if err := openArchive(t, path).CopyTo(ctx, emptyFile(t), func(int64, int64) { t.Error("it went on") }); err == nil {
		t.Error("a copy under a context that has ended succeeds")
	}
}

func TestACopyIsWrittenBelowTheWorkingFolder(t *testing.T) {
	source := openArchive(t, closedStore(t))
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("a copy.db", nil, 0o600))
	must(t, source.CopyTo(t.Context(), "a copy.db", func(int64, int64) {}))
	expect.DeepEqual(t, resellersIn(t, openArchive(t, "a copy.db")), 2)
}

func TestACopyFailsWhereItCantBeWritten(t *testing.T) {
	err := openArchive(t, closedStore(t)).CopyTo(t.Context(), filepath.Join(t.TempDir(), "nowhere"), func(int64, int64) {})
	if err == nil || errors.Is(err, archive.ErrChanged) {
		t.Errorf("got %v", err)
	}
}
