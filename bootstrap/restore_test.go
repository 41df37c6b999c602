package bootstrap

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// TestAStoreThatHasItsNameKeepsItsKey where the folder can't be made durable after it got the name.
func TestAStoreThatHasItsNameKeepsItsKey(t *testing.T) {
	file, command := inFile(t, "served.db")
	makeStore(t, file)
	if status, said := command("admin", "create", "operator"); status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	backups := t.TempDir()
	if status, said := command("backup", "--dir", backups, "--with-key"); status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	found, err := filepath.Glob(filepath.Join(backups, "*.db"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the backups are %v, %v", found, err)
	}
	sound := syncFolder
	defer func() { syncFolder = sound }()
	syncFolder = func(string) error { return errors.New("the disk is gone") }
	made, restored := inFile(t, "restored.db")
	if status, said := restored("restore", found[0]); status != cli.ExitFailed || !strings.Contains(said, "a power cut may undo that: the disk is gone") {
		t.Errorf("status %d: %s", status, said)
	}
	syncFolder = sound
	for _, suffix := range []string{"", ".key"} {
		if _, err := os.Stat(made + suffix); err != nil {
			t.Error(err)
		}
	}
	if status, said := restored("admin", "create", "another"); status != 0 {
		t.Errorf("status %d: %s", status, said)
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

// TestWhatAKilledRestoreLeftIsRemoved once nobody was at work there for an hour, and nothing else is.
func TestWhatAKilledRestoreLeftIsRemoved(t *testing.T) {
	made, restored := inFile(t, "restored.db")
	at := func(name string) string { return filepath.Join(filepath.Dir(made), name) }
	old := time.Now().Add(-2 * time.Hour)
	for name, touched := range map[string]time.Time{
		".restored.db.restore-1": old, ".restored.db.restore-2": time.Now(), ".restored.db.restore-": old, ".restored.db.restore-1x": old, ".other.db.restore-1": old,
	} {
		if err := errors.Join(os.Mkdir(at(name), 0o700), os.WriteFile(filepath.Join(at(name), "store.db"), nil, 0o600), os.Chtimes(at(name), touched, touched)); err != nil {
			t.Fatal(err)
		}
	}
	if status, said := restored("restore", at("no.db")); status == 0 {
		t.Errorf("restored: %s", said)
	}
	left, err := filepath.Glob(at(".*"))
	if err != nil || len(left) != 4 || slices.Contains(left, at(".restored.db.restore-1")) {
		t.Errorf("left is %q, %v", left, err)
	}
}

// TestARestoreTouchesItsFolder while it copies and while it audits, or another one takes the folder for abandoned.
func TestARestoreTouchesItsFolder(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		o := atWork(folder, cli.BackupOptions{Copied: func(int64, int64) {}, Audited: func(int64) {}})
		for step, tell := range map[string]func(){"copies": func() { o.Copied(1, 2) }, "audits": func() { o.Audited(1) }} {
			time.Sleep(time.Minute)
			tell()
			if info, err := os.Stat(folder); err != nil || !info.ModTime().Equal(time.Now()) {
				t.Errorf("while it %s the folder was touched at %s, %v, and it is %s", step, info.ModTime(), err, time.Now())
			}
		}
	})
}

// TestAStoreBehindALinkHasTheSameBackups as by its own name.
func TestAStoreBehindALinkHasTheSameBackups(t *testing.T) {
	file, command := inFile(t, "served.db")
	makeStore(t, file)
	if status, said := command("admin", "create", "operator"); status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	link := filepath.Join(t.TempDir(), "current.db")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err) // on Windows it is a privilege
	}
	b := backup{storeConfig: storeConfig{opener: DefaultStores()["sqlite"], address: file}, log: slog.New(slog.DiscardHandler)}
	want, err := b.id(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.address = link
	if id, err := b.id(t.Context()); err != nil || id != want {
		t.Errorf("by a link its backups are those of %s, %v, want %s", id, err, want)
	}
}
