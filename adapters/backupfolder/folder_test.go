package backupfolder_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"resellerd/adapters/backupfolder"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

const store = "0123456789ab"

var noon = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string) *backupfolder.Folder {
	t.Helper()
	folder, err := backupfolder.Open(path, store)
	require.NoError(t, err)
	return folder
}

func names(t *testing.T, path string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	require.NoError(t, err)
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func wantNames(t *testing.T, path string, want ...string) {
	t.Helper()
	expect.DeepEqual(t, names(t, path), want, "the folder")
}

func begin(t *testing.T, folder *backupfolder.Folder, at time.Time) ports.BackupDraft {
	t.Helper()
	draft, err := folder.Begin(at)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(draft.Path(), []byte("records"), 0o600))
	return draft
}

// backup makes a backup as of an instant.
func backup(t *testing.T, folder *backupfolder.Folder, at time.Time, key *profile.Secret) string {
	t.Helper()
	made, _, _, err := begin(t, folder, at).Finish(at, key)
	require.NoError(t, err)
	return made
}

func TestABackupGetsItsNameWhenComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "where it was missing")
	folder := open(t, path)
	draft := begin(t, folder, noon)
	if got := names(t, path); len(got) != 1 || got[0][0] != '.' {
		t.Errorf("while it is made the folder has %q", got)
	}
	key := profile.NewSecret("the service key")
	made, keyFile, size, err := draft.Finish(noon.Add(1234*time.Millisecond).In(time.FixedZone("", 3600)), &key)
	require.NoError(t, err)
	const name = "resellerd-" + store + "-20261122T120001.234Z.db"
	if made != filepath.Join(path, name) || keyFile != made+".key" || size != int64(len("records")) {
		t.Errorf("it is in %s, %d bytes, with its key in %s", made, size, keyFile)
	}
	wantNames(t, path, name, name+".key")
	for file, want := range map[string]string{made: "records", keyFile: "the service key\n"} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		info, err := os.Stat(file)
		require.NoError(t, err)
		expect.Equal(t, string(content), want, "%s", file)
		expect.Equal(t, info.Mode(), 0o600, "%s: its mode", file)
	}
}

// TestOnlyTheOldestOwnBackupsAreRemoved has files in the folder that look like backups but are not, or belong to
// another store.
func TestOnlyTheOldestOwnBackupsAreRemoved(t *testing.T) {
	path := t.TempDir()
	folder := open(t, path)
	others := []string{
		"resellerd-0123456789ac-20200101T000000.000Z.db", // another store
		"resellerd-" + store + "-20200101T000000.000Z.key",
		"resellerd.db",
	}
	for _, name := range others {
		require.NoError(t, os.WriteFile(filepath.Join(path, name), nil, 0o600))
	}
	const directory = "resellerd-" + store + "-20200101T000001.000Z.db"
	require.NoError(t, os.Mkdir(filepath.Join(path, directory), 0o700))
	before := names(t, path)

	key := profile.NewSecret("the service key")
	var made []string
	for i := range 4 {
		made = append(made, backup(t, folder, noon.Add(time.Duration(i)*time.Hour), &key))
	}
	removed, err := folder.Prune(2, made[3])
	require.NoError(t, err)
	expect.DeepEqual(t, removed, made[:2], "it removed the oldest")
	// A backup that was made under a clock that is behind remains.
	late := backup(t, folder, noon.Add(-time.Hour), nil)
	removed, err = folder.Prune(1, late)
	require.NoError(t, err)
	expect.DeepEqual(t, removed, made[2:], "it removed all but the latest")
	require.NoError(t, os.Remove(late))
	wantNames(t, path, before...)
}

// TestDraftsOfKilledProcessesAreRemoved also checks that the files of a running process remain. A key is removed
// together with the draft of its backup.
func TestDraftsOfKilledProcessesAreRemoved(t *testing.T) {
	noon := time.Now() // like the times of files
	path := t.TempDir()
	folder := open(t, path)
	left, working := filepath.Dir(begin(t, folder, noon).Path()), begin(t, folder, noon)
	at := func(second string) string { return "resellerd-" + store + "-20261122T1200" + second + "Z.db" }
	unfinished, moved, whole := at("01.234"), at("02.000"), at("03.000")
	file := filepath.Join(path, ".resellerd-"+store+"-1.draft")
	for _, file := range []string{filepath.Join(left, unfinished), filepath.Join(left, whole), file,
		filepath.Join(path, unfinished+".key"), filepath.Join(path, moved+".key"), filepath.Join(path, whole),
		filepath.Join(path, whole+".key")} {
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	for _, old := range []string{left, filepath.Dir(working.Path()), file} {
		require.NoError(t, os.Chtimes(old, noon, noon))
	}
	require.NoError(t, working.Touch(noon.Add(2*time.Minute)))
	before := names(t, path)
	require.NoError(t, begin(t, folder, noon.Add(59*time.Minute)).Discard())
	wantNames(t, path, before...)
	require.NoError(t, begin(t, folder, noon.Add(61*time.Minute)).Discard())
	wantNames(t, path, slices.DeleteFunc(before, func(name string) bool {
		return name == filepath.Base(left) || name == unfinished+".key"
	})...)
}
