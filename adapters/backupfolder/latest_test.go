package backupfolder_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/backupfolder"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// TestLatestIsTheTimeOfTheStoresNewestBackup has other files in the folder, which are not backups of the store.
func TestLatestIsTheTimeOfTheStoresNewestBackup(t *testing.T) {
	file, path := filepath.Join(t.TempDir(), "resellerd.db"), filepath.Join(t.TempDir(), "backups")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	id, err := backupfolder.ID(file, "1")
	require.NoError(t, err)
	var log bytes.Buffer
	kept := backupfolder.BackupsOf(path, file, slog.New(slog.NewTextHandler(&log, nil)))
	latest := func(want time.Time, warnings int) {
		t.Helper()
		if got := kept.Latest(t.Context(), "1"); !got.Equal(want) {
			t.Errorf("got %s, want %s", got, want)
		}
		expect.Equal(t, strings.Count(log.String(), "level=WARN"), warnings, "warnings in\n%s", &log)
	}
	folder, err := backupfolder.Open(path, id)
	require.NoError(t, err)
	latest(time.Time{}, 0)
	newest := noon.Add(1234 * time.Millisecond)
	backup(t, folder, newest, nil)
	backup(t, folder, noon, nil)
	for _, other := range []string{
		"resellerd-0123456789ac-20300101T000000.000Z.db", "resellerd-" + id + "-20300101T000000.000Z.db.key",
		"resellerd-" + id + "-20301301T000000.000Z.db", // no month
	} {
		require.NoError(t, os.WriteFile(filepath.Join(path, other), nil, 0o600))
	}
	latest(newest, 0)
	require.NoError(t, os.Rename(path, path+".away"))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	latest(time.Time{}, 1)
}
