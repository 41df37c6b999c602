package backupfolder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// restored publishes a draft at path, with its service key.
func restored(t *testing.T, path string) error {
	t.Helper()
	place := TargetAt(path)
	require.NoError(t, place.Free(time.Now()))
	d, err := place.Begin(time.Now())
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Discard()) }()
	require.NoError(t, os.WriteFile(d.Path(), []byte("records"), 0o600))
	key := profile.NewSecret("the service key")
	return d.Publish(&key, path+".key")
}

func TestARestoredStoreGetsItsKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "restored.db")
	require.NoError(t, restored(t, path))
	for file, want := range map[string]string{path: "records", path + ".key": "the service key\n"} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		if info, err := os.Stat(file); err != nil || string(content) != want || info.Mode() != 0o600 {
			t.Errorf("%s has %q and is %v, %v", file, content, info, err)
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		taken := filepath.Join(t.TempDir(), "taken.db")
		require.NoError(t, os.WriteFile(taken+suffix, nil, 0o600))
		expect.Error(t, TargetAt(taken).Free(time.Now()), ports.ErrExists, "a path beside the file %q", suffix)
	}
}

// TestARestoreReplacesNoFile covers a file and a key that another process made in between.
func TestARestoreReplacesNoFile(t *testing.T) {
	for _, suffix := range []string{"", ".key"} {
		path := filepath.Join(t.TempDir(), "restored.db")
		d, err := TargetAt(path).Begin(time.Now())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path+suffix, []byte("another's"), 0o600))
		key := profile.NewSecret("the service key")
		if err := d.Publish(&key, path+".key"); err == nil || suffix == "" && !errors.Is(err, ports.ErrExists) {
			t.Errorf("%q was taken: %v", suffix, err)
		}
		require.NoError(t, d.Discard())
		entries, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		if content, err := os.ReadFile(path + suffix); err != nil || string(content) != "another's" || len(entries) != 1 {
			t.Errorf("%q is %q, %v, beside %v", suffix, content, err, entries)
		}
	}
}

// TestAPublishedStoreKeepsItsKey covers a folder that can't be synced after the store got its name.
func TestAPublishedStoreKeepsItsKey(t *testing.T) {
	gone := errors.New("the disk is gone")
	defer func() { syncFolder = sync }()
	syncFolder = func(string) error { return gone }
	path := filepath.Join(t.TempDir(), "restored.db")
	expect.Error(t, restored(t, path), gone)
	for _, suffix := range []string{"", ".key"} {
		_, err := os.Stat(path + suffix)
		expect.Error(t, err, nil)
	}
}

// TestAStoreBehindALinkHasTheSameBackups compares the ids of a store by its own path and by a link.
func TestAStoreBehindALinkHasTheSameBackups(t *testing.T) {
	file, link := filepath.Join(t.TempDir(), "served.db"), filepath.Join(t.TempDir(), "current.db")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err) // on Windows links require a privilege
	}
	want, err := ID(file, "1")
	require.NoError(t, err)
	if id, err := ID(link, "1"); err != nil || id != want || !storeIDs.MatchString(id) {
		t.Errorf("through a link its backups have the id %s, %v, want %s", id, err, want)
	}
}
