package bootstrap

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/adapters/cli"
	"resellerd/adapters/sqlitestore"
)

// inFile returns the name of a file of its own for a store, and what runs a command on it.
func inFile(t *testing.T, name string) (file string, command func(args ...string) (status int, said string)) {
	t.Helper()
	file = filepath.Join(t.TempDir(), name)
	return file, func(args ...string) (int, string) {
		t.Helper()
		t.Setenv("RESELLERD_STORE", "sqlite:"+file)
		var out bytes.Buffer
		status := Run(args, &out, &out, DefaultStores())
		return status, out.String()
	}
}

func makeStore(t *testing.T, file string) {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), file)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAKeyFileThatWasRenamedIsInABackup between its new name and the command that replaces the key.
func TestAKeyFileThatWasRenamedIsInABackup(t *testing.T) {
	file, command := inFile(t, "served.db")
	makeStore(t, file)
	if status, said := command("admin", "create", "operator"); status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	key, err := os.ReadFile(file + ".key")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".key", file+".key.previous"); err != nil {
		t.Fatal(err)
	}
	backups := t.TempDir()
	if status, said := command("backup", "--dir", backups, "--with-key"); status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	found, err := filepath.Glob(filepath.Join(backups, "*.key"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the keys are %v, %v", found, err)
	}
	if content, err := os.ReadFile(found[0]); err != nil || !bytes.Equal(content, key) {
		t.Errorf("the backup has another key: %v", err)
	}
	if _, err := os.Stat(file + ".key"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a backup has made a key: %v", err)
	}
	if err := os.Remove(file + ".key.previous"); err != nil {
		t.Fatal(err)
	}
	if status, said := command("backup", "--dir", backups, "--with-key"); status != cli.ExitFailed || !strings.Contains(said, file+".key") {
		t.Errorf("without any key: status %d: %s", status, said)
	}
}
