package servicekey

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/domain/profile"
	"resellerd/test/expect"
	"resellerd/test/require"
)

func TestKeyIsCreatedOnceAndStored(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "service.key")

	_, err := LoadOrCreate(path, false)
	expect.Error(t, err, fs.ErrNotExist)
	_, err = os.Stat(path)
	expect.Error(t, err, fs.ErrNotExist, "created without leave")
	_, err = LoadOrCreate(filepath.Join(folder, "none", "service.key"), true)
	expect.Error(t, err, fs.ErrNotExist, "a folder that does not exist")

	created, err := LoadOrCreate(path, true)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	expect.Equal(t, info.Mode(), fs.FileMode(0o600))
	_, err = New(created)
	require.NoError(t, err)

	for _, create := range []bool{true, false} {
		again, err := LoadOrCreate(path, create)
		require.NoError(t, err)
		expect.Equal(t, again.Reveal(), created.Reveal(), "create %v", create)
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	expect.Equal(t, len(left), 1, "a draft was left behind")
}

// TestAnExistingKeyFileIsNeverReplaced covers a process that finds no file while another process makes one. It uses
// the key of the other process.
func TestAnExistingKeyFileIsNeverReplaced(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "service.key")
	require.NoError(t, publish(path, profile.NewSecret(oneKey)))
	expect.Error(t, publish(path, Generate()), fs.ErrExist)
	secret, err := load(path)
	require.NoError(t, err)
	expect.Equal(t, secret.Reveal(), oneKey, "the key that was there")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	expect.Equal(t, len(left), 1, "a draft was left behind")
}

func TestKeyFileOpenToOthersIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.key")
	require.NoError(t, os.WriteFile(path, []byte(oneKey), 0o600))
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o601} {
		require.NoError(t, os.Chmod(path, mode))
		_, err := LoadOrCreate(path, true)
		if err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Fatalf("mode %o: got error %v, want it to say %q", mode, err, "chmod 600 "+path)
		}
		expect.Lacks(t, err.Error(), oneKey)
	}
	require.NoError(t, os.Chmod(path, 0o400))
	_, err := LoadOrCreate(path, true)
	require.NoError(t, err)
}

func TestAFileWithoutAKeyIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.key")
	require.NoError(t, os.WriteFile(path, []byte("no key\n"), 0o600))
	_, err := LoadOrCreate(path, true)
	left, _ := os.ReadFile(path)
	expect.Equal(t, err != nil && string(left) == "no key\n", true, "%v, and the file has %q", err, left)
}
