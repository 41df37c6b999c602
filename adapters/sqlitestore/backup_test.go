package sqlitestore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"resellerd/adapters/sqlitestore"
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
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) (err error) {
		for id := int64(3); id <= many; id++ {
			err = errors.Join(err, tx.Resellers.Insert(ctx, master(id)))
		}
		return err
	}))
	source, to := openArchive(t, path), emptyFile(t)
	written := int64(0)
	must(t, source.CopyTo(t.Context(), to, func(done, total int64) {
		if done < 1 || done > total {
			t.Errorf("%d pages of %d are copied", done, total)
		}
		if written == 0 && done < total { // it delays no writer
			written = many + 1
			insert(t, s, master(written))
		}
	}))
	if written == 0 {
		t.Fatal("it was done at once")
	}
	for copied, want := range map[string][]int64{to: {many}, copyOf(t, openArchive(t, path)): {many, written}} {
		must(t, openArchive(t, copied).ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			found, err := r.ResellersByID(ctx, []int64{many, written, written + 1})
			expect.DeepEqual(t, slices.Sorted(maps.Keys(found)), want)
			return err
		}))
	}
}

// TestACopyHasNoSessions copies stores with a session. The copy contains no part of it, not even in unused pages, and
// the store itself does not change. The copy is a complete store without other files.
func TestACopyHasNoSessions(t *testing.T) {
	t.Parallel()
	served, s := storeOfTwo(t)
	for i := range 200 {
		signIn(t, s, fmt.Sprint(i))
	}
	left := copied(t, served, "", "-wal", "-shm")
	for name, path := range map[string]string{"in use": served, "left by a killed process": left} {
		copied := copyOf(t, openArchive(t, path))
		content, err := os.ReadFile(copied)
		must(t, err, name)
		expect.Equal(t, bytes.Contains(content, []byte(secretDevice)), false, "%s: the copy contains a session", name)
		wantOneFile(t, copied)
		c := open(t, copied)
		expect.DeepEqual(t, derived(t, c), nil, "%v", name)
		wantSignedIn(t, c)
		wantSignedIn(t, c, signIn(t, c, "new"))
		var sound string
		must(t, c.OnWriter(func(c sqlitestore.Raw) error { return c.Ask("PRAGMA integrity_check", &sound) }))
		expect.DeepEqual(t, sound, "ok", "%v", name)
	}
	expect.Equal(t, number(t, s, "SELECT count(*) FROM records"), 200, "sessions of the store itself")
}
