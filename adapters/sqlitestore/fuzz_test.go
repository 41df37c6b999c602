package sqlitestore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// FuzzFile changes some bytes of a store's file, like a disk that fails, including the header and the schema. The file
// is opened and read, or refused. A backup has the same format.
func FuzzFile(f *testing.F) {
	folder := f.TempDir()
	path := filepath.Join(folder, "store.db")
	store, err := sqlitestore.Open(f.Context(), path)
	require.NoError(f, err)
	require.NoError(f, store.Close())
	sound, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(uint32(0), []byte("SQLite format 4"), uint32(len(sound)))
	f.Add(uint32(16), []byte{0, 0}, uint32(len(sound)))
	f.Add(uint32(28), []byte{255, 255, 255, 255}, uint32(len(sound)))
	f.Add(uint32(100), []byte{13, 255, 255}, uint32(len(sound)))
	f.Add(uint32(0), []byte{}, uint32(0))
	f.Fuzz(func(t *testing.T, at uint32, change []byte, length uint32) {
		content := append([]byte(nil), sound[:int(length)%(len(sound)+1)]...)
		if len(content) > 0 {
			copy(content[int(at)%len(content):], change)
		}
		file := filepath.Join(folder, fmt.Sprintf("changed-%d.db", os.Getpid()))
		require.NoError(t, os.WriteFile(file, content, 0o600))
		a, err := archive.Open(file)
		if err != nil {
			return
		}
		readAll(t, a)
		expect.Error(t, a.Close(), nil, "close")
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, content) {
			t.Errorf("a file that was only read was changed, %v", err)
		}
	})
}

// readAll reads all records and ignores errors.
func readAll(t *testing.T, a *archive.Archive) {
	t.Helper()
	_ = a.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		_, err1 := r.Resellers(ctx, 0, 10)
		_, err2 := r.Lines(ctx, 0, 10)
		_, err3 := r.Movements(ctx, 0, 10)
		_, err4 := r.KeyRecords(ctx, 0, "", 10)
		_, err5 := r.Origin(ctx)
		return errors.Join(err1, err2, err3, err4, err5, r.Derived(ctx, func(string) {}))
	})
}
